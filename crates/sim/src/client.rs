//! The built-in policies that a timeline file can name.

use core::fmt;
use core::time::Duration;

use retrylab_core::{
    BuiltInReset, Call, ConfigWarning, Decision, Failure, GiveUp, HealthyFor, Instant, Policy, ResetBy, Retry,
    RetryRules, Rung, Successes,
};
use retrylab_scenario::{CallSpecError, ClientKind, ResetSpec, Seconds};

use crate::budgets::Budgets;
use crate::dialect::Spoken;

/// A built-in policy for one client.
#[derive(Clone, Debug, PartialEq)]
pub enum BuiltIn {
    /// A stream that reconnects.
    Streaming(Retry<HealthyFor>),
    /// A poller.
    Polling(Retry<Successes>),
    /// Bounded calls.
    Call(Call<Budgets>),
    /// A stream that reconnects by a policy of its own.
    Reconnect(ResetBy<BuiltInReset, Call<Budgets>>),
    /// The rules as another implementation has them.
    Dialect(Spoken),
    /// Calls that allow no attempt: there is nothing to ask it.
    Refused(Refused),
}

/// The policy of calls that are refused before their first attempt. Nobody asks it anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused;

/// Builds the policy of a client, with the warning if its configuration had to be replaced.
///
/// # Errors
///
/// If only the policy's owner can build it, or it allows no attempt.
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
        ClientKind::Call(spec) => {
            let calls = Call::with_budget(spec.rules()?, Budgets::new(&spec.budgets));
            Ok((BuiltIn::Call(calls), None))
        }
        ClientKind::Reconnect { outage, reset } => {
            let rule = match *reset {
                ResetSpec::HealthyFor(window) => BuiltInReset::HealthyFor(HealthyFor::new(window)),
                ResetSpec::Successes(count) => BuiltInReset::Successes(Successes::new(count)),
            };
            let calls = Call::with_budget(outage.rules()?, Budgets::new(&outage.budgets));
            Ok((BuiltIn::Reconnect(ResetBy::new(rule, calls)), None))
        }
        ClientKind::Dialect { dialect, seconds } => {
            let (spoken, warning) = Spoken::new(*dialect, *seconds);
            Ok((BuiltIn::Dialect(spoken), warning))
        }
        ClientKind::External { name, .. } => Err(NoBuiltIn::External { name: name.clone() }),
    }
}

/// The client's policy is not a built-in one, or is none at all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoBuiltIn {
    /// Only its owner can build it.
    External {
        /// The owner's name for it.
        name: String,
    },
    /// It allows no attempt, or has a ladder that cannot be built.
    Refused(CallSpecError),
}

impl fmt::Display for NoBuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External { name } => {
                write!(f, "client.name is `{name}`, a policy that only its owner can build")
            }
            Self::Refused(error) => write!(f, "client: {error}"),
        }
    }
}

impl std::error::Error for NoBuiltIn {}

impl From<CallSpecError> for NoBuiltIn {
    fn from(error: CallSpecError) -> Self {
        Self::Refused(error)
    }
}

/// Passes a call on to whichever policy it is.
macro_rules! each {
    ($policy:expr, $inner:ident => $call:expr) => {
        match $policy {
            Self::Streaming($inner) => $call,
            Self::Polling($inner) => $call,
            Self::Call($inner) => $call,
            Self::Reconnect($inner) => $call,
            Self::Dialect($inner) => $call,
            Self::Refused($inner) => $call,
        }
    };
}

impl Policy for Refused {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::GiveUp(GiveUp::Attempts)
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Duration::ZERO
    }
}

impl Policy for BuiltIn {
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        each!(self, policy => Policy::record_failure(policy, failure, now, draw))
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        each!(self, policy => Policy::record_success(policy, now));
    }

    #[inline]
    fn record_connected(&mut self, now: Instant) {
        each!(self, policy => policy.record_connected(now));
    }

    fn record_unmade(&mut self, failure: Failure) {
        each!(self, policy => policy.record_unmade(failure));
    }

    fn record_abandoned(&mut self) {
        each!(self, policy => policy.record_abandoned());
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        each!(self, policy => Policy::next_delay(policy))
    }

    #[inline]
    fn explain(&self, draw: u64) -> Option<Rung> {
        each!(self, policy => policy.explain(draw))
    }
}
