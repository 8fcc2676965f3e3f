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
fn nothing_to_warn_of_is_one_line() {
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
fn budgets_that_decide_nothing_and_intervals_beyond_all_ladders_are_named() {
    lint("lint-ratios", &["ratios"], &[]);
    lint("lint-slow-poller", &["slow-poller"], &[]);
    lint("lint-timers", &["timers"], &[]);
}

#[test]
fn a_rule_that_is_allowed_does_not_warn_but_is_counted() {
    lint("lint-allowed", &["poller", "inverted"], &["--allow", "hidden-jitter", "--allow", "flat-ladder"]);
    lint("lint-all-allowed", &["poller"], &["--allow", "hidden-jitter"]);
}

#[test]
fn a_number_that_is_none_is_refused() {
    lint("lint-refused-not-a-number", &["not-a-number"], &[]);
}

#[test]
fn a_call_that_never_waits_and_never_begins_is_refused() {
    lint("lint-refused-zero", &["zero"], &[]);
}

#[test]
fn what_the_parser_refuses_is_one_line_each() {
    lint("lint-refused-shrinking", &["shrinking"], &[]);
}

#[test]
fn a_law_or_specimen_that_there_is_not_is_refused_as_by_run() {
    snapshot(
        "lint-refused-names",
        &mut retrylab([
            "lint",
            "crates/cli/tests/data/run/unknown-law.toml",
            "crates/cli/tests/data/run/unknown-specimen.toml",
        ]),
    );
}

#[test]
fn a_file_that_is_no_toml_is_refused_with_its_line() {
    snapshot("lint-refused-no-toml", retrylab(["lint", "-"]).write_stdin("why = \"Broken.\"\n[client\n"));
}

#[test]
fn several_files_are_told_apart_and_refused_together() {
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
fn a_file_that_is_not_there_is_refused() {
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
fn options_that_are_none_are_refused() {
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
fn a_file_that_cannot_be_read_does_not_hide_what_is_said_of_others() {
    snapshot(
        "refused-lint-missing-and-mistakes",
        &mut retrylab(["lint", "no-such.toml", "crates/cli/tests/data/typo.toml"]),
    );
}

#[test]
fn more_than_a_thousand_problems_are_not_told_one_by_one() {
    let keys: String = (0..1001).map(|number| format!("k{number} = 1\n")).collect();
    let text = format!("why = 'x'\nthen = 'succeed'\n[client]\nkind = 'streaming'\n{keys}");
    let output = retrylab(["lint", "-"]).write_stdin(text).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1002);
    let end = "-: error: has more than these 1000 problems\n1 refused of 1 file, 0 warnings\n";
    assert!(text.ends_with(end), "{}", text.lines().skip(998).collect::<Vec<_>>().join("\n"));
}

#[test]
fn all_that_is_wrong_is_told_at_once_by_lint_and_by_run() {
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
