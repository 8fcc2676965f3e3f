//! `retrylab diff`.

use crate::session::{retrylab, snapshot, snapshot_each};

const CALL: &str = "crates/cli/tests/data/diff/call.toml";
const INCIDENT: &str = "crates/cli/tests/data/diff/incident.toml";

/// Compares a stream or a poller with its dialect under the standard outage.
#[track_caller]
fn dialect(name: &str) {
    let (original, short) = name.split_once(':').expect("the name of a dialect");
    snapshot(&format!("diff-{short}"), &mut retrylab(["diff", original, name, "--seeds", "100", "--rungs", "3"]));
}

#[test]
fn every_dialect_differs_from_its_original() {
    for name in [
        "streaming:clamp-initial",
        "streaming:inverted-extended",
        "streaming:health-from-connect",
        "streaming:health-from-last-message",
        "streaming:tls-unexpected",
        "polling:cadence-not-restored",
        "streaming:retry-hint",
        "streaming:zero-literal",
        "streaming:default-silent",
        "streaming:exponent-capped",
        "streaming:exponent-wraps",
        "streaming:clock-zero-unset",
        "streaming:http-always-error",
        "streaming:http-always-warning",
        "streaming:valid-after-patch",
        "polling:malformed-is-invalid-data",
    ] {
        dialect(name);
    }
}

#[test]
fn a_policy_does_not_differ_from_itself() {
    snapshot("diff-same", &mut retrylab(["diff", "call", "call", "--rungs", "4"]));
}

#[test]
fn an_option_is_set_on_both_sides() {
    snapshot(
        "diff-set",
        &mut retrylab([
            "diff",
            "streaming",
            "streaming:clamp-initial",
            "--set",
            "initial_reconnect_delay=20s",
            "--rungs",
            "3",
        ]),
    );
}

#[test]
fn without_jitter_all_clients_return_together() {
    snapshot(
        "diff-without-jitter",
        &mut retrylab(["diff", "call", CALL, "--set", "jitter=none", "--seeds", "50", "--rungs", "4"]),
    );
}

#[test]
fn clients_of_files_are_played_through_the_timeline_of_another() {
    snapshot(
        "diff-timeline",
        &mut retrylab(["diff", CALL, "call", "--timeline", INCIDENT, "--seeds", "200", "--rungs", "6"]),
    );
}

#[test]
fn a_poller_and_a_call_can_share_a_timeline() {
    snapshot("diff-polling-and-call", &mut retrylab(["diff", "polling", "call", "--seeds", "10", "--rungs", "2"]));
}

#[test]
fn json_is_exact() {
    snapshot(
        "diff-json",
        &mut retrylab([
            "diff",
            "streaming",
            "streaming:tls-unexpected",
            "--seed",
            "7",
            "--seeds",
            "3",
            "--rungs",
            "2",
            "--format",
            "json",
        ]),
    );
    snapshot(
        "diff-same-json",
        &mut retrylab(["diff", "call", "call", "--seeds", "3", "--rungs", "2", "--format", "json"]),
    );
}

#[test]
fn a_stream_and_a_call_cannot_be_compared() {
    snapshot("refused-diff-shapes", &mut retrylab(["diff", "streaming", "call"]));
}

#[test]
fn a_timeline_that_does_not_fit_is_refused() {
    snapshot(
        "refused-diff-timeline",
        &mut retrylab(["diff", "streaming", "streaming:tls-unexpected", "--timeline", INCIDENT]),
    );
}

#[test]
fn a_misspelled_name_is_refused_with_a_suggestion() {
    snapshot("refused-diff-policy", &mut retrylab(["diff", "streaming", "streaming:tls-unexpeted"]));
}

#[test]
fn standard_input_is_read_only_once() {
    snapshot("refused-diff-stdin", &mut retrylab(["diff", "-", "-"]));
}

#[test]
fn an_external_policy_is_refused() {
    let external = "crates/cli/tests/data/external.toml";
    snapshot("refused-diff-external", &mut retrylab(["diff", external, "streaming"]));
}

#[test]
fn an_option_that_one_side_does_not_have_is_refused() {
    snapshot("refused-diff-set", &mut retrylab(["diff", "polling", "call", "--set", "poll_interval=1m"]));
}

#[test]
fn no_seeds_are_refused() {
    snapshot("refused-diff-seeds", &mut retrylab(["diff", "call", "call", "--seeds", "0"]));
}

#[test]
fn an_invalid_timeline_is_refused() {
    let with = |file| ["diff", "call", "call", "--timeline", file];
    snapshot_each(
        "refused-diff-no-timeline",
        [
            &with("no-such.toml"),
            // The name of a policy is the name of no timeline.
            &with("streaming"),
            &with("crates/cli/tests/data/waits.toml"),
            &with("crates/cli/tests/data/typo.toml"),
        ],
    );
}

#[test]
fn an_unknown_policy_is_refused() {
    let with = |file| ["diff", "call", file];
    snapshot_each(
        "refused-diff-no-policy",
        [
            &with("no-such.toml"),
            &with("crates/cli/tests/data/waits.toml"),
            &with("crates/cli/tests/data/typo.toml"),
            &with("crates/cli/tests/data/lint/zero.toml"),
        ],
    );
}

#[test]
fn invalid_options_are_refused() {
    let call = ["diff", "call", "call"];
    let with = |option, value| [call[0], call[1], call[2], option, value];
    snapshot_each(
        "refused-diff-options",
        [
            &["diff"],
            &["diff", "call"],
            &with("--seed", "seven"),
            &with("--seed", "-1"),
            &with("--rungs", "0"),
            &with("--rungs", "-1"),
            &with("--rungs", "ten"),
            &with("--seeds", "1000001"),
            &with("--seeds", "-1"),
            &with("--set", "jitter=ful"),
            &with("--format", "yaml"),
        ],
    );
    snapshot("refused-diff-environment", retrylab(call).env("RETRYLAB_SEED", "seven"));
}

#[test]
fn diff_has_help() {
    snapshot("help-diff", &mut retrylab(["diff", "--help"]));
}

/// A timeline that 5 events end long before its end.
const CUT_OFF: &str = "why = 'Cut off.'\nuntil = '10d'\nthen = 'repeat-last'\nlimits.events = 5\n\
                       client = { kind = 'polling' }\ntimeline = [{ play = [{ ok = true }] }]\n";

#[test]
fn runs_ended_by_a_limit_do_not_show_that_two_policies_are_equal() {
    let arguments = ["diff", "polling", "polling", "--timeline", "-", "--seeds", "3", "--rungs", "1"];
    snapshot("diff-cut-off", retrylab(arguments).write_stdin(CUT_OFF));
    snapshot("diff-cut-off-json", retrylab(arguments).args(["--format", "json"]).write_stdin(CUT_OFF));
}

#[test]
fn a_folder_is_no_timeline() {
    let arguments = ["diff", "polling", "polling", "--timeline", "crates"];
    snapshot("refused-diff-timeline-folder", &mut retrylab(arguments));
}

#[test]
fn more_rungs_and_seeds_than_fit_are_refused() {
    let both = ["diff", "call", "call", "--seeds", "1000000", "--rungs", "101"];
    snapshot("refused-diff-too-much", &mut retrylab(both));
}
