//! The catalogue: every fault, once.
//!
//! A fault of the two-regime rules or of a bounded call replaces one step of a plain correct policy. A fault reported
//! of a library replaces a formula, a parameter or a decision of the real policy, so that it can be played in place of
//! any client of a file. Some faults have both forms.

mod budget;
mod calls;
mod calls_end;
mod clients;
mod dialects;
mod formula;
mod health;
mod jitter;
mod ladders;
mod limits;
mod loops;
mod machine;
mod overflow;
mod regimes;
mod reset;
mod server;
mod shape;
mod spread;
mod waits;

use retrylab_sim::Record;
use retrylab_spec::{Dialect, PolicySpec};

pub(crate) use self::calls::{CallSteps, Calls};
pub(crate) use self::formula::{WaitFormula, WithWait};
pub(crate) use self::machine::{Machine, RIGHT as RIGHT_MACHINE, Steps};
use crate::fault::{Category, KnownFault, Making, Makings};

/// Every fault, by the part that it changes.
pub const FAULTS: &[KnownFault] = &[
    // When health clears the state.
    health::FAILURE_HEARD_BEFORE_THE_RESET,
    reset::THRESHOLD_EXCLUSIVE,
    health::HALF_A_WINDOW_IS_ENOUGH,
    reset::FIXED_THRESHOLD,
    health::ANCHORED_AT_THE_LAST_SUCCESS,
    health::ANCHORED_AT_THE_CONNECTION,
    reset::THRESHOLD_FROM_THE_LAST_CONNECT,
    reset::RESET_ON_CONNECT,
    reset::RESET_ON_FIRST_MESSAGE,
    reset::CLEAN_CLOSE_IS_SUCCESS,
    reset::RESET_BEFORE_EACH_ATTEMPT,
    reset::SHARED_WITH_ANOTHER_CHANNEL,
    health::CLOCK_ZERO_IS_UNSET,
    health::HEALTH_SURVIVES_A_FAILURE,
    reset::NEVER_RESET,
    health::ONE_SUCCESS_RESETS,
    health::A_SUCCESS_TOO_MANY_IS_ASKED_FOR,
    health::FAILURE_KEEPS_THE_SUCCESSES,
    health::RESET_WAITS_FOR_THE_FAILURE,
    health::ATTEMPTS_NOT_RESET,
    health::BOUNDS_NOT_RESET,
    health::EXTENDED_NOT_RESET,
    // The choice of the regime.
    regimes::RE_ENTERING_PINS_AT_THE_FIRST_RUNG,
    regimes::ATTEMPTS_ZERO_ON_ENTERING,
    regimes::ATTEMPTS_CARRIED_ON_ENTERING,
    regimes::NORMAL_LOWERS_THE_BOUNDS,
    regimes::NORMAL_ENDS_THE_EXTENDED_REGIME,
    regimes::NEVER_EXTENDED,
    regimes::ANY_FAILURE_EXTENDS,
    regimes::UNEXPECTED_COUNTS_TWICE,
    regimes::SUCCESS_COUNTS_AS_AN_ATTEMPT,
    dialects::INVERTED_EXTENDED,
    dialects::TLS_UNEXPECTED,
    // The growth of bases.
    ladders::CEILING_A_RUNG_LATE,
    ladders::STOPS_BELOW_THE_CEILING,
    ladders::STARTS_OVER_AT_THE_CEILING,
    ladders::DOUBLED_BEFORE_THE_FIRST_WAIT,
    ladders::TRIPLES,
    ladders::GROWS_LINEARLY,
    ladders::BASE_OF_THE_TIME_IN_OUTAGE,
    shape::NEGATIVE_MULTIPLIER_CLAMPED_TO_ZERO,
    shape::WHOLE_SECONDS,
    shape::BASE_TAKEN_FOR_THE_MULTIPLIER,
    shape::POWER_OF_THE_BASE,
    shape::XOR_FOR_POWER,
    // Numbers too large for their type.
    ladders::EXPONENT_WRAPS_AT_31_BITS,
    ladders::EXPONENT_WRAPS_AT_32_BITS,
    ladders::EXPONENT_WRAPS_AT_63_BITS,
    ladders::EXPONENT_WRAPS_AT_64_BITS,
    ladders::EXPONENT_CAPPED,
    ladders::PRODUCT_WRAPS,
    ladders::COUNT_IN_A_BYTE,
    overflow::FLOAT_TO_INTEGER_GIVES_ZERO,
    overflow::OVERFLOW_FORGETS_THE_CAP,
    overflow::OVERFLOW_ENDS_THE_LOOP,
    overflow::POWER_WRAPS_IN_32_BITS,
    overflow::SHIFT_WRAPS_TO_ZERO,
    overflow::TIMER_OF_32_BITS,
    // The jitter of bases.
    spread::JITTER_ADDED_TO_THE_CAP,
    jitter::FULL_JITTER,
    jitter::JITTER_AROUND_THE_BASE,
    spread::JITTER_AROUND_THE_CAP,
    spread::JITTER_LARGER_THAN_THE_DELAY,
    spread::JITTER_LOST,
    jitter::JITTER_LOST_AT_THE_CEILING,
    spread::JITTER_ONLY_UP_TO_THE_CAP,
    spread::MIN_AFTER_JITTER,
    spread::JITTER_COMPOUNDS,
    spread::DECORRELATED_CUT_AT_THE_CAP,
    calls_end::THRICE_THE_FIRST,
    jitter::JITTER_OF_THE_FIRST_RUNG,
    spread::JITTER_IN_WHOLE_SECONDS,
    spread::FULL_JITTER_IN_WHOLE_SECONDS,
    spread::JITTER_FLOORED_TO_NOTHING,
    spread::NO_JITTER_ADDS_A_FRACTION,
    jitter::JITTER_AFTER_THE_FLOOR,
    jitter::TWO_DRAWS,
    jitter::DRAW_OF_THE_LAST_FAILURE,
    jitter::ONE_DRAW_AN_OUTAGE,
    spread::SAME_JITTER_EACH_CALL,
    spread::ONE_SEED_FOR_ALL,
    jitter::GENERATOR_SHARED_BY_CLIENTS,
    // The wait and the reads of it.
    waits::CADENCE_NOT_RESTORED,
    waits::RESET_CLEARS_THE_DELAY,
    waits::SUCCESS_WAITS_THE_FIRST_RUNG,
    waits::CADENCE_IGNORED_AFTER_A_FAILURE,
    waits::FLOOR_AT_THE_INITIAL,
    waits::CADENCE_ADDED,
    waits::READING_TAKES_THE_WAIT,
    waits::JITTER_DRAWN_AT_EACH_READING,
    waits::ANSWERS_ANOTHER_WAIT,
    calls_end::WAITS_IN_WHOLE_SECONDS,
    // The end of a call.
    waits::GIVES_UP_AFTER_TEN,
    limits::AN_ATTEMPT_TOO_MANY,
    calls_end::AN_ATTEMPT_TOO_FEW,
    calls_end::ATTEMPTS_SHARED_BY_CALLS,
    limits::ATTEMPTS_CARRY_OVER,
    limits::LAYERS_MULTIPLY,
    calls_end::NO_LIMIT,
    calls_end::TERMINAL_RETRIED,
    limits::TIMEOUTS_ARE_TERMINAL,
    limits::IDEMPOTENCY_IGNORED,
    limits::LIMIT_CHECKED_AFTER_THE_WAIT,
    limits::ELAPSED_FROM_CONSTRUCTION,
    limits::NO_LIMIT_IS_A_LIMIT_OF_ZERO,
    calls_end::DEADLINE_IGNORED,
    limits::WAITS_FOR_THE_DEADLINE,
    limits::SLEEP_AFTER_THE_LAST_FAILURE,
    // The treatment of `retry_after`.
    server::SERVER_DELAY_IGNORED,
    server::SERVER_DELAY_UNCAPPED,
    server::SERVER_DELAY_WITHOUT_SPREAD,
    server::SERVER_DELAY_OF_ZERO_OBEYED,
    calls_end::SERVER_DELAY_CUT_BY_THE_SPREAD,
    calls_end::SERVER_DELAY_WAITED_PAST_THE_REFUSAL,
    calls_end::SERVER_DELAY_OBEYED,
    server::SERVER_DELAY_PAST_THE_LIMIT,
    server::SERVER_DELAY_STICKS,
    dialects::RETRY_HINT,
    // The budgets.
    calls_end::BUDGET_NOT_CHARGED,
    calls_end::TIMEOUTS_COST_AS_OTHERS,
    budget::RATIO_TRUNCATED,
    budget::BUCKET_NEVER_REFILLED,
    calls_end::BUCKET_WITHOUT_BOUND,
    // The configuration.
    shape::NAN_PASSES_VALIDATION,
    dialects::CLAMP_INITIAL,
    dialects::ZERO_LITERAL,
    dialects::DEFAULT_SILENT,
    // Logs, statuses, and the times of attempts.
    loops::SLEEP_COUNTS_AS_WAITING,
    loops::LOGS_THE_BASE,
    dialects::HTTP_ALWAYS_ERROR,
    dialects::HTTP_ALWAYS_WARNING,
    dialects::VALID_AFTER_PATCH,
    dialects::MALFORMED_IS_INVALID_DATA,
];

/// Former names of faults, with their present ones.
pub(crate) const RENAMED: &[(&str, &str)] = &[
    ("any-health-resets", "reset-on-first-message"),
    ("asked-and-come-early", "server-delay-cut-by-the-spread"),
    ("asked-and-ignored", "server-delay-ignored"),
    ("asked-and-never-cut", "server-delay-uncapped"),
    ("asked-too-much-and-waited", "server-delay-waited-past-the-refusal"),
    ("attempts-count-retries", "an-attempt-too-many"),
    ("budget-never-refilled", "bucket-never-refilled"),
    ("budget-refilled-above-its-maximum", "bucket-without-bound"),
    ("elapsed-checked-after-the-wait", "limit-checked-after-the-wait"),
    ("elapsed-since-the-clock-began", "elapsed-from-construction"),
    ("jitter-added", "jitter-added-to-the-cap"),
    ("never-resets", "never-reset"),
    ("reset-at-the-connection", "reset-on-connect"),
    ("same-draw-for-all", "one-seed-for-all"),
    ("success-keeps-the-wait", "cadence-not-restored"),
    ("threshold-exclusive", "window-is-exclusive"),
];

const NO_MAKINGS: Makings = Makings { machine: None, dialect: None, calls: None, records: None, other: None };

/// The defaults of a fault.
const NONE: KnownFault = KnownFault {
    name: "",
    statement: "",
    category: Category::Wait,
    reports: "",
    law: "",
    shown_by: None,
    makings: NO_MAKINGS,
};

const fn machine(
    category: Category,
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    client: fn() -> PolicySpec,
    steps: Steps,
) -> KnownFault {
    let makings = Makings { machine: Some(steps), ..NO_MAKINGS };
    KnownFault { name, statement, category, law, shown_by: Some(client), makings, ..NONE }
}

const fn calls(
    category: Category,
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    client: fn() -> PolicySpec,
    steps: CallSteps,
) -> KnownFault {
    let makings = Makings { calls: Some(steps), ..NO_MAKINGS };
    KnownFault { name, statement, category, law, shown_by: Some(client), makings, ..NONE }
}

const fn in_the_loop(
    category: Category,
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    client: fn() -> PolicySpec,
    change: fn(&mut [Record]),
) -> KnownFault {
    let makings = Makings { records: Some(change), ..NO_MAKINGS };
    KnownFault { name, statement, category, law, shown_by: Some(client), makings, ..NONE }
}

const fn dialect(
    category: Category,
    name: &'static str,
    law: &'static str,
    statement: &'static str,
    client: fn() -> PolicySpec,
    dialect: Dialect,
) -> KnownFault {
    let makings = Makings { dialect: Some(dialect), ..NO_MAKINGS };
    KnownFault { name, statement, category, law, shown_by: Some(client), makings, ..NONE }
}

impl KnownFault {
    /// Adds that a dialect has the fault too.
    const fn spoken(mut self, dialect: Dialect) -> Self {
        self.makings.dialect = Some(dialect);
        self
    }

    /// Adds the reports.
    const fn reported(mut self, reports: &'static str) -> Self {
        self.reports = reports;
        self
    }

    /// Adds another form, for any client that the function accepts.
    const fn made(mut self, making: Making) -> Self {
        self.makings.other = Some(making);
        self
    }

    /// Adds the law that must catch it, with a client that shows it.
    const fn caught(mut self, law: &'static str, client: fn() -> PolicySpec) -> Self {
        (self.law, self.shown_by) = (law, Some(client));
        self
    }
}

const fn reported(
    category: Category,
    name: &'static str,
    reports: &'static str,
    statement: &'static str,
    making: Making,
) -> KnownFault {
    KnownFault { name, statement, category, reports, ..NONE }.made(making)
}

#[cfg(test)]
mod tests {
    use core::ops::ControlFlow;
    use std::fs::File;
    use std::io::Read;

    use flate2::read::GzDecoder;
    use retrylab_conform::{VectorSubject, VectorVerdict, Vectors, Warning, check_subject};
    use retrylab_laws::{Claim, LAWS};
    use retrylab_search::Search;
    use retrylab_sim::build;
    use retrylab_spec::Client;

    use super::clients::{POLLING, STREAMING};
    use super::*;

    const RIGHT: KnownFault = machine(Category::Wait, "none", "", "None.", STREAMING, RIGHT_MACHINE);
    const RIGHT_CALL: KnownFault = super::calls(Category::Wait, "none", "", "None.", STREAMING, self::calls::RIGHT);

    #[test]
    fn without_a_fault_every_law_holds() {
        let calls = FAULTS.iter().filter(|fault| fault.makings.calls.is_some());
        for client in calls.filter_map(KnownFault::shown_by).chain([STREAMING(), POLLING()]) {
            let right = if matches!(client, PolicySpec::Call(_)) { &RIGHT_CALL } else { &RIGHT };
            let subject = right.of(&client).expect("a client of the plain policies");
            let client = Client::new(client);
            let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(300);
            let searched = search.run(&subject, |_| ControlFlow::Continue(()));
            assert!(searched.is_clean(), "{client:?}: {searched:?}");
        }
    }

    #[test]
    fn without_a_fault_every_vector_passes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../conform/tests/data/retry-vectors.jsonl.gz");
        let mut text = String::new();
        let file = File::open(path).expect("the file is in the repository");
        GzDecoder::new(file).read_to_string(&mut text).expect("it is compressed text");
        let subject = |spec: &PolicySpec| {
            let (rules, warning) = spec.rules().expect("a vector has two regimes");
            let policy = RIGHT.machine(&rules).expect("a state machine");
            VectorSubject { policy, warning: warning.map(Warning::from) }
        };
        let mut passed = 0;
        for vector in Vectors::read(text.as_bytes()) {
            let vector = vector.expect("a vector");
            match check_subject(&vector, subject) {
                VectorVerdict::Failed(mismatch) => panic!("{mismatch}"),
                VectorVerdict::Passed => passed += 1,
                VectorVerdict::Skipped => {}
            }
        }
        assert_eq!(passed, 1919);
    }

    #[test]
    fn every_fault_has_its_own_name_one_sentence_and_a_source() {
        for (index, fault) in FAULTS.iter().enumerate() {
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!fault.name.is_empty() && fault.name.chars().all(is_name), "{fault:?}");
            assert_eq!(FAULTS.iter().position(|other| other.name == fault.name), Some(index), "{}", fault.name);
            assert!(fault.statement.ends_with('.') && !fault.statement.contains(". "), "{}", fault.name);
            assert!(!fault.cite().is_empty(), "{} has no source", fault.name);
            assert_eq!(
                fault.law().is_some(),
                fault.shown_by.is_some(),
                "{}: a law and the client that shows it",
                fault.name
            );
            assert!(fault.shown_by().is_none_or(|client| fault.of(&client).is_some()), "{}", fault.name);
        }
    }

    #[test]
    fn a_former_name_is_unused_and_leads_to_a_present_one() {
        for (old, new) in RENAMED {
            assert!(KnownFault::find(old).is_none(), "{old}");
            assert!(KnownFault::find(new).is_some(), "{new}");
            assert_eq!(KnownFault::renamed(old), Some(*new));
        }
        assert_eq!(KnownFault::renamed("never-reset"), None);
    }

    /// Files have their own dialects: both forms have the same fault.
    #[test]
    fn a_fault_that_a_dialect_has_too_answers_like_the_dialect() {
        let both = FAULTS.iter().filter(|fault| fault.makings.machine.is_some());
        let mut compared = 0;
        for fault in both {
            let Some(dialect) = fault.makings.dialect else { continue };
            let client = Client::new(fault.shown_by().expect("a client shows it"));
            let spoken = crate::fault::spoken(dialect, &client.kind).expect("a dialect of it");
            let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(300);
            for number in 0..300 {
                let case = search.case(number).expect("a case");
                let seed = case.timeline.seed.unwrap_or(0);
                let play = |policy: Box<dyn retrylab_core::Policy>| {
                    retrylab_sim::Player::new(&case.timeline, policy, None, seed).collect::<Vec<Record>>()
                };
                let ours = play(fault.build(&client.kind).expect("built of what shows it"));
                let theirs = play(Box::new(build(&spoken).expect("a dialect").0));
                assert_eq!(ours, theirs, "{}, case {number}", fault.name);
            }
            compared += 1;
        }
        assert_eq!(compared, 6);
    }
}
