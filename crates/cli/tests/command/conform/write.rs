//! `retrylab conform --write`.

use std::fs;

use super::exec::{SUBJECTS, command};
use crate::session::{retrylab, snapshot, snapshot_each, snapshot_in};

#[test]
fn vectors_of_a_policy_go_to_standard_output() {
    snapshot("conform-write", &mut retrylab(["conform", "--write", "streaming", "--seed", "7", "--count", "2"]));
}

#[test]
fn a_configuration_that_is_replaced_is_a_warning_to_expect() {
    let poll = ["conform", "--write", "polling", "--set", "poll_interval=-1", "--seed", "2", "--count", "1"];
    snapshot("conform-write-warning", &mut retrylab(poll));
}

#[test]
fn a_file_is_written_with_the_command_that_checks_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vectors.jsonl");
    let arguments = ["conform", "--write", "streaming", "--count", "3", "--out", file.to_str().unwrap()];
    snapshot_in(folder.path(), "conform-write-out", retrylab(arguments).env("RETRYLAB_SEED", "7"));
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 3);
    // Nothing else is left there.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_is_written_the_built_in_rules_and_both_documented_subjects_conform_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vectors.jsonl");
    let file = file.to_str().unwrap();
    for policy in [
        &["streaming"][..],
        &["polling"],
        &["streaming", "--set", "initial_reconnect_delay=600"],
        &["streaming", "--set", "initial_reconnect_delay=nan"],
        &["polling", "--set", "poll_interval=200"],
        &["polling", "--set", "poll_interval=1e300"],
    ] {
        let written =
            retrylab(["conform", "--seed", "7", "--count", "30", "--out", file, "--write"]).args(policy).output();
        assert_eq!(written.unwrap().status.code(), Some(0), "{policy:?}");
        let checks = [retrylab(["conform", file])]
            .into_iter()
            .chain(SUBJECTS.map(|subject| retrylab(["conform", file, "--exec", &command(subject)])));
        for mut check in checks {
            let output = check.output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(
                printed.starts_with("30 vectors, ") && printed.contains(", 0 failed, 0 skipped"),
                "{policy:?}: {printed}"
            );
            assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{policy:?}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused_and_what_was_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing/vectors.jsonl");
    snapshot_in(
        folder.path(),
        "refused-conform-write-out",
        &mut retrylab(["conform", "--write", "polling", "--out", missing.to_str().unwrap()]),
    );
    let taken = folder.path().join("taken");
    fs::create_dir(&taken).unwrap();
    let output = retrylab(["conform", "--write", "polling", "--out", taken.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: cannot write `"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_written_is_refused() {
    snapshot_each(
        "refused-conform-write",
        [
            &["conform", "--write", "call"],
            &["conform", "--write", "streaming:clamp-initial"],
            &["conform", "--write", "steaming"],
            &["conform", "--write", "streaming", "--count", "0"],
            &["conform", "--write", "streaming", "--seed", "-1"],
            &["conform", "--write", "streaming", "--set", "poll_interval=5s"],
            &["conform", "--write", "streaming", "--set", "jitter=none"],
            &["conform", "--write", "streaming", "crates/cli/tests/data/mistakes.jsonl"],
            &["conform", "--write", "streaming", "--exec", "python3 x.py"],
            &["conform", "--seed", "7", "crates/cli/tests/data/mistakes.jsonl"],
            &["conform", "--out", "x.jsonl", "crates/cli/tests/data/mistakes.jsonl"],
        ],
    );
}
