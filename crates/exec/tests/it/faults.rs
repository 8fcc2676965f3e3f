//! Subjects that do wrong, each in its own way, and what is said of it.

use std::time::Duration;

use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};
use retrylab_exec::{Construction, Draws, ExecPolicy, Fault, Program, Subject, Wrong};
use retrylab_scenario::ClientKind;

use crate::subject::{LONG, at_a_failure, streaming, subject};

/// What is said of a subject that does this at its first failure, without the request.
fn said(what: &str) -> String {
    let subject = subject(&at_a_failure(what), LONG);
    let mut policy = streaming(&subject).expect("it is built");
    assert_eq!(
        policy.record_failure(FailureKind::Normal.into(), Instant::from_secs(5), 0),
        Decision::GiveUp(GiveUp::Terminal)
    );
    assert_eq!(policy.next_delay(), Duration::ZERO);
    let fault = subject.fault().expect("a fault");
    // `new` and the first look at the delay came before.
    assert_eq!(fault.request.number, 3);
    let request = r#"{"op":"failure","kind":"normal","at_s":5,"jitter_unit":0.0}"#;
    let text = fault.to_string();
    let wrong = text.strip_prefix(&format!("request 3, {request}: ")).expect("the request is named");
    wrong.to_owned()
}

#[test]
fn a_subject_that_exits_is_told_with_its_status() {
    assert_eq!(said("sys.exit(3)"), "no answer, the process has ended (exit status: 3)");
}

#[test]
fn what_a_subject_said_of_an_answer_before_it_ended_is_shown() {
    assert_eq!(
        said("sys.stdout.write('{\"delay_s\":1}'); sys.stdout.flush(); sys.exit(3)"),
        "no answer but `{\"delay_s\":1}` without the end of its line, the process has ended (exit status: 3)"
    );
    assert_eq!(
        said("os.write(1, b'half'); os.close(1); time.sleep(3600)"),
        "no answer but `half` without the end of its line, the process has closed its standard streams but has not ended"
    );
}

#[test]
fn a_subject_that_is_killed_is_told_with_its_signal() {
    assert_eq!(said("os.kill(os.getpid(), 9)"), "no answer, the process has ended (signal: 9 (SIGKILL))");
}

#[test]
fn a_subject_that_closes_its_output_and_stays_is_told_so() {
    assert_eq!(
        said("os.close(1); time.sleep(3600)"),
        "no answer, the process has closed its standard streams but has not ended"
    );
}

#[test]
fn garbage_is_shown_with_what_was_expected() {
    assert_eq!(
        said("print('retrying in 1 s')"),
        "the answer is `retrying in 1 s`, which is not understood: it is no JSON object; \
         expected {\"delay_s\":1.5} or {\"give_up\":\"attempts\"}"
    );
}

#[test]
fn a_line_without_an_end_is_not_read_to_its_end() {
    let text = said("os.write(1, b'x' * (1 << 20))");
    let begin = "x".repeat(200);
    assert_eq!(
        text,
        format!(
            "the answer is longer than 64 KiB and begins with `{begin}…`; \
             expected {{\"delay_s\":1.5}} or {{\"give_up\":\"attempts\"}}"
        )
    );
}

#[test]
fn a_missing_delay_is_told() {
    assert_eq!(
        said("print('{\"ok\":true}')"),
        "the answer is `{\"ok\":true}`, which has no delay_s and no give_up; \
         expected {\"delay_s\":1.5} or {\"give_up\":\"attempts\"}"
    );
}

#[test]
fn a_delay_that_cannot_be_waited_is_told() {
    let rest = "allowed is a number of seconds from 0";
    assert_eq!(said("print('{\"delay_s\":-0.5}')"), format!("delay_s is `-0.5`, which is below zero; {rest}"));
    let nan = "print(json.dumps({'delay_s': float('nan')}))";
    assert_eq!(said(nan), format!("delay_s is `NaN`, which is not a number; {rest}"));
    let large = "print('{\"delay_s\":1e999}')";
    assert_eq!(said(large), format!("delay_s is `1e999`, which is larger than any double; {rest}"));
}

#[test]
fn more_than_an_answer_is_told() {
    let two = "os.write(1, b'{\"delay_s\":1}\\n{\"delay_s\":2}\\n')";
    assert_eq!(
        said(two),
        "there is more output than one line an answer: `{\"delay_s\":2}`; only answers may be printed, errors may go to stderr"
    );
}

#[test]
fn a_subject_that_is_started_again_is_without_its_fault() {
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
fn a_refusal_is_told_and_does_no_harm() {
    let body = "def answer(ask):\n    if ask['op'] == 'new':\n        \
                print('{\"ok\":true}' if ask['constructor'] == 'streaming' else '{\"refused\":\"no polling here\"}')\n    \
                else:\n        print('{\"delay_s\":0}')";
    let subject = subject(body, LONG);
    let polling = Construction::of(&ClientKind::Polling { poll_interval: None }).expect("it can be said");
    let refused: Fault = subject.policy(&polling, 7).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "request 1, {\"op\":\"new\",\"constructor\":\"polling\",\"params\":{\"poll_interval\":30},\"seed\":7}: \
         the subject refuses to build this policy: `no polling here`"
    );
    assert_eq!(subject.fault(), None);
    assert!(streaming(&subject).is_ok());

    // Where there is no place for an error, it is kept.
    let mut policy = subject.fresh(&polling, 7);
    assert_eq!(policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    let why = subject.fault().expect("it is kept").to_string();
    assert!(why.starts_with("request 4, {\"op\":\"new\"") && why.ends_with("`no polling here`"), "{why}");
}

#[test]
fn a_policy_that_was_replaced_is_not_asked() {
    let subject = subject(&at_a_failure("print('{\"delay_s\":1}')"), LONG);
    let mut first = streaming(&subject).expect("it is built");
    let _second = streaming(&subject).expect("it is built");
    assert_eq!(first.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    assert_eq!(subject.fault().map(|fault| fault.wrong), Some(Wrong::Superseded));
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let error = Subject::start("no-such-program-here --x".parse::<Program>().unwrap(), LONG).unwrap_err();
    assert_eq!(error.to_string(), "cannot start `no-such-program-here --x`: No such file or directory (os error 2)");
}

#[test]
fn what_a_subject_says_of_itself_is_kept() {
    let body = "def answer(ask):\n    if ask['op'] == 'new':\n        \
                print('{\"ok\":true,\"draws\":\"own\",\"warning\":\"replaced\"}')\n    elif ask['op'] == 'failure':\n        \
                print('{\"give_up\":\"budget\"}')\n    else:\n        print('{\"delay_s\":30,\"extended\":true}')";
    let subject = subject(body, LONG);
    let mut policy: ExecPolicy = streaming(&subject).expect("it is built");
    assert_eq!((policy.draws(), policy.warning()), (Draws::Own, Some("replaced")));
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
