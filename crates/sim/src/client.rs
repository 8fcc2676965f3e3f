//! The built-in policies of a timeline file.

use core::fmt;
use core::time::Duration;

use retrylab_core::{
    BuiltInReset, Call, ConfigWarning, Decision, Failure, GiveUp, Instant, Policy, ResetBy, Retry, Rung,
};
use retrylab_spec::{CallSpecError, PolicySpec};

use crate::budgets::Budgets;
use crate::dialect::Spoken;

/// A built-in policy for one client.
#[derive(Clone, Debug, PartialEq)]
pub enum BuiltIn {
    /// A stream or a poller.
    TwoRegimes(Retry<BuiltInReset>),
    /// Bounded calls.
    Call(Call<Budgets>),
    /// A stream that reconnects by a policy of its own.
    Reconnect(ResetBy<BuiltInReset, Call<Budgets>>),
    /// The rules as another implementation has them.
    Dialect(Spoken),
    /// Calls that allow no attempt and need no policy.
    Refused(Refused),
}

/// The policy of calls that are refused before their first attempt. It is never called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused;

/// Builds the policy of a client, with a warning if its configuration was replaced.
///
/// # Errors
///
/// If the policy is external, or allows no attempt.
pub fn build(client: &PolicySpec) -> Result<(BuiltIn, Option<ConfigWarning>), NoBuiltIn> {
    match client {
        PolicySpec::Call(spec) => {
            let calls = Call::with_budget(spec.rules()?, Budgets::new(&spec.budgets));
            Ok((BuiltIn::Call(calls), None))
        }
        PolicySpec::Reconnect { outage, reset } => {
            let calls = Call::with_budget(outage.rules()?, Budgets::new(&outage.budgets));
            Ok((BuiltIn::Reconnect(ResetBy::new(reset.rule(), calls)), None))
        }
        PolicySpec::Dialect { dialect, seconds } => {
            let (spoken, warning) = Spoken::new(*dialect, *seconds);
            Ok((BuiltIn::Dialect(spoken), warning))
        }
        _ => match client.rules() {
            Some((rules, warning)) => Ok((BuiltIn::TwoRegimes(Retry::new(rules)), warning)),
            None => Err(NoBuiltIn::External { name: client.label().to_owned() }),
        },
    }
}

/// The reason why a client's policy cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoBuiltIn {
    /// The policy is external.
    External {
        /// The owner's name for it.
        name: String,
    },
    /// It allows no attempt, or its ladder is invalid.
    Refused(CallSpecError),
}

impl fmt::Display for NoBuiltIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External { name } => {
                write!(f, "client.name is `{name}`, an external policy")
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

/// Passes a call on to the policy inside.
macro_rules! each {
    ($policy:expr, $inner:ident => $call:expr) => {
        match $policy {
            Self::TwoRegimes($inner) => $call,
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

    fn record_cancelled_retry(&mut self, failure: Failure) {
        each!(self, policy => policy.record_cancelled_retry(failure));
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
