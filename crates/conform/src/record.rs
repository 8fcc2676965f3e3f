//! Vectors from a seed: histories aimed at common bugs, with the responses of the built-in rules.

use std::time::Duration;

use retrylab_core::{BuiltInReset, FailureKind, Instant, Regime, Retry, RetryRules, nanos};
use retrylab_sim::{Draws, Entropy};
use retrylab_spec::wire::{Construction, shape_of};
use retrylab_spec::{PolicySpec, TwoRegimes};

use crate::{Expectation, GivenFailure, Op, Step, Vector, Warning};

/// The unit of all times: exact in a double, and in whole nanoseconds.
const TICK_NS: u64 = 1_000_000_000 / TICKS_PER_SECOND;
const TICKS_PER_SECOND: u64 = 512;

/// The maximum number of steps of a vector.
const MOST_STEPS: u64 = 40;

/// Statuses at every class boundary.
const STATUSES: [i64; 30] = [
    -1, 0, 99, 204, 302, 399, 400, 401, 403, 404, 407, 408, 409, 410, 418, 422, 428, 429, 430, 451, 499, 500, 502, 503,
    504, 511, 599, 600, 999, 1000,
];

/// The number of repeats of a repeated step.
const REPEATS: [u32; 6] = [2, 3, 5, 12, 40, 100];

/// An endless sequence of vectors: number n of a seed is always the same.
///
/// Each first draws the outcomes that exist in it, then the steps: failures by kind and by status, successes, reads,
/// and passing time; gaps of zero, of one tick, of the wait itself, of hours, and up to the edges of the reset window.
///
/// `None` of a policy that is no preset and has no two regimes.
///
/// ```
/// use retrylab_conform::{VectorVerdict, check, record};
/// use retrylab_spec::PolicySpec;
///
/// let mut vectors = record(&PolicySpec::streaming_from_secs_f64(1.0), 7).expect("a preset");
/// assert!(vectors.by_ref().take(10).all(|vector| check(&vector) == VectorVerdict::Passed));
/// ```
#[must_use]
pub fn record(spec: &PolicySpec, seed: u64) -> Option<impl Iterator<Item = Vector> + use<>> {
    spec.rules()?;
    let spec = match spec {
        // As it is read again.
        PolicySpec::TwoRegimes(regimes) => TwoRegimes { shape: shape_of(regimes.cadence), ..*regimes }.into(),
        preset => preset.clone(),
    };
    Some((0..).map_while(move |number| one(&spec, seed, number)))
}

fn one(spec: &PolicySpec, seed: u64, number: u64) -> Option<Vector> {
    let (rules, warning) = spec.rules()?;
    let constructor = Construction::of(spec).ok()?.name();
    let mut history = History {
        chance: Chance(Entropy::new(seed).client(number)),
        policy: Retry::new(rules),
        window: window(&rules),
        ticks: 0,
        healthy_since: None,
    };
    let steps = history.steps();
    let longest = steps.iter().filter_map(|step| step.expect).map(|expect| expect.delay_ns).max().unwrap_or(0);
    // A double has 53 bits; four units in its last place are 2^-51 of it.
    let tolerance = (longest >> 50).max(1);
    let mut tags = Vec::new();
    if tolerance > 1 {
        tags.push("huge".to_owned());
    }
    if longest == u64::MAX {
        tags.push("beyond-duration".to_owned());
    }
    Some(Vector {
        line: usize::try_from(number).unwrap_or(usize::MAX).saturating_add(1),
        name: format!("{constructor}, seed {seed}, number {}", number.saturating_add(1)),
        tags,
        spec: spec.clone(),
        expect_warning: warning.map(Warning::from),
        tolerance_ns: Some(tolerance),
        steps,
    })
}

/// In ticks, rounded down.
fn window(rules: &RetryRules) -> Option<u64> {
    match rules.reset_rule() {
        BuiltInReset::HealthyFor(rule) => Some(nanos(rule.window()) / TICK_NS),
        BuiltInReset::Successes(_) => None,
    }
}

/// A vector in the making.
struct History {
    chance: Chance,
    policy: Retry,
    window: Option<u64>,
    /// Now.
    ticks: u64,
    /// The first success after the last failure, in ticks.
    healthy_since: Option<u64>,
}

/// The possible steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Happening {
    Normal,
    Unexpected,
    Status,
    Success,
    Read,
    Advance,
}

impl History {
    fn steps(&mut self) -> Vec<Step> {
        let happenings = self.happenings();
        let more = self.chance.below(MOST_STEPS);
        // A failure, so that there is an expectation.
        let first = self.step(happenings[0]);
        let rest = (0..more).map(|_| {
            let happening = self.chance.of(&happenings);
            self.step(happening)
        });
        std::iter::once(first).chain(rest).collect()
    }

    /// The outcomes of this history, with a failure first. Some are listed twice, which makes them more frequent.
    fn happenings(&mut self) -> Vec<Happening> {
        const FIRST: [Happening; 3] = [Happening::Normal, Happening::Normal, Happening::Unexpected];
        const MORE: [Happening; 8] = [
            Happening::Normal,
            Happening::Unexpected,
            Happening::Status,
            Happening::Success,
            Happening::Success,
            Happening::Success,
            Happening::Read,
            Happening::Advance,
        ];
        let first = self.chance.of(&FIRST);
        let more = MORE.into_iter().filter(|_| self.chance.below(2) == 0);
        std::iter::once(first).chain(more).collect()
    }

    fn step(&mut self, happening: Happening) -> Step {
        self.ticks = self.ticks.saturating_add(self.gap());
        let at = Instant::from_nanos(self.ticks.saturating_mul(TICK_NS));
        let op = match happening {
            Happening::Normal => self.failure(FailureKind::Normal, None),
            Happening::Unexpected => self.failure(FailureKind::Unexpected, None),
            Happening::Status => {
                let status = self.chance.of(&STATUSES);
                self.failure(FailureKind::for_source_status(status), Some(status))
            }
            Happening::Success => Op::Success,
            Happening::Read => Op::Read,
            Happening::Advance => Op::Advance,
        };
        let repeat = match self.chance.below(12) {
            0 if happening != Happening::Advance => self.chance.of(&REPEATS),
            _ => 1,
        };
        for _ in 0..repeat {
            match op {
                Op::Failure(failure) => {
                    self.policy.wait_after(failure.kind, at, failure.draw);
                    self.healthy_since = None;
                }
                Op::Success => {
                    self.policy.record_success(at);
                    self.healthy_since.get_or_insert(self.ticks);
                }
                Op::Read | Op::Advance => {}
            }
        }
        let expect = (op != Op::Advance).then(|| Expectation {
            delay_ns: nanos(self.policy.next_delay()),
            extended: self.policy.regime() == Regime::Extended,
            attempts: Some(self.policy.attempts()),
        });
        Step { op, at, repeat, expect }
    }

    /// Its draw is sometimes an extreme.
    fn failure(&mut self, kind: FailureKind, status: Option<i64>) -> Op {
        const LARGEST: u64 = u64::MAX << 11;
        let draw = match self.chance.below(8) {
            0 => 0,
            1 => LARGEST,
            2 => 1 << 63,
            _ => self.chance.0.next_draw(),
        };
        Op::Failure(GivenFailure { kind, status, draw })
    }

    /// The time until the next step, in ticks.
    fn gap(&mut self) -> u64 {
        const HOUR: u64 = 3600 * TICKS_PER_SECOND;
        match self.chance.below(10) {
            0 | 1 => 0,
            2 => 1,
            3 => self.chance.below(5 * TICKS_PER_SECOND),
            4 => self.chance.below(4 * HOUR),
            // Like a client: not before the wait is over, except for waits above a day.
            5 | 6 => {
                let wait = self.policy.next_delay().min(Duration::from_secs(86_400));
                nanos(wait).div_ceil(TICK_NS)
            }
            edge => {
                // One tick before the window has passed, exactly then, and one tick later.
                let ends = self.healthy_since.zip(self.window).map(|(since, window)| since.saturating_add(window));
                let at = ends.map(|ends| ends.saturating_add(edge - 7).saturating_sub(1));
                match at.and_then(|at| at.checked_sub(self.ticks)) {
                    Some(gap) => gap,
                    None => self.chance.below(90 * TICKS_PER_SECOND),
                }
            }
        }
    }
}

/// The source of every choice in a history.
struct Chance(Draws);

impl Chance {
    /// From 0 on, below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        let wide = (u128::from(self.0.next_draw()) * u128::from(bound)) >> 64;
        u64::try_from(wide).unwrap_or(0)
    }

    /// One of them; there is at least one.
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        let place = self.below(all.len() as u64);
        all[usize::try_from(place).unwrap_or(0)]
    }
}
