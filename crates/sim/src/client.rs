//! The built-in policies that a timeline file can name.

use core::fmt;
use core::time::Duration;

use retrylab_core::{
    ConfigWarning, Decision, Failure, HealthyFor, Instant, Policy, Retry, RetryRules, Rung, Successes,
};
use retrylab_scenario::{ClientKind, Seconds};

/// A built-in policy for one client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuiltIn {
    /// A stream that reconnects.
    Streaming(Retry<HealthyFor>),
    /// A poller.
    Polling(Retry<Successes>),
}

/// Builds the policy of a client, with the warning if its configuration had to be replaced.
///
/// # Errors
///
/// If only the policy's owner can build it.
pub fn build(client: &ClientKind) -> Result<(BuiltIn, Option<ConfigWarning>), NoBuiltIn> {
    match client {
        ClientKind::Streaming { initial_reconnect_delay } => {
            let (rules, warning) = RetryRules::streaming(initial_reconnect_delay.map_or(1.0, Seconds::as_f64));
            Ok((BuiltIn::Streaming(Retry::new(rules)), warning))
        }
        ClientKind::Polling { poll_interval } => {
            let (rules, warning) = RetryRules::polling(poll_interval.map_or(30.0, Seconds::as_f64));
            Ok((BuiltIn::Polling(Retry::new(rules)), warning))
        }
        ClientKind::External { name, .. } => Err(NoBuiltIn { name: name.clone() }),
    }
}

/// The client's policy is not a built-in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoBuiltIn {
    /// The owner's name for it.
    pub name: String,
}

impl fmt::Display for NoBuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client.name is `{}`, a policy that only its owner can build", self.name)
    }
}

impl std::error::Error for NoBuiltIn {}

impl Policy for BuiltIn {
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        match self {
            Self::Streaming(retry) => Policy::record_failure(retry, failure, now, draw),
            Self::Polling(retry) => Policy::record_failure(retry, failure, now, draw),
        }
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        match self {
            Self::Streaming(retry) => retry.record_success(now),
            Self::Polling(retry) => retry.record_success(now),
        }
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        match self {
            Self::Streaming(retry) => retry.next_delay(),
            Self::Polling(retry) => retry.next_delay(),
        }
    }

    #[inline]
    fn explain(&self, draw: u64) -> Option<Rung> {
        match self {
            Self::Streaming(retry) => retry.explain(draw),
            Self::Polling(retry) => retry.explain(draw),
        }
    }
}
