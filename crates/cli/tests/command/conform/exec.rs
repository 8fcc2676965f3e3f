//! `retrylab conform --exec`.

use std::fs;
use std::process::Command;

use super::{STREAM, vectors};
use crate::session::{ROOT, retrylab, snapshot, snapshot_each};

/// The subjects of the documentation, each with its interpreter.
pub(super) const SUBJECTS: [(&str, &str); 2] =
    [("python3", "crates/exec/examples/subject.py"), ("node", "crates/exec/examples/subject.js")];

/// The command line of a subject. That its interpreter is not there fails the test: `.ci/run` installs it.
pub(super) fn command((interpreter, path): (&str, &str)) -> String {
    let found = Command::new(interpreter).arg("--version").output();
    assert!(
        found.is_ok(),
        "this test needs `{interpreter}`, which cannot be started: {found:?}; `.ci/run` installs it"
    );
    shlex::try_join([interpreter, path]).expect("no NUL in it")
}

/// Python that does `what` at the first failure.
fn at_a_failure(what: &str) -> String {
    command(("python3", "-"));
    let script = format!(
        "import sys, time\nfor line in sys.stdin:\n  if 'failure' in line: {what}\n  elif 'new' in line: print('{{\"ok\":true}}', \
         flush=True)\n  elif 'bye' not in line: print('{{\"delay_s\":0}}', flush=True)"
    );
    shlex::try_join(["python3", "-c", &script]).expect("no NUL in it")
}

/// The vectors of streams and pollers, which is what the documented subjects are; without the ones that repeat a failure
/// 100 000 times, which are about counters that wrap and take a process long.
fn of_streams_and_pollers() -> String {
    let all = vectors();
    let theirs =
        all.lines().filter(|line| !line.contains(r#""constructor":"custom""#) && !line.contains(r#""repeat":100000"#));
    theirs.map(|line| format!("{line}\n")).collect()
}

#[test]
fn both_documented_subjects_conform_to_every_vector_of_theirs() {
    let vectors = of_streams_and_pollers();
    for subject in SUBJECTS {
        let output =
            retrylab(["conform", "--exec", &command(subject), "-"]).write_stdin(vectors.clone()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        // There are 831 and 666 of them, one repeats so often; one is skipped.
        assert!(
            printed.starts_with("1496 vectors, ") && printed.ends_with(" steps, 0 failed, 1 skipped\n"),
            "{printed}"
        );
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
}

#[test]
fn a_documented_subject_refuses_other_policies_and_continues() {
    let all = vectors();
    let is_custom = |line: &&str| line.contains(r#""constructor":"custom""#);
    let custom = all.lines().find(is_custom).expect("a vector of other rules");
    let stream = all.lines().find(|line| line.contains(r#""constructor":"streaming""#)).expect("a vector of a stream");
    for subject in SUBJECTS {
        let vectors = format!("{stream}\n{custom}\n{stream}\n");
        let output = retrylab(["conform", "--exec", &command(subject), "-"]).write_stdin(vectors).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(
            printed.contains("the subject refuses to build this policy: `only streaming and polling are built here`"),
            "{printed}"
        );
        assert!(printed.contains("\n3 vectors, ") && printed.ends_with(", 1 failed, 0 skipped\n"), "{printed}");
        assert_eq!((output.status.code(), output.stderr), (Some(1), Vec::new()));
    }
}

/// Small mistakes, as edits of both subjects.
const MISTAKES: [(&str, &str, &str, &str); 7] = [
    ("the window is exclusive", ">= 60e9", "> 60e9", ">= 60e9"),
    ("one good poll is enough", ">= 2", ">= 1", ">= 2"),
    ("all of the wait is jitter", "delay / 2", "delay", "delay) / 2"),
    (
        "a rejection carries the count on",
        "1 if unexpected and not self.extended else self.attempts + 1",
        "self.attempts + 1",
        "unexpected && !this.extended ? 1 : this.attempts + 1",
    ),
    ("408 is a rejection", "(400, 408, 429)", "(400, 429)", "[400, 408, 429]"),
    (
        "health starts at the last success",
        "self.healthy_since if self.successes else now",
        "now",
        "if (this.successes++ === 0) this.healthySince",
    ),
    ("an unusable value is used silently", "\"warning\": policy.warning, ", "", "ok: true, warning,"),
];

/// The same edits in JavaScript: what takes the place of the last column.
const IN_JAVASCRIPT: [&str; 7] = [
    "> 60e9",
    ">= 1",
    "delay) / 1",
    "this.attempts + 1",
    "[400, 429]",
    "this.successes++; this.healthySince",
    "ok: true,",
];

#[test]
fn a_copy_of_a_documented_subject_with_one_mistake_fails() {
    let folder = tempfile::tempdir().unwrap();
    let all = of_streams_and_pollers();
    let named = all.lines().filter(|line| line.contains(r#""group":"named""#) && !line.contains(r#""repeat""#));
    let vectors: String = named.map(|line| format!("{line}\n")).collect();
    let [python, javascript] = SUBJECTS.map(|(_, path)| fs::read_to_string(format!("{ROOT}/{path}")).unwrap());
    for ((what, right, wrong, there), instead) in MISTAKES.into_iter().zip(IN_JAVASCRIPT) {
        for (interpreter, text, right, wrong) in
            [("python3", &python, right, wrong), ("node", &javascript, there, instead)]
        {
            assert_eq!(text.matches(right).count(), 1, "{interpreter}: {right}");
            let file = folder.path().join("wrong");
            fs::write(&file, text.replace(right, wrong)).unwrap();
            let subject = command((interpreter, file.to_str().unwrap()));
            let output = retrylab(["conform", "--exec", &subject, "-"]).write_stdin(vectors.clone()).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(1), "{interpreter}, {what}: {printed}");
            assert!(!printed.contains("the subject failed"), "{interpreter}, {what}: {printed}");
        }
    }
}

#[test]
fn a_wrong_wait_is_shown_with_the_command_that_replays_it() {
    let wait = r#"print('{"delay_s":1.5}', flush=True)"#;
    snapshot("conform-exec-wrong", retrylab(["conform", "--exec", &at_a_failure(wait), "-"]).write_stdin(STREAM));
}

#[test]
fn a_subject_that_hangs_fails_the_vector_with_the_request() {
    let subject = at_a_failure("time.sleep(3600)");
    let more = format!("{STREAM}\n{STREAM}\n");
    snapshot(
        "conform-exec-hangs",
        retrylab(["conform", "--exec", &subject, "--time-limit", "1500ms", "-"]).write_stdin(more),
    );
}

#[test]
fn a_subject_that_ends_fails_the_vector_with_its_status() {
    snapshot(
        "conform-exec-ends",
        retrylab(["conform", "--exec", &at_a_failure("sys.exit(3)"), "-"]).write_stdin(STREAM),
    );
}

#[test]
fn a_subject_that_prints_garbage_fails_the_vector_with_it() {
    let subject = at_a_failure("print('waiting', flush=True)");
    snapshot("conform-exec-garbage", retrylab(["conform", "--exec", &subject, "-"]).write_stdin(STREAM));
}

#[test]
fn json_has_the_fault_of_a_subject() {
    let subject = at_a_failure("print('waiting', flush=True)");
    snapshot(
        "conform-exec-json",
        retrylab(["conform", "--exec", &subject, "--format", "json", "-"]).write_stdin(format!("{STREAM}\n{STREAM}\n")),
    );
}

#[test]
fn a_subject_that_refuses_a_policy_fails_its_vectors_alone() {
    command(("python3", "-"));
    let script = "import sys\nfor line in sys.stdin:\n  if 'new' in line: print('{\"refused\":\"streams only\"}' if 'polling' in \
                  line else '{\"ok\":true}', flush=True)\n  else: print('{\"delay_s\":1}', flush=True)";
    let subject = shlex::try_join(["python3", "-c", script]).unwrap();
    let polling = STREAM
        .replace(r#""streaming""#, r#""polling""#)
        .replace("initial_reconnect_delay", "poll_interval")
        .replace(r#""name":"n""#, r#""name":"a poll""#);
    snapshot(
        "conform-exec-refuses",
        retrylab(["conform", "--exec", &subject, "-"]).write_stdin(format!("{polling}\n{STREAM}\n")),
    );
}

#[test]
fn a_subject_with_draws_of_its_own_cannot_be_held_to_vectors() {
    command(("python3", "-"));
    let script =
        "import sys\nfor line in sys.stdin: print('{\"ok\":true,\"draws\":\"own\",\"delay_s\":0}', flush=True)";
    let subject = shlex::try_join(["python3", "-c", script]).unwrap();
    snapshot("refused-conform-exec-draws", retrylab(["conform", "--exec", &subject, "-"]).write_stdin(STREAM));
}

#[test]
fn an_invalid_exec_command_is_refused() {
    let file = "crates/cli/tests/data/mistakes.jsonl";
    snapshot_each(
        "refused-conform-exec",
        [
            &["conform", "--exec", "", file],
            &["conform", "--exec", "python3 'my policy.py", file],
            &["conform", "--exec", "no-such-program --fast", file],
            &["conform", "--exec", "python3 x.py", "--time-limit", "0s", file],
            &["conform", "--exec", "python3 x.py", "--time-limit", "5", file],
            &["conform", "--time-limit", "1s", file],
            &["conform", "--exec", "python3 x.py"],
        ],
    );
}
