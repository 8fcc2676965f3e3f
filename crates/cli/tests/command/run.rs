//! `retrylab run`.

use std::fs;

use crate::session::{retrylab, snapshot, snapshot_each, snapshot_in};

const DATA: &str = "crates/cli/tests/data/run";

fn run<const N: usize>(name: &str, file: &str, more: [&str; N]) {
    let path = format!("{DATA}/{file}");
    let mut command = retrylab(["run", &path]);
    snapshot(name, command.args(more));
}

#[test]
fn a_scenario_that_holds() {
    run("run-held", "held.toml", []);
}

#[test]
fn a_scenario_that_holds_with_its_trace() {
    run("run-trace", "held.toml", ["--trace"]);
}

#[test]
fn a_scenario_that_holds_for_machines() {
    run("run-json", "held.toml", ["--format", "json"]);
}

#[test]
fn a_trace_for_machines() {
    run("run-trace-json", "held.toml", ["--trace", "--format", "json"]);
}

#[test]
fn one_nanosecond_off_is_a_failure_that_shows_where() {
    run("run-one-nanosecond-off", "one-nanosecond-off.toml", []);
}

#[test]
fn everything_that_is_not_as_expected_is_told() {
    run("run-several-wrong", "several-wrong.toml", []);
}

#[test]
fn everything_that_is_not_as_expected_is_told_for_machines() {
    run("run-several-wrong-json", "several-wrong.toml", ["--format", "json"]);
}

#[test]
fn a_configuration_that_was_replaced_is_warned_of_and_the_status_is_unchanged() {
    run("run-warned", "warned.toml", ["--trace"]);
}

#[test]
fn a_run_that_a_limit_ends_is_a_failure() {
    run("run-endless", "endless.toml", []);
}

#[test]
fn the_seed_of_the_command_line_wins() {
    run("run-seed-of-the-command-line", "seeded.toml", ["--seed", "42", "--trace"]);
}

#[test]
fn the_seed_of_the_file_comes_before_the_environment() {
    let path = format!("{DATA}/seeded.toml");
    snapshot("run-seed-of-the-file", retrylab(["run", &path, "--trace"]).env("RETRYLAB_SEED", "3"));
}

#[test]
fn the_seed_of_the_environment_is_used_where_nobody_else_has_one() {
    let path = format!("{DATA}/held.toml");
    let both = format!("{DATA}/seeded.toml");
    snapshot("run-seed-of-the-environment", retrylab(["run", &path, &both]).env("RETRYLAB_SEED", "3"));
}

#[test]
fn a_seed_that_is_no_number_is_refused() {
    let path = format!("{DATA}/held.toml");
    snapshot("run-seed-refused", retrylab(["run", &path]).env("RETRYLAB_SEED", "three"));
}

#[test]
fn a_seed_below_zero_is_refused() {
    run("run-seed-below-zero", "held.toml", ["--seed", "-1"]);
}

#[test]
fn an_option_of_the_client_can_be_set() {
    run("run-set", "without-expect.toml", ["--trace", "--set", "initial_reconnect_delay=5s"]);
}

#[test]
fn a_failure_with_options_is_replayed_with_them() {
    run("run-set-fails", "one-nanosecond-off.toml", ["--set", "initial_reconnect_delay=29.999999999s"]);
}

#[test]
fn an_option_that_the_client_does_not_have_is_refused() {
    run("run-set-refused", "held.toml", ["--set", "poll_interval=5s"]);
}

#[test]
fn a_file_that_expects_nothing_is_refused_with_a_hint() {
    run("run-without-expect", "without-expect.toml", []);
}

#[test]
fn a_file_that_expects_nothing_is_played_with_its_trace() {
    run("run-without-expect-trace", "without-expect.toml", ["--trace"]);
}

#[test]
fn a_law_that_does_not_exist_is_refused_with_its_line() {
    run("run-unknown-law", "unknown-law.toml", []);
}

#[test]
fn a_specimen_that_does_not_exist_is_refused_with_its_line() {
    run("run-unknown-specimen", "unknown-specimen.toml", []);
}

#[test]
fn a_specimen_that_the_client_cannot_be_is_refused_with_its_line() {
    run("run-specimen-of-another-client", "specimen-of-another-client.toml", []);
}

#[test]
fn a_law_that_no_trace_can_show_is_refused() {
    run("run-no-trace-law", "no-trace-law.toml", []);
}

#[test]
fn all_mistakes_of_all_files_are_told_and_nothing_is_played() {
    let [bad, good, bare] = ["not-a-timeline", "held", "without-expect"].map(|name| format!("{DATA}/{name}.toml"));
    snapshot("run-bad-files", &mut retrylab(["run", &bad, &good, &bare]));
}

#[test]
fn files_that_are_not_played_are_counted_and_named() {
    let held = format!("{DATA}/held.toml");
    let resting = format!("{DATA}/resting");
    snapshot("run-resting", &mut retrylab(["run", &held, &resting]));
    snapshot("run-resting-json", &mut retrylab(["run", &held, &resting, "--format", "json"]));
}

#[test]
fn files_none_of_which_is_played_are_refused() {
    run("run-only-resting", "resting", []);
}

#[test]
fn a_filter_chooses_by_path() {
    let [one, two] = ["held", "seeded"].map(|name| format!("{DATA}/{name}.toml"));
    snapshot("run-filter", &mut retrylab(["run", &one, &two, "--filter", "seed"]));
    snapshot("run-filter-matches-nothing", &mut retrylab(["run", &one, &two, "--filter", "flap"]));
}

#[test]
fn a_path_that_is_not_there_is_refused() {
    run("run-no-such-path", "no-such-folder", []);
}

#[test]
fn a_folder_without_a_scenario_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("notes.txt"), "not a scenario").expect("a file");
    let path = folder.path().to_str().expect("a readable name");
    snapshot_in(folder.path(), "run-empty-folder", &mut retrylab(["run", path]));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bytes.toml");
    fs::write(&file, [b'w', 0xff, 0xfe]).expect("a file");
    let path = file.to_str().expect("a readable name");
    snapshot_in(folder.path(), "run-not-text", &mut retrylab(["run", path]));
}

#[test]
fn a_file_named_twice_is_played_once() {
    let path = format!("{DATA}/held.toml");
    snapshot("run-named-twice", &mut retrylab(["run", &path, &path]));
}

#[test]
fn options_that_are_none_are_refused() {
    let held = format!("{DATA}/held.toml");
    snapshot_each(
        "refused-run-options",
        [
            &["run", &held, "--seed", "three"],
            &["run", &held, "--set", "jitter"],
            &["run", &held, "--set", "interval=5s"],
            &["run", &held, "--format", "yaml"],
        ],
    );
}

#[test]
fn laws_of_a_call_are_refused_with_their_line() {
    run("run-laws-of-a-call", "laws-of-a-call.toml", []);
}

#[cfg(unix)]
#[test]
fn a_linked_scenario_is_played_and_a_link_to_nothing_is_refused() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let held = fs::canonicalize(format!("{}/{DATA}/held.toml", crate::session::ROOT)).expect("the file is there");
    symlink(&held, folder.path().join("linked.toml")).expect("a link");
    // What an editor leaves beside a file that it has open.
    symlink("somebody@somewhere", folder.path().join(".#linked")).expect("a link");
    let path = folder.path().to_str().expect("a readable name");
    let played = retrylab(["run", path]).output().expect("the command was built with these tests");
    let text = String::from_utf8(played.stdout).expect("text");
    assert!(text.contains(&format!("held    {path}/linked.toml")), "{text}");
    assert!(text.contains("1 held, 0 failed"), "{text}");

    symlink("no-such-file", folder.path().join("lost.toml")).expect("a link");
    snapshot_in(folder.path(), "run-lost-link", &mut retrylab(["run", path]));
}
