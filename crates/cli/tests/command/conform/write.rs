//! `retrylab conform --write`.

use std::fs;

use super::exec::{SUBJECTS, command};
use crate::session::{retrylab, snapshot, snapshot_each, snapshot_in};

#[test]
fn vectors_of_a_policy_go_to_standard_output() {
    snapshot("conform-write", &mut retrylab(["conform", "--write", "streaming", "--seed", "7", "--count", "2"]));
}

#[test]
fn a_replaced_configuration_is_an_expected_warning() {
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
fn the_built_in_rules_and_both_documented_subjects_conform_to_written_vectors() {
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
fn an_unwritable_file_is_an_error_and_the_old_file_stays() {
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
fn unsupported_vectors_are_refused() {
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

#[cfg(unix)]
mod placed {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    use crate::session::retrylab;

    const WRITE: [&str; 6] = ["conform", "--write", "streaming", "--count", "2", "--out"];

    #[test]
    fn the_target_of_a_link_is_written_and_the_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (link, middle, file) =
            (folder.path().join("link"), folder.path().join("middle"), folder.path().join("file.jsonl"));
        symlink("middle", &link).unwrap();
        symlink(&file, &middle).unwrap();
        // At first the links lead nowhere, then to a file, whose mode stays.
        for _ in 0..2 {
            assert!(retrylab(WRITE).arg(&link).output().unwrap().status.success());
            assert!(link.symlink_metadata().unwrap().is_symlink() && middle.symlink_metadata().unwrap().is_symlink());
            assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
            fs::write(&file, "before").unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        }
        assert!(retrylab(WRITE).arg(&file).output().unwrap().status.success());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn circular_links_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("link", &link).unwrap();
        let output = retrylab(WRITE).arg(&link).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().ends_with("there are too many links behind it\n"));
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn a_pipe_is_written_into_and_stays_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        // Where there is no such program, there is nothing to test with.
        let Ok(made) = Command::new("mkfifo").arg(&pipe).status() else { return };
        assert!(made.success());
        let link = folder.path().join("link");
        symlink("pipe", &link).unwrap();
        for name in [&pipe, &link] {
            let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
                .args(WRITE)
                .arg(name)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
            // A reader of its own: had the pipe been replaced, it might wait for ever, and the command is asked first.
            let read = std::thread::spawn({
                let pipe = pipe.clone();
                move || fs::read_to_string(pipe)
            });
            assert!(child.wait().unwrap().success());
            assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
            assert_eq!(read.join().unwrap().unwrap().lines().count(), 2);
        }
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_link_to_standard_output_is_standard_output() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/stdout", &link).unwrap();
        let redirected = folder.path().join("redirected");
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
            .args(WRITE)
            .arg(&link)
            .stdout(fs::File::create(&redirected).unwrap())
            .output()
            .unwrap();
        assert!(output.status.success());
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&redirected).unwrap().lines().count(), 2);
    }
}
