//! The adapters, held against what each library is known to do. Features choose the libraries; `--all-features` has all.

mod client;
mod setting;

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
mod spread;
#[cfg(feature = "all")]
mod subjects;
#[cfg(feature = "tokio-retry2")]
mod tokio_retry2;
#[cfg(feature = "tower")]
mod tower;

use std::time::Duration;

use retrylab_adapters::Setting;
use retrylab_core::{Decision, Failure, FailureKind, Instant, Policy};

/// 1 s doubling to 30 s, with jitter and without a limit.
fn setting() -> Setting {
    Setting::new(s(1), 2.0, s(30)).expect("a sound setting")
}

fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// One transient failure, with draw 0 where that is no matter.
fn fail(policy: &mut (impl Policy + ?Sized), now: Instant) -> Decision {
    fail_with(policy, now, 0)
}

fn fail_with(policy: &mut (impl Policy + ?Sized), now: Instant, draw: u64) -> Decision {
    policy.record_failure(FailureKind::Normal.into(), now, draw)
}

/// A transient failure with which the server asked for a wait.
fn asked(wait: Duration) -> Failure {
    Failure { retry_after: Some(wait), ..FailureKind::Normal.into() }
}

/// The first waits of a call that fails again as soon as it was retried.
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
