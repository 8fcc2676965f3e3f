//! `retrylab corpus`.

use crate::session::{retrylab, snapshot, snapshot_each};

/// The feature `peers` adds other policies, some of which are unseeded.
#[cfg(not(feature = "peers"))]
#[test]
fn every_built_in_policy_is_judged_unless_some_are_named() {
    snapshot("corpus", &mut retrylab(["corpus"]));
}

#[test]
fn policies_that_pass_everything_are_status_0() {
    snapshot("corpus-ours", &mut retrylab(["corpus", "streaming", "polling", "call", "reconnect", "--seed", "7"]));
}

#[test]
fn a_faulty_policy_shows_its_bug_with_figures_and_the_replay_command() {
    snapshot("corpus-fault", &mut retrylab(["corpus", "call", "fault:min-after-jitter", "--seed", "7"]));
}

#[test]
fn a_kind_is_judged_alone() {
    let arguments = ["corpus", "streaming", "streaming:tls-unexpected", "--kind", "sticky-ceiling"];
    snapshot("corpus-kind", &mut retrylab(arguments));
}

#[test]
fn json_has_a_line_for_each_policy_and_trial() {
    let arguments =
        ["corpus", "polling", "polling:cadence-not-restored", "--kind", "recovery-cadence", "--format", "json"];
    snapshot("corpus-json", &mut retrylab(arguments));
}

#[test]
fn json_has_the_reason_why_a_trial_is_not_applicable() {
    let arguments = ["corpus", "streaming", "--kind", "shared-seed", "--format", "json"];
    snapshot("corpus-json-not-applicable", &mut retrylab(arguments));
}

#[test]
fn a_policy_that_is_named_twice_is_judged_once() {
    snapshot("corpus-twice", &mut retrylab(["corpus", "call", "call", "--kind", "overflow"]));
}

#[test]
fn the_environment_sets_the_seed() {
    let arguments = ["corpus", "streaming:retry-hint", "--kind", "server-directed"];
    snapshot("corpus-environment", retrylab(arguments).env("RETRYLAB_SEED", "42"));
}

#[test]
fn a_negative_seed_is_refused_with_the_allowed_range() {
    snapshot("refused-corpus-seed", &mut retrylab(["corpus", "--seed", "-1"]));
}

#[test]
fn corpus_has_help() {
    snapshot("help-corpus", &mut retrylab(["corpus", "--help"]));
}

#[test]
fn invalid_options_are_refused() {
    snapshot_each(
        "refused-corpus-options",
        [
            &["corpus", "call", "--seed", "seven"],
            &["corpus", "call", "--seed", "-1"],
            &["corpus", "call", "--format", "yaml"],
        ],
    );
    snapshot("refused-corpus-environment", retrylab(["corpus", "call"]).env("RETRYLAB_SEED", "seven"));
}

#[test]
fn an_unknown_policy_is_refused_with_a_suggestion() {
    snapshot("refused-corpus-slip", &mut retrylab(["corpus", "streming"]));
}

#[cfg(not(feature = "peers"))]
#[test]
fn another_word_is_refused_with_the_known_names() {
    snapshot("refused-corpus-unknown", &mut retrylab(["corpus", "polly"]));
}

#[test]
fn a_former_name_is_refused_with_the_one_of_today() {
    snapshot_each(
        "refused-corpus-renamed",
        [
            &["corpus", "specimen:min-after-jitter"],
            &["corpus", "specimen:threshold-exclusive"],
            &["corpus", "fault:threshold-exclusive"],
        ],
    );
}

#[test]
fn an_unknown_fault_is_refused_with_a_suggestion() {
    snapshot("refused-corpus-fault", &mut retrylab(["corpus", "fault:jiter-lost"]));
}

#[test]
fn a_fault_of_the_loop_is_refused() {
    snapshot("refused-corpus-no-trial", &mut retrylab(["corpus", "fault:logs-the-base"]));
}

#[test]
fn an_unknown_kind_is_refused_with_a_suggestion() {
    snapshot("refused-corpus-kind", &mut retrylab(["corpus", "--kind", "jitter-vanish"]));
}

#[test]
fn a_policy_without_an_applicable_trial_does_not_pass() {
    snapshot(
        "refused-corpus-nothing-applies",
        &mut retrylab(["corpus", "streaming", "polling", "--kind", "attempts-off-by-one"]),
    );
}

#[cfg(not(feature = "peers"))]
#[test]
fn a_library_that_is_not_compiled_in_is_refused_with_the_command_that_includes_it() {
    snapshot("refused-corpus-peer", &mut retrylab(["corpus", "tower"]));
}

/// The figures are those of the table of libraries in the documentation of `retrylab-adapters`, measured there too.
#[cfg(feature = "peers")]
mod peers {
    use super::retrylab;

    /// Status and output; the error output is empty.
    fn corpus<const N: usize>(arguments: [&str; N]) -> (Option<i32>, String) {
        let output = retrylab(arguments).output().expect("the command was built with these tests");
        assert_eq!(String::from_utf8(output.stderr).expect("UTF-8"), "");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    }

    /// The failures of a policy, without the replay commands.
    fn seen(policy: &str) -> Vec<String> {
        let (status, output) = corpus(["corpus", policy, "--seed", "7"]);
        let own = format!("{policy}, ");
        let seen: Vec<String> = output.lines().filter_map(|line| line.strip_prefix(&own)).map(str::to_owned).collect();
        assert_eq!(status, Some(i32::from(!seen.is_empty())), "{output}");
        seen
    }

    #[test]
    fn tower_loses_its_jitter_at_the_ceiling_and_in_whole_seconds_and_shares_it() {
        assert_eq!(
            seen("tower"),
            [
                "jitter-vanishes: 2000 of 2000 waits are exactly 30s",
                "jitter-vanishes: 2000 of 2000 waits are exactly 1s",
                "shared-seed: 2000 clients of one process have 1 distinct first wait",
                "shared-seed: 2000 calls of one client have 1 distinct first wait",
            ]
        );
    }

    #[test]
    fn exponential_backoff_loses_its_jitter_at_the_ceiling_and_half_of_it_at_the_base() {
        let seen = seen("exponential-backoff");
        let [ceiling, base] = &seen[..] else { panic!("{seen:?}") };
        assert_eq!(ceiling, "jitter-vanishes: 2000 of 2000 waits are exactly 30s");
        // Every jitter below the rung is cut at the base: half of 2,000, which strays by 22.
        let words: Vec<&str> = base.split(' ').collect();
        let count: u32 = words[1].parse().unwrap();
        assert!((850..1150).contains(&count), "{base}");
        assert_eq!(words[2..], ["of", "2000", "waits", "are", "exactly", "1s"]);
    }

    #[test]
    fn backon_exceeds_the_ceiling_and_lets_the_server_outlive_its_limits() {
        let seen = seen("backon");
        // The client that has the longest wait depends on the library's generator.
        let exceeds = seen[0].split(" (client").next().unwrap();
        assert_eq!(exceeds, "jitter-exceeds-cap: waits up to 2.00 times the ceiling of 30s");
        assert_eq!(
            seen[1..],
            [
                // Only waits are counted: 1, 2, 4, 8 and 16 s, then 30 s each, with an attempt of 30 s after each. The
                // eighth failure comes after 91 s of waits and 210 s of attempts, and the wait after it ends at 331 s.
                "elapsed-clock: goes on until 5m 31s at least where attempts take 30s, with a limit of 5m",
                // 500 waits of 20 s.
                "elapsed-clock: still waits after 2h 46m 40s with a retry_after of 20s, with a limit of 5m",
                "retry-after: still waits after 500 attempts with a retry_after of 20s, with a limit of 3",
                "retry-after: waits 1d with such a retry_after, where the ceiling is 30s",
                "retry-after: 2000 of 2000 waits are exactly 20s",
            ]
        );
    }

    #[test]
    fn backoff_exceeds_the_ceiling_and_lets_the_server_outlive_its_limit() {
        assert_eq!(
            seen("backoff"),
            [
                "jitter-exceeds-cap: waits up to 1.50 times the ceiling of 30s",
                "elapsed-clock: still waits after 2h 46m 40s with a retry_after of 20s, with a limit of 5m",
                "retry-after: waits 1d with such a retry_after, where the ceiling is 30s",
                "retry-after: 2000 of 2000 waits are exactly 20s",
            ]
        );
    }

    #[test]
    fn from_millis_of_tokio_retry_is_not_a_doubling_and_its_factor_is() {
        assert_eq!(
            seen("tokio-retry-from-millis"),
            [
                // 500 ms, 500^2 ms, and 500^3 ms cut at an hour.
                "ladder-shape: waits 500ms, 4m 10s, 1h, where wait 2 would be 1s",
                "ladder-shape: waits 1.5s, 37m 30s, 1h, where wait 2 would be 3s",
            ]
        );
        assert_eq!(seen("tokio-retry"), [] as [&str; 0]);
    }

    #[test]
    fn the_others_have_one_bug_or_none() {
        assert_eq!(seen("tokio-retry2"), ["jitter-exceeds-cap: waits up to 1.50 times the ceiling of 30s"]);
        assert_eq!(seen("google-cloud-gax"), [] as [&str; 0]);
        let [only] = &seen("retry-policies")[..] else { panic!("the wait that does not fit") };
        // It reads the time of day, which takes some of the wait.
        assert!(only.starts_with("deadline: begins a wait of ") && only.ends_with(" of 1m"), "{only}");
    }

    #[test]
    fn unseeded_libraries_are_named_before_the_table() {
        let (_, output) = corpus(["corpus", "backoff", "tower", "tokio-retry", "--kind", "overflow"]);
        assert_eq!(
            output.lines().nth(1),
            Some("unseeded draws, compared with bounds, no two runs equal: backoff, tokio-retry")
        );
    }

    #[test]
    fn without_names_the_libraries_are_judged_too() {
        let (status, output) = corpus(["corpus", "--kind", "shared-seed"]);
        assert_eq!(status, Some(1));
        let row =
            |policy: &str, mark: char| output.lines().any(|line| line.starts_with(policy) && line.ends_with(mark));
        assert!(row("streaming ", '✓') && row("backon ", '✓') && row("tower ", '✗'), "{output}");
    }
}

#[test]
fn an_unknown_fault_is_refused_with_the_known_ones() {
    snapshot("refused-corpus-fault-unknown", &mut retrylab(["corpus", "fault:polly"]));
}
