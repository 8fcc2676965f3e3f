//! Subjects for tests: an interpreter that has to be there, and limits.

use std::time::Duration;

use retrylab_exec::{Construction, ExecPolicy, Fault, Program, Subject};
use retrylab_scenario::ClientKind;

/// For subjects that are to be found hanging. Long enough for an answer on a busy machine.
pub(crate) const SHORT: Duration = Duration::from_millis(1500);

/// For all others: never reached.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Python with these arguments.
pub(crate) fn python(arguments: &[&str]) -> Program {
    interpreter("python3", arguments)
}

/// An interpreter with these arguments. That it is not there fails the test: `.ci/run` installs it.
pub(crate) fn interpreter(name: &str, arguments: &[&str]) -> Program {
    let found = std::process::Command::new(name).arg("--version").output();
    assert!(found.is_ok(), "this test needs `{name}`, which cannot be started: {found:?}; `.ci/run` installs it");
    let words = [&[name], arguments].concat();
    shlex::try_join(words).expect("no NUL").parse().expect("a command line")
}

/// A stream with an initial delay of 1 s.
pub(crate) fn streaming(subject: &Subject) -> Result<ExecPolicy, Fault> {
    let client = ClientKind::Streaming { initial_reconnect_delay: None };
    subject.policy(&Construction::of(&client).expect("it can be said"), 7)
}
