//! The laws as a test of any policy.

use core::fmt;
use core::ops::ControlFlow;
use core::panic::Location;
use std::path::PathBuf;

use retrylab_core::Jitter;
use retrylab_faults::{CASES, Diagnosis};
use retrylab_laws::{Claim, Drawing, LAWS, Law, Subject};
use retrylab_search::{Search, Searched};
use retrylab_spec::Timeline;

use crate::factory::Factory;
use crate::failed::{Broken, CheckFailed, Heading, plural};
use crate::saved::{Folder, name_of, replay};

/// Searches for the shortest timeline in which a policy violates a law. `policy` is a function that makes one without an
/// outcome, or the iterator of waits of a call: a [`Factory`].
///
/// Without a claim only the laws of every policy apply: equal inputs give equal waits, reading changes nothing, huge
/// inputs are handled, and a server that keeps failing gets a pause. [`Check::claims`] adds a claim, such as an
/// [`Exponential`](retrylab_core::Exponential) or [`Claim::streaming`], and with it the laws about the ladder, the jitter
/// and the limits. A run that passes without a claim prints the number of laws that do not apply
/// (`cargo test -- --nocapture`).
///
/// The waits of an iterator may be random, so they are compared with bounds, unless it claims to have no jitter.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Exponential;
/// use retrylab_testkit::check;
///
/// let s = Duration::from_secs;
/// let my_waits = || [2, 4, 8, 16, 30].into_iter().map(s);
/// check(my_waits).claims(Exponential::new(s(2), s(30)).attempts(6).without_jitter()).run();
/// ```
#[track_caller]
pub fn check<M, F: Factory<M>>(policy: F) -> Check<impl Subject> {
    let check = Check::new(policy.into_policies(), F::claim());
    if F::OPAQUE { Check { draws_own: true, ..check.without_reasons() } } else { check }
}

/// Every law. A check skips those that are not applicable to the claim.
///
/// ```
/// use retrylab_testkit::all;
///
/// assert!(all().iter().any(|law| law.name == "jitter-spreads"));
/// ```
#[must_use]
pub const fn all() -> &'static [Law] {
    LAWS
}

/// A check that has not been run.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Exponential;
/// use retrylab_testkit::check;
///
/// let s = Duration::from_secs;
/// let claim = Exponential::new(s(2), s(30)).attempts(3).without_jitter();
/// // A wait of 5 s on the second rung, which is 4 s.
/// let wrong = || [2, 5].into_iter().map(s);
/// assert!(check(wrong).claims(claim).cases(50).outcome().is_err());
/// ```
#[derive(Debug)]
#[must_use = "nothing is checked until it is run"]
pub struct Check<S> {
    subject: S,
    name: String,
    claim: Claim,
    laws: Vec<&'static Law>,
    first: Vec<Timeline>,
    cases: u64,
    seed: u64,
    folder: Option<Folder>,
    /// The tolerance of its waits in nanoseconds, whatever the claim.
    tolerance_ns: u64,
    /// Whether its jitter may come from draws of its own.
    draws_own: bool,
    /// Whether its reason to give up is known.
    says_why: bool,
    /// Whether its clock may have events.
    clock_events: bool,
}

impl<S: Subject> Check<S> {
    #[track_caller]
    pub(crate) fn new(subject: S, claim: Claim) -> Self {
        let name = name_of(Location::caller());
        Self {
            subject,
            name,
            claim,
            laws: LAWS.iter().collect(),
            first: Vec::new(),
            cases: 1000,
            seed: 0,
            folder: None,
            tolerance_ns: 0,
            draws_own: false,
            says_why: true,
            clock_events: true,
        }
    }

    /// Ignores the reasons of its ends, whatever the claim.
    pub(crate) const fn without_reasons(mut self) -> Self {
        self.says_why = false;
        self
    }

    /// Allows waits to be off by this much, whatever the claim.
    #[cfg(feature = "tokio")]
    pub(crate) const fn off_by(mut self, tolerance_ns: u64) -> Self {
        self.tolerance_ns = tolerance_ns;
        self
    }

    /// Generates no clock events.
    #[cfg(feature = "tokio")]
    pub(crate) const fn without_clock_events(mut self) -> Self {
        self.clock_events = false;
        self
    }

    /// Sets the claim of the policy, which selects the laws and their numbers.
    pub fn claims(mut self, claim: impl Into<Claim>) -> Self {
        self.claim = claim.into();
        self
    }

    /// Sets the policy's name in messages and saved files, by which [`Check::regressions`] finds them again; the
    /// default is the name of the test.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Plays these timelines before the generated ones.
    pub fn beginning_with(mut self, timelines: impl IntoIterator<Item = Timeline>) -> Self {
        self.first.extend(timelines);
        self
    }

    /// Selects these laws instead of all.
    pub fn laws(mut self, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        self.laws = laws.into_iter().collect();
        self
    }

    /// Sets the number of generated timelines; 1 000 by default.
    ///
    /// A search must put each applicable law to the test, and reach the coverage goals of the claim. With 0 there is no
    /// search: only the timelines of [`Check::regressions`] and [`Check::beginning_with`] are played, at least one, and
    /// none of that is required of them, because a repaired policy may never reach the old breach.
    pub const fn cases(mut self, cases: u64) -> Self {
        self.cases = cases;
        self
    }

    /// Sets the seed of the timelines; 0 by default. Equal seeds make equal timelines.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the folder of counterexamples, to be committed: each of its files is a test, and each new counterexample
    /// becomes a file `<law>-<hash>.toml`. A relative path is below the root of the tested package.
    ///
    /// Its files are replayed before the search, with their expectations; if one fails, the check ends there. Files are
    /// written completely, and one with other content is never overwritten. The files have the name of this policy
    /// ([`Check::named`]). A folder or file that replays nothing is an error that names it: a missing folder
    /// ([`Check::regressions_if_any`] allows it), a file of another policy ([`Check::among_others`] allows it), a file
    /// without expectations, or with a law that is not applicable to the claim.
    ///
    /// ```no_run
    /// use retrylab_core::{Call, CallRules};
    /// use retrylab_testkit::check;
    /// use retrylab_testkit::scenario::CallSpec;
    ///
    /// let rules = CallRules::builder().build()?;
    /// check(|| Call::new(rules)).claims(CallSpec::default()).regressions("tests/regressions").run();
    /// # Ok::<(), retrylab_core::CallRulesError>(())
    /// ```
    pub fn regressions(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(Folder { path: folder.into(), if_any: false, among_others: false });
        self
    }

    /// Like [`Check::regressions`], with a missing folder as an empty one. The first counterexample creates it.
    pub fn regressions_if_any(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(Folder { path: folder.into(), if_any: true, among_others: false });
        self
    }

    /// Allows files of other policies in the folder of [`Check::regressions`]. They are skipped, and so are files of
    /// this policy under a former name.
    pub fn among_others(mut self) -> Self {
        if let Some(folder) = &mut self.folder {
            folder.among_others = true;
        }
        self
    }

    /// Runs the check.
    ///
    /// Without a claim, it prints the number of laws that apply and of those that do not.
    ///
    /// # Panics
    ///
    /// If a file of [`Check::regressions`] fails, if a law is violated, if an applicable law is vacuous, or if the
    /// search misses a coverage goal of the claim. The message has the shortest timeline found, its trace with the
    /// violating event marked, its file, and the path where that is saved.
    #[track_caller]
    #[expect(clippy::panic, reason = "this is how a test fails")]
    #[expect(clippy::print_stdout, reason = "a test that passes has no other way to say anything")]
    pub fn run(self) {
        let name = self.name.clone();
        match self.judged() {
            Ok((searched, Some(unclaimed))) => {
                let kept = unclaimed.judged;
                println!("{name} keeps {} in {}. {unclaimed}", plural(kept, "law"), plural(searched.cases, "timeline"));
            }
            Ok((_, None)) => {}
            Err(failure) => panic!("{failure}"),
        }
    }

    /// Runs the check and returns the result of the search. It prints nothing.
    ///
    /// # Errors
    ///
    /// If [`Check::run`] would panic.
    pub fn outcome(self) -> Result<Searched, Box<CheckFailed>> {
        self.judged().map(|(searched, _)| searched)
    }

    fn judged(self) -> Result<(Searched, Option<Unclaimed>), Box<CheckFailed>> {
        let Self {
            subject,
            name,
            claim,
            laws,
            mut first,
            cases,
            seed,
            folder,
            tolerance_ns,
            says_why,
            clock_events,
            draws_own,
        } = self;
        let claim = if says_why { claim } else { claim.without_reasons() };
        let may_draw = draws_own && claim.jitter() != Some(Jitter::None);
        let claim = if may_draw { claim.with_drawing(Drawing::Own) } else { claim };
        let exact_to = claim.tolerance_ns().max(tolerance_ns);
        let claim = claim.with_tolerance_ns(exact_to);
        if let Some(folder) = &folder {
            let files = folder.read(&name, claim.shape());
            match files.and_then(|files| replay(files, &claim, seed, &subject)) {
                Ok(Ok(held)) => first = [held, first].concat(),
                Ok(Err(replayed)) => return Err(Box::new(CheckFailed::Replayed { name, replayed })),
                Err(error) => return Err(Box::new(CheckFailed::Regressions { name, error })),
            }
        }
        let given = first.len() as u64;
        let mut search =
            Search::new(&name, claim, laws).cases(cases.saturating_add(given)).seed(seed).beginning_with(first);
        if !clock_events {
            search = search.without_clock_events();
        }
        let mut searched = search.run(&subject, |_| ControlFlow::Continue(()));
        let searching = cases > 0;
        if !searching {
            searched.missed.clear();
        }
        let unclaimed = Unclaimed::of(search.claim(), &searched);
        let sound = |searched: &Searched| {
            let judged = searched.verdicts.iter().any(|verdict| verdict.applies) && searched.cases > 0;
            judged && searched.fault.is_none() && searched.broken().next().is_none()
        };
        if if searching { searched.is_clean() } else { sound(&searched) } {
            return Ok((searched, unclaimed));
        }
        let claim = search.claim().to_string();
        let heading = Heading { name, seed, given, searching, unclaimed, claim };
        let explained = searched.broken().filter(|found| found.law.shows_in_one_client(search.claim()));
        let found: Vec<Timeline> = explained.map(|found| found.timeline.clone()).collect();
        // After a fault, only with the cases before it.
        let known = if searched.fault.is_some() { searched.sound_cases().min(CASES) } else { CASES };
        let diagnosis = (!found.is_empty()).then(|| Diagnosis::of(&search, &subject, &found, known)).flatten();
        let folder = folder.map(|folder| folder.path);
        let broken = Broken::new(heading, searched, diagnosis, search.claim(), &subject, folder);
        Err(Box::new(CheckFailed::Broken(Box::new(broken))))
    }
}

/// The laws that do not apply without a claim.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclaimed {
    /// The number of laws that apply.
    judged: u64,
    /// The number of laws that do not.
    silent: u64,
}

impl Unclaimed {
    /// `None` with a claim.
    fn of(claim: &Claim, searched: &Searched) -> Option<Self> {
        if !claim.is_bare() {
            return None;
        }
        let judged = searched.verdicts.iter().filter(|verdict| verdict.applies).count() as u64;
        // Other laws may not apply because it is a whole loop, or reports no rung, which no claim would change.
        let silent = searched.verdicts.iter().filter(|verdict| !verdict.law.applies(claim)).count() as u64;
        Some(Self { judged, silent })
    }
}

impl fmt::Display for Unclaimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = if self.silent == 1 { "is" } else { "are" };
        write!(
            f,
            "{} {are} not applicable without a claim: add `.claims(…)`, such as an `Exponential` or \
             `Claim::streaming(…)`, to check the waits and limits, too.",
            plural(self.silent, "law")
        )
    }
}

#[cfg(test)]
mod tests {
    use retrylab_core::{Call, CallRules};

    use super::*;

    fn call() -> Call {
        Call::new(CallRules::builder().build().expect("the default rules"))
    }

    #[test]
    fn laws_that_need_a_claim_are_counted() {
        let laws = ["huge-inputs-survive", "jitter-spreads", "gives-up-exactly-when-due"];
        let laws = laws.map(|name| Law::find(name).expect("a law"));
        let (_, unclaimed) = check(call).laws(laws).cases(10).judged().expect("it holds");
        let message = unclaimed.expect("nothing is claimed").to_string();
        assert!(message.starts_with("2 laws are not applicable without a claim: add `.claims(…)`"), "{message}");
        let claim = Claim::ladder().with_drawing(Drawing::Own);
        assert!(
            check(call).claims(claim).laws(laws).cases(10).judged().is_ok_and(|(_, unclaimed)| unclaimed.is_some())
        );
        let claim = Claim::call(&retrylab_spec::CallSpec::default());
        let (_, unclaimed) = check(call).claims(claim).laws(laws).judged().expect("it holds");
        assert!(unclaimed.is_none());
    }
}
