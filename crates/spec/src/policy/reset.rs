//! Reset rules in a description.

use core::time::Duration;

use retrylab_core::{BuiltInReset, HealthyFor, Successes};

/// A reset rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetSpec {
    /// After this much unbroken health.
    HealthyFor(Duration),
    /// After this many successes in a row.
    Successes(u32),
}

impl ResetSpec {
    /// Builds the rule.
    #[must_use]
    pub const fn rule(self) -> BuiltInReset {
        match self {
            Self::HealthyFor(window) => BuiltInReset::HealthyFor(HealthyFor::new(window)),
            Self::Successes(count) => BuiltInReset::Successes(Successes::new(count)),
        }
    }
}

impl From<BuiltInReset> for ResetSpec {
    fn from(rule: BuiltInReset) -> Self {
        match rule {
            BuiltInReset::HealthyFor(rule) => Self::HealthyFor(rule.window()),
            BuiltInReset::Successes(rule) => Self::Successes(rule.count()),
        }
    }
}
