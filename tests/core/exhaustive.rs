//! Every call sequence up to a length, against the reference model.
//!
//! `RETRYLAB_DEPTH=9 cargo test --test core exhaustive -- --nocapture` goes one deeper and shows the counts.

use std::env;
use std::time::Duration;

use retrylab_conform::exhaustive::{Disagreement, around, walk_healthy_for, walk_successes};
use retrylab_core::{HealthyFor, RetryRules, Successes};
use retrylab_laws::model::Rules;

/// The window of the streaming rules; also used where successes count, to show that time is irrelevant there.
const WINDOW: Duration = Duration::from_secs(60);

fn depth() -> usize {
    match env::var("RETRYLAB_DEPTH") {
        Ok(depth) => depth.parse().expect("RETRYLAB_DEPTH is a number of outcomes"),
        Err(_) => 8,
    }
}

/// 9 + 81 + … + 9^depth.
fn sequences(depth: usize) -> u64 {
    (1..).take(depth).map(|length| 9_u64.pow(length)).sum()
}

fn report(rules: &str, walked: Result<u64, Box<Disagreement>>) {
    match walked {
        Ok(checked) => {
            println!("{rules}: checked {checked} outcomes, every sequence of up to {}", depth());
            assert_eq!(checked, sequences(depth()));
        }
        Err(divergence) => panic!("{rules}: {divergence}"),
    }
}

#[test]
fn every_short_sequence_of_a_stream_agrees_with_the_model() {
    let rules = RetryRules::streaming(Duration::from_secs(1));
    report("streaming", walk_healthy_for(rules, &Rules::streaming(1.0), around(WINDOW), depth()));
}

#[test]
fn every_short_sequence_of_a_poller_agrees_with_the_model() {
    let rules = RetryRules::polling(Duration::from_secs(30));
    report("polling", walk_successes(rules, &Rules::polling(30.0), around(WINDOW), depth()));
}

#[test]
fn every_short_sequence_of_custom_rules_agrees_with_the_model() {
    // A ceiling below its initial, an extended regime below the normal one, a cadence that hides the first rungs, a
    // window that is no whole number of seconds, initials that odd jitter does not divide.
    let s = Duration::from_secs;
    let window = Duration::from_nanos(7_000_000_001);
    let (normal, extended, cadence) = ((s(11), s(3)), (Duration::from_nanos(1_234_567_891), s(40)), s(2));
    let rule = HealthyFor::new(window);
    let rules =
        RetryRules::builder(rule).normal(normal.0, normal.1).extended(extended.0, extended.1).cadence(cadence).build();
    let model = Rules::custom(normal, extended, rule.into(), cadence);
    report("custom", walk_healthy_for(rules, &model, around(window), depth()));
}

#[test]
fn every_shorter_sequence_agrees_with_the_model_for_every_count_of_successes() {
    for count in 0..4 {
        let s = Duration::from_secs;
        let rule = Successes::new(count);
        let rules = RetryRules::builder(rule).normal(s(1), s(30)).extended(s(300), s(3600)).build();
        let model = Rules::custom((s(1), s(30)), (s(300), s(3600)), rule.into(), Duration::ZERO);
        let checked = walk_successes(rules, &model, around(WINDOW), 6);
        assert_eq!(checked, Ok(sequences(6)), "{count} successes");
    }
}
