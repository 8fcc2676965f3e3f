//! The laws as a test of somebody's own policy.

use core::fmt;
use core::ops::ControlFlow;
use core::time::Duration;
use std::path::PathBuf;
use std::rc::Rc;

use retrylab_adapters::{Client, Waits};
use retrylab_core::Policy;
use retrylab_laws::search::{Search, Searched};
use retrylab_laws::{Claim, Drawing, LAWS, Law, Subject};
use retrylab_scenario::{Shape, Timeline};

use crate::failed::{CheckFailed, Heading, plural};

/// A search for the shortest timeline in which a policy breaks a law. `policy` makes one that had no outcome yet.
///
/// Without a claim only what holds of every policy is asked: that the same inputs give the same waits, that reading changes
/// nothing, that huge inputs are survived, that a server which keeps failing gets a pause. [`Check::claiming`] says what the
/// policy is, such as [`Claim::call`], and so which other laws hold it to its ladder, its jitter and its limits. A run that
/// passes without a claim prints how many laws say nothing (`cargo test -- --nocapture`).
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::{Call, CallRules};
/// use retrylab_laws::Claim;
/// use retrylab_scenario::CallSpec;
/// use retrylab_testkit::{all, check};
///
/// let rules = CallRules::builder().build()?;
/// check(|| Call::new(rules)).claiming(Claim::call(&CallSpec::default())).laws(all()).run();
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
pub fn check<P: Policy>(policy: impl Fn() -> P) -> Check<impl Subject> {
    Check::new(policy, Claim::anything(Shape::Call))
}

/// The same for an iterator of waits, which makes calls one after the other: each with waits of its own, given up when they
/// end. `waits` makes them for one call.
///
/// Which failures are worth another attempt no iterator says, so a terminal one ends the call at once, and what the server
/// asks for is not heard: it is a call with these waits, and may claim to be one ([`Claim::call`]).
///
/// Its waits may be random, so they are judged in bands, until [`Check::claiming`] says otherwise.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Jitter;
/// use retrylab_testkit::laws::Claim;
/// use retrylab_testkit::scenario::LadderSpec;
/// use retrylab_testkit::{all, check_waits};
///
/// let waits = || (0..5).map(|retry| Duration::from_secs(1 << retry));
/// let doubling = LadderSpec::List((0..5).map(|retry| Duration::from_secs(1 << retry)).collect());
/// let claim = Claim::ladder().with_ladder(doubling).with_jitter(Jitter::None);
/// check_waits(waits).claiming(claim).laws(all()).run();
/// ```
pub fn check_waits<I: Iterator<Item = Duration>>(waits: impl Fn() -> I) -> Check<impl Subject> {
    let waits = Rc::new(waits);
    let policy = move || {
        let waits = Rc::clone(&waits);
        Client::new(Waits::new(move || waits()))
    };
    Check::new(policy, Claim::ladder().with_drawing(Drawing::Own)).without_reasons()
}

/// Every law. Those that say nothing about what is claimed are left out of a check.
#[must_use]
pub const fn all() -> &'static [Law] {
    LAWS
}

/// A check that has not been run.
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
    saving: Option<PathBuf>,
    /// By how much its waits may be off whatever it claims, in nanoseconds.
    tolerance_ns: u64,
    /// Whether it is known why it gives up.
    says_why: bool,
    /// Whether something may happen to its clock.
    clock_events: bool,
}

impl<S: Subject> Check<S> {
    pub(crate) fn new(subject: S, claim: Claim) -> Self {
        let name = "my-policy".to_owned();
        Self {
            subject,
            name,
            claim,
            laws: LAWS.iter().collect(),
            first: Vec::new(),
            cases: 1000,
            seed: 0,
            saving: None,
            tolerance_ns: 0,
            says_why: true,
            clock_events: true,
        }
    }

    /// The same with ends whose reasons nobody knows, whatever is claimed.
    pub(crate) const fn without_reasons(mut self) -> Self {
        self.says_why = false;
        self
    }

    /// The same with waits that may be off by so much, whatever is claimed.
    #[cfg(feature = "tokio")]
    pub(crate) const fn off_by(mut self, tolerance_ns: u64) -> Self {
        self.tolerance_ns = tolerance_ns;
        self
    }

    /// The same with nothing that happens to its clock.
    #[cfg(feature = "tokio")]
    pub(crate) const fn without_clock_events(mut self) -> Self {
        self.clock_events = false;
        self
    }

    /// What the policy claims to be, and so which laws apply to it and with what figures.
    pub fn claiming(mut self, claim: Claim) -> Self {
        self.claim = claim;
        self
    }

    /// The policy's name in what is said of it; `my-policy` until told otherwise.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// These timelines first, besides those that are made up, such as those that were found before:
    /// [`regressions`](crate::regressions) reads them.
    pub fn beginning_with(mut self, timelines: impl IntoIterator<Item = Timeline>) -> Self {
        self.first.extend(timelines);
        self
    }

    /// Only these laws. All of them until told otherwise.
    pub fn laws(mut self, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        self.laws = laws.into_iter().collect();
        self
    }

    /// So many made-up timelines; 1 000 until told otherwise.
    ///
    /// A search has to put each law that applies to the test, and to get to where the claim says that the policy gets. With 0
    /// nothing is searched: only the timelines of [`Check::beginning_with`] are played, of which there has to be one, and none
    /// of that is asked of them. A policy that is mended may never get to what a law is about there.
    pub const fn cases(mut self, cases: u64) -> Self {
        self.cases = cases;
        self
    }

    /// Other timelines; 0 until told otherwise. The same seed makes the same ones.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What breaks a law is left in this folder as `<law>-<hash>.toml`, to be committed; nowhere until told otherwise. A
    /// relative path is below the root of the package that is tested. A file that is there is never overwritten.
    /// [`regressions`](crate::regressions) reads such files, and [`Check::beginning_with`] plays them first, so that they
    /// fail until the policy obeys the law there:
    ///
    /// ```no_run
    /// use retrylab_core::{Call, CallRules};
    /// use retrylab_testkit::{check, regressions};
    ///
    /// let rules = CallRules::builder().build()?;
    /// let before = regressions("tests/regressions", "my-policy")?;
    /// check(|| Call::new(rules)).saving("tests/regressions").beginning_with(before).run();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn saving(mut self, folder: impl Into<PathBuf>) -> Self {
        self.saving = Some(folder.into());
        self
    }

    /// Searches.
    ///
    /// If nothing was claimed, it prints how many laws were judged and how many say nothing without a claim.
    ///
    /// # Panics
    ///
    /// If a law is broken, if one that applies was never put to the test, or if the search never got to where the claim
    /// says that the policy gets. The message has the shortest timeline found, its trace with the offending event marked,
    /// the file that keeps it, where to save that, and the line that plays it from then on.
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

    /// As [`Check::run`], as a result: what the search amounts to. It prints nothing.
    ///
    /// # Errors
    ///
    /// If [`Check::run`] would panic.
    pub fn outcome(self) -> Result<Searched, Box<CheckFailed>> {
        self.judged().map(|(searched, _)| searched)
    }

    fn judged(self) -> Result<(Searched, Option<Unclaimed>), Box<CheckFailed>> {
        let Self { subject, name, claim, laws, first, cases, seed, saving, tolerance_ns, says_why, clock_events } =
            self;
        let mut claim = Claim { says_why: claim.says_why && says_why, ..claim };
        claim.tolerance_ns = claim.tolerance_ns.max(tolerance_ns);
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
            let asked = searched.verdicts.iter().any(|verdict| verdict.applies) && searched.cases > 0;
            asked && searched.fault.is_none() && searched.broken().next().is_none()
        };
        if if searching { searched.is_clean() } else { sound(&searched) } {
            return Ok((searched, unclaimed));
        }
        let heading = Heading { name, seed, given, searching, unclaimed };
        Err(Box::new(CheckFailed::new(heading, searched, search.claim(), &subject, saving)))
    }
}

/// What is not asked of a policy that claims nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclaimed {
    /// How many laws say something about it.
    judged: u64,
    /// How many do not.
    silent: u64,
}

impl Unclaimed {
    /// `None` if something is claimed.
    fn of(claim: &Claim, searched: &Searched) -> Option<Self> {
        // Where its randomness comes from, how exact it is and what it says is nothing that it could break.
        let bare = Claim { drawing: Drawing::Given, tolerance_ns: 0, says_why: true, ..claim.clone() };
        if bare != Claim::anything(claim.shape) {
            return None;
        }
        let judged = searched.verdicts.iter().filter(|verdict| verdict.applies).count() as u64;
        // Others may say nothing since it is a whole loop, or shows no rung, which no claim would change.
        let silent = searched.verdicts.iter().filter(|verdict| !verdict.law.applies(claim)).count() as u64;
        Some(Self { judged, silent })
    }
}

impl fmt::Display for Unclaimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let say = if self.silent == 1 { "says" } else { "say" };
        write!(
            f,
            "{} {say} nothing of it, since it claims nothing: `.claiming(…)` says what it is, such as `Claim::call(…)` or \
             `Claim::ladder().with_ladder(…)`, and has its waits and limits judged, too.",
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
    fn what_is_not_asked_without_a_claim_is_counted() {
        let laws = ["huge-inputs-survive", "jitter-spreads", "gives-up-exactly-when-due"];
        let laws = laws.map(|name| Law::find(name).expect("a law"));
        let (_, unclaimed) = check(call).laws(laws).cases(10).judged().expect("it holds");
        let said = unclaimed.expect("nothing is claimed").to_string();
        assert!(said.starts_with("2 laws say nothing of it, since it claims nothing: `.claiming(…)`"), "{said}");
        let claim = Claim::ladder().with_drawing(Drawing::Own);
        assert!(
            check(call).claiming(claim).laws(laws).cases(10).judged().is_ok_and(|(_, unclaimed)| unclaimed.is_some())
        );
        let claim = Claim::call(&retrylab_scenario::CallSpec::default());
        let (_, unclaimed) = check(call).claiming(claim).laws(laws).judged().expect("it holds");
        assert!(unclaimed.is_none());
    }
}
