//! `retrylab check --save`: counterexamples as files, which are replayed first.

use std::fs;
use std::process::Stdio;

use crate::session::{files, retrylab, snapshot, snapshot_in, values};

#[test]
fn a_saved_counterexample_is_a_test() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let save = format!("--save={path}");
    let check = ["check", "polling:cadence-not-restored", "--cases", "600", &save];
    snapshot_in(folder.path(), "check-save", &mut retrylab(check));
    let [file] = &files(folder.path())[..] else { panic!("one law is violated") };
    let text = fs::read_to_string(file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();

    // It fails until the bug is fixed.
    snapshot_in(folder.path(), "check-save-run", &mut retrylab(["run", path]));
    let mended = text.replace("polling:cadence-not-restored", "polling");
    fs::write(file, mended).unwrap();
    assert_eq!(retrylab(["run", path]).output().unwrap().status.code(), Some(0));

    // A file with other content, which expects something else and holds, stays as it is, and is reported.
    let seed = ["--seed", "0"];
    let mine = text.replace("laws = [\"success-restores-the-cadence\"]", "attempts = 2");
    assert_ne!(mine, text);
    fs::write(file, &mine).unwrap();
    let output = retrylab(check).args(seed).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let second = name.replace(".toml", "-2.toml");
    assert_eq!(files(folder.path()), [&second, &name].map(|name| folder.path().join(name)));
    assert_eq!(fs::read_to_string(file).unwrap(), mine);
    assert_eq!(fs::read_to_string(folder.path().join(&second)).unwrap(), text);
    let out = String::from_utf8_lossy(&output.stdout);
    let message = format!("{name}` has other content and stays as it is; this timeline is in `{path}/{second}`\n");
    assert!(out.contains(&message), "{out}");
    assert!(out.contains(&format!("retrylab run {path}/{second}")), "{out}");
}

#[test]
fn the_next_check_replays_saved_files_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let save = format!("--save={path}");
    let check = ["check", "polling:cadence-not-restored", "--cases", "600", &save];
    assert_eq!(retrylab(check).output().unwrap().status.code(), Some(1));
    let [file] = &files(folder.path())[..] else { panic!("one law is broken") };
    let text = fs::read_to_string(file).unwrap();

    // There is no search, and the file stays as it is.
    snapshot_in(folder.path(), "check-saved", &mut retrylab(check));
    snapshot_in(folder.path(), "check-saved-json", retrylab(check).args(["--format", "json"]));
    assert_eq!(fs::read_to_string(file).unwrap(), text);
    // It is not replayed for another policy.
    let other = retrylab(["check", "polling", "--cases", "600", &save]).output().unwrap();
    assert_eq!(other.status.code(), Some(0), "{}", String::from_utf8_lossy(&other.stdout));
    let none = format!("saved   none of {path}: 1 file of other policies\n");
    assert!(String::from_utf8_lossy(&other.stdout).contains(&none), "{}", String::from_utf8_lossy(&other.stdout));

    // Once it is mended, the file holds, and the search goes on.
    fs::write(file, text.replace("polling:cadence-not-restored", "polling")).unwrap();
    snapshot_in(folder.path(), "check-saved-holds", &mut retrylab(["check", "polling", "--cases", "600", &save]));
    let alone = retrylab(["check", "polling", "--cases", "0", &save]).output().unwrap();
    assert_eq!(alone.status.code(), Some(0), "{}", String::from_utf8_lossy(&alone.stderr));
    // Each expectation has to hold.
    fs::write(file, format!("{}attempts = 3\n", fs::read_to_string(file).unwrap())).unwrap();
    let wrong = retrylab(["check", "polling", "--cases", "0", &save]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    let out = String::from_utf8_lossy(&wrong.stdout);
    assert!(out.contains("error: expect.attempts: expected 3, got 2 "), "{out}");
}

#[test]
fn a_folder_or_a_file_that_replays_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("--save={}", folder.path().join("none").display());
    let check = ["check", "polling", "--cases", "600"];
    snapshot_in(folder.path(), "refused-check-no-folder", retrylab(check).arg(&missing));
    let allowed = retrylab(check).args([&missing, "--allow-missing"]).output().unwrap();
    assert_eq!(allowed.status.code(), Some(0), "{}", String::from_utf8_lossy(&allowed.stderr));
    assert_eq!(retrylab(check).arg("--allow-missing").output().unwrap().status.code(), Some(2));

    let file = folder.path().join("found.toml");
    let head = "why = \"A poll.\"\nclient.kind = \"polling\"\n[[timeline]]\nplay = [{ ok = true }]\n";
    let save = format!("--save={}", folder.path().display());
    for (name, text) in [
        ("refused-check-saved-no-expect", head.to_owned()),
        ("refused-check-saved-law", format!("{head}[expect]\nlaws = [\"gives-up-exactly-when-due\"]")),
        ("refused-check-saved-mistake", head.replace("ok = true", "ok = 1")),
        ("refused-check-saved-not-played", "why = \"It waits.\"\nwaits_for = \"fleet\"\n".to_owned()),
    ] {
        fs::write(&file, text).unwrap();
        snapshot_in(folder.path(), name, retrylab(check).arg(&save));
    }
}

#[test]
fn the_replay_line_of_a_saved_file_without_a_seed_has_the_seed_of_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    // One poll is one attempt, so this never holds.
    let text = "client.kind = \"polling\"\n[[timeline]]\nplay = [{ ok = true }]\n[expect]\nattempts = 3\n";
    let save = format!("--save={path}");
    let check = ["check", "polling", "--cases", "0", "--seed", "7", &save];
    for (seed, end) in [("", " --seed 7\n"), ("seed = 5\n", "\n")] {
        fs::write(folder.path().join("found.toml"), format!("why = \"A poll.\"\n{seed}{text}")).unwrap();
        let output = retrylab(check).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains(&format!("retrylab run {path}/found.toml{end}")), "{out}");
    }
}

#[test]
fn files_are_played_even_if_fewer_cases_are_due() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a", "b", "c"].map(|name| folder.path().join(name).with_extension("toml"));
    for file in &files {
        let text = "why = \"A stream.\"\nclient.kind = \"streaming\"\n[[timeline]]\nplay = [{ status = 503 }]\n";
        fs::write(file, text).unwrap();
    }
    let exec = "python3 crates/exec/examples/subject.py";
    for (cases, played) in [("1", 3), ("4", 4)] {
        let check = ["check", "--exec", exec, "--as", "streaming", "--cases", cases, "--format", "json"];
        let lines = values(&retrylab(check).args(&files).output().unwrap().stdout);
        assert_eq!(lines.last().unwrap()["cases"], played);
    }
}

/// A reader that closes the pipe at once loses nothing that is saved.
#[test]
fn a_counterexample_is_saved_even_if_the_output_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let save = format!("--save={}", folder.path().to_str().unwrap());
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
        .args(["check", "polling:cadence-not-restored", "--cases", "600", &save])
        .env_remove("RETRYLAB_SEED")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn a_counterexample_that_cannot_be_saved_is_printed_before_the_error() {
    let law = "success-restores-the-cadence";
    let save = ["--save=crates/cli/Cargo.toml/found", "--allow-missing"];
    let arguments = ["check", "polling:cadence-not-restored", "--law", law, save[0], save[1]];
    snapshot("refused-check-save", &mut retrylab(arguments));
}

/// Each with a setting that shows its difference.
const DIALECTS: [(&str, &str); 15] = [
    ("streaming:clamp-initial", "initial_reconnect_delay=45"),
    ("streaming:inverted-extended", "initial_reconnect_delay=400"),
    ("streaming:health-from-connect", "jitter=own"),
    ("streaming:health-from-last-message", "jitter=own"),
    ("streaming:tls-unexpected", "jitter=own"),
    ("polling:cadence-not-restored", "jitter=own"),
    ("streaming:retry-hint", "jitter=own"),
    ("streaming:zero-literal", "initial_reconnect_delay=0"),
    ("streaming:default-silent", "initial_reconnect_delay=0"),
    ("streaming:exponent-capped", "initial_reconnect_delay=0.000000001"),
    ("streaming:exponent-wraps", "jitter=own"),
    ("streaming:clock-zero-unset", "jitter=own"),
    ("streaming:http-always-error", "jitter=own"),
    ("streaming:http-always-warning", "jitter=own"),
    ("polling:malformed-is-invalid-data", "jitter=own"),
];

#[test]
fn every_saved_counterexample_of_a_dialect_violates_its_law_and_holds_for_the_original() {
    for (dialect, setting) in DIALECTS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let save = format!("--save={path}");
        let arguments = ["check", dialect, "--set", setting, "--cases", "512", "--format", "json", &save];
        let lines = values(&retrylab(arguments).output().unwrap().stdout);
        let saved: Vec<&str> = lines.iter().filter_map(|line| line["breach"]["saved"].as_str()).collect();
        let broken = lines.last().unwrap()["broken"].as_u64().unwrap();
        assert_eq!(saved.len() as u64, broken, "{dialect}");
        let there = files(folder.path());
        assert_eq!(there.len() as u64, broken, "{dialect}: {there:?}");
        assert!(broken > 0, "{dialect}");

        let run = || values(&retrylab(["run", path, "--format", "json"]).output().unwrap().stdout);
        for line in run().iter().filter(|line| line["file"].is_string()) {
            assert_eq!(line["verdict"], "failed", "{dialect}: {line}");
            let unmet = line["unmet"].as_array().unwrap();
            let of_law = unmet.iter().find(|unmet| unmet["key"] == "expect.laws[0]").unwrap();
            assert!(of_law["got"] != "nothing that it is about", "{dialect}: {line}");
        }
        let (original, _) = dialect.split_once(':').unwrap();
        for file in there {
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace(&format!("kind = \"{dialect}\""), &format!("kind = \"{original}\"")))
                .unwrap();
        }
        for line in run().iter().filter(|line| line["file"].is_string()) {
            assert_eq!(line["verdict"], "held", "{dialect}: {line}");
        }
    }
}
