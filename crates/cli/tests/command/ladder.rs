//! `retrylab ladder`.

use crate::session::{retrylab, snapshot, snapshot_each};

const POLLER: &str = "crates/cli/tests/data/poller.toml";
const EXACT: &str = "crates/cli/tests/data/exact.toml";

#[test]
fn streaming_climbs_to_its_ceiling_with_the_default_seed() {
    snapshot("ladder-streaming", &mut retrylab(["ladder", "streaming"]));
}

#[test]
fn streaming_after_unexpected_failures_takes_the_extended_ladder() {
    snapshot("ladder-streaming-unexpected", &mut retrylab(["ladder", "streaming", "--unexpected", "--seed", "7"]));
}

#[test]
fn polling_stays_at_its_interval() {
    snapshot("ladder-polling", &mut retrylab(["ladder", "polling", "--rungs", "4"]));
}

#[test]
fn polling_after_unexpected_failures_never_waits_less_than_its_interval() {
    snapshot(
        "ladder-polling-unexpected",
        &mut retrylab(["ladder", "polling", "--unexpected", "--set", "poll_interval=200", "--seed", "42"]),
    );
}

#[test]
fn percentiles_are_over_a_thousand_seeds() {
    snapshot("ladder-percentiles", &mut retrylab(["ladder", "streaming", "--percentiles"]));
}

#[test]
fn percentiles_of_the_extended_ladder_are_in_whole_seconds() {
    snapshot("ladder-percentiles-unexpected", &mut retrylab(["ladder", "polling", "--percentiles", "--unexpected"]));
}

#[test]
fn without_jitter_the_waits_are_the_bases() {
    snapshot("ladder-without-jitter", &mut retrylab(["ladder", "streaming", "--set", "jitter=none", "--rungs", "7"]));
}

#[test]
fn short_waits_have_more_decimals() {
    snapshot(
        "ladder-short",
        &mut retrylab(["ladder", "streaming", "--set", "initial_reconnect_delay=1ms", "--rungs", "3"]),
    );
}

#[test]
fn a_file_gives_its_client_and_its_seed() {
    snapshot("ladder-file", retrylab(["ladder", POLLER, "--unexpected", "--rungs", "4"]).env("RETRYLAB_SEED", "1"));
}

#[test]
fn the_command_line_wins_over_the_file() {
    snapshot(
        "ladder-file-overruled",
        &mut retrylab(["ladder", POLLER, "--seed", "42", "--set", "poll_interval=1m 30s", "--rungs", "2"]),
    );
}

#[test]
fn the_jitter_of_a_file_is_kept_and_a_file_without_seed_leaves_it_to_the_environment() {
    snapshot("ladder-file-exact", retrylab(["ladder", EXACT, "--rungs", "4"]).env("RETRYLAB_SEED", "1"));
}

#[test]
fn standard_input_is_a_file_too() {
    let text = "why = \"Typed.\"\nseed = 42\nclient.kind = \"polling\"\ntimeline = [{ play = [{ status = 503 }] }]\n";
    snapshot("ladder-standard-input", retrylab(["ladder", "-", "--rungs", "1"]).write_stdin(text));
}

#[test]
fn json_is_exact() {
    snapshot("ladder-json", &mut retrylab(["ladder", "streaming", "--rungs", "3", "--seed", "7", "--format", "json"]));
}

#[test]
fn json_has_the_percentiles() {
    snapshot(
        "ladder-percentiles-json",
        &mut retrylab(["ladder", "streaming", "--rungs", "2", "--percentiles", "--format", "json"]),
    );
}

#[test]
fn an_unusable_option_is_replaced_with_a_warning() {
    snapshot(
        "ladder-warning",
        &mut retrylab(["ladder", "streaming", "--set", "initial_reconnect_delay=nan", "--rungs", "1"]),
    );
}

#[test]
fn a_call_ends_with_its_reason() {
    snapshot("ladder-call", &mut retrylab(["ladder", "call", "--deadline", "10s"]));
}

#[test]
fn a_terminal_failure_ends_a_call_at_once() {
    snapshot("ladder-call-unexpected", &mut retrylab(["ladder", "call", "--unexpected", "--deadline", "10s"]));
}

#[test]
fn a_call_of_a_file_is_shown_with_all_its_limits() {
    let file = "crates/cli/tests/data/ladder/call.toml";
    snapshot("ladder-call-file", &mut retrylab(["ladder", file, "--rungs", "12", "--deadline", "20s"]));
}

#[test]
fn a_call_has_percentiles_too() {
    snapshot("ladder-call-percentiles", &mut retrylab(["ladder", "call", "--percentiles", "--deadline", "2s"]));
}

#[test]
fn a_call_in_json_has_its_extremes() {
    let file = "crates/cli/tests/data/ladder/call.toml";
    snapshot(
        "ladder-call-json",
        &mut retrylab(["ladder", file, "--rungs", "2", "--deadline", "20s", "--format", "json"]),
    );
}

#[test]
fn a_reconnecting_loop_does_not_end_by_itself() {
    snapshot("ladder-reconnect", &mut retrylab(["ladder", "reconnect", "--rungs", "4"]));
}

#[test]
fn a_reconnecting_loop_of_a_file_shows_its_reset_rule() {
    snapshot("ladder-list", &mut retrylab(["ladder", "crates/cli/tests/data/ladder/list.toml"]));
}

#[test]
fn a_dialect_is_a_policy_by_name() {
    let clamp = ["ladder", "streaming:clamp-initial", "--set", "initial_reconnect_delay=45s"];
    snapshot("ladder-dialect", retrylab(clamp).args(["--rungs", "3", "--deadline", "5m"]));
}

#[test]
fn a_deadline_of_a_stream_counts_its_attempts() {
    snapshot("ladder-deadline", &mut retrylab(["ladder", "streaming", "--deadline", "10s", "--rungs", "5"]));
}

#[test]
fn an_invalid_deadline_is_refused() {
    snapshot("refused-ladder-deadline", &mut retrylab(["ladder", "streaming", "--deadline", "soon"]));
}

#[test]
fn a_misspelled_name_is_refused_with_a_suggestion() {
    snapshot("refused-ladder-policy", &mut retrylab(["ladder", "straming"]));
}

#[test]
fn an_unknown_name_is_refused_with_the_known_policies() {
    snapshot("refused-ladder-nothing", &mut retrylab(["ladder", "nonsense"]));
}

#[test]
fn an_invalid_file_is_refused_with_all_its_errors() {
    snapshot("refused-ladder-mistakes", &mut retrylab(["ladder", "crates/cli/tests/data/typo.toml"]));
}

#[test]
fn a_file_that_is_not_played_has_no_client() {
    snapshot("refused-ladder-no-client", &mut retrylab(["ladder", "crates/cli/tests/data/waits.toml"]));
}

#[test]
fn an_external_policy_is_refused() {
    snapshot("refused-ladder-external", &mut retrylab(["ladder", "crates/cli/tests/data/external.toml"]));
}

#[test]
fn no_rungs_are_refused() {
    snapshot("refused-ladder-rungs", &mut retrylab(["ladder", "streaming", "--rungs", "0"]));
}

#[test]
fn a_seed_beside_percentiles_is_refused() {
    snapshot(
        "refused-ladder-seed-and-percentiles",
        &mut retrylab(["ladder", "polling", "--seed", "7", "--percentiles"]),
    );
}

#[test]
fn an_invalid_seed_is_refused() {
    snapshot("refused-seed", &mut retrylab(["ladder", "streaming", "--seed", "-1"]));
}

#[test]
fn an_invalid_seed_variable_is_refused() {
    snapshot("refused-seed-variable", retrylab(["ladder", "streaming"]).env("RETRYLAB_SEED", "seven"));
}

#[test]
fn an_option_of_another_client_is_refused() {
    snapshot("refused-set-not-of-client", &mut retrylab(["ladder", "polling", "--set", "initial_reconnect_delay=1s"]));
}

#[test]
fn an_unknown_option_of_the_client_is_refused() {
    snapshot("refused-set-unknown", &mut retrylab(["ladder", "polling", "--set", "interval=1s"]));
}

#[test]
fn a_setting_without_a_value_is_refused() {
    snapshot("refused-set-no-value", &mut retrylab(["ladder", "polling", "--set", "poll_interval"]));
}

#[test]
fn an_invalid_setting_is_refused() {
    snapshot("refused-set-no-duration", &mut retrylab(["ladder", "polling", "--set", "poll_interval=soon"]));
}

#[test]
fn an_unknown_jitter_is_refused() {
    snapshot("refused-set-jitter", &mut retrylab(["ladder", "polling", "--set", "jitter=full"]));
}

#[test]
fn an_empty_seed_variable_counts_as_not_set() {
    snapshot("ladder-empty-variable", retrylab(["ladder", "streaming", "--rungs", "1"]).env("RETRYLAB_SEED", ""));
}

#[test]
fn a_call_without_an_attempt_is_refused() {
    snapshot("refused-ladder-no-attempt", &mut retrylab(["ladder", "crates/cli/tests/data/lint/zero.toml"]));
}

#[test]
fn invalid_options_are_refused() {
    snapshot_each(
        "refused-ladder-options",
        [
            &["ladder"],
            &["ladder", "streaming", "--rungs", "1001"],
            &["ladder", "streaming", "--rungs", "-1"],
            &["ladder", "streaming", "--rungs", "ten"],
            &["ladder", "streaming", "--deadline", "-1s"],
            &["ladder", "streaming", "--seed", "18446744073709551616"],
            &["ladder", "streaming", "--format", "yaml"],
        ],
    );
}

#[test]
fn times_above_the_maximum_are_cut_with_a_note() {
    snapshot(
        "ladder-cut",
        &mut retrylab(["ladder", "streaming", "--rungs", "3", "--set", "initial_reconnect_delay=1e30"]),
    );
}
