//! Every short timeline there is, over a small alphabet.
//!
//! A search by chance says nothing about what it did not draw. This walks all scripts of up to so many entries, level by
//! level. A policy's state is plain data, so two scripts that lead to the same state, and to the same past as far as laws
//! look at it, go on alike: such a state is walked on from once. A state that remembers no instant is the same whenever it
//! is reached; that is asked of the policy itself, by letting the same happen to it ten years later. A policy may
//! remember an instant for longer than that shows. Where that makes a breach that is none on a clock that goes on, the
//! walk begins again with every state at its own time; where it hides one, it is out of reach.

use core::ops::ControlFlow;
use core::time::Duration;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use retrylab_core::{BuiltInReset, Decision, Failure, FailureKind, Fault, Instant, Jitter, Policy, nanos};
use retrylab_scenario::{ConnectFault, End, Entry, FirstMessage, Outcome, ServerWait, Shape};
use retrylab_sim::{Cause, Event, Record};

use crate::claim::Claim;
use crate::law::{Finding, Law};
use crate::past::Past;

/// What came of a walk.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// All scripts of this many entries were walked.
    pub depth: u64,
    /// How much of the next level was walked, if it was begun and is not over.
    pub begun: Option<Begun>,
    /// How many different entries there are.
    pub alphabet: usize,
    /// How many entries were played, each held against every law of a single run.
    pub steps: u64,
    /// How many distinct states there are, before any entry included.
    pub states: u64,
    /// Whether states that remember no instant were taken for the same whenever they were reached.
    pub folded: bool,
    /// The laws that were put to the test at all.
    pub tested: Vec<&'static Law>,
    /// For each law that is broken, the first script that breaks it; no shorter one does.
    pub broken: Vec<Broken>,
}

/// How much of a level was walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// How many entries of the level were played.
    pub entries: u64,
    /// Of so many.
    pub of: u64,
}

/// The shortest script that breaks a law.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The law.
    pub law: &'static Law,
    /// The entries, each with a draw that is 0, or the largest there is where the entry says so.
    pub script: Vec<Letter>,
    /// What the law asks for.
    pub expected: String,
    /// What is so instead.
    pub got: String,
}

/// One entry of the alphabet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Letter {
    /// What an attempt meets.
    pub entry: Entry,
    /// The draw of its failure.
    pub draw: u64,
}

/// The alphabet for a client that claims this: a normal and an unexpected failure, with the smallest and with the largest
/// draw, unless it claims no jitter, and successes: of a stream none, just too little and just enough health.
#[must_use]
pub fn alphabet(claim: &Claim) -> Vec<Letter> {
    let letter = |outcome, draw| Letter { entry: Entry::new(outcome), draw };
    let status = |status| Outcome::Status { status, retry_after: None };
    let window = match claim.reset {
        Some(BuiltInReset::HealthyFor(rule)) => rule.window(),
        _ => Duration::from_secs(60),
    };
    let up = |lasts| Outcome::Up { lasts: Some((lasts, End::Close)), first: FirstMessage::Put };
    let mut letters = vec![letter(status(503), 0), letter(status(503), LARGEST), letter(status(401), 0)];
    match claim.shape {
        Shape::Streaming => {
            let short = window.saturating_sub(Duration::from_nanos(1));
            letters.extend([Duration::ZERO, short, window].map(|lasts| letter(up(lasts), 0)));
        }
        Shape::Polling => letters.extend([letter(Outcome::Ok, 0), letter(Outcome::Malformed, LARGEST)]),
        Shape::Call => {
            let asked = Outcome::Status { status: 429, retry_after: Some(ServerWait::Delay(Duration::from_secs(60))) };
            let timeout = Outcome::Fault(ConnectFault::Timeout);
            letters.extend([letter(Outcome::Ok, 0), letter(asked, 0), letter(timeout, LARGEST)]);
        }
    }
    if claim.jitter == Some(Jitter::None) {
        // Every draw is 0, so one entry is left of two that differ in it.
        letters.iter_mut().for_each(|letter| letter.draw = 0);
        letters.dedup();
    }
    letters
}

/// Walks all scripts of up to `depth` entries, on so many threads, from a policy that has had no outcome. `progress` is told
/// how far the walk is after each level and now and then within one, and may break it off.
pub fn exhaust<P: Policy + Clone + PartialEq + Send + Sync>(
    start: &P,
    claim: &Claim,
    laws: &[&'static Law],
    depth: u64,
    threads: usize,
    mut progress: impl FnMut(&Walked) -> ControlFlow<()>,
) -> Walked {
    let mut walk = |folds| levels(start, claim, laws, depth, threads, folds, &mut progress);
    walk(true).or_else(|| walk(false)).unwrap_or_default()
}

/// The walk; `None` if a state was taken for one that it is not.
fn levels<P: Policy + Clone + PartialEq + Send + Sync>(
    start: &P,
    claim: &Claim,
    laws: &[&'static Law],
    depth: u64,
    threads: usize,
    folds: bool,
    progress: &mut impl FnMut(&Walked) -> ControlFlow<()>,
) -> Option<Walked> {
    // When attempts are made is up to the walk itself.
    let judged = |law: &&Law| law.applies(claim) && !law.compares() && law.name != "no-attempt-before-its-time";
    let laws: Vec<&'static Law> = laws.iter().copied().filter(|law| judged(law)).collect();
    let letters = alphabet(claim);
    let mut known = Known { states: Vec::new(), by_look: BTreeMap::new() };
    known.insert(State { policy: start.clone(), past: Past::new(claim), now: Instant::ZERO, from: None });
    let mut walked = Walked { alphabet: letters.len(), states: 1, folded: folds, ..Walked::default() };
    let mut level = 0..1;
    'levels: while walked.depth < depth {
        let begin = known.states.len();
        let of = level.len() as u64 * letters.len() as u64;
        let mut walking = level.clone();
        while !walking.is_empty() {
            let block: Vec<usize> = walking.by_ref().take(BLOCK).collect();
            for Stepped { state, tested, broken } in walk(&known.states, &block, &letters, claim, &laws, threads, folds)
            {
                walked.steps += 1;
                for law in tested {
                    if walked.tested.iter().all(|other| other.name != law.name) {
                        walked.tested.push(law);
                    }
                }
                for (law, expected, got) in broken {
                    if walked.broken.iter().all(|other| other.law.name != law.name) {
                        let script = known.script(&state, &letters);
                        // Without folding the walk's clock is the one that goes on.
                        if folds && !replays(start, &script, claim, law) {
                            return None;
                        }
                        walked.broken.push(Broken { law, script, expected, got });
                    }
                }
                known.insert(state);
            }
            walked.states = known.states.len() as u64;
            if !walking.is_empty() {
                let entries = of - walking.len() as u64 * letters.len() as u64;
                walked.begun = Some(Begun { entries, of });
                if progress(&walked).is_break() {
                    break 'levels;
                }
            }
        }
        walked.depth += 1;
        walked.begun = None;
        level = begin..known.states.len();
        if progress(&walked).is_break() || level.is_empty() {
            break;
        }
    }
    // With no new state, every longer script leads to a state that was walked from.
    if level.is_empty() && walked.begun.is_none() {
        walked.depth = depth;
    }
    Some(walked)
}

/// Plays every letter from each of these states, on so many threads. What comes of it is in their order.
fn walk<P: Policy + Clone + PartialEq + Send + Sync>(
    states: &[State<P>],
    block: &[usize],
    letters: &[Letter],
    claim: &Claim,
    laws: &[&'static Law],
    threads: usize,
    folds: bool,
) -> Vec<Stepped<P>> {
    let share = block.len().div_ceil(threads.max(1)).max(1);
    let walk = |part: &[usize]| -> Vec<Stepped<P>> {
        let each = |&from: &usize| letters.iter().enumerate().map(move |(nth, letter)| (from, nth, letter));
        let step = |(from, nth, letter): (usize, usize, &Letter)| step(states, from, nth, letter, claim, laws, folds);
        part.iter().flat_map(each).map(step).collect()
    };
    let walk = &walk;
    std::thread::scope(|scope| {
        let workers: Vec<_> = block.chunks(share).map(|part| scope.spawn(move || walk(part))).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// States that are walked on from between two looks at whether to go on: about a hundredth of a second of work.
const BLOCK: usize = 1024;

/// The largest draw that there is: draws have 53 bits.
const LARGEST: u64 = !((1 << 11) - 1);

#[derive(Clone, Debug)]
struct State<P> {
    policy: P,
    past: Past,
    now: Instant,
    /// The state it came from, and by which letter.
    from: Option<(usize, usize)>,
}

struct Known<P> {
    states: Vec<State<P>>,
    /// The numbers of the states that look alike, by a hash of what can be hashed of them; they are compared as a whole.
    by_look: BTreeMap<u64, Vec<usize>>,
}

impl<P: Policy + PartialEq> Known<P> {
    fn insert(&mut self, state: State<P>) {
        let State { policy, past, now, .. } = &state;
        let mut hasher = DefaultHasher::new();
        (nanos(policy.next_delay()), policy.explain(0), past, now).hash(&mut hasher);
        let alike = self.by_look.entry(hasher.finish()).or_default();
        let is = |other: &State<P>| other.policy == *policy && other.past == *past && other.now == *now;
        if !alike.iter().any(|&other| is(&self.states[other])) {
            alike.push(self.states.len());
            self.states.push(state);
        }
    }

    fn script(&self, last: &State<P>, letters: &[Letter]) -> Vec<Letter> {
        let mut script = Vec::new();
        let mut from = last.from;
        while let Some((state, letter)) = from {
            script.push(letters[letter]);
            from = self.states[state].from;
        }
        script.reverse();
        script
    }
}

struct Stepped<P> {
    state: State<P>,
    tested: Vec<&'static Law>,
    broken: Vec<(&'static Law, String, String)>,
}

fn step<P: Policy + Clone + PartialEq>(
    states: &[State<P>],
    from: usize,
    nth: usize,
    letter: &Letter,
    claim: &Claim,
    laws: &[&'static Law],
    folds: bool,
) -> Stepped<P> {
    let State { policy, past, now, .. } = &states[from];
    let play = |now: Instant| {
        let (tested, broken) = (Vec::new(), Vec::new());
        let mut playing = Playing { policy: policy.clone(), past: past.clone(), now, claim, laws, tested, broken };
        playing.meet(letter);
        playing
    };
    let Playing { policy, past, now: then, tested, broken, .. } = play(*now);
    // A state in which nothing is an instant is the same whenever it is reached, and its clock may start anew. Whether the
    // policy remembers one shows when the same happens to it at another time.
    let timed = claim.limits.as_ref().is_some_and(|limits| limits.deadline.is_some());
    let timeless = folds && past.is_timeless(claim) && !timed && play(*now + LATER).policy == policy;
    let (past, now) = if timeless { (past.timeless(), LATER_ORIGIN) } else { (past, then) };
    Stepped { state: State { policy, past, now, from: Some((from, nth)) }, tested, broken }
}

/// Long after anything that happens in one entry.
const LATER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// Where the clock starts anew: not at its zero, which is an instant like no other to some.
const LATER_ORIGIN: Instant = Instant::from_nanos(3_600_000_000_000);

/// Whether a script breaks a law on a clock that never starts anew, as that of every client does.
fn replays<P: Policy + Clone>(start: &P, script: &[Letter], claim: &Claim, law: &'static Law) -> bool {
    let laws = [law];
    let (tested, broken) = (Vec::new(), Vec::new());
    let past = Past::new(claim);
    let mut playing = Playing { policy: start.clone(), past, now: Instant::ZERO, claim, laws: &laws, tested, broken };
    script.iter().for_each(|letter| playing.meet(letter));
    !playing.broken.is_empty()
}

/// One client between two states.
struct Playing<'a, P> {
    policy: P,
    past: Past,
    now: Instant,
    claim: &'a Claim,
    laws: &'a [&'static Law],
    tested: Vec<&'static Law>,
    broken: Vec<(&'static Law, String, String)>,
}

impl<P: Policy> Playing<'_, P> {
    fn meet(&mut self, letter: &Letter) {
        let normal = |cause| (cause, FailureKind::Normal);
        let (cause, kind) = match letter.entry.outcome {
            Outcome::Up { lasts, .. } => {
                self.policy.record_connected(self.now);
                let connected = self.record(Event::Connected, 0);
                self.judge(&connected);
                self.succeed(Event::Message);
                let Some((lasts, _)) = lasts else { return };
                self.now = self.now + lasts;
                normal(Cause::Fault(Fault::Close))
            }
            Outcome::Status { status: status @ (401 | 403 | 404), .. } => {
                (Cause::Status(status), FailureKind::Unexpected)
            }
            Outcome::Status { status, .. } => normal(Cause::Status(status)),
            Outcome::Fault(fault) => normal(Cause::Fault(fault.fault())),
            // A body that cannot be parsed is not worth another call; a poll comes again anyway.
            Outcome::Malformed if self.claim.shape == Shape::Call => {
                (Cause::Fault(Fault::Malformed), FailureKind::Unexpected)
            }
            Outcome::Malformed => normal(Cause::Fault(Fault::Malformed)),
            Outcome::Idle { .. } | Outcome::Hang(_) => normal(Cause::Fault(Fault::Timeout)),
            Outcome::Ok => {
                self.succeed(Event::Ok);
                self.now = self.now + self.policy.next_delay();
                return;
            }
        };
        let asked = match letter.entry.outcome {
            Outcome::Status { retry_after: Some(ServerWait::Delay(asked)), .. } => Some(asked),
            _ => None,
        };
        self.fail(cause, kind, asked, letter.draw);
    }

    fn succeed(&mut self, event: Event) {
        self.policy.record_success(self.now);
        let wait_ns = Some(nanos(self.policy.next_delay()));
        let record = Record { wait_ns, ..self.record(event, 0) };
        self.judge(&record);
    }

    fn fail(&mut self, cause: Cause, kind: FailureKind, retry_after: Option<Duration>, draw: u64) {
        let failure = Failure { kind, retry_after, fault: cause.fault() };
        let decision = self.policy.record_failure(failure, self.now, draw);
        let event = match decision {
            Decision::RetryAfter(_) => Event::Failure { cause, kind },
            Decision::GiveUp(why) => Event::GaveUp { cause, kind, why },
        };
        let place = self.policy.explain(draw).filter(|_| decision.delay().is_some());
        let record = Record {
            wait_ns: decision.delay().map(nanos),
            base_ns: place.map(|rung| nanos(rung.base)),
            jitter_ns: place.map(|rung| nanos(rung.jitter)),
            draw: Some(draw),
            asked_ns: retry_after.map(nanos),
            ..self.record(event, draw)
        };
        self.judge(&record);
        self.now = self.now + decision.delay().unwrap_or_default();
    }

    fn record(&self, event: Event, draw: u64) -> Record {
        let place = self.policy.explain(draw);
        let now = self.now.as_nanos();
        Record {
            time_ns: now,
            clock_ns: now,
            event,
            attempt: 0,
            regime: place.map(|rung| rung.regime),
            rung: place.map(|rung| rung.number),
            base_ns: None,
            jitter_ns: None,
            wait_ns: None,
            draw: None,
            asked_ns: None,
        }
    }

    fn judge(&mut self, record: &Record) {
        let moment = self.past.meet(self.claim, record);
        for law in self.laws {
            match law.judge(&moment) {
                Finding::Silent => {}
                Finding::Holds => self.tested.push(law),
                Finding::Broken { expected, got } => {
                    self.tested.push(law);
                    self.broken.push((law, expected, got));
                }
            }
        }
        let after = Past::after(&moment);
        self.past = after;
    }
}
