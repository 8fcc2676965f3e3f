//! Subjects that do wrong, each in its own way, and what is said of it.

use std::time::Duration;

use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};
use retrylab_exec::{Construction, Draws, ExecPolicy, Fault, Program, Subject, Wrong};
use retrylab_scenario::ClientKind;

use crate::subject::{LONG, SHORT, python, streaming};

/// A subject in Python that answers each request by `answer(request)`, which is what `body` defines.
fn subject(body: &str, limit: Duration) -> Subject {
    let script = format!(
        "import json, os, sys, time\n{body}\nfor line in sys.stdin:\n    answer(json.loads(line))\n    sys.stdout.flush()\n"
    );
    Subject::start(python(&["-c", &script]), limit).expect("python3 can be started")
}

/// Behaves until the first failure, then does this.
fn at_a_failure(what: &str) -> String {
    format!(
        "def answer(ask):\n    if ask['op'] == 'new':\n        print('{{\"ok\":true}}')\n    elif ask['op'] == 'failure':\n        \
         {what}\n    elif ask['op'] != 'bye':\n        print('{{\"delay_s\":0}}')"
    )
}

/// What is said of a subject that does this at its first failure, without the request.
fn said(what: &str, limit: Duration) -> String {
    let subject = subject(&at_a_failure(what), limit);
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
fn a_subject_that_hangs_is_told_with_the_time_limit() {
    assert_eq!(said("time.sleep(3600)", SHORT), "no answer within 1.5s; an answer is one line, flushed at once");
}

#[test]
fn an_answer_without_an_end_of_line_is_no_answer() {
    let half = "sys.stdout.write('{\"delay_s\":1}'); sys.stdout.flush(); time.sleep(3600)";
    assert_eq!(said(half, SHORT), "no answer within 1.5s; an answer is one line, flushed at once");
}

#[test]
fn a_subject_that_exits_is_told_with_its_status() {
    assert_eq!(said("sys.exit(3)", LONG), "no answer, the process has ended (exit status: 3)");
}

#[test]
fn a_subject_that_is_killed_is_told_with_its_signal() {
    assert_eq!(said("os.kill(os.getpid(), 9)", LONG), "no answer, the process has ended (signal: 9 (SIGKILL))");
}

#[test]
fn a_subject_that_closes_its_output_and_stays_is_told_so() {
    assert_eq!(
        said("os.close(1); time.sleep(3600)", LONG),
        "no answer, the process has closed its standard streams but has not ended"
    );
}

#[test]
fn garbage_is_shown_with_what_was_expected() {
    assert_eq!(
        said("print('retrying in 1 s')", LONG),
        "the answer is `retrying in 1 s`, which is not understood: it is no JSON object; \
         expected {\"delay_s\":1.5} or {\"give_up\":\"attempts\"}"
    );
}

#[test]
fn a_line_without_an_end_is_not_read_to_its_end() {
    let text = said("os.write(1, b'x' * (1 << 20))", LONG);
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
        said("print('{\"ok\":true}')", LONG),
        "the answer is `{\"ok\":true}`, which has no delay_s and no give_up; \
         expected {\"delay_s\":1.5} or {\"give_up\":\"attempts\"}"
    );
}

#[test]
fn a_delay_that_cannot_be_waited_is_told() {
    let rest = "allowed is a number of seconds from 0";
    assert_eq!(said("print('{\"delay_s\":-0.5}')", LONG), format!("delay_s is `-0.5`, which is below zero; {rest}"));
    let nan = "print(json.dumps({'delay_s': float('nan')}))";
    assert_eq!(said(nan, LONG), format!("delay_s is `NaN`, which is not a number; {rest}"));
    let large = "print('{\"delay_s\":1e999}')";
    assert_eq!(said(large, LONG), format!("delay_s is `1e999`, which is larger than any double; {rest}"));
}

#[test]
fn more_than_an_answer_is_told() {
    let two = "os.write(1, b'{\"delay_s\":1}\\n{\"delay_s\":2}\\n')";
    assert_eq!(
        said(two, LONG),
        "there is more output than one line an answer: `{\"delay_s\":2}`; only answers may be printed, errors may go to stderr"
    );
}

#[test]
fn a_late_answer_is_not_taken_for_that_of_the_next_request() {
    let late = at_a_failure("time.sleep(2); print('{\"delay_s\":1}')");
    let subject = subject(&late, SHORT);
    let mut policy = streaming(&subject).expect("it is built");
    policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
    let fault = subject.fault().expect("a fault");
    assert_eq!(fault.wrong, Wrong::NoAnswer { limit: SHORT });
    // Nothing is asked any more, and the first fault stays.
    policy.record_success(Instant::ZERO);
    assert_eq!(policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    assert_eq!(policy.read(Instant::ZERO), Err(fault.clone()));
    assert_eq!(streaming(&subject).unwrap_err(), fault);
    assert_eq!(subject.fault(), Some(fault));
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

/// Whether there is such a process, running or not reaped.
#[cfg(target_os = "linux")]
fn is_there(process: u32) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}

/// A subject that writes its number to a file, and then does this at each request.
#[cfg(target_os = "linux")]
fn numbered(then: &str) -> (Subject, u32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pid");
    let body = format!(
        "open({:?}, 'w').write(str(os.getpid()))\n{}",
        file.display().to_string(),
        at_a_failure("print('{\"delay_s\":1}')").replace("ask['op'] != 'bye':", then)
    );
    let subject = subject(&body, LONG);
    streaming(&subject).expect("it is built");
    let process = std::fs::read_to_string(file).expect("it has written its number").parse().expect("a number");
    (subject, process)
}

#[test]
#[cfg(target_os = "linux")]
fn a_subject_is_gone_when_nobody_asks_it_any_more() {
    let (subject, process) = numbered("ask['op'] != 'bye':");
    assert!(is_there(process));
    drop(subject);
    assert!(!is_there(process));
}

#[test]
#[cfg(target_os = "linux")]
fn a_subject_that_does_not_go_is_killed_and_reaped() {
    let (subject, process) = numbered("ask['op'] == 'bye':\n        time.sleep(3600)\n    else:");
    assert!(is_there(process));
    drop(subject);
    assert!(!is_there(process));
}
