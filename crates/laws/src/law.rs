//! The laws as values: a name, a sentence, whom it is about, and how a run is held against it.

mod compared;
mod growth;
mod limits;
mod pause;
mod regimes;
mod spread;
mod time;
mod told;
mod waits;

use core::fmt;

use crate::claim::Claim;
use crate::past::Moment;
use crate::told::Retold;

/// Something that holds of every run of a subject that is what it claims to be, whatever happens to it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The name in `expect.laws`, and of the tests.
    pub name: &'static str,
    /// The law in words.
    pub statement: &'static str,
    /// Why it is a law: where its breach was seen, or where it is written.
    pub cite: &'static str,
    about: fn(&Claim) -> bool,
    check: Check,
}

/// How a run is held against a law.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    /// Record by record, given what came before.
    Moment(fn(&Moment<'_>) -> Finding),
    /// Beside the same history told once more, or otherwise, to a subject that starts anew.
    Retold(fn(&mut Retold<'_>) -> Compared),
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
    told::REPLACED_CONFIGURATION,
    told::LOGGED_BY_ITS_KIND,
    told::REAL_DELAY,
    told::MALFORMED_POLL,
    told::VALID_WITH_ALL_DATA,
    compared::ONE_DRAW,
    compared::READING,
    compared::SAME_INPUTS,
    compared::REMOVED_SUCCESS,
    compared::MORE_SUCCESS,
    compared::EXTRA_FAILURE,
    compared::CLOCK_ORIGIN,
    compared::CLOCK_STEP,
    compared::HUGE_INPUTS,
    spread::JITTER_SPREADS,
    spread::CLIENTS_DIFFER,
];

impl Law {
    /// The law of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        LAWS.iter().find(|law| law.name == name)
    }

    /// Whether it says anything about a subject that claims this.
    #[must_use]
    pub fn applies(&self, claim: &Claim) -> bool {
        (self.about)(claim)
    }

    /// Whether it compares several runs, and so needs a subject that can be told a history outside of a run.
    #[must_use]
    pub const fn compares(&self) -> bool {
        matches!(self.check, Check::Retold(_))
    }

    /// Whether it is about where the subject says that it stands, and so about no subject that does not say.
    #[must_use]
    pub fn is_of_what_is_shown(&self) -> bool {
        [growth::BASE_NEVER_DECREASES.name, time::TIME_ALONE.name].contains(&self.name)
    }

    /// Whether it is about what a client logs and reports, which is seen in full traces alone.
    #[must_use]
    pub fn is_of_what_is_logged(&self) -> bool {
        [
            told::REPLACED_CONFIGURATION,
            told::LOGGED_BY_ITS_KIND,
            told::REAL_DELAY,
            told::MALFORMED_POLL,
            told::VALID_WITH_ALL_DATA,
        ]
        .iter()
        .any(|law| law.name == self.name)
    }

    /// What it says of a record, given what came before; silent if it compares several runs.
    #[must_use]
    pub fn judge(&self, moment: &Moment<'_>) -> Finding {
        match self.check {
            Check::Moment(judge) => judge(moment),
            Check::Retold(_) => Finding::Silent,
        }
    }

    /// What it says of a history, told once more; nothing if it judges single runs.
    #[must_use]
    pub fn compare(&self, retold: &mut Retold<'_>) -> Compared {
        match self.check {
            Check::Moment(_) => Compared::Silent,
            Check::Retold(compare) => compare(retold),
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

/// What a law says of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The law is about something else.
    Silent,
    /// The law was put to the test here and holds.
    Holds,
    /// The law is broken here.
    Broken {
        /// What the law asks for.
        expected: String,
        /// What the record has.
        got: String,
    },
}

/// What a law says of a history that was told more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The law is about something else.
    Silent,
    /// The law was put to the test and holds.
    Holds,
    /// The law is broken.
    Broken {
        /// Of which outcome of the history, from 0.
        nth: usize,
        /// What the law asks for.
        expected: String,
        /// What is so instead.
        got: String,
    },
}

fn broken(expected: impl ToString, got: impl ToString) -> Finding {
    Finding::Broken { expected: expected.to_string(), got: got.to_string() }
}
