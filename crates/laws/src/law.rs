//! The laws as values: a name, a sentence, and how a trace is held against it.

use core::time::Duration;

use retrylab_core::BuiltInReset;
use retrylab_scenario::{ClientKind, Seconds, Shape};
use retrylab_sim::Record;

use crate::model::Rules;
use crate::watch;

/// Something that holds of every run of the two-regime state machine, whatever happens to it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The name in `expect.laws`, and of the tests.
    pub name: &'static str,
    /// The law in words.
    pub statement: &'static str,
    /// How a trace is held against it; `None` for laws that compare several runs, which only property tests can do.
    pub watch: Option<NewWatch>,
}

/// Starts to hold the trace of a client with this configuration against a law.
pub type NewWatch = fn(&Facts) -> Box<dyn Watch>;

/// Every law.
pub const LAWS: &[Law] = &[
    Law {
        name: "wait-is-jittered-base-or-cadence",
        statement: "After a failure the wait is max(x, cadence) with x between half of the base and the base.",
        watch: Some(watch::jittered_base_or_cadence),
    },
    Law {
        name: "base-never-decreases",
        statement: "The base never decreases between two resets within a regime.",
        watch: Some(watch::base_never_decreases),
    },
    Law {
        name: "extended-lasts-until-due",
        statement: "The extended regime lasts until the reset rule is due.",
        watch: Some(watch::extended_lasts_until_due),
    },
    Law {
        name: "reset-exactly-when-due",
        statement: "The state is cleared exactly when the reset rule is due.",
        watch: Some(watch::reset_exactly_when_due),
    },
    Law {
        name: "success-restores-the-cadence",
        statement: "After a success the wait is the cadence, whether or not the state was cleared.",
        watch: Some(watch::success_restores_the_cadence),
    },
    Law {
        name: "time-alone-changes-nothing",
        statement: "Neither regime nor rung changes without an outcome, however much time passes.",
        watch: Some(watch::time_alone_changes_nothing),
    },
    Law {
        name: "always-a-next-attempt",
        statement: "Every failure has a wait after which there is another attempt.",
        watch: Some(watch::always_a_next_attempt),
    },
    Law {
        name: "one-draw-a-failure",
        statement: "Each failure uses exactly one draw, a success and a reading use none.",
        watch: None,
    },
    Law {
        name: "reading-changes-nothing",
        statement: "Reading the delay, the regime or the rung changes nothing.",
        watch: None,
    },
    Law {
        name: "same-inputs-same-outputs",
        statement: "The same outcomes at the same instants with the same draws give the same waits.",
        watch: None,
    },
    Law {
        name: "removing-a-success-never-shortens-a-wait",
        statement: "With the same instants and draws, removing a success never shortens the wait after a later failure, \
                    where each extended bound is at or above its normal one.",
        watch: None,
    },
];

impl Law {
    /// The law of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        LAWS.iter().find(|law| law.name == name)
    }
}

/// What the laws take from a client's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The wait between healthy operations.
    pub cadence: Duration,
    /// When health clears the state.
    pub reset: BuiltInReset,
}

impl Facts {
    /// Of a client of the two-regime state machine; the laws are about no other. A dialect is held to the laws of what
    /// it is a dialect of.
    #[must_use]
    pub fn of(client: &ClientKind) -> Option<Self> {
        let (shape, seconds) = match client {
            ClientKind::Streaming { initial_reconnect_delay } => (Shape::Streaming, *initial_reconnect_delay),
            ClientKind::Polling { poll_interval } => (Shape::Polling, *poll_interval),
            ClientKind::Dialect { dialect, seconds } => (dialect.shape(), *seconds),
            ClientKind::Call(_) | ClientKind::Reconnect { .. } | ClientKind::External { .. } => return None,
        };
        let seconds = seconds.map(Seconds::as_f64);
        // From the model: the rules that ship are what is judged.
        let rules = match shape {
            Shape::Polling => Rules::polling(seconds.unwrap_or(30.0)),
            Shape::Streaming | Shape::Call => Rules::streaming(seconds.unwrap_or(1.0)),
        };
        Some(Self { cadence: rules.cadence(), reset: rules.reset() })
    }
}

/// Holds a trace against a law, record by record.
pub trait Watch {
    /// Takes the next record: whether the law had something to say about it, and if so, whether it holds.
    fn observe(&mut self, record: &Record) -> Finding;
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
