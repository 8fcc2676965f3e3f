//! Strategies for policies that a file describes in full.

use core::time::Duration;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use retrylab_core::{Jitter, MAX_LIST_RUNGS, ServerDelay};
use retrylab_spec::{
    BudgetSpec, CallSpec, Dialect, LadderSpec, PolicySpec, Ratio, ResetSpec, Seconds, Shape, TwoRegimes,
};

use super::{Reach, span};

/// A bounded call of any kind. `usual` has the defaults of its kind.
pub(super) fn call(usual: CallSpec) -> impl Strategy<Value = CallSpec> {
    let attempts = prop_oneof![Just(usual.attempts), Just(None), any::<u32>().prop_map(Some), Just(Some(u32::MAX))];
    let limits = (attempts, of(any_span()), of(any_span()));
    let waits = (ladder(), select(Jitter::ALL.to_vec()), server_delay());
    (waits, limits, vec(budget(), 0..3), any::<bool>()).prop_map(
        |((ladder, jitter, retry_after), (attempts, elapsed, deadline), budgets, idempotent)| CallSpec {
            ladder,
            jitter,
            attempts,
            elapsed,
            deadline,
            retry_after,
            budgets,
            idempotent,
        },
    )
}

/// A reconnecting loop of any kind.
pub(super) fn reconnect() -> impl Strategy<Value = PolicySpec> {
    (call(CallSpec::reconnect()), reset()).prop_map(|(outage, reset)| {
        // Reading a stream is idempotent.
        PolicySpec::Reconnect { outage: CallSpec { idempotent: true, ..outage }, reset }
    })
}

/// Bounds in any order, of this shape.
pub(super) fn two_regimes(shape: Shape) -> impl Strategy<Value = PolicySpec> {
    let bounds = || (any_span(), any_span());
    (bounds(), bounds(), reset(), any_span()).prop_map(move |(normal, extended, reset, cadence)| {
        PolicySpec::TwoRegimes(TwoRegimes { shape, normal, extended, reset, cadence })
    })
}

fn reset() -> impl Strategy<Value = ResetSpec> {
    prop_oneof![any_span().prop_map(ResetSpec::HealthyFor), any::<u32>().prop_map(ResetSpec::Successes)]
}

/// A dialect of this shape.
pub(super) fn dialect(shape: Shape, seconds: BoxedStrategy<Seconds>) -> impl Strategy<Value = PolicySpec> {
    let dialects = Dialect::ALL.into_iter().map(|(dialect, _)| dialect).filter(move |dialect| dialect.shape() == shape);
    (select(dialects.collect::<Vec<_>>()), of(seconds))
        .prop_map(|(dialect, seconds)| PolicySpec::Dialect { dialect, seconds })
}

fn ladder() -> impl Strategy<Value = LadderSpec> {
    prop_oneof![
        (any_span(), ratio(), any_span()).prop_map(|(base, ratio, ceiling)| {
            // A ladder does not shrink.
            let ratio = if ratio.numerator < ratio.denominator {
                Ratio { numerator: ratio.denominator, denominator: ratio.numerator.max(1) }
            } else {
                ratio
            };
            LadderSpec::Exponential { base, ratio, ceiling }
        }),
        any_span().prop_map(LadderSpec::Constant),
        (any_span(), any_span(), any_span()).prop_map(|(base, step, ceiling)| LadderSpec::Linear {
            base,
            step,
            ceiling
        }),
        (any_span(), any_span()).prop_map(|(base, ceiling)| LadderSpec::Fibonacci { base, ceiling }),
        vec(any_span(), 1..=MAX_LIST_RUNGS).prop_map(LadderSpec::List),
    ]
}

fn server_delay() -> impl Strategy<Value = ServerDelay> {
    prop_oneof![
        Just(ServerDelay::Ignore),
        (any_span(), any_span()).prop_map(|(most, spread)| ServerDelay::clamp(most).spread(spread)),
        (any_span(), any_span()).prop_map(|(most, spread)| ServerDelay::refuse(most).spread(spread)),
    ]
}

fn budget() -> impl Strategy<Value = BudgetSpec> {
    let cost = 1_u32..=u32::MAX;
    prop_oneof![
        (1_u32..=u32::MAX, cost.clone(), cost, any::<u32>()).prop_map(|(tokens, cost, timeout_cost, refill)| {
            BudgetSpec::Tokens { tokens, cost, timeout_cost, refill }
        }),
        (ratio(), any::<u32>()).prop_map(|(ratio, reserve)| BudgetSpec::Ratio { ratio, reserve }),
    ]
}

/// In lowest terms or not.
fn ratio() -> impl Strategy<Value = Ratio> {
    let any = (any::<u32>(), 1_u32..=u32::MAX);
    let small = (0_u32..=12, 1_u32..=12);
    prop_oneof![any, small].prop_map(|(numerator, denominator)| Ratio { numerator, denominator })
}

fn any_span() -> BoxedStrategy<Duration> {
    span(Reach::Anything)
}
