//! The laws as values: a name, a sentence, the claims and the needs to which it applies, and the check of a run.

mod compared;
mod drawn;
mod growth;
mod limits;
mod logged;
mod pause;
mod regimes;
mod spread;
mod time;
mod waits;

use core::fmt;

use crate::claim::{Claim, Drawing};
use crate::comparison::Comparison;
use crate::past::Moment;

/// A requirement of every run of a subject that complies with its claim, whatever happens to it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The name in `expect.laws`, and of the tests.
    pub name: &'static str,
    /// The law in words.
    pub statement: &'static str,
    /// Its origin: reports of violations, or the rule that states it.
    pub cite: &'static str,
    about: fn(&Claim) -> bool,
    needs: &'static [Need],
    check: Check,
}

/// What a law needs besides a claim. A run or a subject without it leaves the law vacuous; a claim that rules it out makes
/// the law not applicable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A subject that responds to inputs outside of a run, since the law compares runs.
    Comparison,
    /// So many waits in a row: a call of fewer attempts has none of its own.
    Waits(u64),
    /// Several clients with the same inputs and draws of their own.
    Clients,
    /// A subject that shows its regime and its rung.
    Place,
    /// The log lines and statuses of a data source.
    Log,
    /// Attempts at the times of a player, which waits on the client's clock.
    Schedule,
}

/// The check of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// Of each record of these kinds, with the state before it.
    Record(u8, fn(&Moment<'_>) -> Ruling),
    /// Of the responses to the run's inputs, beside those to other inputs.
    Compared(fn(&mut Comparison<'_>) -> Ruling),
}

/// The kinds of records, as bits.
pub(crate) mod on {
    use retrylab_sim::Record;

    pub(crate) const FAILURE: u8 = 1;
    pub(crate) const SUCCESS: u8 = 1 << 1;
    /// Neither an outcome nor an aside: a connection, a clock step, the end.
    pub(crate) const OTHER: u8 = 1 << 2;
    /// A log line or a status.
    pub(crate) const ASIDE: u8 = 1 << 3;
    pub(crate) const OUTCOME: u8 = FAILURE | SUCCESS;

    pub(crate) const KINDS: usize = 4;

    /// The number of the bit of this record's kind.
    #[inline]
    pub(crate) const fn bit(record: &Record) -> usize {
        if record.is_failure() {
            0
        } else if record.is_success() {
            1
        } else if record.event.is_aside() {
            3
        } else {
            2
        }
    }
}

/// Every law, those of a single run first.
pub const LAWS: &[Law] = &[
    waits::JITTERED_BASE_OR_CADENCE,
    waits::WITHIN_BOUNDS,
    waits::SERVER_DELAY,
    growth::BASE_NEVER_DECREASES,
    growth::BASE_IS_THAT_OF_THE_RUNG,
    growth::CEILING_IS_KEPT,
    regimes::EXTENDED_LASTS,
    regimes::UNEXPECTED_EXTENDS,
    regimes::RESET_EXACTLY_WHEN_DUE,
    regimes::SUCCESS_RESTORES_THE_CADENCE,
    limits::ALWAYS_A_NEXT_ATTEMPT,
    limits::GIVES_UP_EXACTLY_WHEN_DUE,
    limits::NO_WAIT_AFTER_THE_LAST,
    limits::BUDGETS_CONSERVE,
    time::TIME_ALONE,
    time::NO_ATTEMPT_BEFORE_ITS_TIME,
    pause::REPEATED_FAILURES,
    logged::REPLACED_CONFIGURATION,
    logged::LOGGED_BY_ITS_KIND,
    logged::REAL_DELAY,
    logged::MALFORMED_POLL,
    logged::VALID_WITH_ALL_DATA,
    compared::ONE_DRAW,
    compared::READING,
    compared::SAME_INPUTS,
    compared::REMOVED_SUCCESS,
    compared::MORE_SUCCESS,
    compared::EXTRA_FAILURE,
    compared::CLOCK_ORIGIN,
    compared::CLOCK_STEP,
    compared::HUGE_INPUTS,
    compared::IGNORED_RETRY_AFTER,
    spread::JITTER_SPREADS,
    spread::CLIENTS_DIFFER,
    drawn::WAITS_FILL_THE_BAND,
    drawn::DRAWS_ARE_INDEPENDENT,
];

impl Law {
    /// The law of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        LAWS.iter().find(|law| law.name == name)
    }

    /// Whether it is applicable to a subject with this claim.
    #[must_use]
    pub fn applies(&self, claim: &Claim) -> bool {
        let is_ruled_out = |need: &Need| matches!(need, Need::Waits(waits) if claim.most_waits() < *waits);
        (self.about)(claim) && !self.needs.iter().any(is_ruled_out)
    }

    /// Whether it has this need.
    #[must_use]
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Whether a violation of it shows in the waits of one client, so that a diagnosis by these waits can explain it. Of
    /// clients that draw for themselves, a distribution does not.
    #[must_use]
    pub fn shows_in_one_client(&self, claim: &Claim) -> bool {
        claim.drawing() == Drawing::Given || !self.needs(Need::Clients)
    }

    /// Its ruling on a record, with the state before it. Silent if it compares runs.
    #[inline]
    #[must_use]
    pub fn judge(&self, moment: &Moment<'_>) -> Ruling {
        match self.check {
            Check::Record(kinds, judge) if kinds & (1 << on::bit(moment.record)) != 0 => judge(moment),
            Check::Record(..) | Check::Compared(_) => Ruling::Silent,
        }
    }

    /// Its ruling on the inputs of a run and the responses to others. Silent if it judges single runs.
    #[must_use]
    pub fn compare(&self, comparison: &mut Comparison<'_>) -> Ruling {
        match self.check {
            Check::Record(..) => Ruling::Silent,
            Check::Compared(compare) => compare(comparison),
        }
    }

    /// The kinds of records that it judges.
    pub(crate) const fn kinds(&self) -> u8 {
        match self.check {
            Check::Record(kinds, _) => kinds,
            Check::Compared(_) => 0,
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// The ruling of a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The law is not about this.
    Silent,
    /// The law was put to the test and holds.
    Holds,
    /// The law is violated.
    Violated {
        /// The input that shows it, counted from 0. Only of a law that compares runs.
        input: usize,
        /// What the law requires.
        expected: String,
        /// What the run has instead.
        got: String,
    },
}

#[cold]
fn violated(expected: impl ToString, got: impl ToString) -> Ruling {
    violated_at(0, expected, got)
}

#[cold]
fn violated_at(input: usize, expected: impl ToString, got: impl ToString) -> Ruling {
    Ruling::Violated { input, expected: expected.to_string(), got: got.to_string() }
}

/// Holds or is violated.
fn same<T: PartialEq>(expected: T, got: T, text: impl Fn(T) -> String) -> Ruling {
    if expected == got { Ruling::Holds } else { violated(text(expected), text(got)) }
}

/// A span of nanoseconds in words.
fn text(ns: u64) -> String {
    retrylab_spec::duration::print(core::time::Duration::from_nanos(ns))
}
