//! `retrylab lint`.

use crate::session::{retrylab, snapshot, snapshot_each};

const FOLDER: &str = "crates/cli/tests/data/lint";

/// Lints the files of these names.
#[track_caller]
fn lint(name: &str, files: &[&str], options: &[&str]) {
    let mut command = retrylab(["lint"]);
    command.args(files.iter().map(|file| format!("{FOLDER}/{file}.toml"))).args(options);
    snapshot(name, &mut command);
}

#[test]
fn a_file_without_findings_is_one_line() {
    lint("lint-clean", &["clean"], &[]);
}

#[test]
fn stacked_layers_multiply() {
    lint("lint-stack", &["stack"], &[]);
}

#[test]
fn a_call_can_contradict_itself_in_many_ways() {
    lint("lint-call", &["call"], &[]);
}

#[test]
fn rungs_and_limits_that_do_not_fit_are_named_with_their_place() {
    lint("lint-list", &["list"], &[]);
}

#[test]
fn a_ladder_that_does_not_grow_and_an_attempt_that_never_starts_are_named() {
    lint("lint-fixed", &["fixed"], &[]);
}

#[test]
fn a_pollers_jitter_is_hidden_by_its_cadence() {
    lint("lint-poller", &["poller"], &[]);
}

#[test]
fn an_inverted_ladder_and_an_attempt_after_a_stream_that_stays_up_are_named() {
    lint("lint-inverted", &["inverted"], &[]);
}

#[test]
fn ineffective_budgets_and_intervals_above_all_ladders_are_named() {
    lint("lint-ratios", &["ratios"], &[]);
    lint("lint-slow-poller", &["slow-poller"], &[]);
    lint("lint-timers", &["timers"], &[]);
}

#[test]
fn an_allowed_rule_does_not_warn_but_is_counted() {
    lint("lint-allowed", &["poller", "inverted"], &["--allow", "hidden-jitter", "--allow", "flat-ladder"]);
    lint("lint-all-allowed", &["poller"], &["--allow", "hidden-jitter"]);
}

#[test]
fn nan_is_refused() {
    lint("lint-refused-not-a-number", &["not-a-number"], &[]);
}

#[test]
fn a_call_without_waits_or_attempts_is_refused() {
    lint("lint-refused-zero", &["zero"], &[]);
}

#[test]
fn each_error_of_the_parser_is_one_line() {
    lint("lint-refused-shrinking", &["shrinking"], &[]);
}

#[test]
fn an_unknown_law_or_fault_is_refused_as_by_run() {
    snapshot(
        "lint-refused-names",
        &mut retrylab([
            "lint",
            "crates/cli/tests/data/run/unknown-law.toml",
            "crates/cli/tests/data/run/unknown-fault.toml",
        ]),
    );
}

#[test]
fn invalid_toml_is_refused_with_its_line() {
    snapshot("lint-refused-no-toml", retrylab(["lint", "-"]).write_stdin("why = \"Broken.\"\n[client\n"));
}

#[test]
fn errors_of_several_files_are_reported_together() {
    snapshot(
        "lint-several",
        &mut retrylab([
            "lint",
            "crates/cli/tests/data/waits.toml",
            "crates/cli/tests/data/lint/clean.toml",
            "crates/cli/tests/data/lint/stack.toml",
            "crates/cli/tests/data/lint/not-a-number.toml",
        ]),
    );
}

#[test]
fn json_has_the_same() {
    lint("lint-json", &["stack", "inverted", "not-a-number"], &["--format", "json"]);
}

#[test]
fn files_that_are_not_played_have_nothing_to_lint() {
    snapshot("refused-lint-not-played", &mut retrylab(["lint", "crates/cli/tests/data/waits.toml"]));
}

#[test]
fn a_missing_file_is_refused() {
    snapshot("refused-lint-missing", &mut retrylab(["lint", "no-such.toml"]));
}

#[test]
fn no_file_is_refused() {
    snapshot("refused-lint-nothing", &mut retrylab(["lint"]));
}

#[test]
fn an_unknown_rule_is_refused_with_the_known_ones() {
    snapshot("refused-lint-rule", &mut retrylab(["lint", "a.toml", "--allow", "hiden-jitter"]));
}

#[test]
fn invalid_options_are_refused() {
    snapshot_each("refused-lint-options", [&["lint", "a.toml", "--format", "yaml"], &["lint", "crates/core/src"]]);
}

#[test]
fn lint_has_help() {
    snapshot("help-lint", &mut retrylab(["lint", "--help"]));
}

#[test]
fn standard_input_is_linted_once() {
    snapshot("refused-lint-stdin-twice", &mut retrylab(["lint", "-", "-"]));
}

#[test]
fn an_unreadable_file_does_not_hide_the_findings_of_others() {
    snapshot(
        "refused-lint-missing-and-mistakes",
        &mut retrylab(["lint", "no-such.toml", "crates/cli/tests/data/typo.toml"]),
    );
}

#[test]
fn more_than_a_thousand_errors_are_cut() {
    let keys: String = (0..1001).map(|number| format!("k{number} = 1\n")).collect();
    let text = format!("why = 'x'\nthen = 'succeed'\n[client]\nkind = 'streaming'\n{keys}");
    let output = retrylab(["lint", "-"]).write_stdin(text).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1002);
    let end = "-: error: has more than these 1000 problems\n1 of 1 file with errors, 0 warnings\n";
    assert!(text.ends_with(end), "{}", text.lines().skip(998).collect::<Vec<_>>().join("\n"));
}

#[test]
fn all_errors_are_reported_at_once_by_lint_and_by_run() {
    let file = "crates/cli/tests/data/run/four-mistakes.toml";
    snapshot_each("refused-four-mistakes", [&["lint", file], &["run", file]]);
}

#[test]
fn every_file_below_a_folder_is_linted_once() {
    let output = retrylab(["lint", FOLDER, &format!("{FOLDER}/clean.toml"), "--format", "json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let files = std::fs::read_dir(format!("{}/{FOLDER}", crate::session::ROOT)).unwrap().count();
    let totals = format!("{{\"files\":{files},");
    assert!(text.lines().last().unwrap().starts_with(&totals), "{totals}, {text}");
}
