//! Algebraic laws, for values that quickcheck makes up. The generator is seeded, so that a failure comes again;
//! `QUICKCHECK_TESTS` asks for more than the usual number of values.

use std::env;
use std::time::Duration;

use quickcheck::{Gen, QuickCheck, TestResult, Testable};
use retrylab_core::{
    Backoff, FailureKind, Fault, HealthyFor, Instant, Jitter, Ladder, Regime, ResetRule, RetryRules, Successes, nanos,
};

pub(crate) fn always<P: Testable>(property: P) {
    let check = QuickCheck::new().rng(Gen::from_size_and_seed(100, 0));
    let check = if env::var_os("QUICKCHECK_TESTS").is_some() { check } else { check.tests(1_000) };
    check.min_tests_passed(100).quickcheck(property);
}

#[test]
fn an_instant_survives_its_number() {
    always((|at| Instant::from_nanos(at.as_nanos()) == at) as fn(Instant) -> bool);
    always((|at| Instant::ZERO + at.since_origin() == at) as fn(Instant) -> bool);
}

#[test]
fn instants_are_ordered_as_their_numbers() {
    always((|a, b| a.cmp(&b) == a.as_nanos().cmp(&b.as_nanos())) as fn(Instant, Instant) -> bool);
}

#[test]
fn the_earlier_of_two_instants_and_the_time_between_them_give_the_later() {
    always((|a, b| a + b.since(a) == a.max(b)) as fn(Instant, Instant) -> bool);
    always((|a, b| a.since(b).is_zero() || b.since(a).is_zero()) as fn(Instant, Instant) -> bool);
    always((|a, b| a.since(b) == Duration::from_nanos(a.nanos_since(b))) as fn(Instant, Instant) -> bool);
}

#[test]
fn adding_to_an_instant_is_monotone_and_associative_and_undone_by_since() {
    fn monotone(a: Instant, b: Instant, span: Duration) -> bool {
        a.min(b) + span <= a.max(b) + span && a + span >= a
    }
    fn associative(a: Instant, first: Duration, second: Duration) -> bool {
        a + first + second == a + first.saturating_add(second)
    }
    fn undone(a: Instant, span: Duration) -> bool {
        let reached = (a + span).since(a);
        reached == span || (a + span == Instant::MAX && reached < span)
    }
    always(monotone as fn(_, _, _) -> bool);
    always(associative as fn(_, _, _) -> bool);
    always(undone as fn(_, _) -> bool);
}

#[test]
fn no_rung_is_above_the_ceiling() {
    fn law(ladder: Ladder, number: u8) -> bool {
        ladder.rung(number.into()) <= ladder.ceiling()
    }
    always(law as fn(_, _) -> bool);
}

#[test]
fn a_rung_is_where_as_many_steps_lead() {
    fn law(ladder: Ladder, number: u8) -> bool {
        let step = (1..number).fold(ladder.first(), |step, _| ladder.next(step));
        ladder.rung(number.into()) == ladder.wait(step) && step.number() == u32::from(number.max(1))
    }
    always(law as fn(_, _) -> bool);
}

#[test]
fn an_exponential_rung_is_the_least_that_is_not_below_the_ratio() {
    fn law(base: Instant, ratio: (u16, u16), number: u8) -> TestResult {
        let (numerator, denominator) = (u32::from(ratio.0.max(ratio.1)), u32::from(ratio.0.min(ratio.1)));
        let longest = Duration::from_nanos(u64::MAX);
        let Ok(ladder) = Ladder::exponential(base.since_origin(), numerator, denominator, longest) else {
            return TestResult::discard();
        };
        let number = u32::from(number % 64) + 1;
        let (rung, next) = (ladder.rung(number).as_nanos(), ladder.rung(number + 1).as_nanos());
        let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
        let reaches = next * denominator >= rung * numerator;
        let is_least = next == 0 || (next - 1) * denominator < rung * numerator;
        TestResult::from_bool(is_least && (reaches || next == u128::from(u64::MAX)))
    }
    always(law as fn(_, _, _) -> TestResult);
}

#[test]
fn the_longest_wait_is_that_of_draw_zero_and_a_larger_draw_never_waits_longer() {
    fn law(jitter: Jitter, spans: (Instant, Instant, Instant, Instant), draws: (u64, u64)) -> bool {
        let (rung, base, previous, ceiling) = spans;
        let wait = |draw| {
            let [rung, base, previous, ceiling] = [rung, base, previous, ceiling].map(Instant::since_origin);
            jitter.wait(rung, base, previous, ceiling, draw)
        };
        let (small, large) = (draws.0.min(draws.1), draws.0.max(draws.1));
        wait(0) >= wait(small) && wait(small) >= wait(large) && wait(large) >= wait(u64::MAX)
    }
    always(law as fn(_, _, _) -> bool);
}

#[test]
fn each_kind_of_jitter_keeps_its_bounds() {
    fn law(jitter: Jitter, spans: (Instant, Instant, Instant, Instant), draw: u64) -> bool {
        let [rung, base, previous, ceiling] =
            [spans.0, spans.1, spans.2, spans.3].map(|span| u128::from(span.as_nanos()));
        let [r, b, p, c] = [rung, base, previous, ceiling].map(|span| {
            // What the generator makes up fits 64 bits.
            Duration::from_nanos(u64::try_from(span).expect("an instant"))
        });
        let wait = jitter.wait(r, b, p, c, draw).as_nanos();
        let rung = rung.min(ceiling);
        let low = base.min(ceiling);
        let high = (3 * previous).min(ceiling).max(low);
        match jitter {
            Jitter::None => wait == rung,
            Jitter::SubtractHalf => 2 * wait >= rung && wait <= rung,
            Jitter::Full => wait <= rung && (wait > 0 || rung == 0),
            Jitter::Decorrelated | Jitter::DecorrelatedPublished => (low..=high).contains(&wait),
        }
    }
    always(law as fn(_, _, _) -> bool);
}

#[test]
fn subtract_half_is_halfway_between_full_jitter_and_none() {
    fn law(rung: Instant, draw: u64) -> bool {
        let rung = rung.since_origin();
        let [none, half, full] = [Jitter::None, Jitter::SubtractHalf, Jitter::Full]
            .map(|jitter| jitter.wait(rung, rung, rung, rung, draw).as_nanos());
        // What full jitter takes is rounded down once, half of it once more.
        none - half == (none - full) / 2
    }
    always(law as fn(_, _) -> bool);
}

#[test]
fn a_backoff_given_the_same_draws_waits_the_same_and_never_above_its_ceiling() {
    fn law(backoff: Backoff, draws: Vec<u64>) -> bool {
        let waits = || {
            let mut state = backoff.start();
            draws.iter().map(|draw| backoff.next_wait(&mut state, *draw)).collect::<Vec<_>>()
        };
        waits() == waits() && waits().iter().all(|wait| *wait <= backoff.ladder().ceiling())
    }
    always(law as fn(_, _) -> bool);
}

#[test]
fn a_failure_is_unexpected_only_if_the_client_is_to_blame() {
    fn law(status: i64) -> bool {
        let unexpected = FailureKind::from_status(status) == FailureKind::Unexpected;
        unexpected == (status / 100 == 4 && status != 400 && status != 408 && status != 429)
    }
    always(law as fn(_) -> bool);
    always((|status: i16| law((status % 1000).into())) as fn(i16) -> bool);
    always((|fault| FailureKind::from(fault) == FailureKind::Normal) as fn(Fault) -> bool);
}

#[test]
fn no_ceiling_is_below_its_initial_and_no_wait_outside_its_bounds() {
    fn law<R: ResetRule>(rules: RetryRules<R>, kind: FailureKind, failures: u8, draw: u64) -> bool {
        let mut state = rules.start();
        let mut held = state.next_delay() == rules.cadence();
        for _ in 0..failures {
            rules.record_failure(&mut state, kind, Instant::ZERO, draw);
            let bounds = rules.bounds(state.regime());
            let rung = nanos(rules.rung(&state));
            let taken = nanos(rules.jitter(&state, draw));
            held &= bounds.initial <= bounds.ceiling;
            held &= rung >= nanos(bounds.initial) && rung <= nanos(bounds.ceiling);
            held &= taken <= rung / 2;
            held &= state.next_delay() == Duration::from_nanos(rung - taken).max(rules.cadence());
            held &= (state.regime() == Regime::Extended) == (kind == FailureKind::Unexpected);
        }
        held
    }
    always(law::<HealthyFor> as fn(_, _, _, _) -> bool);
    always(law::<Successes> as fn(_, _, _, _) -> bool);
}
