//! Strategies for the outcomes of a client, and their times.

use std::time::Duration;

use proptest::collection::{SizeRange, vec};
use proptest::prelude::*;
use proptest::sample::select;
use retrylab_core::{FailureKind, Instant};
use retrylab_laws::model::{Event, Outcome};
use retrylab_spec::{PolicySpec, ResetSpec};

use crate::rules::rules;

/// Rules of any sort, and outcomes around their reset window.
pub fn histories(length: impl Into<SizeRange>) -> impl Strategy<Value = (PolicySpec, Vec<Outcome>)> {
    histories_of(rules(), length)
}

/// These rules, and outcomes around their reset window.
pub fn histories_of(
    rules: impl Strategy<Value = PolicySpec>,
    length: impl Into<SizeRange>,
) -> impl Strategy<Value = (PolicySpec, Vec<Outcome>)> {
    // Gaps are resolved only here, so that rules and outcomes shrink apart from each other.
    (rules, starts(), vec((gaps(), events()), length)).prop_map(|(spec, start, happenings)| {
        let window = window_of(&spec);
        (spec, placed(start, window, happenings))
    })
}

/// Outcomes around a reset window, in order of time.
pub fn outcomes(window: Duration, length: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Outcome>> {
    (starts(), vec((gaps(), events()), length)).prop_map(move |(start, happenings)| placed(start, window, happenings))
}

/// The start of a clock; most often the origin.
fn starts() -> impl Strategy<Value = Instant> {
    prop_oneof![
        3 => Just(Instant::ZERO),
        1 => (0_u64..1 << 62).prop_map(Instant::from_nanos),
    ]
}

/// The time before an outcome, relative to the reset window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// None: both outcomes at one instant.
    None,
    /// A nanosecond less than the window.
    JustUnder,
    /// The window.
    Window,
    /// A nanosecond more than the window.
    JustOver,
    /// This part of the window, in parts of 256.
    Part(u8),
    /// Independent of the window.
    Other(Duration),
}

impl Gap {
    /// Its length for this window.
    #[must_use]
    pub fn of(self, window: Duration) -> Duration {
        let tick = Duration::from_nanos(1);
        match self {
            Self::None => Duration::ZERO,
            Self::JustUnder => window.saturating_sub(tick),
            Self::Window => window,
            Self::JustOver => window.saturating_add(tick),
            Self::Part(parts) => (window / 256).saturating_mul(parts.into()),
            Self::Other(gap) => gap,
        }
    }
}

/// Gaps of every sort.
pub fn gaps() -> impl Strategy<Value = Gap> + Clone {
    prop_oneof![
        4 => Just(Gap::None),
        2 => any::<u8>().prop_map(Gap::Part),
        2 => Just(Gap::JustUnder),
        2 => Just(Gap::Window),
        1 => Just(Gap::JustOver),
        1 => (0_u64..100_000).prop_map(|seconds| Gap::Other(Duration::from_secs(seconds))),
    ]
}

/// Successes and failures of both kinds.
pub fn events() -> impl Strategy<Value = Event> + Clone {
    prop_oneof![
        3 => draws().prop_map(|draw| Event::Failure { kind: FailureKind::Normal, draw }),
        2 => draws().prop_map(|draw| Event::Failure { kind: FailureKind::Unexpected, draw }),
        3 => Just(Event::Success),
    ]
}

/// Draws: any, and the smallest, the middle and the largest more often.
pub fn draws() -> impl Strategy<Value = u64> + Clone {
    prop_oneof![
        2 => Just(0),
        1 => select(vec![1, 1 << 63, u64::MAX - 1, u64::MAX]),
        2 => any::<u64>(),
    ]
}

/// The window that gaps are about: that of the reset rule, or a minute where successes count.
pub(crate) fn window_of(spec: &PolicySpec) -> Duration {
    match spec.reset() {
        Some(ResetSpec::HealthyFor(window)) => window,
        Some(ResetSpec::Successes(_)) | None => Duration::from_secs(60),
    }
}

fn placed(start: Instant, window: Duration, happenings: Vec<(Gap, Event)>) -> Vec<Outcome> {
    let mut at = start;
    happenings
        .into_iter()
        .map(|(gap, event)| {
            at = at + gap.of(window);
            Outcome { at, event }
        })
        .collect()
}
