//! Subjects that do not respond in time, and the messages about them.

use std::time::Duration;

use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};
use retrylab_exec::{ExecPolicy, Subject, SubjectFault, Wrong};

use crate::subject::{at_a_failure, python, streaming, subject};

/// Time limits, in seconds. The steps before the hang must fit into the limit, too; on a busy machine only the longer
/// ones suffice.
const LIMITS: [u64; 4] = [1, 4, 16, 64];

/// Runs a subject until its fault is the intended one, with the first limit that is long enough.
fn late<T>(mut run: impl FnMut(Duration) -> Result<T, String>) -> T {
    let mut others = Vec::new();
    for limit in LIMITS {
        match run(Duration::from_secs(limit)) {
            Ok(found) => return found,
            Err(other) => others.push(other),
        }
    }
    panic!("no run had it; faults: {others:#?}")
}

/// A subject that does this at its first failure, its policy, and its fault if it is at this failure.
fn run(what: &str, limit: Duration) -> Result<(Subject, ExecPolicy, SubjectFault), String> {
    let subject = subject(&at_a_failure(what), limit);
    let mut policy = streaming(&subject).map_err(|fault| fault.to_string())?;
    policy.record_failure(FailureKind::Normal.into(), Instant::from_secs(5), 0);
    let fault = subject.fault().ok_or("no fault")?;
    Ok((subject, policy, fault))
}

/// Compares the message for a subject that does this at its first failure with the expected one for a limit.
fn has_message(what: &str, expected: impl Fn(u64) -> String) {
    late(|limit| {
        let (_, _, fault) = run(what, limit)?;
        let request = r#"{"op":"failure","kind":"normal","at_s":5,"jitter_unit":0.0}"#;
        let expected = format!("request 3, {request}: {}", expected(limit.as_secs()));
        if fault.to_string() == expected { Ok(()) } else { Err(fault.to_string()) }
    });
}

#[test]
fn a_subject_that_hangs_is_a_fault_with_the_time_limit() {
    has_message("time.sleep(3600)", |limit| {
        format!("no response within {limit}s; a response is one line, flushed at once")
    });
}

#[test]
fn a_response_without_an_end_of_line_is_incomplete_and_shown() {
    has_message("sys.stdout.write('{\"delay_s\":1}'); sys.stdout.flush(); time.sleep(3600)", |limit| {
        format!(
            "no response but `{{\"delay_s\":1}}` without the end of its line within {limit}s; \
             a response is one line, flushed at once"
        )
    });
}

#[test]
fn a_late_response_is_not_taken_for_that_of_the_next_request() {
    let (subject, mut policy, fault) = late(|limit| {
        let (subject, policy, fault) = run("time.sleep(60); print('{\"delay_s\":1}')", limit)?;
        let is_meant = fault.request.number == 3 && matches!(fault.wrong, Wrong::NoAnswer { .. });
        if is_meant { Ok((subject, policy, fault)) } else { Err(fault.to_string()) }
    });
    // No further request is sent, and the first fault stays.
    policy.record_success(Instant::ZERO);
    assert_eq!(policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0), Decision::GiveUp(GiveUp::Terminal));
    assert_eq!(policy.read(Instant::ZERO), Err(fault.clone()));
    assert_eq!(streaming(&subject).unwrap_err(), fault);
    assert_eq!(subject.fault(), Some(fault));
}

/// Responds to each request, but leaves it unread in a pipe that is soon full.
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
fn a_subject_that_does_not_read_is_a_fault_when_the_pipe_is_full() {
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
