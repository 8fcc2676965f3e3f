//! The state of a run before each record, and the place that the claim has for the subject after it.

use core::ops::RangeInclusive;

use retrylab_core::{BuiltInReset, FailureKind, Fault, Least, Regime, ServerDelay, nanos};
use retrylab_sim::{Event, Record};
use retrylab_spec::Shape;

use crate::accounts::Accounts;
use crate::claim::{Claim, Drawing};
use crate::rungs;

/// A record, the state before it, and the claim.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The claim of the subject.
    pub claim: &'a Claim,
    /// The state before.
    pub past: &'a Past,
    /// The record.
    pub record: &'a Record,
    /// Whether it is an outcome at which the claimed reset rule is due: before a failure counts, after a success does.
    pub is_due: bool,
    /// The place of the subject after it, if the subject complies with its claim.
    pub place: Option<Place>,
}

/// A regime, and the failures counted in it.
pub type Place = (Regime, u32);

const START: Place = (Regime::Normal, 0);

/// The state of a run as far as laws need it: small plain data, updated in place, so that equal states can be recognised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Past {
    /// The place of the subject, if it complies with its claim; `None` once that cannot be known.
    pub(crate) place: Option<Place>,
    /// The place that the subject shows.
    pub(crate) shown: Option<Place>,
    /// The place and the base of the last failure, if nothing cleared the state since.
    pub(crate) last: Option<(Place, u64)>,
    /// The clock at the first success since the last failure, if the rule depends on it.
    since_ns: Option<u64>,
    /// The successes since the last failure, as far as the rule counts them.
    pub(crate) successes: u32,
    /// The clock at the first failure of the present call, or outage.
    pub(crate) first_failure_ns: Option<u64>,
    /// The wait of the ladder before this one, for jitter that depends on it.
    before: Before,
    /// The balances of the budgets.
    pub(crate) accounts: Accounts,
    /// No attempt has an outcome before the clock shows this.
    pub(crate) earliest_ns: u64,
    /// The failures in a row that were retried at once, up to [`TOO_MANY_AT_ONCE`].
    at_once: u32,
    /// The fault of the last failure, if it was no status, and its wait.
    pub(crate) last_failed: Option<(Option<Fault>, Option<u64>)>,
    /// Whether all data came since the last failure.
    pub(crate) has_data: bool,
    /// Whether there was a record before.
    pub(crate) began: bool,
}

/// This many failures in a row that are retried at once are a hot loop.
pub(crate) const TOO_MANY_AT_ONCE: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    Nothing,
    Wait(u64),
    Unknown,
}

/// What a moment adds to the past.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    is_due: bool,
    place: Option<Place>,
    last: Option<(Place, u64)>,
    before: Before,
    at_once: u32,
}

impl Past {
    /// The state before the first record.
    #[must_use]
    pub fn new(claim: &Claim) -> Self {
        Self {
            place: Some(START),
            shown: None,
            last: None,
            since_ns: None,
            successes: 0,
            first_failure_ns: None,
            before: Before::Nothing,
            accounts: Accounts::new(claim),
            earliest_ns: 0,
            at_once: 0,
            last_failed: None,
            has_data: false,
            began: false,
        }
    }

    /// The next record, with the place that the claim has for the subject after it.
    #[inline]
    #[must_use]
    pub fn meet<'a>(&'a self, claim: &'a Claim, record: &'a Record) -> Moment<'a> {
        let is_due = self.is_due(claim, record);
        let kept = if is_due { Some(START) } else { self.place };
        let place = match record.kind() {
            Some(kind) => kept.map(|kept| failed(claim, kept, kind)),
            None if record.is_success() && claim.reset().is_none() => None,
            None => kept,
        };
        Moment { claim, past: self, record, is_due, place }
    }

    /// Whether health is enough at this record to clear the state.
    fn is_due(&self, claim: &Claim, record: &Record) -> bool {
        let success = record.is_success();
        if !success && !record.is_failure() {
            return false;
        }
        match claim.reset() {
            None => false,
            Some(BuiltInReset::Successes(rule)) => self.successes.saturating_add(success.into()) >= rule.count(),
            Some(BuiltInReset::HealthyFor(rule)) => {
                let since = self.since_ns.or(success.then_some(record.clock_ns));
                since.is_some_and(|since| record.clock_ns.saturating_sub(since) >= nanos(rule.window()))
            }
        }
    }

    /// Makes the record of a moment, with its [addition](Moment::addition), part of the past.
    #[inline]
    pub fn add(&mut self, claim: &Claim, record: &Record, addition: Addition) {
        let Addition { is_due, place, last, before, at_once } = addition;
        self.accounts.settle(claim, record, self.credit(claim, record, is_due));
        self.began = true;
        if record.event.is_aside() {
            return;
        }
        (self.place, self.at_once) = (place, at_once);
        // The message of a stream has the state of its connection.
        if record.is_plain() {
            self.shown = record.regime.zip(record.rung());
        }
        if is_due {
            self.clear();
        }
        let earliest_ns = record.clock_ns.saturating_add(record.wait_ns().unwrap_or(0));
        if record.is_success() {
            let (is_timed, enough) = match claim.reset() {
                Some(BuiltInReset::HealthyFor(_)) => (true, 1),
                Some(BuiltInReset::Successes(rule)) => (false, rule.count().max(1)),
                None => (false, 1),
            };
            self.has_data |= matches!(record.event, Event::Message | Event::Ok);
            self.since_ns = self.since_ns.or(is_timed.then_some(record.clock_ns));
            // Counted only as far as the rule does, so that long health is one state.
            self.successes = self.successes.saturating_add(1).min(enough);
            self.earliest_ns = if claim.shape() == Shape::Streaming { record.clock_ns } else { earliest_ns };
        } else if let Some(cause) = record.cause() {
            self.last_failed = Some((cause.fault(), record.wait_ns()));
            // After a failure all data has to come anew.
            (self.has_data, self.since_ns, self.successes) = (false, None, 0);
            self.first_failure_ns = self.first_failure_ns.or(Some(record.clock_ns));
            (self.earliest_ns, self.before, self.last) = (earliest_ns, before, last);
            if record.wait_ns().is_none() {
                // The next entry is another call.
                self.place = Some(START);
                self.clear();
            }
        }
    }

    const fn clear(&mut self) {
        (self.last, self.before, self.first_failure_ns) = (None, Before::Nothing, None);
    }

    /// Whether nothing that a client has to remember is an instant: no health is under way, and no call or outage whose
    /// length is limited.
    #[must_use]
    pub const fn is_timeless(&self, claim: &Claim) -> bool {
        self.since_ns.is_none() && (claim.is_endless() || self.first_failure_ns.is_none())
    }

    /// The same as if the clock had started just now and nothing was logged.
    #[must_use]
    pub const fn timeless(mut self) -> Self {
        self.earliest_ns = 0;
        self.first_failure_ns = None;
        self.last_failed = None;
        self.has_data = false;
        self
    }
}

impl Moment<'_> {
    /// What it adds to the past.
    #[inline]
    #[must_use]
    pub fn addition(&self) -> Addition {
        let Self { is_due, place, record, .. } = *self;
        let mut addition = Addition { is_due, place, last: None, before: Before::Nothing, at_once: self.at_once() };
        if record.is_failure() {
            addition.last = self.place_and_base();
            if self.claim.is_decorrelated() {
                addition.before = self.ladder_wait();
            }
        }
        addition
    }

    /// The base on which the failure stands, in nanoseconds: as the subject shows it, or as the claim has it.
    pub(crate) fn base(&self) -> Option<u64> {
        self.record.base_ns().or_else(|| self.claimed_base())
    }

    /// The base that the claim has for the place of the subject.
    pub(crate) fn claimed_base(&self) -> Option<u64> {
        let (regime, rung) = self.place?;
        Some(self.claim.bases(regime)?.base(rung))
    }

    /// The waits that the claim allows for this base, before the cadence and the server's wait.
    pub(crate) fn spread(&self, base: u64, draw: Option<u64>) -> Option<RangeInclusive<u64>> {
        let regime = self.record.regime.or(self.place.map(|(regime, _)| regime)).unwrap_or(Regime::Normal);
        let bases = self.claim.bases(regime)?;
        // A reset that is due comes before the failure counts.
        let before = match if self.is_due { Before::Nothing } else { self.past.before } {
            Before::Nothing => None,
            Before::Wait(ns) => Some(ns),
            Before::Unknown => return None,
        };
        rungs::spread(self.claim, base, bases, before, draw)
    }

    /// The wait that the ladder gave, whatever the server asked for.
    fn ladder_wait(&self) -> Before {
        let spread = self.base().and_then(|base| self.spread(base, self.record.draw()));
        match (spread, self.record.retry_after_ns(), self.record.wait_ns()) {
            (Some(waits), _, _) if waits.start() == waits.end() => Before::Wait(*waits.start()),
            (_, None, Some(wait)) => Before::Wait(wait),
            _ => Before::Unknown,
        }
    }

    /// Whether the server requested a wait: two laws are about these failures alone, and the others about the rest, so that a
    /// policy which is wrong about `retry_after` violates one.
    pub(crate) fn is_asked(&self) -> bool {
        let ignores = self.claim.retry_after() == Some(ServerDelay::Ignore);
        // What a policy that draws for itself does with one shows in the bands of its waits alone.
        self.record.retry_after_ns().is_some() && !(ignores && self.claim.drawing() == Drawing::Own)
    }

    /// The failures in a row, up to this record, that were retried at once. A success ends the row, and so does a wait, and a
    /// call that is given up.
    pub(crate) fn at_once(&self) -> u32 {
        let record = self.record;
        let before = self.past.at_once;
        if record.is_success() {
            return 0;
        }
        match record.wait_ns() {
            _ if !record.is_failure() => before,
            Some(0) if !self.may_follow_at_once() && !self.is_drawn_extreme() => {
                before.saturating_add(1).min(TOO_MANY_AT_ONCE)
            }
            Some(0) => before,
            _ => 0,
        }
    }

    /// Whether the claim lets a server request the next attempt at once.
    fn may_follow_at_once(&self) -> bool {
        let lets = matches!(self.claim.retry_after(), Some(ServerDelay::Honour { least: Least::Zero, .. }));
        lets && self.record.retry_after_ns().is_some()
    }

    /// Whether the draw is so near to an end that jitter may leave nothing of the wait.
    fn is_drawn_extreme(&self) -> bool {
        const EIGHTH: u64 = 1 << 61;
        let given = self.claim.drawing() == Drawing::Given;
        given && self.record.draw().is_some_and(|draw| !(EIGHTH..=u64::MAX - EIGHTH).contains(&draw))
    }

    /// The place and the base of the ladder that a failure shows.
    pub(crate) fn place_and_base(&self) -> Option<(Place, u64)> {
        let record = self.record;
        (!self.is_asked()).then_some(((record.regime?, record.rung()?), record.base_ns()?))
    }

    /// The failures of the present call before this record.
    pub(crate) fn failures_before(&self) -> Option<u32> {
        if self.is_due && self.record.is_failure() {
            return Some(0);
        }
        self.past.place.map(|(_, rung)| rung)
    }
}

/// The place of a failure after `kept`, which a reset has left.
fn failed(claim: &Claim, (regime, rung): Place, kind: FailureKind) -> Place {
    if kind == FailureKind::Unexpected && regime == Regime::Normal && claim.extended().is_some() {
        (Regime::Extended, 1)
    } else {
        (regime, rung.saturating_add(1))
    }
}
