//! The laws as a test of somebody's own policy.

use core::fmt;
use core::ops::ControlFlow;
use core::time::Duration;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy};
use retrylab_laws::search::{Excerpt, Faulted, Found, Regression, Search, Searched};
use retrylab_laws::{Claim, Drawing, LAWS, Law, Subject};
use retrylab_scenario::{Shape, Timeline};

/// A search for the shortest timeline in which a policy breaks a law. `policy` makes one that had no outcome yet.
///
/// What a policy claims to be decides which laws apply. Until told otherwise it claims nothing, and only what holds of every
/// policy is asked: that the same inputs give the same waits, that reading changes nothing, that huge inputs are survived.
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
    let waits = std::rc::Rc::new(waits);
    let policy = move || Waits { make: std::rc::Rc::clone(&waits), now: None, wait: Duration::ZERO };
    Check::new(policy, Claim::ladder().with_drawing(Drawing::Own))
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
            clock_events: true,
        }
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

    /// These timelines first, such as those that were found before: [`regressions`](crate::regressions) reads them.
    pub fn beginning_with(mut self, timelines: impl IntoIterator<Item = Timeline>) -> Self {
        self.first.extend(timelines);
        self
    }

    /// Only these laws. All of them until told otherwise.
    pub fn laws(mut self, laws: impl IntoIterator<Item = &'static Law>) -> Self {
        self.laws = laws.into_iter().collect();
        self
    }

    /// So many timelines; 1 000 until told otherwise.
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
    /// relative path is below the root of the package that is tested. [`regressions`](crate::regressions) reads such files,
    /// and [`Check::beginning_with`] plays them first, so that they fail until the policy obeys the law there.
    pub fn saving(mut self, folder: impl Into<PathBuf>) -> Self {
        self.saving = Some(folder.into());
        self
    }

    /// Searches.
    ///
    /// # Panics
    ///
    /// If a law is broken, if one that applies was never put to the test, or if the search never got to where the claim
    /// says that the policy gets. The message has the shortest timeline found, its trace with the offending event marked,
    /// and the file that keeps it.
    #[track_caller]
    #[expect(clippy::panic, reason = "this is how a test fails")]
    pub fn run(self) {
        if let Err(failure) = self.outcome() {
            panic!("{failure}");
        }
    }

    /// As [`Check::run`], as a result: what the search amounts to.
    ///
    /// # Errors
    ///
    /// If [`Check::run`] would panic.
    pub fn outcome(self) -> Result<Searched, Box<CheckFailed>> {
        let Self { subject, name, mut claim, laws, first, cases, seed, saving, tolerance_ns, clock_events } = self;
        claim.tolerance_ns = claim.tolerance_ns.max(tolerance_ns);
        let mut search = Search::new(&name, claim, laws).cases(cases).seed(seed).beginning_with(first);
        if !clock_events {
            search = search.without_clock_events();
        }
        let searched = search.run(&subject, |_| ControlFlow::Continue(()));
        if searched.is_clean() {
            return Ok(searched);
        }
        let found_by = format!("retrylab_testkit::check of {name}, seed {seed}");
        let show = |found: &Found| {
            let excerpt = Excerpt::of(found, search.claim(), &subject).to_string();
            let file = found.regression(search.claim(), &found_by);
            let saved = saving.as_deref().zip(file.as_ref()).map(|(folder, file)| save(folder, file));
            Shown { excerpt, file, saved }
        };
        let shown = searched.broken().map(show).collect();
        Err(Box::new(CheckFailed { name, seed, searched, shown }))
    }
}

/// Writes the file unless it is there. Where it is then.
fn save(folder: &Path, file: &Regression) -> Result<PathBuf, (PathBuf, io::Error)> {
    let path = folder.join(file.name());
    let write = || {
        fs::create_dir_all(folder)?;
        match fs::File::create_new(&path) {
            Ok(mut created) => created.write_all(file.to_string().as_bytes()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    };
    match write() {
        Ok(()) => Ok(path),
        Err(error) => Err((path, error)),
    }
}

/// What is told of a breach besides what was found.
#[derive(Debug)]
struct Shown {
    excerpt: String,
    file: Option<Regression>,
    saved: Option<Result<PathBuf, (PathBuf, io::Error)>>,
}

/// What a check found.
#[derive(Debug)]
pub struct CheckFailed {
    name: String,
    seed: u64,
    /// What the search amounts to.
    pub searched: Searched,
    /// Of each breach, in the order of the verdicts.
    shown: Vec<Shown>,
}

impl CheckFailed {
    /// The files that keep what was found, in the order of the verdicts.
    pub fn regressions(&self) -> impl Iterator<Item = &Regression> {
        self.shown.iter().filter_map(|shown| shown.file.as_ref())
    }
}

impl fmt::Display for CheckFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, seed, searched, shown } = self;
        write!(f, "{name} does not keep the laws ({} timelines, seed {seed})", searched.cases)?;
        if let Some(Faulted { case, fault, timeline, .. }) = &searched.fault {
            write!(f, "\n\ncase {case}: {fault}, in\n\n{}", timeline.to_string().trim_end())?;
        }
        for (found, Shown { excerpt, file, saved }) in searched.broken().zip(shown) {
            let Found { law, breach, timeline, .. } = found;
            write!(f, "\n\n{law}\n  {}\n  expected {}, got {}", law.statement, breach.expected, breach.got)?;
            let text = file.as_ref().map_or_else(|| timeline.to_string(), ToString::to_string);
            write!(f, "\n\n{}\n\n{}", excerpt.trim_end(), text.trim_end())?;
            match saved {
                Some(Ok(path)) => write!(f, "\n\nkept in {}", path.display())?,
                Some(Err((path, error))) => write!(f, "\n\nnot kept: cannot write {}: {error}", path.display())?,
                None => {}
            }
        }
        for verdict in searched.verdicts.iter().filter(|verdict| verdict.applies && verdict.tested == 0) {
            write!(f, "\n\n{} was never put to the test", verdict.law)?;
        }
        if !searched.verdicts.iter().any(|verdict| verdict.applies) {
            write!(f, "\n\nno law says anything about what it claims to be")?;
        }
        for mark in &searched.missed {
            write!(f, "\n\nnever reached: {mark}, which the policy claims to have")?;
        }
        Ok(())
    }
}

impl std::error::Error for CheckFailed {}

/// Calls one after the other, each with waits of its own.
struct Waits<F, I> {
    make: std::rc::Rc<F>,
    /// Those of the present call, once it has failed.
    now: Option<I>,
    wait: Duration,
}

impl<F: Fn() -> I, I: Iterator<Item = Duration>> Policy for Waits<F, I> {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        let next = self.now.get_or_insert_with(|| (self.make)()).next();
        self.wait = next.unwrap_or_default();
        match next {
            Some(wait) => Decision::RetryAfter(wait),
            None => {
                self.now = None;
                Decision::GiveUp(GiveUp::Attempts)
            }
        }
    }

    fn record_success(&mut self, _: Instant) {
        (self.now, self.wait) = (None, Duration::ZERO);
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }
}
