//! Specimens: retry formulas that are known to be wrong, each with one fault and nothing else.
//!
//! A workbench that cannot see a bug proves nothing. So a file of the bug corpus names the specimens that it
//! [`catches`](retrylab_scenario::Draft::catches): played with one of them in the place of its client, it must not hold.
//! A specimen is built from the file's own description of its client, so that only the formula differs.

use retrylab_core::Policy;
use retrylab_scenario::ClientKind;
use retrylab_sim::build;

mod budget;
mod jitter;
mod limit;
mod overflow;
mod reset;
mod rules;
mod server;
mod shape;
mod wait;

use self::wait::{Formula, WithWait};

/// A faulty formula.
#[derive(Clone, Copy, Debug)]
pub struct Specimen {
    /// The name in `catches`.
    pub name: &'static str,
    /// What it does wrong, in one sentence.
    pub statement: &'static str,
    /// Where it was seen.
    pub cite: &'static str,
    fault: Fault,
}

/// What is wrong with a specimen.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// The wait before jitter: the real policy decides whether there is a wait, the formula how long the rung is, and the
    /// client's own jitter is taken from it. `None`: the loop is dead.
    Rung(Formula),
    /// The wait with jitter, of the right rung. A client without jitter waits as it should.
    Jitter(Formula),
    /// The parameters: the real policy is built from this description in place of the file's.
    Parameters(fn(&ClientKind) -> Option<ClientKind>),
    /// Anything else: a policy of its own.
    Policy(fn(&ClientKind) -> Option<Box<dyn Policy>>),
}

/// Every specimen, by what is wrong with it.
pub const SPECIMENS: &[Specimen] = &[
    // The number is too large for its type.
    overflow::FLOAT_TO_INTEGER_GIVES_ZERO,
    overflow::OVERFLOW_FORGETS_THE_CAP,
    overflow::OVERFLOW_ENDS_THE_LOOP,
    overflow::POWER_WRAPS_IN_32_BITS,
    overflow::SHIFT_WRAPS_TO_ZERO,
    overflow::TIMER_OF_32_BITS,
    // The ladder has another shape.
    shape::NAN_PASSES_VALIDATION,
    shape::NEGATIVE_MULTIPLIER_CLAMPED_TO_ZERO,
    shape::WHOLE_SECONDS,
    shape::BASE_TAKEN_FOR_THE_MULTIPLIER,
    shape::POWER_OF_THE_BASE,
    shape::XOR_FOR_POWER,
    // The jitter is too much, too little, or not one's own.
    jitter::JITTER_LARGER_THAN_THE_DELAY,
    jitter::JITTER_ADDED_TO_THE_CAP,
    jitter::JITTER_AROUND_THE_CAP,
    jitter::JITTER_ONLY_UP_TO_THE_CAP,
    jitter::JITTER_IN_WHOLE_SECONDS,
    jitter::JITTER_LOST,
    jitter::MIN_AFTER_JITTER,
    jitter::JITTER_COMPOUNDS,
    jitter::DECORRELATED_CUT_AT_THE_CAP,
    jitter::JITTER_FLOORED_TO_NOTHING,
    jitter::FULL_JITTER_IN_WHOLE_SECONDS,
    jitter::NO_JITTER_ADDS_A_FRACTION,
    jitter::ONE_SEED_FOR_ALL,
    jitter::SAME_JITTER_EACH_CALL,
    // The ladder starts over at the wrong time.
    reset::RESET_ON_CONNECT,
    reset::RESET_ON_FIRST_MESSAGE,
    reset::CLEAN_CLOSE_IS_SUCCESS,
    reset::THRESHOLD_FROM_THE_LAST_CONNECT,
    reset::RESET_BEFORE_EACH_ATTEMPT,
    reset::NEVER_RESET,
    reset::FIXED_THRESHOLD,
    reset::THRESHOLD_EXCLUSIVE,
    reset::SHARED_WITH_ANOTHER_CHANNEL,
    // The two-regime rules, in one point otherwise.
    rules::CADENCE_NOT_RESTORED,
    rules::TLS_UNEXPECTED,
    // The server's wait.
    server::SERVER_DELAY_UNCAPPED,
    server::SERVER_DELAY_IGNORED,
    server::SERVER_DELAY_WITHOUT_SPREAD,
    server::SERVER_DELAY_PAST_THE_LIMIT,
    server::SERVER_DELAY_STICKS,
    // How many attempts, for how long, and after what.
    limit::ATTEMPTS_COUNT_RETRIES,
    limit::ATTEMPTS_CARRY_OVER,
    limit::LAYERS_MULTIPLY,
    limit::SLEEP_AFTER_THE_LAST_FAILURE,
    limit::WAITS_FOR_THE_DEADLINE,
    limit::LIMIT_CHECKED_AFTER_THE_WAIT,
    limit::ELAPSED_FROM_CONSTRUCTION,
    limit::NO_LIMIT_IS_A_LIMIT_OF_ZERO,
    limit::TIMEOUTS_ARE_TERMINAL,
    limit::IDEMPOTENCY_IGNORED,
    // Who pays.
    budget::RATIO_TRUNCATED,
    budget::BUCKET_NEVER_REFILLED,
    budget::BUCKET_WITHOUT_BOUND,
];

impl Specimen {
    /// The specimen of this name.
    ///
    /// ```
    /// use retrylab_laws::Specimen;
    ///
    /// let specimen = Specimen::find("shift-wraps-to-zero").expect("one of them");
    /// assert_eq!(specimen.statement, "The doubling is a shift that wraps: from the 65th failure on the wait is zero.");
    /// assert!(Specimen::find("no-such-thing").is_none());
    /// ```
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        SPECIMENS.iter().find(|specimen| specimen.name == name)
    }

    /// The faulty policy of a client that is described so; `None` if such a client cannot have the fault.
    #[must_use]
    pub fn build(&self, client: &ClientKind) -> Option<Box<dyn Policy>> {
        match self.fault {
            Fault::Rung(formula) => Some(Box::new(WithWait::of_the_rung(client, formula)?)),
            Fault::Jitter(formula) => Some(Box::new(WithWait::of_the_jitter(client, formula)?)),
            Fault::Parameters(change) => Some(Box::new(build(&change(client)?).ok()?.0)),
            Fault::Policy(policy) => policy(client),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_specimen_has_its_own_name_and_one_sentence() {
        for (index, specimen) in SPECIMENS.iter().enumerate() {
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(specimen.name.chars().all(is_name), "{}", specimen.name);
            assert_eq!(
                SPECIMENS.iter().position(|other| other.name == specimen.name),
                Some(index),
                "{}",
                specimen.name
            );
            assert!(specimen.statement.ends_with('.') && !specimen.statement.contains(". "), "{}", specimen.name);
            assert!(!specimen.cite.is_empty(), "{}", specimen.name);
        }
    }
}
