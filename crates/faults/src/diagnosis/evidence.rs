//! The cases of the subject, and its responses in them.

use core::time::Duration;

use retrylab_core::{BuiltInReset, Failure, FailureKind, Instant, nanos};
use retrylab_laws::{Claim, Drawing, History, Subject, SubjectError};
use retrylab_search::Search;
use retrylab_sim::Record;
use retrylab_sim::{Given, Input, Response};
use retrylab_spec::{JitterChoice, Timeline};

use super::candidate::Candidate;

/// A policy's responses in a number of cases.
pub(super) struct Evidence {
    cases: Vec<Case>,
    claim: Claim,
}

/// The subject, and its draws.
struct Asked<'a> {
    subject: &'a dyn Subject,
    /// Whether each draw is 0, since the client is played without jitter.
    plain: bool,
}

impl Asked<'_> {
    /// The result of the subject. After an error the subject is restarted for the next case.
    fn sound<T>(&self, made: Result<T, SubjectError>) -> Option<T> {
        made.map_err(|_| self.subject.restart()).ok()
    }
}

/// The part of a response that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Waits and ends, and the rung that the policy explains, if it explains one.
    Explained,
    /// Waits and ends.
    Waits,
}

struct Case {
    /// The inputs, each followed by a reading, and the responses; `None` if the subject takes no inputs.
    told: Option<(Vec<Input>, Vec<Response>)>,
    /// The timeline and its run, if the case has a timeline.
    run: Option<(Timeline, Vec<Record>)>,
}

impl Evidence {
    pub(super) fn gather<'a>(
        search: &Search,
        subject: &dyn Subject,
        found: impl IntoIterator<Item = &'a Timeline>,
        cases: u64,
    ) -> Self {
        let claim = search.claim().clone();
        let made_up = (0..cases).filter_map(|number| search.case(number)).map(|case| case.timeline);
        let timelines = found.into_iter().cloned().chain(made_up);
        let asked = Asked { subject, plain: search.client().jitter == JitterChoice::None };
        let mut gathered: Vec<Case> = timelines.filter_map(|timeline| Case::of(&asked, timeline)).collect();
        gathered.extend(long(&claim).into_iter().filter_map(|history| Case::told(&asked, &history)));
        Self { cases: gathered, claim }
    }

    /// Whether the policy draws for itself: then only the bands of its waits are compared.
    pub(super) fn is_by_bands(&self) -> bool {
        self.claim.drawing() == Drawing::Own
    }

    /// The number of cases.
    pub(super) fn cases(&self) -> u64 {
        self.cases.len() as u64
    }

    /// Whether a candidate has the policy's responses in every case with inputs.
    pub(super) fn is_told_as(&self, candidate: &Candidate, look: Look) -> bool {
        // A band that holds a wait says nothing about how it is drawn.
        if self.is_by_bands() {
            return false;
        }
        let mut spread = Spread::default();
        let told = |case: &Case| case.is_told_as(candidate, &self.claim, look, &mut spread);
        self.cases.iter().any(|case| case.told.is_some()) && self.cases.iter().all(told)
    }

    /// The number of cases in which a candidate has the policy's responses; 0 if more than `most_wrong` differ.
    pub(super) fn same(&self, candidate: &Candidate, look: Look, most_wrong: u64) -> u64 {
        let (mut same, mut wrong) = (0, 0);
        let mut spread = Spread::default();
        for case in &self.cases {
            if case.is_answered_by(candidate, &self.claim, look, &mut spread) {
                same += 1;
            } else {
                wrong += 1;
                if wrong > most_wrong {
                    return 0;
                }
            }
        }
        if self.is_by_bands() && !spread.is_full() { 0 } else { same }
    }
}

impl Case {
    fn of(asked: &Asked<'_>, timeline: Timeline) -> Option<Self> {
        let records = asked.sound(asked.subject.play(&timeline, timeline.seed.unwrap_or(0)))?;
        let mut history = History::default();
        records.iter().for_each(|record| history.observe(record));
        let told = if asked.subject.can_respond() { Self::told(asked, history.inputs())?.told } else { None };
        history.inputs().iter().any(Input::is_failure).then_some(Self { told, run: Some((timeline, records)) })
    }

    fn told(asked: &Asked<'_>, history: &[Input]) -> Option<Self> {
        let read = |told: &Input| {
            let told = if asked.plain { told.with_draw(0) } else { *told };
            [told, Input { given: Given::Read, ..told }]
        };
        let history: Vec<Input> = history.iter().flat_map(read).collect();
        let answers = asked.sound(asked.subject.respond(&history)?).filter(|answers| answers.len() == history.len())?;
        Some(Self { told: Some((history, answers)), run: None })
    }

    fn is_told_as(&self, candidate: &Candidate, claim: &Claim, look: Look, spread: &mut Spread) -> bool {
        self.told.as_ref().is_none_or(|(history, answers)| match claim.drawing() {
            Drawing::Own => in_bands(candidate, history, answers, spread),
            Drawing::Given => exactly(candidate, history, answers, claim, look),
        })
    }

    fn is_answered_by(&self, candidate: &Candidate, claim: &Claim, look: Look, spread: &mut Spread) -> bool {
        // A generator of its own makes another run each time.
        let is_played = || match (&self.run, claim.drawing()) {
            (Some((timeline, records)), Drawing::Given) => {
                candidate.play(timeline).is_some_and(|theirs| is_same_run(records, &theirs, claim))
            }
            _ => true,
        };
        self.is_told_as(candidate, claim, look, spread) && is_played()
    }
}

fn exactly(candidate: &Candidate, history: &[Input], answers: &[Response], claim: &Claim, look: Look) -> bool {
    let tolerance = claim.tolerance_ns();
    let near = |ours: Duration, theirs: Duration| nanos(ours).abs_diff(nanos(theirs)) <= tolerance;
    let ended = |answer: &Response| match (answer.gave_up(), claim.says_why()) {
        (None, _) => None,
        (Some(_), false) => Some(None),
        (why, true) => Some(why),
    };
    let is_same = |(ours, theirs): (&Response, &Response)| {
        let waits = match (ours.wait(), theirs.wait()) {
            (Some(ours), Some(theirs)) => near(ours, theirs),
            (ours, theirs) => ours.is_none() == theirs.is_none(),
        };
        let stands = match (look, ours.rung, theirs.rung) {
            (Look::Explained, Some(ours), Some(theirs)) => {
                (ours.regime, ours.number) == (theirs.regime, theirs.number) && near(ours.base, theirs.base)
            }
            _ => true,
        };
        waits && near(ours.delay, theirs.delay) && ended(ours) == ended(theirs) && stands
    };
    candidate.respond(history).is_some_and(|theirs| answers.iter().zip(&theirs).all(is_same))
}

/// Whether each wait is between those of the smallest and of the largest draw.
fn in_bands(candidate: &Candidate, history: &[Input], answers: &[Response], spread: &mut Spread) -> bool {
    let of_draw = |draw| {
        let history: Vec<Input> = history.iter().map(|told| told.with_draw(draw)).collect();
        candidate.respond(&history)
    };
    let (Some(smallest), Some(largest)) = (of_draw(0), of_draw(u64::MAX)) else { return false };
    answers.iter().zip(smallest.iter().zip(&largest)).all(|(ours, (one, other))| {
        match (ours.wait(), one.wait(), other.wait()) {
            (Some(wait), Some(one), Some(other)) => {
                let (low, high) = (one.min(other), one.max(other));
                // A nanosecond for what is rounded.
                let is_between = nanos(wait) + 1 >= nanos(low) && nanos(wait) <= nanos(high) + 1;
                spread.add(nanos(wait), nanos(low), nanos(high));
                is_between
            }
            (ours, one, _) => ours.is_none() == one.is_none(),
        }
    })
}

/// Where in their bands waits lie: a policy that draws for itself shows its jitter by all of it.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    /// In hundredths of the band.
    lowest: Option<u128>,
    highest: Option<u128>,
    waits: u64,
}

impl Spread {
    fn add(&mut self, wait: u64, low: u64, high: u64) {
        if high <= low {
            return;
        }
        let place = u128::from(wait.saturating_sub(low)) * 100 / u128::from(high - low);
        self.lowest = Some(self.lowest.map_or(place, |lowest| lowest.min(place)));
        self.highest = Some(self.highest.map_or(place, |highest| highest.max(place)));
        self.waits += 1;
    }

    fn is_full(&self) -> bool {
        const ENOUGH: u64 = 40;
        const EDGE: u128 = 15;
        self.waits < ENOUGH
            || (self.lowest.is_some_and(|lowest| lowest <= EDGE)
                && self.highest.is_some_and(|highest| highest >= 100 - EDGE))
    }
}

/// Whether two runs are the same to somebody who watches: times, events and waits.
fn is_same_run(ours: &[Record], theirs: &[Record], claim: &Claim) -> bool {
    let with_asides = claim.logs() && ours.iter().any(|record| record.event.is_aside());
    let seen = |record: &&Record| with_asides || !record.event.is_aside();
    let tolerance = claim.tolerance_ns();
    let mut pairs = (ours.iter().filter(seen), theirs.iter().filter(seen));
    loop {
        match (pairs.0.next(), pairs.1.next()) {
            (None, None) => return true,
            (Some(ours), Some(theirs)) => {
                // Given a wait may be off, the times after it may be, too.
                let exact = tolerance > 0
                    || (ours.time_ns, ours.event, ours.wait_ns()) == (theirs.time_ns, theirs.event, theirs.wait_ns());
                if !exact {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// Histories that made-up timelines have not: outages in which counts that are too small for their type show, health that
/// begins when the clock reads zero, and a stream that has more than one message.
fn long(claim: &Claim) -> Vec<Vec<Input>> {
    let at = |nanos: u64, what| Input { at: Instant::from_nanos(nanos), given: what };
    let failure = |kind: FailureKind, draw| Given::Failure { failure: Failure::from(kind), draw };
    let outage = |kind| {
        let draw = |nth: u64| if nth.is_multiple_of(2) { 0 } else { u64::MAX };
        (0..LONG).map(|nth| at(nth * HOURS, failure(kind, draw(nth)))).collect::<Vec<_>>()
    };
    let mut histories = vec![outage(FailureKind::Normal)];
    if claim.extended().is_some() {
        histories.push(outage(FailureKind::Unexpected));
    }
    if let Some(BuiltInReset::HealthyFor(rule)) = claim.reset() {
        let window = nanos(rule.window());
        let normal = |nanos| at(nanos, failure(FailureKind::Normal, 0));
        let well = |nanos| [at(nanos, Given::Connected), at(nanos, Given::Success)];
        histories.push([vec![normal(0), normal(0)], well(0).to_vec(), vec![normal(window)]].concat());
        let chatty = [vec![normal(0), normal(0)], well(1).to_vec()];
        let chatty = [chatty.concat(), vec![at(1 + window / 2, Given::Success), normal(1 + window)]].concat();
        histories.push(chatty);
    }
    histories
}

/// More failures than a byte counts.
const LONG: u64 = 300;

/// Two hours in nanoseconds: longer than any wait of the two regimes.
const HOURS: u64 = 7_200_000_000_000;
