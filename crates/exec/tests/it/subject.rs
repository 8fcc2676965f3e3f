//! Subjects for tests: a required interpreter, and limits.

use std::time::Duration;

use retrylab_exec::{Construction, ExecPolicy, Program, Subject, SubjectFault};
use retrylab_spec::PolicySpec;

/// For subjects that respond: never reached.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Python with these arguments.
pub(crate) fn python(arguments: &[&str]) -> Program {
    interpreter("python3", arguments)
}

/// An interpreter with these arguments. The test fails without it; `.ci/run` installs it.
pub(crate) fn interpreter(name: &str, arguments: &[&str]) -> Program {
    let found = std::process::Command::new(name).arg("--version").output();
    assert!(found.is_ok(), "this test needs `{name}`, which cannot be started: {found:?}; `.ci/run` installs it");
    let words = [&[name], arguments].concat();
    shlex::try_join(words).expect("no NUL").parse().expect("a command line")
}

/// A stream with an initial delay of 1 s.
pub(crate) fn streaming(subject: &Subject) -> Result<ExecPolicy, SubjectFault> {
    let client = PolicySpec::Streaming { initial_reconnect_delay: None };
    subject.policy(&Construction::of(&client).expect("it can be said"), 7)
}

/// A subject in Python that responds to each request by `answer(request)`, which `body` defines.
pub(crate) fn subject(body: &str, limit: Duration) -> Subject {
    let script = format!(
        "import json, os, sys, time\n{body}\nfor line in sys.stdin:\n    answer(json.loads(line))\n    sys.stdout.flush()\n"
    );
    Subject::start(python(&["-c", &script]), limit).expect("python3 can be started")
}

/// Responds normally until the first failure, then does this.
pub(crate) fn at_a_failure(what: &str) -> String {
    format!(
        "def answer(ask):\n    if ask['op'] == 'new':\n        print('{{\"ok\":true}}')\n    elif ask['op'] == 'failure':\n        \
         {what}\n    elif ask['op'] != 'bye':\n        print('{{\"delay_s\":0}}')"
    )
}
