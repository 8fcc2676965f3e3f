//! Every short timeline there is, over a small alphabet.
//!
//! A random search proves nothing about the cases that it does not generate. The walk plays all scripts of up to a number
//! of entries, level by level. A policy's state is plain data, so two scripts that lead to the same state, and to the same
//! past as far as laws read it, continue alike: the walk continues from such a state once. A state without an instant is
//! the same at any time; the policy itself shows that, when it gets the same inputs ten years later. A policy may
//! remember an instant for longer than that shows. Where that makes a breach that a continuous clock does not have, the
//! walk starts again with every state at its own time; where it hides one, the walk misses it.

use core::ops::ControlFlow;
use core::time::Duration;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use retrylab_core::{BuiltInReset, Instant, Jitter, Policy, nanos};
use retrylab_sim::{Action, At, Client, Occurrence, Record, Setup};
use retrylab_spec::{ConnectFault, Draw, End, Entry, FirstMessage, Outcome, ServerWait, Shape};

use retrylab_laws::{Claim, Law, Need, Past, Ruling};

use crate::cases::can_fail;

/// The result of a walk.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The number of entries up to which every script was walked.
    pub depth: u64,
    /// The walked part of the next level, if it is incomplete.
    pub begun: Option<Begun>,
    /// The number of different entries.
    pub alphabet: usize,
    /// The number of entries played, each checked against every law of a single run.
    pub steps: u64,
    /// The number of distinct states, that before any entry included.
    pub states: u64,
    /// Whether states without an instant counted as the same at any time.
    pub folded: bool,
    /// The laws that are not vacuous.
    pub tested: Vec<&'static Law>,
    /// For each violated law, the first script that violates it; no shorter one does.
    pub broken: Vec<Broken>,
}

/// The walked part of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The number of entries of the level that were played.
    pub entries: u64,
    /// The number of entries of the level.
    pub of: u64,
}

/// The shortest script that violates a law.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The law.
    pub law: &'static Law,
    /// The entries. Each that can fail has the value of its draw: 0, or the largest draw.
    pub script: Vec<Entry>,
    /// The law's requirement.
    pub expected: String,
    /// The behaviour that violates it.
    pub got: String,
}

/// The alphabet for a client with this claim: a normal and an unexpected failure, with the smallest and with the largest
/// draw, unless it claims no jitter, and successes: of a stream none, just too little and just enough health.
#[must_use]
pub fn alphabet(claim: &Claim) -> Vec<Entry> {
    // Without jitter every draw is 0, and of two entries that differ in it one remains.
    let jittered = claim.jitter() != Some(Jitter::None);
    let letter = |outcome, draw: u64| {
        let draw = Draw::Value(if jittered { draw } else { 0 });
        Entry { draw: can_fail(&outcome).then_some(draw), ..Entry::new(outcome) }
    };
    let status = |status| Outcome::Status { status, retry_after: None };
    let window = match claim.reset() {
        Some(BuiltInReset::HealthyFor(rule)) => rule.window(),
        _ => Duration::from_secs(60),
    };
    let up = |lasts| Outcome::Up { lasts: Some((lasts, End::Close)), first: FirstMessage::Put };
    let mut letters = vec![letter(status(503), 0), letter(status(503), LARGEST), letter(status(401), 0)];
    match claim.shape() {
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
    letters.dedup();
    letters
}

/// Walks all scripts of up to `depth` entries, on this many threads, from a policy without any outcome. `progress` gets the
/// result so far after each level and from time to time within one, and may break the walk off.
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

/// The walk; `None` if two states counted as one and differ.
fn levels<P: Policy + Clone + PartialEq + Send + Sync>(
    start: &P,
    claim: &Claim,
    laws: &[&'static Law],
    depth: u64,
    threads: usize,
    folds: bool,
    progress: &mut impl FnMut(&Walked) -> ControlFlow<()>,
) -> Option<Walked> {
    let judged = |law: &&Law| law.applies(claim) && WALK_LACKS.iter().all(|&need| !law.needs(need));
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
                        // Without folding the walk's clock is continuous.
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
    // Without a new state, every longer script leads to a known one.
    if level.is_empty() && walked.begun.is_none() {
        walked.depth = depth;
    }
    Some(walked)
}

/// Plays every letter from each of these states, on this many threads. The results are in the order of the states.
fn walk<P: Policy + Clone + PartialEq + Send + Sync>(
    states: &[State<P>],
    block: &[usize],
    letters: &[Entry],
    claim: &Claim,
    laws: &[&'static Law],
    threads: usize,
    folds: bool,
) -> Vec<Stepped<P>> {
    let share = block.len().div_ceil(threads.max(1)).max(1);
    let walk = |part: &[usize]| -> Vec<Stepped<P>> {
        let each = |&from: &usize| letters.iter().enumerate().map(move |(nth, letter)| (from, nth, letter));
        let step = |(from, nth, letter): (usize, usize, &Entry)| step(states, from, nth, letter, claim, laws, folds);
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

/// A walk plays single runs whose attempts are at the end of each wait, and whose clients begin anew, so that no log can tell
/// them apart.
pub const WALK_LACKS: [Need; 3] = [Need::Comparison, Need::Log, Need::Schedule];

/// The number of states between two calls of `progress`: about a hundredth of a second of work.
const BLOCK: usize = 1024;

/// The largest draw that there is: draws have 53 bits.
const LARGEST: u64 = !((1 << 11) - 1);

#[derive(Clone, Debug)]
struct State<P> {
    policy: P,
    past: Past,
    now: Instant,
    /// The state before it, and the letter.
    from: Option<(usize, usize)>,
}

struct Known<P> {
    states: Vec<State<P>>,
    /// The numbers of the states with the same hash of their hashable parts; they are compared as a whole.
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

    fn script(&self, last: &State<P>, letters: &[Entry]) -> Vec<Entry> {
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
    letter: &Entry,
    claim: &Claim,
    laws: &[&'static Law],
    folds: bool,
) -> Stepped<P> {
    let State { policy, past, now, .. } = &states[from];
    let play = |now: Instant| {
        let mut playing = Playing::new(policy.clone(), past.clone(), now, claim, laws);
        playing.judge(letter);
        (playing.client.into_policy(), playing.now, playing.judging)
    };
    let (policy, then, Judging { past, tested, broken, .. }) = play(*now);
    // A state without an instant is the same at any time, and its clock may start again. The policy has none if the same
    // inputs at another time lead to the same policy.
    let timed = claim.limits().is_some_and(|limits| limits.deadline.is_some());
    let timeless = folds && past.is_timeless(claim) && !timed && play(*now + LATER).0 == policy;
    let (past, now) = if timeless { (past.timeless(), LATER_ORIGIN) } else { (past, then) };
    Stepped { state: State { policy, past, now, from: Some((from, nth)) }, tested, broken }
}

/// Longer than any entry.
const LATER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// The start of a clock that starts again: not zero, which some policies treat as a special instant.
const LATER_ORIGIN: Instant = Instant::from_nanos(3_600_000_000_000);

/// Whether a script violates a law on a continuous clock, as every client has.
fn replays<P: Policy + Clone>(start: &P, script: &[Entry], claim: &Claim, law: &'static Law) -> bool {
    let laws = [law];
    let mut playing = Playing::new(start.clone(), Past::new(claim), Instant::ZERO, claim, &laws);
    script.iter().for_each(|letter| playing.judge(letter));
    !playing.judging.broken.is_empty()
}

/// One client between two states.
struct Playing<'a, P> {
    client: Client<P>,
    now: Instant,
    shape: Shape,
    begun: bool,
    stopped: bool,
    /// The records of a step until they are judged.
    records: Vec<Record>,
    judging: Judging<'a>,
}

/// The state of the laws during a step.
struct Judging<'a> {
    past: Past,
    claim: &'a Claim,
    laws: &'a [&'static Law],
    tested: Vec<&'static Law>,
    broken: Vec<(&'static Law, String, String)>,
}

impl<'a, P: Policy + Clone> Playing<'a, P> {
    fn new(policy: P, past: Past, now: Instant, claim: &'a Claim, laws: &'a [&'static Law]) -> Self {
        let judging = Judging { past, claim, laws, tested: Vec::new(), broken: Vec::new() };
        let client = Client::new(policy, Setup::new(claim.shape()), None);
        Self { client, now, shape: claim.shape(), begun: false, stopped: false, records: Vec::new(), judging }
    }

    /// Plays a letter, and checks its records against the laws.
    fn judge(&mut self, letter: &Entry) {
        self.meet(letter, &mut Judging::judge);
    }

    /// Plays a letter like a player with a client that waits for its own delays alone.
    fn meet(&mut self, letter: &Entry, see: &mut impl FnMut(&mut Judging<'a>, &Record)) {
        if self.stopped {
            // The next letter starts another client, whose policy is in the state of this one.
            self.client = Client::new(self.client.policy().clone(), Setup::new(self.shape), None);
            (self.begun, self.stopped) = (false, false);
        }
        let wakes = if self.begun { Occurrence::Timer } else { Occurrence::Start };
        self.begun = true;
        self.step(wakes, 0, see);
        self.client.begin_attempt();
        let read = |wait| match wait {
            ServerWait::Delay(delay) => Some(delay),
            ServerWait::Header(_) => None,
        };
        let outcome = &letter.outcome;
        let draw = match letter.draw {
            Some(Draw::Value(draw)) => draw,
            Some(Draw::Address(_)) | None => 0,
        };
        if matches!(outcome, Outcome::Up { .. }) {
            self.step(Occurrence::Connected { silent: false }, 0, see);
        }
        self.step(Occurrence::of(outcome, self.shape, read), draw, see);
        if let Outcome::Up { lasts: Some((lasts, end)), .. } | Outcome::Idle { lasts, end } = *outcome {
            self.now = self.now + lasts;
            self.step(Occurrence::end(end), draw, see);
        }
    }

    fn step(&mut self, occurrence: Occurrence, draw: u64, see: &mut impl FnMut(&mut Judging<'a>, &Record)) {
        let at = At { time_ns: self.now.as_nanos(), clock: self.now };
        let judging = &mut self.judging;
        let action = self.client.step(occurrence, at, || draw, &mut self.records);
        for record in self.records.drain(..) {
            see(judging, &record);
        }
        match action {
            Action::Wait(until) => self.now = until,
            Action::Stopped => self.stopped = true,
            Action::Nothing | Action::Attempt => {}
        }
    }
}

impl Judging<'_> {
    fn judge(&mut self, record: &Record) {
        // Clients that start again make logs of different runs equal.
        if record.event.is_aside() {
            return;
        }
        let moment = self.past.meet(self.claim, record);
        for law in self.laws {
            match law.judge(&moment) {
                Ruling::Silent => {}
                Ruling::Holds => self.tested.push(law),
                Ruling::Violated { expected, got, .. } => {
                    self.tested.push(law);
                    self.broken.push((law, expected, got));
                }
            }
        }
        let addition = moment.addition();
        self.past.add(self.claim, record, addition);
    }
}

#[cfg(test)]
mod tests {
    use retrylab_sim::{Event, build, play};
    use retrylab_spec::{CallSpec, Client as ClientSpec, Draft, Play, PolicySpec, Timeline};

    use super::*;

    /// The records of a script as the walk plays it.
    fn walked(timeline: &Timeline, letters: &[Entry]) -> Vec<Record> {
        let claim = Claim::of(&timeline.client);
        let (policy, _) = build(&timeline.client.kind).expect("a built-in policy");
        let mut playing = Playing::new(policy, Past::new(&claim), Instant::ZERO, &claim, &[]);
        let mut records = Vec::new();
        letters.iter().for_each(|letter| playing.meet(letter, &mut |_, record| records.push(*record)));
        records
    }

    #[test]
    fn a_walk_and_a_player_make_the_same_records_of_the_same_script() {
        let kinds = [
            PolicySpec::Streaming { initial_reconnect_delay: None },
            PolicySpec::Polling { poll_interval: None },
            PolicySpec::Call(CallSpec::default()),
        ];
        for kind in kinds {
            let client = ClientSpec::new(kind);
            let letters = alphabet(&Claim::of(&client));
            let script: Vec<Entry> = letters.iter().chain(letters.iter().rev()).copied().collect();
            let mut draft = Draft::new("Every letter twice.", client);
            draft.script = script.iter().copied().map(Play::Attempt).collect();
            let timeline = Timeline::new(draft).expect("a script of the alphabet is valid");
            let mut played: Vec<Record> = play(&timeline, 0).expect("a built-in policy").collect();
            assert!(matches!(played.pop(), Some(Record { event: Event::End(_), .. })));
            let walked = walked(&timeline, &script);
            // Each letter has a record, and the aside of a source one more at least.
            assert!(walked.len() >= script.len(), "{}", walked.len());
            assert_eq!(walked, played);
        }
    }
}
