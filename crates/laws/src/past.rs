//! What a run has shown so far, and what its claim says of what comes next.

use core::ops::RangeInclusive;
use core::time::Duration;

use retrylab_core::{BuiltInReset, FailureKind, Fault, Regime, ServerDelay, nanos};
use retrylab_scenario::Shape;
use retrylab_sim::{Event, Record};

use crate::accounts::Accounts;
use crate::claim::{Claim, Drawing};
use crate::rungs;

/// A record, what came before it, and what the claim says of it.
#[derive(Debug)]
pub struct Moment<'a> {
    /// What the subject claims.
    pub claim: &'a Claim,
    /// What came before.
    pub past: &'a Past,
    /// What happened.
    pub record: &'a Record,
    /// Whether it is an outcome at which the claimed reset rule is due: before a failure counts, after a success does.
    pub is_due: bool,
    /// Where the subject stands now if it is what it claims to be.
    pub place: Option<Place>,
}

/// A regime, and the failures counted in it.
pub type Place = (Regime, u32);

/// What a run has shown so far, as far as laws need it: plain data, so that two runs that have come to the same can be told
/// to be the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Past {
    /// Where the subject stands if it is what it claims to be; `None` once that cannot be known.
    pub(crate) place: Option<Place>,
    /// Where it says that it stands.
    pub(crate) shown: Option<Place>,
    /// What the last failure showed, if nothing cleared the state since.
    pub(crate) last: Option<Shown>,
    /// The clock at the first success since the last failure, if the rule asks, and how many there were, as far as it asks.
    since_ns: Option<u64>,
    pub(crate) successes: u32,
    /// The clock at the first failure of the present call, or outage.
    pub(crate) first_failure_ns: Option<u64>,
    /// The wait of the ladder before this one, for jitter that depends on it.
    before: Before,
    /// What is left of the budgets.
    pub(crate) accounts: Accounts,
    /// No attempt has an outcome before the clock shows this.
    pub(crate) earliest_ns: u64,
    /// How many failures in a row were retried at once, as far as anybody asks.
    at_once: u32,
    /// What the last failure failed of, if it was no status, and its wait.
    pub(crate) last_failed: Option<(Option<Fault>, Option<u64>)>,
    /// Whether all data came since the last failure.
    pub(crate) has_data: bool,
    /// Whether there was a record before.
    pub(crate) began: bool,
}

/// So many failures in a row that are retried at once are a hot loop.
pub(crate) const TOO_MANY_AT_ONCE: u32 = 16;

/// What a failure showed of the ladder it stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shown {
    pub(crate) place: Place,
    pub(crate) base_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Before {
    Nothing,
    Wait(u64),
    Unknown,
}

impl Past {
    /// Before anything happened.
    #[must_use]
    pub fn new(claim: &Claim) -> Self {
        Self {
            place: Some((Regime::Normal, 0)),
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

    /// The next record as the claim has it.
    #[must_use]
    pub fn meet<'a>(&'a self, claim: &'a Claim, record: &'a Record) -> Moment<'a> {
        let is_due = self.is_due(claim, record);
        let kept = if is_due { Some((Regime::Normal, 0)) } else { self.place };
        let place = match record.kind() {
            Some(kind) => kept.map(|kept| failed(claim, kept, kind)),
            None if record.is_success() && claim.reset.is_none() => None,
            None => kept,
        };
        Moment { claim, past: self, record, is_due, place }
    }

    /// Whether health is enough at this record to clear the state.
    fn is_due(&self, claim: &Claim, record: &Record) -> bool {
        let Some(reset) = claim.reset else { return false };
        let success = record.is_success();
        if !success && !record.is_failure() {
            return false;
        }
        match reset {
            BuiltInReset::Successes(rule) => self.successes.saturating_add(u32::from(success)) >= rule.count(),
            BuiltInReset::HealthyFor(rule) => {
                let since = self.since_ns.or(success.then_some(record.clock_ns));
                since.is_some_and(|since| record.clock_ns.saturating_sub(since) >= nanos(rule.window()))
            }
        }
    }

    /// The past once this record is part of it.
    #[must_use]
    pub fn after(moment: &Moment<'_>) -> Self {
        let Moment { claim, past, record, is_due, place } = *moment;
        let mut after = past.clone();
        after.began = true;
        // After a failure all data has to come anew.
        after.has_data = !record.is_failure() && (past.has_data || matches!(record.event, Event::Message | Event::Ok));
        if let Some(cause) = record.cause() {
            after.last_failed = Some((cause.fault(), record.wait_ns));
        }
        after.accounts.settle(moment);
        after.at_once = moment.at_once();
        after.place = place;
        // A line that is logged before its outcome is recorded shows the state after it.
        if !record.event.is_aside() {
            after.shown = record.regime.zip(record.rung);
        }
        if is_due {
            (after.last, after.before, after.first_failure_ns) = (None, Before::Nothing, None);
        }
        if record.is_success() {
            let (timed, enough) = match claim.reset {
                Some(BuiltInReset::HealthyFor(_)) => (true, 1),
                Some(BuiltInReset::Successes(rule)) => (false, rule.count().max(1)),
                None => (false, 1),
            };
            after.since_ns = past.since_ns.or(timed.then_some(record.clock_ns));
            // Counted only as far as the rule does, so that long health is one state.
            after.successes = past.successes.saturating_add(1).min(enough);
            after.earliest_ns = record.clock_ns;
            if claim.shape != Shape::Streaming {
                after.earliest_ns = record.clock_ns.saturating_add(record.wait_ns.unwrap_or(0));
            }
        } else if record.is_failure() {
            (after.since_ns, after.successes) = (None, 0);
            after.first_failure_ns = after.first_failure_ns.or(Some(record.clock_ns));
            after.earliest_ns = record.clock_ns.saturating_add(record.wait_ns.unwrap_or(0));
            after.before = moment.ladder_wait();
            after.last = moment.shown();
            if record.wait_ns.is_none() {
                // The next entry is another call.
                after.place = Some((Regime::Normal, 0));
                (after.last, after.before, after.first_failure_ns) = (None, Before::Nothing, None);
            }
        }
        after
    }

    /// Whether nothing that a client has to remember is an instant: no health is under way, and no call or outage whose
    /// length is limited.
    pub(crate) fn is_timeless(&self, claim: &Claim) -> bool {
        self.since_ns.is_none() && (claim.endless || self.first_failure_ns.is_none())
    }

    /// The same as if the clock had started just now and nothing was logged.
    pub(crate) const fn timeless(mut self) -> Self {
        self.earliest_ns = 0;
        self.first_failure_ns = None;
        self.last_failed = None;
        self.has_data = false;
        self
    }
}

impl Moment<'_> {
    /// The base on which the failure stands: as the subject shows it, or as the claim has it.
    pub(crate) fn base(&self) -> Option<Duration> {
        self.record.base_ns.map(Duration::from_nanos).or_else(|| self.claimed_base())
    }

    /// The base that the claim has for the place that the subject should be in.
    pub(crate) fn claimed_base(&self) -> Option<Duration> {
        let (regime, rung) = self.place?;
        Some(rungs::base(rungs::of_regime(self.claim, regime)?, rung))
    }

    /// The waits that the claim allows for this base before cadence and server have their say.
    pub(crate) fn spread(&self, base: Duration, draw: Option<u64>) -> Option<RangeInclusive<Duration>> {
        let regime = self.record.regime.or(self.place.map(|(regime, _)| regime)).unwrap_or(Regime::Normal);
        let ladder = rungs::of_regime(self.claim, regime)?;
        // A reset that is due comes before the failure counts.
        let before = match if self.is_due { Before::Nothing } else { self.past.before } {
            Before::Nothing => None,
            Before::Wait(ns) => Some(Duration::from_nanos(ns)),
            Before::Unknown => return None,
        };
        rungs::spread(self.claim, base, rungs::base(ladder, 1), before, rungs::ceiling(ladder), draw)
    }

    /// The wait that the ladder gave, whatever the server asked for.
    fn ladder_wait(&self) -> Before {
        let spread = self.base().and_then(|base| self.spread(base, self.record.draw));
        match (spread, self.record.asked_ns, self.record.wait_ns) {
            (Some(waits), _, _) if waits.start() == waits.end() => Before::Wait(nanos(*waits.start())),
            (_, None, Some(wait)) => Before::Wait(wait),
            _ => Before::Unknown,
        }
    }

    /// Whether the wait is what the server asked for, and not the ladder's.
    pub(crate) fn is_asked(&self) -> bool {
        let listens = match &self.claim.limits {
            Some(limits) => limits.retry_after != Some(ServerDelay::Ignore),
            None => !self.claim.endless,
        };
        self.record.asked_ns.is_some() && listens
    }

    /// How many failures in a row, up to this record, were retried at once. A success ends the row, and so does a wait, and a
    /// call that is given up.
    pub(crate) fn at_once(&self) -> u32 {
        let record = self.record;
        let before = self.past.at_once;
        if record.is_success() {
            return 0;
        }
        match record.wait_ns {
            _ if !record.is_failure() => before,
            Some(0) if record.asked_ns.is_none() && !self.is_drawn_extreme() => {
                before.saturating_add(1).min(TOO_MANY_AT_ONCE)
            }
            Some(0) => before,
            _ => 0,
        }
    }

    /// Whether the wait was made of a draw that jitter may make nothing of, at whichever end.
    fn is_drawn_extreme(&self) -> bool {
        const EIGHTH: u64 = 1 << 61;
        let given = self.claim.drawing == Drawing::Given;
        given && self.record.draw.is_some_and(|draw| !(EIGHTH..=u64::MAX - EIGHTH).contains(&draw))
    }

    fn shown(&self) -> Option<Shown> {
        let record = self.record;
        if self.is_asked() {
            return None;
        }
        Some(Shown { place: (record.regime?, record.rung?), base_ns: record.base_ns? })
    }

    /// How many failures the present call had before this record.
    pub(crate) fn failures_before(&self) -> Option<u32> {
        if self.is_due && self.record.is_failure() {
            return Some(0);
        }
        self.past.place.map(|(_, rung)| rung)
    }
}

/// Where a failure leads from `kept`, which is what a reset has left.
fn failed(claim: &Claim, (regime, rung): Place, kind: FailureKind) -> Place {
    if kind == FailureKind::Unexpected && regime == Regime::Normal && claim.extended.is_some() {
        (Regime::Extended, 1)
    } else {
        (regime, rung.saturating_add(1))
    }
}
