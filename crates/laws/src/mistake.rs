//! Classic mistakes in making a retry policy: the two-regime state machine and the bounded call, each with one fault.
//!
//! What [`SPECIMENS`](crate::SPECIMENS) are to the bug corpus these are to the laws: a set of laws that lets one of them
//! through is not worth having. Each is a plain implementation that is right but for one step, with the client that shows
//! the fault.

mod calls;
mod health;
mod jitter;
mod ladders;
mod limits;
mod loops;
mod machine;
mod regimes;
mod waits;

use retrylab_core::Policy;
use retrylab_scenario::{ClientKind, Seconds, Timeline};
use retrylab_sim::{Player, Record};

use self::calls::{CallSteps, Calls};
use self::machine::{Machine, Steps};
use crate::subject::{self, Subject};
use crate::told::{Answered, Told, tell};
use crate::vectors::{self, Setup};

/// A policy with one fault, or a loop around a right one. It is a [`Subject`]: the laws are held against it as against any.
///
/// ```
/// use std::ops::ControlFlow;
/// use retrylab_laws::search::Search;
/// use retrylab_laws::{Claim, LAWS, Mistake};
/// use retrylab_scenario::Client;
///
/// let mistake = Mistake::find("any-failure-extends").expect("one of them");
/// let client = Client::new(mistake.client());
/// let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(50);
/// assert!(!search.run(mistake, |_| ControlFlow::Continue(())).is_clean());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mistake {
    /// The name, for people and files.
    pub name: &'static str,
    /// What it does wrong, in one sentence.
    pub statement: &'static str,
    client: fn() -> ClientKind,
    fault: Fault,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Of the state machine.
    Machine(Steps),
    /// Of the bounded call.
    Calls(CallSteps),
    /// Of the loop around a right state machine: what becomes of its records.
    Loop(fn(&mut [Record])),
}

/// Every mistake, by what it is about.
pub const MISTAKES: &[Mistake] = &[
    // When health clears the state.
    health::FAILURE_HEARD_BEFORE_THE_RESET,
    health::WINDOW_IS_EXCLUSIVE,
    health::HALF_A_WINDOW_IS_ENOUGH,
    health::ANCHORED_AT_THE_LAST_SUCCESS,
    health::ANCHORED_AT_THE_CONNECTION,
    health::RESET_AT_THE_CONNECTION,
    health::CLOCK_ZERO_IS_UNSET,
    health::HEALTH_SURVIVES_A_FAILURE,
    health::ANY_HEALTH_RESETS,
    health::NEVER_RESETS,
    health::ONE_SUCCESS_RESETS,
    health::A_SUCCESS_TOO_MANY_IS_ASKED_FOR,
    health::FAILURE_KEEPS_THE_SUCCESSES,
    health::RESET_WAITS_FOR_THE_FAILURE,
    health::ATTEMPTS_NOT_RESET,
    health::BOUNDS_NOT_RESET,
    health::EXTENDED_NOT_RESET,
    // Which regime it is.
    regimes::RE_ENTERING_PINS_AT_THE_FIRST_RUNG,
    regimes::ATTEMPTS_ZERO_ON_ENTERING,
    regimes::ATTEMPTS_CARRIED_ON_ENTERING,
    regimes::NORMAL_LOWERS_THE_BOUNDS,
    regimes::NORMAL_ENDS_THE_EXTENDED_REGIME,
    regimes::NEVER_EXTENDED,
    regimes::ANY_FAILURE_EXTENDS,
    regimes::UNEXPECTED_COUNTS_TWICE,
    regimes::SUCCESS_COUNTS_AS_AN_ATTEMPT,
    // How bases grow.
    ladders::EXPONENT_WRAPS_AT_31_BITS,
    ladders::EXPONENT_WRAPS_AT_32_BITS,
    ladders::EXPONENT_WRAPS_AT_63_BITS,
    ladders::EXPONENT_WRAPS_AT_64_BITS,
    ladders::PRODUCT_WRAPS,
    ladders::COUNT_IN_A_BYTE,
    ladders::CEILING_A_RUNG_LATE,
    ladders::STOPS_BELOW_THE_CEILING,
    ladders::STARTS_OVER_AT_THE_CEILING,
    ladders::DOUBLED_BEFORE_THE_FIRST_WAIT,
    ladders::TRIPLES,
    ladders::GROWS_LINEARLY,
    ladders::BASE_OF_THE_TIME_IN_OUTAGE,
    // How they are spread.
    jitter::JITTER_ADDED,
    jitter::FULL_JITTER,
    jitter::JITTER_AROUND_THE_BASE,
    jitter::JITTER_LOST,
    jitter::JITTER_LOST_AT_THE_CEILING,
    jitter::JITTER_OF_THE_FIRST_RUNG,
    jitter::JITTER_IN_WHOLE_SECONDS,
    jitter::JITTER_AFTER_THE_FLOOR,
    jitter::TWO_DRAWS,
    jitter::DRAW_OF_THE_LAST_FAILURE,
    jitter::ONE_DRAW_AN_OUTAGE,
    jitter::SAME_DRAW_FOR_ALL,
    jitter::GENERATOR_SHARED_BY_CLIENTS,
    // What is waited, and what is read.
    waits::SUCCESS_KEEPS_THE_WAIT,
    waits::RESET_CLEARS_THE_DELAY,
    waits::SUCCESS_WAITS_THE_FIRST_RUNG,
    waits::CADENCE_IGNORED_AFTER_A_FAILURE,
    waits::FLOOR_AT_THE_INITIAL,
    waits::CADENCE_ADDED,
    waits::READING_TAKES_THE_WAIT,
    waits::JITTER_DRAWN_AT_EACH_READING,
    waits::GIVES_UP_AFTER_TEN,
    waits::ANSWERS_ANOTHER_WAIT,
    loops::SLEEP_COUNTS_AS_WAITING,
    loops::LOGS_THE_BASE,
    // When a call ends, and what the server has to say.
    limits::AN_ATTEMPT_TOO_MANY,
    limits::AN_ATTEMPT_TOO_FEW,
    limits::ATTEMPTS_SHARED_BY_CALLS,
    limits::TERMINAL_RETRIED,
    limits::NO_LIMIT,
    limits::BUDGET_NOT_CHARGED,
    limits::TIMEOUTS_COST_AS_OTHERS,
    limits::BUDGET_REFILLED_ABOVE_ITS_MAXIMUM,
    limits::BUDGET_NEVER_REFILLED,
    limits::SERVER_DELAY_IGNORED,
    limits::SERVER_DELAY_UNCAPPED,
    limits::SERVER_DELAY_CUT_BY_THE_SPREAD,
    limits::SERVER_DELAY_WAITED_PAST_THE_REFUSAL,
    limits::ELAPSED_CHECKED_AFTER_THE_WAIT,
    limits::ELAPSED_SINCE_THE_CLOCK_BEGAN,
    limits::DEADLINE_IGNORED,
    limits::THRICE_THE_FIRST,
];

const STREAMING: fn() -> ClientKind = || ClientKind::Streaming { initial_reconnect_delay: None };
const POLLING: fn() -> ClientKind = || ClientKind::Polling { poll_interval: None };

const fn machine(name: &'static str, statement: &'static str, client: fn() -> ClientKind, steps: Steps) -> Mistake {
    Mistake { name, statement, client, fault: Fault::Machine(steps) }
}

const fn calls(name: &'static str, statement: &'static str, client: fn() -> ClientKind, steps: CallSteps) -> Mistake {
    Mistake { name, statement, client, fault: Fault::Calls(steps) }
}

const fn in_the_loop(
    name: &'static str,
    statement: &'static str,
    client: fn() -> ClientKind,
    change: fn(&mut [Record]),
) -> Mistake {
    Mistake { name, statement, client, fault: Fault::Loop(change) }
}

impl Mistake {
    /// The mistake of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        MISTAKES.iter().find(|mistake| mistake.name == name)
    }

    /// The client that shows it, which is what the policy claims to be.
    #[must_use]
    pub fn client(&self) -> ClientKind {
        (self.client)()
    }

    /// The faulty policy of its client. Of a faulty loop it is the policy inside, which is right.
    #[must_use]
    pub fn policy(&self) -> Box<dyn Policy> {
        match (self.fault, self.client()) {
            (Fault::Calls(steps), ClientKind::Call(spec)) => Box::new(Calls::new(spec, steps)),
            // All others are streams and pollers.
            (_, client) => self.machine(setup(&client)),
        }
    }

    /// The faulty state machine that a vector asks for; `None` if the mistake is in something else.
    #[must_use]
    pub fn vector_subject(&self, setup: Setup) -> Option<vectors::Subject> {
        let Fault::Machine(_) = self.fault else { return None };
        let warning = setup.rules().1.map(vectors::Warning::from);
        Some(vectors::Subject { policy: self.machine(setup), warning })
    }

    fn machine(&self, setup: Setup) -> Box<dyn Policy> {
        let steps = match self.fault {
            Fault::Machine(steps) => steps,
            Fault::Calls(_) | Fault::Loop(_) => machine::RIGHT,
        };
        Box::new(Machine::new(&setup.rules().0, steps))
    }
}

impl Subject for Mistake {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, subject::Fault> {
        subject::Fault::guard(|| {
            let mut records: Vec<Record> = Player::new(timeline, self.policy(), None, seed).full().collect();
            if let Fault::Loop(change) = self.fault {
                change(&mut records);
            }
            records
        })
    }

    fn tell(&self, history: &[Told]) -> Option<Result<Vec<Answered>, subject::Fault>> {
        Some(subject::Fault::guard(|| tell(&mut self.policy(), history)))
    }
}

/// How the state machine of a client is built.
fn setup(client: &ClientKind) -> Setup {
    let default = |seconds: &Option<Seconds>, default| seconds.map_or(default, Seconds::as_f64);
    match client {
        ClientKind::Polling { poll_interval } => Setup::Polling { poll_interval: default(poll_interval, 30.0) },
        ClientKind::Streaming { initial_reconnect_delay } => {
            Setup::Streaming { initial_reconnect_delay: default(initial_reconnect_delay, 1.0) }
        }
        _ => Setup::Streaming { initial_reconnect_delay: 1.0 },
    }
}

#[cfg(test)]
mod tests {
    use core::ops::ControlFlow;
    use std::fs::File;
    use std::io::Read;

    use flate2::read::GzDecoder;
    use retrylab_scenario::Client;

    use super::*;
    use crate::search::Search;
    use crate::vectors::{Vectors, Verdict, check_subject};
    use crate::{Claim, LAWS};

    const fn faultless(client: fn() -> ClientKind) -> Mistake {
        machine("none", "None.", client, machine::RIGHT)
    }

    #[test]
    fn without_a_fault_every_law_holds() {
        let clients = MISTAKES.iter().filter(|mistake| matches!(mistake.fault, Fault::Calls(_)));
        let calls = clients.map(|mistake| Mistake { fault: Fault::Calls(calls::RIGHT), ..*mistake });
        for right in calls.chain([faultless(STREAMING), faultless(POLLING)]) {
            let client = Client::new(right.client());
            let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(300);
            let searched = search.run(&right, |_| ControlFlow::Continue(()));
            assert!(searched.is_clean(), "{client:?}: {searched:?}");
        }
    }

    #[test]
    fn without_a_fault_every_vector_passes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/retry-vectors.jsonl.gz");
        let mut text = String::new();
        let file = File::open(path).expect("the file is in the repository");
        GzDecoder::new(file).read_to_string(&mut text).expect("it is compressed text");
        let right = faultless(STREAMING);
        let mut passed = 0;
        for vector in Vectors::read(text.as_bytes()) {
            let vector = vector.expect("a vector");
            match check_subject(&vector, |setup| right.vector_subject(setup).expect("a state machine")) {
                Verdict::Failed(mismatch) => panic!("{mismatch}"),
                Verdict::Passed => passed += 1,
                Verdict::Skipped => {}
            }
        }
        assert_eq!(passed, 1919);
    }

    #[test]
    fn every_mistake_has_its_own_name_and_one_sentence() {
        for (index, mistake) in MISTAKES.iter().enumerate() {
            assert!(
                mistake.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{mistake:?}"
            );
            assert_eq!(MISTAKES.iter().position(|other| other.name == mistake.name), Some(index), "{}", mistake.name);
            assert!(mistake.statement.ends_with('.') && !mistake.statement.contains(". "), "{}", mistake.name);
        }
    }
}
