//! A driver of policies: one client with its own draws and clock, observed only from outside.

use core::time::Duration;
use std::collections::BTreeMap;

use retrylab_core::{Decision, Failure, FailureKind, Fault, GiveUp, Instant, Policy};
use retrylab_sim::{Draws, Entropy};
use retrylab_spec::{Shape, duration};

use super::BugVerdict;
use super::maker::{Climb, HEALTHY, Maker, SharedSetting};

/// The number of clients for a spread.
pub(super) const CLIENTS: u64 = 2_000;

/// Sets the seeds of clients apart: 2^64 divided by the golden ratio, the step of Weyl's sequence.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// One client. Its clock starts at zero.
pub(super) struct Driven {
    policy: Box<dyn Policy>,
    climb: Climb,
    draws: Draws,
    jitter: bool,
    pub(super) now: Instant,
    failures: u64,
}

impl Driven {
    /// A client of a separate process, with a seed of its own.
    pub(super) fn new(maker: &dyn Maker, asked: &SharedSetting, seed: u64, client: u64) -> Result<Self, BugVerdict> {
        let own = seed.wrapping_add(client.wrapping_mul(STEP));
        Ok(Self::with(maker, maker.make(asked, own)?, asked, seed, client))
    }

    /// The client of this policy.
    pub(super) fn with(
        maker: &dyn Maker,
        policy: Box<dyn Policy>,
        asked: &SharedSetting,
        seed: u64,
        client: u64,
    ) -> Self {
        let (climb, draws) = (maker.climb(asked), Entropy::new(seed).client(client));
        Self { policy, climb, draws, jitter: asked.jitter, now: Instant::ZERO, failures: 0 }
    }

    /// A failure that climbs.
    pub(super) fn fail(&mut self) -> Decision {
        self.record(Failure::from(self.climb.kind))
    }

    /// The same, with a `retry_after`.
    pub(super) fn fail_asked(&mut self, wait: Duration) -> Decision {
        self.record(Failure { retry_after: Some(wait), ..self.climb.kind.into() })
    }

    /// A transport fault.
    pub(super) fn fail_by(&mut self, fault: Fault) -> Decision {
        self.record(Failure { fault: Some(fault), kind: FailureKind::for_source_fault(fault), retry_after: None })
    }

    fn record(&mut self, failure: Failure) -> Decision {
        let draw = if self.jitter { self.draws.next_draw() } else { 0 };
        self.failures += 1;
        self.policy.record_failure(failure, self.now, draw)
    }

    /// A failure that climbs, and its wait; the clock then moves to the next attempt.
    pub(super) fn retry(&mut self) -> Result<Duration, Stopped> {
        let decision = self.fail();
        self.wait(decision)
    }

    /// Waits as decided.
    pub(super) fn wait(&mut self, decision: Decision) -> Result<Duration, Stopped> {
        match decision {
            Decision::RetryAfter(wait) => {
                self.now = self.now + wait;
                Ok(wait)
            }
            Decision::GiveUp(why) => Err(Stopped { failures: self.failures, why }),
        }
    }

    /// This many waits in a row.
    pub(super) fn climb(&mut self, failures: usize) -> Result<Vec<Duration>, Stopped> {
        (0..failures).map(|_| self.retry()).collect()
    }

    pub(super) fn connect(&mut self) {
        self.policy.record_connected(self.now);
    }

    pub(super) fn succeed(&mut self) {
        self.policy.record_success(self.now);
    }

    pub(super) fn pass(&mut self, time: Duration) {
        self.now = self.now + time;
    }

    /// Enough health to restart any ladder: a good call; a stream that lives for a day; two good polls.
    pub(super) fn recover(&mut self, shape: Shape) {
        match shape {
            Shape::Call => self.succeed(),
            Shape::Streaming => {
                self.connect();
                self.succeed();
                self.pass(Duration::from_secs(86_400));
            }
            Shape::Polling => {
                for _ in 0..2 {
                    self.succeed();
                    self.pass(self.next_delay());
                }
            }
        }
    }

    pub(super) fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }

    pub(super) const fn ladder(&self) -> Climb {
        self.climb
    }
}

/// A policy without a limit gave up.
pub(super) struct Stopped {
    /// Failures so far, over the client's life.
    pub(super) failures: u64,
    pub(super) why: GiveUp,
}

impl Stopped {
    pub(super) fn verdict(self, seed: u64) -> BugVerdict {
        let Self { failures, why } = self;
        fails(seed, format!("gives up at failure {failures} ({why}), without a limit"))
    }
}

/// The waits of every client without jitter, rung by rung.
///
/// For a repeatable policy, one client's exact waits. For another, the longest of many clients', whatever its generator
/// or the time of day add or subtract.
pub(super) struct Exact {
    pub(super) waits: Vec<Duration>,
    band: bool,
}

impl Exact {
    /// The first waits.
    pub(super) fn climb(
        maker: &dyn Maker,
        asked: &SharedSetting,
        seed: u64,
        failures: usize,
    ) -> Result<Self, BugVerdict> {
        Self::of(maker, asked, seed, |client| client.climb(failures))
    }

    /// The waits of this story.
    pub(super) fn of(
        maker: &dyn Maker,
        asked: &SharedSetting,
        seed: u64,
        story: impl Fn(&mut Driven) -> Result<Vec<Duration>, Stopped>,
    ) -> Result<Self, BugVerdict> {
        let asked = plainest(maker, *asked, seed);
        let band = asked.jitter || !maker.is_repeatable();
        let mut waits: Vec<Duration> = Vec::new();
        for client in 0..if band { BAND_CLIENTS } else { 1 } {
            let mut client = Driven::new(maker, &asked, seed, client)?;
            let own = story(&mut client).map_err(|stopped| stopped.verdict(seed))?;
            waits.resize(own.len(), Duration::ZERO);
            waits.iter_mut().zip(own).for_each(|(longest, own)| *longest = own.max(*longest));
        }
        Ok(Self { waits, band })
    }

    /// Whether the wait at this place is this long: to a millisecond, the resolution of tokio's timer; with bounds, to
    /// a tenth. Of 200 uniform waits the longest is below nine tenths with probability 0.9^200, 10^-9.
    pub(super) fn is(&self, place: usize, expected: Duration) -> bool {
        let grain = if self.band { expected / 10 } else { Duration::from_millis(1) };
        self.waits.get(place).is_some_and(|wait| wait.abs_diff(expected) <= grain)
    }

    /// The last wait.
    pub(super) fn last(&self) -> Duration {
        self.waits.last().copied().unwrap_or_default()
    }

    /// Whether the last wait is this long.
    pub(super) fn ends_with(&self, expected: Duration) -> bool {
        !self.waits.is_empty() && self.is(self.waits.len() - 1, expected)
    }
}

const BAND_CLIENTS: u64 = 200;

/// Without jitter, if the policy can turn it off.
pub(super) fn plainest(maker: &dyn Maker, asked: SharedSetting, seed: u64) -> SharedSetting {
    let plain = SharedSetting { jitter: false, ..asked };
    if maker.make(&plain, seed).is_ok() { plain } else { asked }
}

/// Whether many waits are spread: no millisecond has a twentieth of them.
pub(super) fn spread(waits: &[Duration], seed: u64) -> Result<(), BugVerdict> {
    let mut by_millisecond: BTreeMap<u128, (usize, Duration, bool)> = BTreeMap::new();
    for &wait in waits {
        let (count, first, same) = by_millisecond.entry(wait.as_millis()).or_insert((0, wait, true));
        *count += 1;
        *same &= *first == wait;
    }
    let commonest = by_millisecond.values().max_by_key(|(count, ..)| *count);
    match commonest {
        Some(&(count, wait, same)) if count * 20 >= waits.len() => {
            let exactly = if same { "are exactly" } else { "are within a millisecond," };
            Err(fails(seed, format!("{count} of {} waits {exactly} {}", waits.len(), text(wait))))
        }
        _ => Ok(()),
    }
}

/// Applies only to these.
pub(super) fn only_for(maker: &dyn Maker, shapes: &[Shape], what: &str) -> Result<(), BugVerdict> {
    if shapes.contains(&maker.shape()) { Ok(()) } else { Err(BugVerdict::NotApplicable { why: what.to_owned() }) }
}

pub(super) fn fails(seed: u64, what: String) -> BugVerdict {
    BugVerdict::Fails { what, seed, client: None }
}

/// To the millisecond.
pub(super) fn text(wait: Duration) -> String {
    let millis = u64::try_from((wait.as_nanos() + 500_000) / 1_000_000).unwrap_or(u64::MAX);
    duration::Text(Duration::from_millis(millis)).to_string()
}

/// Just short of the window, and the window.
pub(super) const ALMOST_HEALTHY: Duration = HEALTHY.saturating_sub(Duration::from_nanos(1));
