//! Plays made-up timelines until the laws are satisfied or broken.

use core::ops::ControlFlow;

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use retrylab_scenario::{Client, Draft, Limits, Play, Timeline};
use retrylab_sim::Entropy;

use super::cases::timelines;
use super::shrink::shrink;
use crate::claim::Claim;
use crate::law::Law;
use crate::marks::{Mark, Marks};
use crate::subject::{Fault, Subject};
use crate::trial::{Breach, Judged, Standing, Trial};

/// A search for timelines that break laws.
///
/// ```
/// use std::ops::ControlFlow;
/// use retrylab_core::{Retry, RetryRules};
/// use retrylab_laws::search::Search;
/// use retrylab_laws::{Claim, LAWS};
///
/// let search = Search::new("streaming", Claim::streaming(1.0), LAWS).cases(200);
/// let searched = search.run(&|| Retry::new(RetryRules::streaming(1.0).0), |_| ControlFlow::Continue(()));
/// assert!(searched.is_clean());
/// ```
#[derive(Clone, Debug)]
pub struct Search {
    client: Client,
    claim: Claim,
    laws: Vec<&'static Law>,
    first: Vec<Timeline>,
    cases: u64,
    seed: u64,
    most_tries: u64,
}

/// One made-up timeline and its seed.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which case of the search, from 0.
    pub number: u64,
    /// What is played. It names its seed.
    pub timeline: Timeline,
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Cases that were played.
    pub cases: u64,
    /// Of so many.
    pub of: u64,
    /// The breach that was just found, before it is made smaller: what is told here is not lost if the search is broken off.
    pub found: Option<&'a Found>,
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct Searched {
    /// What is to be said of each law, in the order in which they were given.
    pub verdicts: Vec<Verdict>,
    /// What the subject could have got to by its claim, and never did. Told only if the search was not broken off.
    pub missed: Vec<Mark>,
    /// Where the subject got to, whether the search was broken off or not.
    pub reached: Marks,
    /// How many cases were played.
    pub cases: u64,
    /// The first case in which the subject could not be played to its end.
    pub fault: Option<(Case, Fault)>,
}

/// What is to be said of a law.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The law.
    pub law: &'static Law,
    /// Whether it says anything about this subject: about what it claims, can be told, and shows of itself.
    pub applies: bool,
    /// In how many cases it was put to the test.
    pub tested: u64,
    /// The first case that breaks it, made smaller.
    pub found: Option<Found>,
}

/// A timeline that breaks a law.
#[derive(Clone, Debug)]
pub struct Found {
    /// The law.
    pub law: &'static Law,
    /// Which case of the search, from 0.
    pub case: u64,
    /// The timeline. It names its seed, and every draw keeps the address that it had in the case.
    pub timeline: Timeline,
    /// What is broken in it, and where.
    pub breach: Breach,
    /// How many events the case had that was found.
    pub events_found: u64,
    /// How many timelines were played to make it smaller.
    pub tried: u64,
}

impl Searched {
    /// Whether there was a law to be held to, none is broken, each that applies was put to the test, and everything that is
    /// claimed was reached.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let sound = |verdict: &Verdict| verdict.found.is_none() && (!verdict.applies || verdict.tested > 0);
        let any = self.verdicts.iter().any(|verdict| verdict.applies);
        any && self.fault.is_none() && self.missed.is_empty() && self.verdicts.iter().all(sound)
    }

    /// The laws that are broken.
    pub fn broken(&self) -> impl Iterator<Item = &Found> {
        self.verdicts.iter().filter_map(|verdict| verdict.found.as_ref())
    }
}

impl Search {
    /// A search of a subject of this name that claims this, held against these laws: 1 000 cases from seed 0.
    #[must_use]
    pub fn new(name: &str, claim: Claim, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        let kind = retrylab_scenario::ClientKind::External { name: name.to_owned(), played_as: claim.shape };
        Self::of(Client::new(kind), claim, laws)
    }

    /// A search of the client that a file describes.
    #[must_use]
    pub fn of(client: Client, claim: Claim, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        Self {
            client,
            claim,
            laws: laws.into_iter().collect(),
            first: Vec::new(),
            cases: 1000,
            seed: 0,
            most_tries: 5000,
        }
    }

    /// The same with these timelines in the place of the first cases, in their order. One that names no seed has that of the
    /// search.
    #[must_use]
    pub fn beginning_with(mut self, timelines: impl IntoIterator<Item = Timeline>) -> Self {
        self.first.extend(timelines);
        self
    }

    /// The same with so many cases.
    #[must_use]
    pub const fn cases(mut self, cases: u64) -> Self {
        self.cases = cases;
        self
    }

    /// The same from this seed. The same seed makes the same cases.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same with at most so many timelines played to make a breach smaller.
    #[must_use]
    pub const fn most_tries(mut self, tries: u64) -> Self {
        self.most_tries = tries;
        self
    }

    /// What the subject claims.
    #[must_use]
    pub const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Searches on this thread. `progress` is told after every block of cases and at every breach, and may break the search
    /// off; then what was found so far is made smaller and told.
    pub fn run(&self, subject: &dyn Subject, progress: impl FnMut(Progress<'_>) -> ControlFlow<()>) -> Searched {
        self.blocks(subject, progress, |cases, open| {
            cases.into_iter().map(|case| self.judge(subject, case, open)).collect()
        })
    }

    /// As [`Search::run`], on so many threads. What is found does not depend on how many.
    pub fn run_on<S: Subject + Sync>(
        &self,
        threads: usize,
        subject: &S,
        progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Searched {
        let threads = threads.max(1);
        self.blocks(subject, progress, |cases, open| {
            let share = cases.len().div_ceil(threads).max(1);
            std::thread::scope(|scope| {
                let workers: Vec<_> = cases
                    .chunks(share)
                    .map(|part| {
                        scope
                            .spawn(move || part.iter().map(|&case| self.judge(subject, case, open)).collect::<Vec<_>>())
                    })
                    .collect();
                workers
                    .into_iter()
                    .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .collect()
            })
        })
    }

    /// Plays a timeline of this search again and says how a law stands.
    #[must_use]
    pub fn breach(&self, subject: &dyn Subject, law: &'static Law, timeline: &Timeline) -> Option<Breach> {
        let judged = self.hold(subject, timeline, &[law]).ok()?;
        match judged.of(law) {
            Some(Standing::Broken(breach)) => Some(breach.clone()),
            _ => None,
        }
    }

    fn blocks(
        &self,
        subject: &dyn Subject,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
        mut judge: impl FnMut(Vec<u64>, &[&'static Law]) -> Vec<Result<(u64, Judged), Box<(Case, Fault)>>>,
    ) -> Searched {
        let verdict =
            |&law: &&'static Law| Verdict { law, applies: self.applies(law, subject), tested: 0, found: None };
        let mut verdicts: Vec<Verdict> = self.laws.iter().map(verdict).collect();
        let (mut marks, mut fault, mut done) = (Marks::default(), None, 0);
        let mut broken_off = false;
        while done < self.cases && fault.is_none() && !broken_off {
            let open: Vec<&'static Law> =
                verdicts.iter().filter(|v| v.applies && v.found.is_none()).map(|v| v.law).collect();
            if open.is_empty() {
                break;
            }
            let block: Vec<u64> = (done..self.cases.min(done + BLOCK)).collect();
            done += block.len() as u64;
            for judged in judge(block, &open) {
                match judged {
                    Err(first) => fault = fault.or(Some(*first)),
                    Ok((number, judged)) => {
                        marks.join(judged.marks);
                        broken_off |= self.book(number, judged, &mut verdicts, done, &mut progress).is_break();
                    }
                }
            }
            broken_off |= progress(Progress { cases: done, of: self.cases, found: None }).is_break();
        }
        for verdict in &mut verdicts {
            if let Some(found) = &mut verdict.found {
                self.make_smaller(subject, found);
            }
        }
        if !marks.is_shown() {
            for verdict in verdicts.iter_mut().filter(|verdict| verdict.law.is_of_what_is_shown()) {
                verdict.applies = false;
            }
        }
        let finished = !broken_off && fault.is_none() && done == self.cases;
        let missed = if finished { marks.missed(&self.claim).collect() } else { Vec::new() };
        Searched { verdicts, missed, reached: marks, cases: done, fault }
    }

    fn applies(&self, law: &Law, subject: &dyn Subject) -> bool {
        law.applies(&self.claim) && (subject.can_be_told() || !law.compares())
    }

    /// Takes note of how the laws stand after a case.
    fn book(
        &self,
        number: u64,
        judged: Judged,
        verdicts: &mut [Verdict],
        done: u64,
        progress: &mut impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        for (law, standing) in judged.standings {
            let Some(verdict) = verdicts.iter_mut().find(|verdict| verdict.law.name == law.name) else { continue };
            if standing != Standing::Untested {
                verdict.tested += 1;
            }
            if let Standing::Broken(breach) = standing
                && verdict.found.is_none()
                && let Some(case) = self.case(number)
            {
                let events_found = super::events(&case.timeline);
                let found = Found { law, case: number, timeline: case.timeline, breach, events_found, tried: 0 };
                if progress(Progress { cases: done, of: self.cases, found: Some(&found) }).is_break() {
                    flow = ControlFlow::Break(());
                }
                verdict.found = Some(found);
            }
        }
        flow
    }

    fn judge(
        &self,
        subject: &dyn Subject,
        number: u64,
        open: &[&'static Law],
    ) -> Result<(u64, Judged), Box<(Case, Fault)>> {
        let Some(case) = self.case(number) else {
            return Ok((number, Trial::new(&self.claim, []).finish(subject)));
        };
        match self.hold(subject, &case.timeline, open) {
            Err(fault) => Err(Box::new((case, fault))),
            Ok(Judged { fault: Some(fault), .. }) => Err(Box::new((case, fault))),
            Ok(judged) => Ok((number, judged)),
        }
    }

    fn hold(&self, subject: &dyn Subject, timeline: &Timeline, laws: &[&'static Law]) -> Result<Judged, Fault> {
        let seed = timeline.seed.unwrap_or(0);
        let mut trial = Trial::new(&self.claim, laws.iter().copied());
        for record in subject.play(timeline, seed)? {
            trial.observe(&record);
        }
        Ok(trial.finish(subject))
    }

    fn make_smaller(&self, subject: &dyn Subject, found: &mut Found) {
        let law = found.law;
        let shrunk = shrink(&found.timeline, self.most_tries, |timeline| self.breach(subject, law, timeline).is_some());
        let plain = plain(subject, shrunk.timeline);
        if let Some(breach) = self.breach(subject, law, &plain) {
            (found.timeline, found.breach, found.tried) = (plain, breach, shrunk.tried);
        }
    }

    /// The case of this number: the same for the same seed, whichever others were made before.
    #[must_use]
    pub fn case(&self, number: u64) -> Option<Case> {
        if let Some(first) = usize::try_from(number).ok().and_then(|nth| self.first.get(nth)) {
            let mut draft = first.clone().into_draft();
            draft.seed = draft.seed.or(Some(self.seed));
            return Some(Case { number, timeline: Timeline::new(draft).ok()? });
        }
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
        let mut draft = self.strategy().new_tree(&mut runner).ok()?.current().into_draft();
        draft.seed = Some(Entropy::new(self.seed).client(1).at(number) >> SPARE_BITS);
        let timeline = Timeline::new(draft).ok()?;
        Some(Case { number, timeline })
    }

    fn strategy(&self) -> BoxedStrategy<Timeline> {
        timelines(self.client.clone(), &self.claim).boxed()
    }
}

/// The same run with less to read: without the limits of a search where windows cannot make it long, and without the
/// addresses of draws that are their turn anyway.
fn plain(subject: &dyn Subject, timeline: Timeline) -> Timeline {
    let run = |timeline: &Timeline| subject.play(timeline, timeline.seed.unwrap_or(0)).ok();
    let Some(records) = run(&timeline) else { return timeline };
    let mut best = timeline;
    let mut attempt = |change: &dyn Fn(&mut Draft)| {
        let mut draft = best.clone().into_draft();
        change(&mut draft);
        if let Ok(plainer) = Timeline::new(draft)
            && plainer != best
            && run(&plainer).as_ref() == Some(&records)
        {
            best = plainer;
        }
    };
    attempt(&|draft| {
        if draft.windows.is_empty() {
            draft.limits = Limits::default();
        }
    });
    attempt(&|draft| without_draws(&mut draft.script));
    best
}

fn without_draws(script: &mut [Play]) {
    for play in script {
        match play {
            Play::Attempt(entry) => entry.draw = None,
            Play::Repeat { play, .. } => without_draws(play),
        }
    }
}

/// Cases between two looks at the clock, and between two looks at which laws are still open.
const BLOCK: u64 = 256;

/// A seed that a person may have to type has so many bits less.
const SPARE_BITS: u32 = 40;
