//! The rules by name.

use core::fmt;

/// The rule of a warning, by which a person can allow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The ceiling is at or below the first rung, so no wait is longer than the first.
    FlatLadder,
    /// The ladder does not grow, so its ceiling is never reached.
    UnreachableCeiling,
    /// Rungs that no failure reaches: of a list after the last attempt, or of any ladder that restarts at each failure.
    UnreachableRungs,
    /// Attempts that exceed the time or the budget.
    UnreachableAttempts,
    /// Entries of the script that no attempt reaches.
    UnreachableEntry,
    /// An accepted `retry_after` that does not fit into the time limit, or only by chance.
    UnreachableServerWait,
    /// A limit or budget that allows no retry, or only by chance.
    NoRetry,
    /// The extended ladder waits less than the normal one.
    InvertedExtended,
    /// A wait that is too long for timers.
    BeyondTimer,
    /// A budget that allows more than it seems to.
    GenerousBudget,
    /// Layers whose attempts multiply above their maximum.
    TallStack,
    /// Jitter that never shows.
    HiddenJitter,
    /// No jitter, in a file that is not a test.
    NoJitter,
    /// Attempts without a pause, if the server requests no wait.
    HotLoop,
    /// Rungs that a ceiling cuts which the file does not mention.
    SilentCeiling,
    /// A `retry_after` at a client that ignores it, in a file that is not a test.
    IgnoredRetryAfter,
    /// Calls that succeed without latency follow each other without end in one instant.
    Flood,
}

impl Rule {
    /// Every rule, in order, with its name.
    pub const ALL: [(Self, &'static str); 17] = [
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
        (Self::HotLoop, "hot-loop"),
        (Self::SilentCeiling, "silent-ceiling"),
        (Self::IgnoredRetryAfter, "ignored-retry-after"),
        (Self::Flood, "flood"),
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
