//! The adapters, compared with each library's known behaviour. Features choose the libraries; `--all-features` has all.

mod client;

#[cfg(feature = "backoff")]
mod backoff;
#[cfg(feature = "backon")]
mod backon;
#[cfg(feature = "exponential-backoff")]
mod exponential_backoff;
#[cfg(feature = "google-cloud-gax")]
mod google_cloud_gax;
#[cfg(feature = "all")]
mod ladder;
#[cfg(feature = "all")]
mod limits;
#[cfg(feature = "retry-policies")]
mod retry_policies;
#[cfg(feature = "all")]
mod setting;
#[cfg(feature = "all")]
mod spread;
#[cfg(feature = "all")]
mod subjects;
#[cfg(feature = "tokio-retry2")]
mod tokio_retry2;
#[cfg(feature = "tower")]
mod tower;

use std::time::Duration;

use retrylab_core::{Decision, Exponential, Failure, FailureKind, Instant, Policy};

/// 1 s doubling to 30 s, with jitter and without a limit.
fn setting() -> Exponential {
    doubling(s(1), s(30))
}

/// From `base` doubling to `ceiling`, with jitter and without a limit.
fn doubling(base: Duration, ceiling: Duration) -> Exponential {
    Exponential::new(base, ceiling).attempts(u32::MAX)
}

fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// One transient failure, with draw 0 where the draw does not matter.
fn fail(policy: &mut (impl Policy + ?Sized), now: Instant) -> Decision {
    fail_with(policy, now, 0)
}

fn fail_with(policy: &mut (impl Policy + ?Sized), now: Instant, draw: u64) -> Decision {
    policy.record_failure(FailureKind::Normal.into(), now, draw)
}

/// A transient failure with a `retry_after`.
fn asked(wait: Duration) -> Failure {
    Failure { retry_after: Some(wait), ..FailureKind::Normal.into() }
}

/// The first waits of a call that fails again at each retry.
fn waits(policy: &mut (impl Policy + ?Sized), count: usize, draw: u64) -> Vec<Duration> {
    let mut now = Instant::ZERO;
    (0..count)
        .map(|_| {
            let wait = fail_with(policy, now, draw).delay().expect("no limit is reached");
            now = now + wait;
            wait
        })
        .collect()
}
