//! Subjects that do not answer in time, and what is said of it.

use std::time::Duration;

use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};
use retrylab_exec::{ExecPolicy, Fault, Subject, Wrong};

use crate::subject::{at_a_failure, python, streaming, subject};

/// Time limits, in seconds. What a subject does before it hangs has to be done within the limit, too; on a busy machine only
/// the longer ones are enough for that.
const LIMITS: [u64; 4] = [1, 4, 16, 64];

/// Asks a subject until it is at fault in the way that is meant, with the first limit that is long enough.
fn late<T>(mut ask: impl FnMut(Duration) -> Result<T, String>) -> T {
    let mut others = Vec::new();
    for limit in LIMITS {
        match ask(Duration::from_secs(limit)) {
            Ok(found) => return found,
            Err(other) => others.push(other),
        }
    }
    panic!("it never was, but: {others:#?}")
}

/// A subject that does this at its first failure, its policy, and its fault if that is at this failure.
fn asked(what: &str, limit: Duration) -> Result<(Subject, ExecPolicy, Fault), String> {
    let subject = subject(&at_a_failure(what), limit);
    let mut policy = streaming(&subject).map_err(|fault| fault.to_string())?;
    policy.record_failure(FailureKind::Normal.into(), Instant::from_secs(5), 0);
    let fault = subject.fault().ok_or("no fault")?;
    Ok((subject, policy, fault))
}

/// Holds what is said of a subject that does this at its first failure against what has to be said with a limit.
fn is_told(what: &str, expected: impl Fn(u64) -> String) {
    late(|limit| {
        let (_, _, fault) = asked(what, limit)?;
        let request = r#"{"op":"failure","kind":"normal","at_s":5,"jitter_unit":0.0}"#;
        let expected = format!("request 3, {request}: {}", expected(limit.as_secs()));
        if fault.to_string() == expected { Ok(()) } else { Err(fault.to_string()) }
    });
}

#[test]
fn a_subject_that_hangs_is_told_with_the_time_limit() {
    is_told("time.sleep(3600)", |limit| format!("no answer within {limit}s; an answer is one line, flushed at once"));
}

#[test]
fn an_answer_without_an_end_of_line_is_no_answer_and_is_shown() {
    is_told("sys.stdout.write('{\"delay_s\":1}'); sys.stdout.flush(); time.sleep(3600)", |limit| {
        format!(
            "no answer but `{{\"delay_s\":1}}` without the end of its line within {limit}s; \
             an answer is one line, flushed at once"
        )
    });
}

#[test]
fn a_late_answer_is_not_taken_for_that_of_the_next_request() {
    let (subject, mut policy, fault) = late(|limit| {
        let (subject, policy, fault) = asked("time.sleep(60); print('{\"delay_s\":1}')", limit)?;
        let is_meant = fault.request.number == 3 && matches!(fault.wrong, Wrong::NoAnswer { .. });
        if is_meant { Ok((subject, policy, fault)) } else { Err(fault.to_string()) }
    });
    // Nothing is asked any more, and the first fault stays.
    policy.record_success(Instant::ZERO);
    assert_eq!(policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    assert_eq!(policy.read(Instant::ZERO), Err(fault.clone()));
    assert_eq!(streaming(&subject).unwrap_err(), fault);
    assert_eq!(subject.fault(), Some(fault));
}

/// Sees that there is a request and answers it, but leaves it where it is, in a pipe that is soon full.
const READS_NOTHING: &str = r#"
import array, fcntl, termios, time
fcntl.fcntl(0, 1031, 4096)
answered, there = 0, array.array("i", [0])
while True:
    fcntl.ioctl(0, termios.FIONREAD, there)
    if there[0] > answered:
        answered = there[0]
        print('{"ok":true,"delay_s":1}', flush=True)
    else:
        time.sleep(0.001)
"#;

#[test]
#[cfg(target_os = "linux")]
fn a_subject_that_answers_without_reading_is_told_when_nothing_more_can_be_written() {
    late(|limit| {
        let subject = Subject::start(python(&["-c", READS_NOTHING]), limit).expect("python3 can be started");
        let mut policy = streaming(&subject).map_err(|fault| fault.to_string())?;
        let fault = loop {
            policy.record_success(Instant::ZERO);
            if let Some(fault) = subject.fault() {
                break fault.to_string();
            }
        };
        let limit = limit.as_secs();
        let wrong = format!("could not be written within {limit}s, since the process does not read its standard input");
        let request = r#", {"op":"success","at_s":0}: "#;
        if fault.contains(request) && fault.ends_with(&wrong) { Ok(()) } else { Err(fault) }
    });
}
