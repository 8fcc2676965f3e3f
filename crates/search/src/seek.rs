//! Plays generated timelines and checks each run against the laws.

use core::ops::ControlFlow;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use retrylab_sim::{Entropy, Finding};
use retrylab_spec::{Client, Draft, PolicySpec, Timeline};

use crate::cases::recipes;
use crate::found::{Case, Faulted, Found, Progress, Searched, Stage, Verdict};
use crate::outages;
use retrylab_laws::Claim;
use retrylab_laws::Law;
use retrylab_laws::Marks;
use retrylab_laws::{Judged, Need, Standing, Trial};
use retrylab_laws::{Subject, SubjectError};

/// A search for timelines that violate laws.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::time::Duration;
/// use retrylab_core::{Retry, RetryRules};
/// use retrylab_search::Search;
/// use retrylab_laws::{Claim, LAWS};
///
/// let search = Search::new("streaming", Claim::streaming(Duration::from_secs(1)), LAWS).cases(200);
/// let stream = || Retry::new(RetryRules::streaming(Duration::from_secs(1)));
/// let searched = search.run(&stream, |_| ControlFlow::Continue(()));
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
    clock_events: bool,
    pub(crate) most_tries: u64,
}

impl Search {
    /// A search of a subject with this name and claim, checked against these laws: 1 000 cases from seed 0.
    #[must_use]
    pub fn new(name: &str, claim: Claim, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        let claims = claim.described().cloned().map(Box::new);
        let kind = PolicySpec::External { name: name.to_owned(), played_as: claim.shape(), claims };
        Self::of(Client::new(kind), claim, laws)
    }

    /// A search of the client of a file.
    #[must_use]
    pub fn of(client: Client, claim: Claim, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        Self {
            client,
            claim,
            laws: laws.into_iter().collect(),
            first: Vec::new(),
            cases: 1000,
            seed: 0,
            clock_events: true,
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

    /// The same with this number of cases.
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

    /// The same with at most this number of timelines played to shrink a breach.
    #[must_use]
    pub const fn most_tries(mut self, tries: u64) -> Self {
        self.most_tries = tries;
        self
    }

    /// The same without events of the client's clock: for subjects with a clock of their own.
    #[must_use]
    pub const fn without_clock_events(mut self) -> Self {
        self.clock_events = false;
        self
    }

    /// The client that is played.
    #[must_use]
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The claim of the subject.
    #[must_use]
    pub const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// Searches on this thread. `progress` gets the state of the search after each case, and may break it off there.
    ///
    /// A breach is shrunk at the end of its block of cases. Breaking off after a case or at a breach ends the search, and
    /// every breach is still shrunk; breaking off during the shrinking ends that too, with the smallest timeline so far. The
    /// first case in which the subject fails also ends the search: the subject is restarted, and that case is shrunk like a
    /// breach.
    pub fn run(&self, subject: &dyn Subject, progress: impl FnMut(Progress<'_>) -> ControlFlow<()>) -> Searched {
        // A case of a subject in another process may take seconds, so `progress` comes after each.
        self.blocks(subject, 1, progress, |cases, open| {
            cases.into_iter().map(|case| self.judge(subject, case, open)).collect()
        })
    }

    /// Like [`Search::run`], on this number of threads. It does not change the result; but with more than one `progress` comes
    /// after each block of cases.
    pub fn run_on<S: Subject + Sync>(
        &self,
        threads: usize,
        subject: &S,
        progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Searched {
        if threads <= 1 {
            return self.run(subject, progress);
        }
        self.blocks(subject, BLOCK, progress, |cases, open| {
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

    /// Plays a timeline again; the violation of a law, if there is one.
    #[must_use]
    pub fn breach(&self, subject: &dyn Subject, law: &'static Law, timeline: &Timeline) -> Option<Finding> {
        let judged = self.hold(subject, timeline, &[law]).ok()?;
        match judged.of(law) {
            Some(Standing::Violated(breach)) => Some(breach.clone()),
            _ => None,
        }
    }

    /// Judges this number of cases at a time, and takes their results before it calls `progress`.
    fn blocks(
        &self,
        subject: &dyn Subject,
        at_a_time: u64,
        mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
        mut judge: impl FnMut(Vec<u64>, &[&'static Law]) -> Vec<Result<(u64, Judged), Box<Faulted>>>,
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
            let block = self.cases.min(done + BLOCK);
            while done < block && fault.is_none() && !broken_off {
                let cases: Vec<u64> = (done..block.min(done + at_a_time)).collect();
                let judged = judge(cases, &open);
                // The results are in the order of the cases, whatever the number of threads; those after a fault do not count.
                let sound = judged.iter().take_while(|judged| judged.is_ok()).count();
                done += judged.len().min(sound + 1) as u64;
                let mut tell = |stage: Stage<'_>| progress(Progress { cases: done, of: self.cases, stage });
                for judged in judged.into_iter().take(sound + 1) {
                    match judged {
                        Err(first) => fault = Some(*first),
                        Ok((number, judged)) => {
                            marks.join(judged.marks);
                            broken_off |= self.book(number, judged, &mut verdicts, &mut tell).is_break();
                        }
                    }
                }
                broken_off |= tell(Stage::Played).is_break();
            }
            let mut tell = |stage: Stage<'_>| progress(Progress { cases: done, of: self.cases, stage });
            // A failed subject needs a restart; if that fails, nothing can be shrunk.
            if fault.is_some() && subject.restart().is_err() {
                break;
            }
            if let Some(fault) = &mut fault {
                broken_off |= self.make_fault_smaller(subject, fault, &open, &mut tell).is_break();
            }
            let is_new = |found: &Found| open.iter().any(|law| law.name == found.law.name);
            for found in verdicts.iter_mut().filter_map(|verdict| verdict.found.as_mut()).filter(|found| is_new(found))
            {
                broken_off |= self.make_smaller(subject, found, &mut tell).is_break();
            }
        }
        if !marks.is_shown() {
            for verdict in verdicts.iter_mut().filter(|verdict| verdict.law.needs(Need::Place)) {
                verdict.applies = false;
            }
        }
        let finished = !broken_off && fault.is_none() && done == self.cases;
        let missed = if finished { marks.missed(&self.claim).collect() } else { Vec::new() };
        Searched { verdicts, missed, reached: marks, cases: done, fault }
    }

    fn applies(&self, law: &Law, subject: &dyn Subject) -> bool {
        law.applies(&self.claim) && (subject.can_respond() || !law.needs(Need::Comparison))
    }

    /// Takes the verdicts of a case.
    fn book(
        &self,
        number: u64,
        judged: Judged,
        verdicts: &mut [Verdict],
        tell: &mut impl FnMut(Stage<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        for (law, standing) in judged.standings {
            let Some(verdict) = verdicts.iter_mut().find(|verdict| verdict.law.name == law.name) else { continue };
            if standing != Standing::Untested {
                verdict.tested += 1;
            }
            if let Standing::Violated(breach) = standing
                && verdict.found.is_none()
                && let Some(case) = self.case(number)
            {
                let events_found = super::events(&case.timeline);
                let found = Found { law, case: number, timeline: case.timeline, breach, events_found, tried: 0 };
                if tell(Stage::Found(&found)).is_break() {
                    flow = ControlFlow::Break(());
                }
                verdict.found = Some(found);
            }
        }
        flow
    }

    fn judge(&self, subject: &dyn Subject, number: u64, open: &[&'static Law]) -> Result<(u64, Judged), Box<Faulted>> {
        let Some(case) = self.case(number) else {
            return Ok((number, Trial::new(&self.claim, []).finish(subject)));
        };
        // Every law that compares would play it anew, some of them for hundreds of clients.
        let is_long = super::events(&case.timeline) > LONGEST_COMPARED;
        let held: Vec<&'static Law> =
            open.iter().copied().filter(|law| !is_long || !law.needs(Need::Comparison)).collect();
        self.hold(subject, &case.timeline, &held).map(|judged| (number, judged)).map_err(|fault| {
            let Case { number: case, timeline } = case;
            let events_found = super::events(&timeline);
            Box::new(Faulted { case, timeline, fault, again: false, events_found, tried: 0 })
        })
    }

    /// Plays a timeline and checks the run against the laws.
    pub(crate) fn hold(
        &self,
        subject: &dyn Subject,
        timeline: &Timeline,
        laws: &[&'static Law],
    ) -> Result<Judged, SubjectError> {
        let seed = timeline.seed.unwrap_or(0);
        let mut trial = Trial::new(&self.claim, laws.iter().copied());
        for record in subject.play(timeline, seed)? {
            trial.observe(&record);
        }
        let mut judged = trial.finish(subject);
        match judged.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(judged),
        }
    }

    /// The case of this number. It depends on the seed alone, and on the number of cases if there are fewer than eleven.
    #[must_use]
    pub fn case(&self, number: u64) -> Option<Case> {
        if let Some(first) = usize::try_from(number).ok().and_then(|nth| self.first.get(nth)) {
            let mut draft = first.clone().into_draft();
            draft.seed = draft.seed.or(Some(self.seed));
            return Some(Case { number, timeline: Timeline::new(draft).ok()? });
        }
        let seed = Entropy::new(self.seed).client(1).at(number) >> SPARE_BITS;
        let outage = number.checked_sub(outages::first_of(self.cases).max(self.first.len() as u64));
        if let Some(nth) = outage.filter(|&nth| nth < outages::COUNT) {
            let timeline = outages::outage(nth, &self.client, &self.claim, seed)?;
            return Some(Case { number, timeline });
        }
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&number.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let mut runner = TestRunner::new_with_rng(Config { failure_persistence: None, ..Config::default() }, rng);
        let recipes = recipes();
        let mut made = (0..MOST_RECIPES).map_while(|_| recipes.new_tree(&mut runner).ok());
        let timeline = made.find_map(|recipe| recipe.current().timeline(&self.client, &self.claim, seed))?;
        if self.clock_events {
            return Some(Case { number, timeline });
        }
        let timeline = Timeline::new(Draft { clock: Vec::new(), ..timeline.into_draft() }).ok()?;
        Some(Case { number, timeline })
    }
}

/// The number of cases between two selections of the laws without a breach. The result does not depend on the number judged at
/// once.
const BLOCK: u64 = 256;

/// Longer timelines are held against the laws of single runs only.
const LONGEST_COMPARED: u64 = 512;

/// So many recipes in a row that make no timeline are a case without one.
const MOST_RECIPES: usize = 1000;

/// A seed is short enough to be typed: it has this number of bits less.
const SPARE_BITS: u32 = 40;
