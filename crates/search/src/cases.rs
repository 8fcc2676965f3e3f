//! Generated timelines with related faults.
//!
//! Independent faults reach little: a counterexample may need a ladder climbed to its ceiling, or health that misses
//! the window by a nanosecond. So a script is made of phases: a burst of one fault, a long outage, a connection that
//! flaps near a threshold, a recovery. Each case first draws the kinds of phases and faults that it has at all (swarm
//! testing, Groce et al., 2012), because the absence of some makes others more frequent.

use core::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use retrylab_core::{BuiltInReset, nanos};
use retrylab_spec::{
    Client, ClockChange, ClockEvent, ConnectFault, Draft, Draw, End, Entry, FirstMessage, JitterChoice, Limits,
    Outcome, Play, ServerWait, Shape, Then, Timeline, Window,
};

use retrylab_laws::{Claim, MOST_WAITS};

use crate::entries::entries;

/// The numbers that make a timeline.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    swarm: u16,
    phases: Vec<Phase>,
    clock: Vec<Clock>,
    windows: Vec<Outage>,
    tail: u8,
}

pub(crate) fn recipes() -> impl Strategy<Value = Recipe> {
    (any::<u16>(), vec(phases(), 1..8), vec(any::<Clock>(), 0..3), vec(windows(), 0..2), 0..8_u8)
        .prop_map(|(swarm, phases, clock, windows, tail)| Recipe { swarm, phases, clock, windows, tail })
}

impl Recipe {
    /// The timeline for a client with this claim; `None` if it cannot be played.
    ///
    /// Every entry that can fail has the address of its draw, so that a shrunk timeline is the same run.
    pub(crate) fn timeline(&self, client: &Client, claim: &Claim, seed: u64) -> Option<Timeline> {
        let shape = claim.shape();
        let new = || {
            let (threshold, successes) = (threshold(claim), successes(claim));
            let mut making =
                Making { shape, threshold, successes, swarm: self.swarm, next_draw: 0, script: Vec::new() };
            self.phases.iter().for_each(|phase| making.phase(*phase));
            let mut draft = Draft::new("Made up by a search.", client.clone());
            draft.seed = Some(seed);
            draft.limits = Limits { events: 5_000, ..Limits::default() };
            draft.script = making.script;
            draft
        };
        let mut draft = new();
        if self.swarm & CLOCK == 0 {
            draft.clock = spaced_clock(&self.clock);
        }
        // Calls that give up at once would repeat without end in the first instant of an outage.
        if self.swarm & WINDOWS == 0 && shape != Shape::Call {
            draft.windows = spaced_windows(shape, self.swarm, &self.windows);
        }
        if self.tail == 0 && shape == Shape::Streaming {
            draft.then = Then::Succeed;
        }
        let finished = |mut draft: Draft| {
            if client.jitter == JitterChoice::Coarse {
                entries(&mut draft).for_each(coarsen);
            }
            Timeline::new(draft).ok()
        };
        // All parts are made to fit; if some do not, the script alone always does.
        finished(draft).or_else(|| finished(new()))
    }
}

/// The numbers that make a phase.
#[derive(Clone, Copy, Debug)]
struct Phase {
    kind: u8,
    /// The faults.
    fault: u8,
    /// Other choices.
    choice: u8,
    length: u8,
    span: u32,
}

fn phases() -> impl Strategy<Value = Phase> {
    (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), any::<u32>())
        .prop_map(|(kind, fault, choice, length, span)| Phase { kind, fault, choice, length, span })
}

// Features that a case may lack: bits of its swarm number.
const UNEXPECTED: u16 = 1;
const NORMAL: u16 = 1 << 1;
const FAULTS: u16 = 1 << 2;
const LONG: u16 = 1 << 3;
const FLAPS: u16 = 1 << 4;
const THRESHOLDS: u16 = 1 << 5;
const SUCCESSES: u16 = 1 << 6;
const LATENCY: u16 = 1 << 7;
const ASKED: u16 = 1 << 8;
const CLOCK: u16 = 1 << 9;
const WINDOWS: u16 = 1 << 10;
const PATCHES: u16 = 1 << 11;

struct Making {
    shape: Shape,
    /// The health that clears the state, or might.
    threshold: Duration,
    /// The maximum number of successes in a row.
    successes: u64,
    swarm: u16,
    next_draw: u64,
    script: Vec<Play>,
}

impl Making {
    fn has(&self, part: u16) -> bool {
        self.swarm & part == 0
    }

    fn phase(&mut self, phase: Phase) {
        let kind = phase.kind % 10;
        match kind {
            // Long enough for the ceiling of any doubling ladder, and for any wrapping shift.
            0 if self.has(LONG) => {
                let times = if phase.length < 64 { 70 } else { 8 + u64::from(phase.length % 8) };
                let entry = self.failing(phase);
                self.repeat(times, &[entry]);
            }
            1 | 2 if self.has(FLAPS) => {
                let success = self.succeeding(phase);
                let entry = self.failing(phase);
                let times = 1 + u64::from(phase.length % 4);
                let both = if phase.choice & 1 == 0 { vec![entry, success] } else { vec![success] };
                self.repeat(times, &both);
            }
            3 | 4 if self.has(SUCCESSES) => {
                let success = self.succeeding(phase);
                self.repeat(1 + u64::from(phase.length) % self.successes, &[success]);
            }
            // A server that requests no wait, for longer than the laws let anybody retry at once.
            9 if self.has(ASKED) && phase.span.is_multiple_of(5) => {
                let entry = self.failing(Phase { fault: 0, ..phase });
                self.repeat(24, &[entry]);
            }
            _ => {
                let entry = self.failing(phase);
                self.repeat(1 + u64::from(phase.length % 3), &[entry]);
            }
        }
    }

    /// Writes the entries this many times, with a draw of its own for each failure.
    fn repeat(&mut self, times: u64, entries: &[Entry]) {
        let mut addressed = Vec::with_capacity(entries.len());
        for entry in entries {
            let draw = can_fail(&entry.outcome).then_some(Draw::Address(self.next_draw));
            if draw.is_some() {
                self.next_draw += times;
            }
            addressed.push(Play::Attempt(Entry { draw, ..*entry }));
        }
        if times == 1 {
            self.script.append(&mut addressed);
        } else {
            self.script.push(Play::Repeat { times, play: addressed });
        }
    }

    fn failing(&self, phase: Phase) -> Entry {
        Entry { latency: self.latency(phase), ..Entry::new(failing(self.shape, self.swarm, phase)) }
    }

    fn succeeding(&self, phase: Phase) -> Entry {
        let outcome = match self.shape {
            Shape::Streaming => {
                let ends = [End::Close, End::Reset, End::Malformed, End::Tls, End::Timeout];
                let end = ends[usize::from(phase.choice >> 3) % ends.len()];
                let lasts = self.health(phase);
                if phase.choice % 16 == 5 {
                    Outcome::Idle { lasts, end }
                } else {
                    Outcome::Up { lasts: Some((lasts, end)), first: self.first(phase) }
                }
            }
            Shape::Polling if phase.choice % 8 == 5 => Outcome::Status { status: 304, retry_after: None },
            Shape::Polling | Shape::Call => Outcome::Ok,
        };
        Entry { latency: self.latency(phase), ..Entry::new(outcome) }
    }

    /// The time that a stream lasts: near the threshold, off by a nanosecond or a second, or any other.
    fn health(&self, phase: Phase) -> Duration {
        let off = [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(1)][phase.span as usize % 3];
        match phase.choice % 8 {
            0..3 if self.has(THRESHOLDS) => self.threshold.saturating_sub(off),
            3 if self.has(THRESHOLDS) => self.threshold.saturating_add(off),
            4 => Duration::ZERO,
            5 => self.threshold.saturating_mul(1 + phase.span % 50),
            _ => Duration::from_millis(u64::from(phase.span % 120_000)),
        }
    }

    /// Now and then a stream begins with a change instead of all data.
    fn first(&self, phase: Phase) -> FirstMessage {
        if self.has(PATCHES) && phase.span.is_multiple_of(7) { FirstMessage::Patch } else { FirstMessage::Put }
    }

    fn latency(&self, phase: Phase) -> Duration {
        if !self.has(LATENCY) || !phase.length.is_multiple_of(5) {
            return Duration::ZERO;
        }
        Duration::from_millis(u64::from(phase.span % 90_000))
    }
}

fn failing(shape: Shape, swarm: u16, phase: Phase) -> Outcome {
    let has = |part: u16| swarm & part == 0;
    let status = |status| Outcome::Status { status, retry_after: None };
    if phase.fault.is_multiple_of(5) && has(ASKED) {
        let asked = [0, 1, 60, 600, 86_400][phase.span as usize % 5];
        return Outcome::Status {
            status: [429, 503][usize::from(phase.choice & 1)],
            retry_after: Some(ServerWait::Delay(Duration::from_secs(asked))),
        };
    }
    if phase.fault % 5 == 1 && has(UNEXPECTED) {
        return status([401, 403, 404][usize::from(phase.choice) % 3]);
    }
    if phase.fault % 5 == 2 && has(FAULTS) {
        let faults = ConnectFault::ALL;
        return Outcome::Fault(faults[usize::from(phase.choice) % faults.len()].0);
    }
    if phase.fault % 5 == 3 && has(FAULTS) {
        return match shape {
            Shape::Streaming => {
                let lasts = Duration::from_secs(u64::from(phase.span % 90));
                Outcome::Idle { lasts, end: End::Close }
            }
            Shape::Polling | Shape::Call => Outcome::Malformed,
        };
    }
    if !has(NORMAL) && has(UNEXPECTED) {
        return status(401);
    }
    status([503, 500, 408][usize::from(phase.choice) % 3])
}

/// Rounds every duration up to a multiple of 1/512 s, like the waits of coarse draws, which makes every instant exact
/// in floating point.
pub(crate) fn coarsen(entry: &mut Entry) {
    /// Nanoseconds of 1/512 s.
    const GRAIN: u64 = 1_953_125;
    let coarse = |span: &mut Duration| {
        let grains = nanos(*span).div_ceil(GRAIN);
        *span = Duration::from_nanos(grains.saturating_mul(GRAIN));
    };
    coarse(&mut entry.latency);
    if let Outcome::Up { lasts: Some((lasts, _)), .. } | Outcome::Idle { lasts, .. } | Outcome::Hang(lasts) =
        &mut entry.outcome
    {
        // A time just under a full second stays under it, by one unit.
        let short = nanos(*lasts) % 1_000_000_000 == 999_999_999;
        coarse(lasts);
        if short {
            *lasts = lasts.saturating_sub(Duration::from_nanos(GRAIN));
        }
    }
}

/// Whether an attempt with this outcome can be recorded as a failure, and so uses a draw.
pub(crate) const fn can_fail(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Ok | Outcome::Up { lasts: None, .. })
}

/// The health that clears the state of such a client; a guess if that is not known.
fn threshold(claim: &Claim) -> Duration {
    match claim.reset() {
        Some(BuiltInReset::HealthyFor(rule)) => rule.window(),
        _ => Duration::from_secs(60),
    }
}

/// The maximum number of successes in a row for such a client: one more than clears its state, up to a bound.
fn successes(claim: &Claim) -> u64 {
    let count = match claim.reset() {
        Some(BuiltInReset::Successes(rule)) => rule.count().min(MOST_WAITS),
        _ => 0,
    };
    (u64::from(count) + 1).max(3)
}

type Clock = (u16, u8, u16);

fn spaced_clock(events: &[Clock]) -> Vec<ClockEvent> {
    let mut free = Duration::ZERO;
    let event = |&(gap, kind, length): &Clock| {
        let at = free + Duration::from_secs(u64::from(gap % 900));
        let length = Duration::from_secs(1 + u64::from(length % 4000));
        let suspends = kind % 2 == 0;
        free = if suspends { at + length } else { at };
        ClockEvent { at, change: if suspends { ClockChange::Suspend(length) } else { ClockChange::Step(length) } }
    };
    events.iter().map(event).collect()
}

type Outage = (u16, u16, Phase);

fn windows() -> impl Strategy<Value = Outage> {
    (any::<u16>(), any::<u16>(), phases())
}

/// Outages by the clock and not by the attempt, through which a client may wait: recovery comes in the middle of a
/// wait.
fn spaced_windows(shape: Shape, swarm: u16, outages: &[Outage]) -> Vec<Window> {
    const FIRST_DRAW: u64 = 1_000_000;
    let mut free = Duration::ZERO;
    let mut draw = FIRST_DRAW;
    let window = |&(gap, length, phase): &Outage| {
        let from = free + Duration::from_secs(u64::from(gap % 600));
        let until = from + Duration::from_secs(1 + u64::from(length % 3600));
        (free, draw) = (until, draw + FIRST_DRAW);
        let entry = Entry { draw: Some(Draw::Address(draw)), ..Entry::new(failing(shape, swarm, phase)) };
        let cut = (shape == Shape::Streaming && !matches!(entry.outcome, Outcome::Idle { .. })).then_some(End::Reset);
        Window { from, until, entry, cut }
    };
    outages.iter().map(window).collect()
}
