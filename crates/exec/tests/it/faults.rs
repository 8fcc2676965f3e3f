//! Subjects with one fault each, and its message.

use std::time::Duration;

use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};
use retrylab_exec::{Construction, ExecPolicy, Program, Subject, SubjectFault, Wrong};
use retrylab_spec::PolicySpec;

use crate::subject::{LONG, at_a_failure, streaming, subject};

/// The message for a subject that does this at its first failure, without the request.
fn message(what: &str) -> String {
    let subject = subject(&at_a_failure(what), LONG);
    let mut policy = streaming(&subject).expect("it is built");
    assert_eq!(
        policy.record_failure(FailureKind::Normal.into(), Instant::from_secs(5), 0),
        Decision::GiveUp(GiveUp::Terminal)
    );
    assert_eq!(policy.next_delay(), Duration::ZERO);
    let fault = subject.fault().expect("a fault");
    // `new` and the first read of the delay came before.
    assert_eq!(fault.request.number, 3);
    let request = r#"{"op":"failure","kind":"normal","at_s":5,"jitter_unit":0.0}"#;
    let text = fault.to_string();
    let wrong = text.strip_prefix(&format!("request 3, {request}: ")).expect("the request is named");
    wrong.to_owned()
}

#[test]
fn the_exit_of_a_subject_is_a_fault_with_its_status() {
    assert_eq!(message("sys.exit(3)"), "no response; the process has ended (exit status: 3)");
}

#[test]
fn an_unfinished_response_is_shown() {
    assert_eq!(
        message("sys.stdout.write('{\"delay_s\":1}'); sys.stdout.flush(); sys.exit(3)"),
        "no response but `{\"delay_s\":1}` without the end of its line; the process has ended (exit status: 3)"
    );
    assert_eq!(
        message("os.write(1, b'half'); os.close(1); time.sleep(3600)"),
        "no response but `half` without the end of its line; the process has closed its standard streams but has not ended"
    );
}

#[test]
fn the_death_of_a_subject_is_a_fault_with_its_signal() {
    assert_eq!(message("os.kill(os.getpid(), 9)"), "no response; the process has ended (signal: 9 (SIGKILL))");
}

#[test]
fn a_subject_that_closes_its_output_and_stays_is_a_fault() {
    assert_eq!(
        message("os.close(1); time.sleep(3600)"),
        "no response; the process has closed its standard streams but has not ended"
    );
}

#[test]
fn an_invalid_response_is_shown_with_the_expected_form() {
    assert_eq!(
        message("print('retrying in 1 s')"),
        "the response is `retrying in 1 s`, which is invalid: it is not a JSON object; \
         expected {\"delay_s\":1.5} or {\"give_up\":\"attempts\"}"
    );
}

#[test]
fn a_line_without_an_end_is_cut_at_the_limit() {
    let text = message("os.write(1, b'x' * (1 << 20))");
    let begin = "x".repeat(200);
    assert_eq!(
        text,
        format!(
            "the response is longer than 64 KiB and begins with `{begin}…`; \
             expected {{\"delay_s\":1.5}} or {{\"give_up\":\"attempts\"}}"
        )
    );
}

#[test]
fn a_missing_delay_is_a_fault() {
    assert_eq!(
        message("print('{\"ok\":true}')"),
        "the response is `{\"ok\":true}`, which has no delay_s and no give_up; \
         expected {\"delay_s\":1.5} or {\"give_up\":\"attempts\"}"
    );
}

#[test]
fn an_invalid_delay_is_a_fault() {
    let rest = "allowed is a number of seconds from 0";
    assert_eq!(message("print('{\"delay_s\":-0.5}')"), format!("delay_s is `-0.5`, which is below zero; {rest}"));
    let nan = "print(json.dumps({'delay_s': float('nan')}))";
    assert_eq!(message(nan), format!("delay_s is `NaN`, which is not a number; {rest}"));
    let large = "print('{\"delay_s\":1e999}')";
    assert_eq!(message(large), format!("delay_s is `1e999`, which is larger than any double; {rest}"));
}

#[test]
fn additional_output_is_a_fault() {
    let two = "os.write(1, b'{\"delay_s\":1}\\n{\"delay_s\":2}\\n')";
    assert_eq!(
        message(two),
        "unexpected output after the response: `{\"delay_s\":2}`; only responses may be printed on standard output"
    );
}

#[test]
fn a_restart_clears_the_fault() {
    let subject = subject(&at_a_failure("sys.exit(3)"), LONG);
    let mut policy = streaming(&subject).expect("it is built");
    policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
    assert!(subject.fault().is_some());
    subject.restart().expect("it can be started again");
    assert_eq!(subject.fault(), None);
    let policy = streaming(&subject).expect("it is built again");
    assert_eq!(policy.next_delay(), Duration::ZERO);
}

#[test]
fn a_refusal_is_no_fault() {
    let body = "def answer(ask):\n    if ask['op'] == 'new':\n        \
                print('{\"ok\":true}' if ask['constructor'] == 'streaming' else '{\"refused\":\"no polling here\"}')\n    \
                else:\n        print('{\"delay_s\":0}')";
    let subject = subject(body, LONG);
    let polling = Construction::of(&PolicySpec::Polling { poll_interval: None }).expect("it can be said");
    let refused: SubjectFault = subject.policy(&polling, 7).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "request 1, {\"op\":\"new\",\"constructor\":\"polling\",\"params\":{\"poll_interval\":30},\"seed\":7}: \
         the subject refuses to build this policy: `no polling here`"
    );
    assert_eq!(subject.fault(), None);
    assert!(streaming(&subject).is_ok());

    // Where no error can be returned, the refusal is kept.
    let mut policy = subject.fresh(&polling, 7);
    assert_eq!(policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    let why = subject.fault().expect("it is kept").to_string();
    assert!(why.starts_with("request 4, {\"op\":\"new\"") && why.ends_with("`no polling here`"), "{why}");
}

#[test]
fn a_replaced_policy_sends_no_request() {
    let subject = subject(&at_a_failure("print('{\"delay_s\":1}')"), LONG);
    let mut first = streaming(&subject).expect("it is built");
    let _second = streaming(&subject).expect("it is built");
    assert_eq!(first.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    assert_eq!(subject.fault().map(|fault| fault.wrong), Some(Wrong::Superseded));
}

#[test]
fn a_missing_program_is_an_error() {
    let error = Subject::start("no-such-program-here --x".parse::<Program>().unwrap(), LONG).unwrap_err();
    assert_eq!(error.to_string(), "cannot start `no-such-program-here --x`: No such file or directory (os error 2)");
}

#[test]
fn the_warning_and_the_source_of_draws_are_kept() {
    let body = "def answer(ask):\n    if ask['op'] == 'new':\n        \
                print('{\"ok\":true,\"draws\":\"own\",\"warning\":\"replaced\"}')\n    elif ask['op'] == 'failure':\n        \
                print('{\"give_up\":\"budget\"}')\n    else:\n        print('{\"delay_s\":30,\"extended\":true}')";
    let subject = subject(body, LONG);
    let mut policy: ExecPolicy = streaming(&subject).expect("it is built");
    assert_eq!((policy.draws_own(), policy.warning()), (true, Some("replaced")));
    assert_eq!((policy.next_delay(), policy.extended()), (Duration::from_secs(30), Some(true)));
    assert_eq!(policy.explain(0), None);
    assert_eq!(policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Budget));
    assert_eq!((policy.next_delay(), policy.extended()), (Duration::ZERO, None));
    assert_eq!(subject.fault(), None);
}

#[test]
fn a_subject_and_its_policies_can_be_sent_to_another_thread() {
    const fn is_sent<T: Send + Sync>() {}
    is_sent::<Subject>();
    is_sent::<ExecPolicy>();
}
