//! The ladders of the built-in policies, for review: `snapshots/ladders/`.
//!
//! In each line of a streaming ladder, base less jitter is the wait, to the nanosecond. In a polling ladder the wait is
//! that or the poll interval, whichever is longer.

use std::fmt::Write;
use std::iter::repeat_with;
use std::time::Duration;

use retrylab_core::{FailureKind, Policy, Retry, RetryRules};
use retrylab_sim::Entropy;
use retrylab_sim::ladder::climb;

const RUNGS: u32 = 16;

macro_rules! ladders {
    ($($test:ident: $policy:ident, $kind:ident, $seed:literal, $name:literal;)*) => {$(
        #[test]
        fn $test() {
            let policy = Retry::new(RetryRules::$policy($policy::DELAY));
            review($name, &table(&policy, FailureKind::$kind, $seed));
        }
    )*};
}

ladders! {
    streaming_normal_with_seed_1: streaming, Normal, 1, "streaming-normal-seed-1";
    streaming_normal_with_seed_7: streaming, Normal, 7, "streaming-normal-seed-7";
    streaming_normal_with_seed_42: streaming, Normal, 42, "streaming-normal-seed-42";
    streaming_extended_with_seed_1: streaming, Unexpected, 1, "streaming-extended-seed-1";
    streaming_extended_with_seed_7: streaming, Unexpected, 7, "streaming-extended-seed-7";
    streaming_extended_with_seed_42: streaming, Unexpected, 42, "streaming-extended-seed-42";
    polling_normal_with_seed_1: polling, Normal, 1, "polling-normal-seed-1";
    polling_normal_with_seed_7: polling, Normal, 7, "polling-normal-seed-7";
    polling_normal_with_seed_42: polling, Normal, 42, "polling-normal-seed-42";
    polling_extended_with_seed_1: polling, Unexpected, 1, "polling-extended-seed-1";
    polling_extended_with_seed_7: polling, Unexpected, 7, "polling-extended-seed-7";
    polling_extended_with_seed_42: polling, Unexpected, 42, "polling-extended-seed-42";
}

mod streaming {
    pub(super) const DELAY: std::time::Duration = std::time::Duration::from_secs(1);
}

mod polling {
    pub(super) const DELAY: std::time::Duration = std::time::Duration::from_secs(30);
}

/// The waits after a row of failures, in seconds with all their digits.
fn table<P: Policy + Clone>(policy: &P, kind: FailureKind, seed: u64) -> String {
    let mut draws = Entropy::new(seed).client(0);
    let climbed = climb(policy, kind, RUNGS, repeat_with(|| draws.next_draw()));
    assert_eq!(climbed.rows.len(), RUNGS as usize);

    let mut text = format!("{:>4}  {:>14}  {:>14}  {:>14}\n", "rung", "base", "jitter", "wait");
    for row in climbed.rows {
        let rung = row.rung.expect("the built-in policies explain themselves");
        assert_eq!(rung.number, row.number, "nothing resets while every attempt fails");
        assert_eq!(row.wait, (rung.base - rung.jitter).max(policy.next_delay()), "rung {}", row.number);
        let cells = [rung.base, rung.jitter, row.wait].map(seconds);
        writeln!(text, "{:>4}  {:>14}  {:>14}  {:>14}", row.number, cells[0], cells[1], cells[2])
            .expect("a String takes all");
    }
    text
}

fn seconds(span: Duration) -> String {
    format!("{}.{:09}", span.as_secs(), span.subsec_nanos())
}

fn review(name: &str, table: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/ladders"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, table));
}
