//! retry-policies: its other jitter.

use std::time::{Duration, SystemTime};

use retry_policies::policies::ExponentialBackoff;
use retry_policies::{Jitter, RetryDecision, RetryPolicy as _};

use crate::{ms, s};

/// Between half of the base and the rung, so between 0.5 s and 30 s at the ceiling. Bands as in `spread`.
#[test]
fn bounded_jitter_keeps_half_of_the_base_and_the_ceiling() {
    let policy = ExponentialBackoff::builder()
        .retry_bounds(s(1), s(30))
        .jitter(Jitter::Bounded)
        .base(2)
        .build_with_max_retries(100);
    let waits: Vec<_> = (0..20_000).map(|_| wait(&policy)).collect();
    assert!(waits.iter().all(|wait| wait.most >= ms(500) && wait.least <= s(30)));
    assert!(waits.iter().any(|wait| wait.least < ms(560)) && waits.iter().any(|wait| wait.most > s(30) - ms(60)));
    // 1 s of the 29.5 s is under 5 % of the ceiling: 3.4 %, and eight times its standard deviation, 0.13 %.
    let under_5_percent = waits.iter().filter(|wait| wait.most < ms(1500)).count();
    assert!((472..=884).contains(&under_5_percent), "{under_5_percent}");
}

/// The bounds of a wait: the policy read the time of day between them.
struct Meant {
    least: Duration,
    most: Duration,
}

#[expect(clippy::disallowed_methods, reason = "the library answers with a time of day; only the difference is used")]
fn wait(policy: &ExponentialBackoff) -> Meant {
    let before = SystemTime::now();
    match policy.should_retry(SystemTime::UNIX_EPOCH, 24) {
        RetryDecision::Retry { execute_after } => {
            let [least, most] = [SystemTime::now(), before].map(|then| execute_after.duration_since(then));
            Meant { least: least.unwrap_or_default(), most: most.unwrap_or_default() }
        }
        RetryDecision::DoNotRetry => panic!("no limit is reached"),
    }
}
