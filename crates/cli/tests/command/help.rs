//! Help, version and wrong usage.

use crate::session::{retrylab, snapshot, snapshot_each};

#[test]
fn without_a_verb_the_help_is_shown_as_a_refusal() {
    snapshot("help-without-verb", &mut retrylab([]));
}

#[test]
fn help_is_no_refusal() {
    snapshot("help", &mut retrylab(["--help"]));
}

#[test]
fn classify_has_help() {
    snapshot("help-classify", &mut retrylab(["classify", "--help"]));
}

#[test]
fn ladder_has_help() {
    snapshot("help-ladder", &mut retrylab(["ladder", "--help"]));
}

#[test]
fn conform_has_help() {
    snapshot("help-conform", &mut retrylab(["conform", "--help"]));
}

#[test]
fn probe_has_help() {
    snapshot("help-probe", &mut retrylab(["probe", "--help"]));
}

#[test]
fn the_version_is_that_of_the_package() {
    let output = retrylab(["--version"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), concat!("retrylab ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn an_unknown_verb_is_refused_with_a_suggestion() {
    snapshot("refused-unknown-verb", &mut retrylab(["clasify", "503"]));
}

#[test]
fn an_unknown_option_is_refused() {
    snapshot("refused-unknown-option", &mut retrylab(["classify", "503", "--loud"]));
}

#[test]
fn an_unknown_format_is_refused_with_the_allowed_ones() {
    snapshot("refused-unknown-format", &mut retrylab(["classify", "503", "--format", "yaml"]));
}

#[test]
fn an_output_that_cannot_be_written_is_a_refusal() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    // Only Linux has this device.
    let Ok(full) = full else { return };
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
        .args(["classify", "503"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: cannot write the output: No space left on device (os error 28)\n"
    );
}

#[test]
fn a_closed_output_after_the_result_changes_nothing() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
        .arg("classify")
        .args((0..20_000).map(|status| status.to_string()))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The output is larger than any pipe holds, so the command must meet the closed end.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_closed_output_before_the_result_has_a_status_of_its_own() {
    // Vectors are read to the end before the few lines about them are written.
    let (run, conform) = ("crates/cli/tests/data/run/held.toml", "crates/cli/tests/data/mistakes.jsonl");
    let verbs: [(&[&str], i32); 4] = [
        (&["run", run, "--trace", "--format", "json"], 141),
        (&["conform", conform, "--format", "json"], 1),
        (&["conform", conform], 1),
        (&["ladder", "streaming"], 0),
    ];
    for (arguments, status) in verbs {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"));
        let output = command.args(arguments).current_dir(crate::session::ROOT).stdout(writer).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(status), ""), "{arguments:?}");
    }
}

#[test]
fn only_a_terminal_gets_colours() {
    let mistakes = ["conform", "crates/cli/tests/data/mistakes.jsonl"];
    let output = retrylab(mistakes).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stdout.contains(&b'\x1b'));
    let output = retrylab(["classify", "teapot"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.contains(&b'\x1b'));
}

#[test]
fn the_verb_help_is_the_option_help() {
    let text = |arguments: &[&str]| retrylab([]).args(arguments).output().unwrap();
    assert_eq!(text(&["help"]), text(&["--help"]));
    assert_eq!(text(&["help", "classify"]), text(&["classify", "--help"]));
}

#[test]
fn an_unknown_or_empty_name_is_refused_with_a_suggestion() {
    snapshot_each(
        "refused-no-policy",
        [
            &["ladder", "nosuch"],
            &["ladder", "poling"],
            &["ladder", "clamp"],
            &["ladder", "crates"],
            &["ladder", ""],
            &["run", ""],
            &["lint", ""],
            &["conform", ""],
        ],
    );
}

#[test]
fn one_is_no_plural() {
    let vector = "crates/cli/tests/data/skipped.jsonl";
    snapshot_each(
        "one-of-each",
        [
            &["run", "crates/cli/tests/data/run/held.toml", "--filter", "nothing"],
            &["run", "crates/cli/tests/data/waits.toml"],
            &["conform", vector, "--filter", "nothing"],
            &["ladder", "streaming", "--rungs", "1"],
        ],
    );
}
