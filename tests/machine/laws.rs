//! Each law, with a test of its name: made-up outcomes, and what a client shows before and after each.

use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use retrylab_core::{
    BuiltInReset, Decision, FailureKind, Instant, Policy, Regime, Retry, RetryRules, RetryState, nanos,
};
use retrylab_spec::PolicySpec;
use retrylab_testkit::laws::model::{Event, Outcome, Rules, resets};
use retrylab_testkit::{draws, histories, histories_of, search, upright_rules};

use crate::{FOUND, rules_of};

/// What a client showed after an outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    wait: Duration,
    regime: Regime,
    attempts: u32,
    base: Duration,
}

fn seen(rules: &RetryRules, state: &RetryState) -> Seen {
    Seen { wait: state.next_delay(), regime: state.regime(), attempts: state.attempts(), base: rules.rung(state) }
}

fn tell(rules: &RetryRules, state: &mut RetryState, outcome: &Outcome) {
    match outcome.event {
        Event::Failure { kind, draw } => rules.record_failure(state, kind, outcome.at, draw),
        Event::Success => rules.record_success(state, outcome.at),
    }
}

/// What a client shows after each of these outcomes.
fn watch(spec: &PolicySpec, outcomes: &[Outcome]) -> Vec<Seen> {
    let rules = rules_of(spec);
    let mut state = rules.start();
    outcomes
        .iter()
        .map(|outcome| {
            tell(&rules, &mut state, outcome);
            seen(&rules, &state)
        })
        .collect()
}

/// The waits after failures alone.
fn waits(spec: &PolicySpec, outcomes: &[Outcome]) -> Vec<Duration> {
    let failed = |outcome: &Outcome| outcome.event != Event::Success;
    watch(spec, outcomes)
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| failed(outcome))
        .map(|(seen, _)| seen.wait)
        .collect()
}

/// Each outcome with what was shown before and after it, and whether the reset rule was due.
fn steps(spec: &PolicySpec, outcomes: &[Outcome]) -> Vec<(Outcome, Seen, Seen, bool)> {
    let rules = rules_of(spec);
    let after = watch(spec, outcomes);
    let mut before = seen(&rules, &rules.start());
    (0..outcomes.len())
        .map(|index| {
            let due = resets(&Rules::of(spec).expect("two regimes"), &outcomes[..=index]);
            (outcomes[index], std::mem::replace(&mut before, after[index]), after[index], due)
        })
        .collect()
}

/// The same outcomes at other times.
fn retimed(outcomes: &[Outcome], times: impl IntoIterator<Item = Instant>) -> Vec<Outcome> {
    outcomes.iter().zip(times).map(|(outcome, at)| Outcome { at, ..*outcome }).collect()
}

proptest! {
    #![proptest_config(search(FOUND))]

    #[test]
    fn wait_is_jittered_base_or_cadence((spec, outcomes) in histories(0..60)) {
        let cadence = rules_of(&spec).cadence();
        for (outcome, _, after, _) in steps(&spec, &outcomes) {
            let Event::Failure { .. } = outcome.event else { continue };
            // Some x with half of the base <= x <= base and wait = max(x, cadence).
            let (wait, base) = (nanos(after.wait), nanos(after.base));
            let least = base.div_ceil(2);
            if after.wait > cadence {
                prop_assert!((least..=base).contains(&wait), "{wait} from {base}");
            } else {
                prop_assert_eq!(after.wait, cadence);
                prop_assert!(least <= wait, "{} is below half of {}, and hides it", wait, base);
            }
        }
    }

    #[test]
    fn base_never_decreases((spec, outcomes) in histories(0..60)) {
        for (_, before, after, due) in steps(&spec, &outcomes) {
            if !due && before.regime == after.regime {
                prop_assert!(after.base >= before.base, "{before:?} then {after:?}");
            }
        }
    }

    #[test]
    fn extended_lasts_until_due((spec, outcomes) in histories(0..60)) {
        for (_, before, after, due) in steps(&spec, &outcomes) {
            if before.regime == Regime::Extended && !due {
                prop_assert_eq!(after.regime, Regime::Extended);
            }
        }
    }

    #[test]
    fn reset_exactly_when_due((spec, outcomes) in histories(0..60)) {
        for (outcome, before, after, due) in steps(&spec, &outcomes) {
            let start = if due { (Regime::Normal, 0) } else { (before.regime, before.attempts) };
            let expected = match (outcome.event, start) {
                (Event::Success, start) => start,
                (Event::Failure { kind: FailureKind::Unexpected, .. }, (Regime::Normal, _)) => (Regime::Extended, 1),
                (Event::Failure { .. }, (regime, attempts)) => (regime, attempts + 1),
            };
            prop_assert_eq!((after.regime, after.attempts), expected);
        }
    }

    #[test]
    fn success_restores_the_cadence((spec, outcomes) in histories(0..60)) {
        let cadence = rules_of(&spec).cadence();
        for (outcome, _, after, _) in steps(&spec, &outcomes) {
            if outcome.event == Event::Success {
                prop_assert_eq!(after.wait, cadence);
            }
        }
    }

    #[test]
    fn one_draw_a_failure((spec, outcomes) in histories(1..60), which in any::<Index>(), other in draws()) {
        let cadence = rules_of(&spec).cadence();
        // The wait follows from this failure's draw: half of the base times the draw is subtracted, whole.
        for (outcome, _, after, _) in steps(&spec, &outcomes) {
            let Event::Failure { draw, .. } = outcome.event else { continue };
            let (base, draw) = (after.base.as_nanos(), u128::from(draw));
            let subtracted = base * draw / (2 << 64);
            prop_assert_eq!(after.wait, cadence.max(Duration::from_nanos(u64::try_from(base - subtracted)?)));
        }
        // Another draw for one failure changes no other wait.
        let index = which.index(outcomes.len());
        let mut redrawn = outcomes.clone();
        if let Event::Failure { draw, .. } = &mut redrawn[index].event {
            *draw = other;
        }
        let (first, second) = (watch(&spec, &outcomes), watch(&spec, &redrawn));
        for (number, (first, second)) in first.iter().zip(&second).enumerate() {
            prop_assert!(number == index || first == second, "outcome {number}: {first:?} became {second:?}");
        }
    }

    #[test]
    fn time_alone_changes_nothing(
        (spec, outcomes) in histories(0..60),
        times in prop::collection::vec(any::<u64>(), 60),
        later in any::<u32>(),
    ) {
        // Where no success is, no time is long enough for anything.
        let mut times = times;
        times.sort_unstable();
        let failures: Vec<_> = outcomes.iter().copied().filter(|outcome| outcome.event != Event::Success).collect();
        let moved = retimed(&failures, times.iter().copied().map(Instant::from_nanos));
        prop_assert_eq!(watch(&spec, &failures), watch(&spec, &moved));

        // Where successes count, time is irrelevant altogether.
        if let BuiltInReset::Successes(_) = rules_of(&spec).reset_rule() {
            let moved = retimed(&outcomes, times.iter().copied().map(Instant::from_nanos));
            prop_assert_eq!(watch(&spec, &outcomes), watch(&spec, &moved));
        }

        // And only differences of times matter, not where a clock starts.
        let later = Duration::from_nanos(later.into());
        let moved = retimed(&outcomes, outcomes.iter().map(|outcome| outcome.at + later));
        if moved.last().is_none_or(|last| last.at < Instant::MAX) {
            prop_assert_eq!(watch(&spec, &outcomes), watch(&spec, &moved));
        }
    }

    #[test]
    fn reading_changes_nothing((spec, outcomes) in histories(0..60), draw in any::<u64>()) {
        let rules = rules_of(&spec);
        let mut quiet = Retry::new(rules);
        let mut read = Retry::new(rules);
        for outcome in &outcomes {
            outcome.tell(&mut quiet);
            outcome.tell(&mut read);
            // Each value is read twice running: a count of the readings anywhere would show.
            for _ in 0..2 {
                prop_assert_eq!(read.next_delay(), read.next_delay());
                prop_assert_eq!((read.regime(), read.attempts()), (read.regime(), read.attempts()));
                prop_assert_eq!(format!("{read:?}"), format!("{read:?}"));
                prop_assert_eq!(read.explain(draw), read.explain(draw));
                prop_assert_eq!(rules.rung(read.state()), rules.rung(read.state()));
                prop_assert_eq!(rules.jitter(read.state(), draw), rules.jitter(read.state(), draw));
            }
            prop_assert_eq!(quiet, read);
        }
    }

    #[test]
    fn same_inputs_same_outputs((spec, outcomes) in histories(0..60), split in any::<Index>()) {
        prop_assert_eq!(watch(&spec, &outcomes), watch(&spec, &outcomes));

        // A copy made on the way goes on as the original does: nothing is shared, nothing is left behind.
        let rules = rules_of(&spec);
        let (before, after) = outcomes.split_at(split.index(outcomes.len() + 1));
        let mut original = rules.start();
        before.iter().for_each(|outcome| tell(&rules, &mut original, outcome));
        let mut copy = original;
        let other_rules = rules_of(&spec);
        for outcome in after {
            tell(&rules, &mut original, outcome);
            tell(&other_rules, &mut copy, outcome);
            prop_assert_eq!(original, copy);
        }
    }

    #[test]
    fn always_a_next_attempt((spec, outcomes) in histories(0..60), attempts in any::<u32>(), extended: bool) {
        let rules = rules_of(&spec);
        let mut client = Retry::new(rules);
        let regime = if extended { Regime::Extended } else { Regime::Normal };
        *client.state_mut() = rules.resume(regime, attempts);
        for outcome in outcomes {
            let Event::Failure { kind, draw } = outcome.event else {
                client.record_success(outcome.at);
                continue;
            };
            let decision = Policy::record_failure(&mut client, kind.into(), outcome.at, draw);
            prop_assert_eq!(decision, Decision::RetryAfter(client.next_delay()));
        }
    }

    #[test]
    fn removing_a_success_never_shortens_a_wait(
        (spec, outcomes) in histories_of(upright_rules(), 1..60),
        which in any::<Index>(),
    ) {
        let is_success = |outcome: &Outcome| outcome.event == Event::Success;
        let successes: Vec<_> = (0..outcomes.len()).filter(|index| is_success(&outcomes[*index])).collect();
        prop_assume!(!successes.is_empty());
        let mut fewer = outcomes.clone();
        fewer.remove(successes[which.index(successes.len())]);
        for (with, without) in waits(&spec, &outcomes).iter().zip(waits(&spec, &fewer)) {
            prop_assert!(without >= *with, "{with:?} became {without:?}");
        }
    }
}
