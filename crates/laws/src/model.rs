//! The reference model: a second, independent form of the two-regime state machine.
//!
//! The shipped state machine keeps a few numbers and changes them with each outcome. The model keeps every outcome and
//! changes nothing: [`answer`] derives the state from the whole history. It finds resets by searching back for the last
//! one, the regime by looking for an unexpected failure since, and a rung by repeated doubling; times and waits are
//! `u128` nanoseconds, cut to 64 bits only at the end. So both are unlikely to share a mistake.
//!
//! ```
//! use std::time::Duration;
//! use retrylab_core::{FailureKind, Instant, Regime};
//! use retrylab_laws::model::{Outcome, Rules, answer};
//!
//! let rules = Rules::streaming(1.0);
//! let outcomes = [
//!     Outcome::failure(Instant::ZERO, FailureKind::Unexpected, 0),
//!     Outcome::success(Instant::from_secs(300)),
//!     Outcome::failure(Instant::from_secs(360), FailureKind::Normal, 0),
//! ];
//! let after = answer(&rules, &outcomes);
//! assert_eq!((after.delay, after.regime, after.attempts), (Duration::from_secs(1), Regime::Normal, 1));
//! ```

use std::time::Duration;

use retrylab_core::{BuiltInReset, Decision, Failure, FailureKind, Instant, Policy, Regime, Rung, nanos};
use retrylab_spec::{PolicySpec, Seconds, TwoRegimes};

const SECOND: u128 = 1_000_000_000;

/// The longest wait, about 584 years.
const LONGEST: u128 = u64::MAX as u128;

/// The parameters of a client's waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    normal: Span,
    extended: Span,
    cadence: u128,
    health: Health,
}

/// First wait and longest wait of a regime, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: u128,
    longest: u128,
}

/// The health that clears a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    /// Nanoseconds since the first success of a run.
    Lasts(u128),
    /// Successes in a row.
    Counts(usize),
}

impl Rules {
    /// A stream with `seconds` as its first wait, or 1 s if that is not a positive finite number.
    #[must_use]
    pub fn streaming(seconds: f64) -> Self {
        let first = usable(seconds, SECOND);
        Self {
            normal: Span { first, longest: first.max(30 * SECOND) },
            extended: Span { first: first.max(300 * SECOND), longest: first.max(3600 * SECOND) },
            cadence: 0,
            health: Health::Lasts(60 * SECOND),
        }
    }

    /// A poller with an interval of `seconds`, or 30 s if that is not a positive finite number.
    #[must_use]
    pub fn polling(seconds: f64) -> Self {
        let interval = usable(seconds, 30 * SECOND);
        Self {
            normal: Span { first: interval, longest: interval },
            extended: Span { first: interval.max(300 * SECOND), longest: interval.max(3600 * SECOND) },
            cadence: interval,
            health: Health::Counts(2),
        }
    }

    /// The rules of a preset or of two regimes; `None` of any other policy.
    #[must_use]
    pub fn of(spec: &PolicySpec) -> Option<Self> {
        let seconds = |default| spec.configured().map_or(default, Seconds::as_f64);
        match spec {
            PolicySpec::Streaming { .. } => Some(Self::streaming(seconds(1.0))),
            PolicySpec::Polling { .. } => Some(Self::polling(seconds(30.0))),
            PolicySpec::TwoRegimes(TwoRegimes { normal, extended, reset, cadence, .. }) => {
                Some(Self::custom(*normal, *extended, reset.rule(), *cadence))
            }
            _ => None,
        }
    }

    /// First wait and ceiling of both regimes, reset rule and cadence as given.
    #[must_use]
    pub fn custom(
        normal: (Duration, Duration),
        extended: (Duration, Duration),
        reset: BuiltInReset,
        cadence: Duration,
    ) -> Self {
        let span = |(first, longest): (Duration, Duration)| {
            let first = first.as_nanos().min(LONGEST);
            Span { first, longest: longest.as_nanos().min(LONGEST).max(first) }
        };
        Self {
            normal: span(normal),
            extended: span(extended),
            cadence: cadence.as_nanos().min(LONGEST),
            health: match reset {
                BuiltInReset::HealthyFor(rule) => Health::Lasts(rule.window().as_nanos()),
                BuiltInReset::Successes(rule) => Health::Counts(usize::try_from(rule.count()).unwrap_or(usize::MAX)),
            },
        }
    }

    /// Whether each bound of the extended regime is at or above the normal one.
    #[must_use]
    pub fn is_upright(&self) -> bool {
        self.extended.first >= self.normal.first && self.extended.longest >= self.normal.longest
    }

    /// Whether a run of successes suffices at `now`.
    fn is_enough(&self, run: &[Outcome], now: Instant) -> bool {
        match self.health {
            Health::Counts(enough) => run.len() >= enough,
            Health::Lasts(enough) => {
                run.first().is_some_and(|first| u128::from(first.at.as_nanos()) + enough <= u128::from(now.as_nanos()))
            }
        }
    }
}

/// An outcome with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The time, never before that of the outcome before it.
    pub at: Instant,
    /// The outcome.
    pub event: Event,
}

/// The outcome of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An operation succeeded.
    Success,
    /// A failure, with its draw.
    Failure {
        /// The kind.
        kind: FailureKind,
        /// Uniform over all of `u64`.
        draw: u64,
    },
}

impl Outcome {
    /// A success.
    #[must_use]
    pub const fn success(at: Instant) -> Self {
        Self { at, event: Event::Success }
    }

    /// A failure and its draw.
    #[must_use]
    pub const fn failure(at: Instant, kind: FailureKind, draw: u64) -> Self {
        Self { at, event: Event::Failure { kind, draw } }
    }

    /// Records it in a policy.
    pub fn tell(&self, policy: &mut dyn Policy) {
        match self.event {
            Event::Success => policy.record_success(self.at),
            Event::Failure { kind, draw } => {
                policy.record_failure(kind.into(), self.at, draw);
            }
        }
    }

    const fn is_success(&self) -> bool {
        matches!(self.event, Event::Success)
    }

    const fn is_unexpected(&self) -> bool {
        matches!(self.event, Event::Failure { kind: FailureKind::Unexpected, .. })
    }
}

/// The state after a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The wait before the next operation.
    pub delay: Duration,
    /// The regime.
    pub regime: Regime,
    /// Failures counted in it.
    pub attempts: u32,
    /// The rung of the last counted failure, before jitter and cadence; zero if none is counted.
    pub base: Duration,
}

impl Answer {
    /// The jitter that this draw subtracts from the rung.
    #[must_use]
    pub fn jitter(&self, draw: u64) -> Duration {
        Duration::from_nanos(subtracted(nanos(self.base), draw))
    }
}

/// The state after `history`, whose times never go back.
#[must_use]
pub fn answer(rules: &Rules, history: &[Outcome]) -> Answer {
    let counted = &history[last_reset(rules, history)..];
    let entry = counted.iter().position(Outcome::is_unexpected);
    let (regime, span) = match entry {
        Some(_) => (Regime::Extended, rules.extended),
        None => (Regime::Normal, rules.normal),
    };
    let failures = counted[entry.unwrap_or(0)..].iter().filter(|outcome| !outcome.is_success()).count();
    let base = rung(span, failures);
    let delay = match history.last().map(|outcome| outcome.event) {
        Some(Event::Failure { draw, .. }) => (base - subtracted(base, draw)).max(narrow(rules.cadence)),
        Some(Event::Success) | None => narrow(rules.cadence),
    };
    Answer {
        delay: Duration::from_nanos(delay),
        regime,
        attempts: u32::try_from(failures).unwrap_or(u32::MAX),
        base: Duration::from_nanos(base),
    }
}

/// Whether the last outcome of `history` clears the state: before a failure counts, or after a success was recorded.
#[must_use]
pub fn resets(rules: &Rules, history: &[Outcome]) -> bool {
    let Some((last, before)) = history.split_last() else { return false };
    let run = if last.is_success() { &history[run_start(before)..] } else { &before[run_start(before)..] };
    rules.is_enough(run, last.at)
}

/// The index from which failures count: of a failure after enough health, after a success that was enough, or 0.
fn last_reset(rules: &Rules, history: &[Outcome]) -> usize {
    let mut end = history.len();
    while let Some(last) = end.checked_sub(1) {
        let is_success = history[last].is_success();
        if resets(rules, &history[..end]) {
            return if is_success { end } else { last };
        }
        // Earlier successes of a run had even less health than its last.
        end = if is_success { run_start(&history[..last]) } else { last };
    }
    0
}

/// The index of the first of the successes at the end of `history`.
fn run_start(history: &[Outcome]) -> usize {
    history.iter().rposition(|outcome| !outcome.is_success()).map_or(0, |failure| failure + 1)
}

/// The nanoseconds of the rung after this many failures.
fn rung(span: Span, failures: usize) -> u64 {
    if failures == 0 {
        return 0;
    }
    let mut wait = span.first;
    for _ in 1..failures {
        if wait == 0 || wait >= span.longest {
            break;
        }
        wait *= 2;
    }
    narrow(wait.min(span.longest))
}

/// Half of the wait times the draw as a fraction of 2^64, rounded down.
fn subtracted(wait: u64, draw: u64) -> u64 {
    narrow(u128::from(wait) * u128::from(draw) / (1 << 65))
}

fn narrow(wait: u128) -> u64 {
    u64::try_from(wait).unwrap_or(u64::MAX)
}

/// A configured number of seconds as nanoseconds, at least one; or the default.
#[expect(clippy::float_arithmetic, clippy::cast_possible_truncation, reason = "a configured value is a float")]
#[expect(clippy::cast_sign_loss, reason = "it is positive")]
fn usable(seconds: f64, default: u128) -> u128 {
    if seconds.is_finite() && seconds > 0.0 { ((seconds * 1e9).round() as u128).clamp(1, LONGEST) } else { default }
}

/// A client judged by the model, as a [`Policy`]. It remembers every outcome, so it is for tests.
#[derive(Clone, Debug)]
pub struct Model {
    rules: Rules,
    history: Vec<Outcome>,
}

impl Model {
    /// A client without an outcome.
    #[must_use]
    pub const fn new(rules: Rules) -> Self {
        Self { rules, history: Vec::new() }
    }

    /// The present state.
    #[must_use]
    pub fn answer(&self) -> Answer {
        answer(&self.rules, &self.history)
    }
}

impl Policy for Model {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.history.push(Outcome::failure(now, failure.kind, draw));
        Decision::RetryAfter(self.next_delay())
    }

    fn record_success(&mut self, now: Instant) {
        self.history.push(Outcome::success(now));
    }

    fn next_delay(&self) -> Duration {
        self.answer().delay
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        let answer = self.answer();
        Some(Rung { regime: answer.regime, number: answer.attempts, base: answer.base, jitter: answer.jitter(draw) })
    }
}
