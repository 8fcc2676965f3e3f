//! The rules by name.

use core::fmt;

/// What a warning is about, so that a person can allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The ceiling is at or below the first rung, so no wait is longer than the first.
    FlatLadder,
    /// The ladder does not grow, so its ceiling is never reached.
    UnreachableCeiling,
    /// Rungs that no failure gets to: of a list after the last attempt, or of any ladder that starts over at each failure.
    UnreachableRungs,
    /// Attempts that no other limit leaves time or budget for.
    UnreachableAttempts,
    /// Attempts of the script that can never start.
    UnreachableEntry,
    /// A wait of the server's that is accepted and then does not fit, or only by chance.
    UnreachableServerWait,
    /// A limit or budget that allows no retry, or only by chance.
    NoRetry,
    /// The ladder of the failures that a person must fix waits less than the other.
    InvertedExtended,
    /// A wait that timers cannot wait.
    BeyondTimer,
    /// A budget that allows more than it says.
    GenerousBudget,
    /// Layers that retry around each other, with more attempts together than are wanted.
    TallStack,
    /// Jitter that is drawn and never shows.
    HiddenJitter,
    /// No jitter, in a file that is not a test.
    NoJitter,
}

impl Rule {
    /// Every rule, in order, with its name.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::FlatLadder, "flat-ladder"),
        (Self::UnreachableCeiling, "unreachable-ceiling"),
        (Self::UnreachableRungs, "unreachable-rungs"),
        (Self::UnreachableAttempts, "unreachable-attempts"),
        (Self::UnreachableEntry, "unreachable-entry"),
        (Self::UnreachableServerWait, "unreachable-server-wait"),
        (Self::NoRetry, "no-retry"),
        (Self::InvertedExtended, "inverted-extended"),
        (Self::BeyondTimer, "beyond-timer"),
        (Self::GenerousBudget, "generous-budget"),
        (Self::TallStack, "tall-stack"),
        (Self::HiddenJitter, "hidden-jitter"),
        (Self::NoJitter, "no-jitter"),
    ];

    /// The name that commands use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_name() {
        for (rule, name) in Rule::ALL {
            assert_eq!(rule.name(), name);
        }
    }
}
