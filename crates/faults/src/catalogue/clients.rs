//! The clients that show the faults to the laws.

use core::time::Duration;

use retrylab_core::{Jitter, ServerDelay};
use retrylab_spec::{BudgetSpec, CallSpec, LadderSpec, PolicySpec};

pub(super) const STREAMING: fn() -> PolicySpec = || PolicySpec::Streaming { initial_reconnect_delay: None };
pub(super) const POLLING: fn() -> PolicySpec = || PolicySpec::Polling { poll_interval: None };

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) fn plain() -> PolicySpec {
    PolicySpec::Call(CallSpec::default())
}

/// Nine attempts with a `retry_after` of at most a minute, spread over the next five seconds.
pub(super) fn listening() -> PolicySpec {
    let retry_after = ServerDelay::clamp(seconds(60)).spread(seconds(5));
    PolicySpec::Call(CallSpec { attempts: Some(9), retry_after, ..CallSpec::default() })
}

/// The same, but a longer `retry_after` is refused.
pub(super) fn refusing() -> PolicySpec {
    let retry_after = ServerDelay::refuse(seconds(60)).spread(seconds(5));
    PolicySpec::Call(CallSpec { attempts: Some(9), retry_after, ..CallSpec::default() })
}

/// Nine attempts, four retries from a full bucket.
pub(super) fn paying() -> PolicySpec {
    let bucket = BudgetSpec::Tokens { tokens: 20, cost: 5, timeout_cost: 10, refill: 1 };
    PolicySpec::Call(CallSpec { attempts: Some(9), budgets: vec![bucket], ..CallSpec::default() })
}

/// The same, where a success pays for a retry.
pub(super) fn refilling() -> PolicySpec {
    let bucket = BudgetSpec::Tokens { tokens: 20, cost: 5, timeout_cost: 10, refill: 5 };
    PolicySpec::Call(CallSpec { attempts: Some(9), budgets: vec![bucket], ..CallSpec::default() })
}

pub(super) fn within_a_minute() -> PolicySpec {
    PolicySpec::Call(CallSpec { attempts: None, elapsed: Some(seconds(60)), ..CallSpec::default() })
}

pub(super) fn until_a_minute() -> PolicySpec {
    PolicySpec::Call(CallSpec { attempts: None, deadline: Some(seconds(60)), ..CallSpec::default() })
}

pub(super) fn decorrelated() -> PolicySpec {
    PolicySpec::Call(CallSpec { attempts: Some(9), jitter: Jitter::Decorrelated, ..CallSpec::default() })
}

/// Unlimited attempts, 100 ms doubling to 800 ms.
pub(super) fn hurried() -> PolicySpec {
    let ladder = LadderSpec::doubling(Duration::from_millis(100), Duration::from_millis(800));
    PolicySpec::Call(CallSpec { ladder, jitter: Jitter::None, attempts: None, ..CallSpec::default() })
}
