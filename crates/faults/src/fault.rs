//! A faulty policy as a value: its description, and its construction in place of a correct one.

use retrylab_core::{BuiltInReset, Policy, RetryRules};
use retrylab_laws::{Described, Law, Subject, SubjectError};
use retrylab_sim::{Input, Player, Record, Response, build, respond};
use retrylab_spec::{BudgetSpec, Client, Dialect, PolicySpec, Timeline};

use crate::catalogue::{CallSteps, Calls, FAULTS, Machine, RENAMED, RIGHT_MACHINE, Steps, WaitFormula, WithWait};

/// A policy with one fault, or a loop with one around a correct policy.
#[derive(Clone, Copy, Debug)]
pub struct KnownFault {
    /// The name, in `catches` and in reports.
    pub name: &'static str,
    /// The fault, in one sentence.
    pub statement: &'static str,
    /// The part that it changes.
    pub category: Category,
    /// The reports; empty if none is known, and the fault only serves to violate a law.
    pub(crate) reports: &'static str,
    /// The law that names the fault best; empty if no law does.
    pub(crate) law: &'static str,
    /// A client that shows it to that law.
    pub(crate) shown_by: Option<fn() -> PolicySpec>,
    pub(crate) makings: Makings,
}

/// The part of a policy that a fault changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// When health clears the state.
    Health,
    /// The choice of the regime.
    Regime,
    /// The growth of bases.
    Ladder,
    /// Numbers too large for their type.
    Overflow,
    /// The jitter of bases.
    Jitter,
    /// The wait and the reads of it.
    Wait,
    /// The end of a call.
    Limit,
    /// The treatment of `retry_after`.
    Server,
    /// The budgets.
    Budget,
    /// The configuration.
    Configuration,
    /// Logs, statuses, and the times of attempts.
    Loop,
}

/// The forms of a fault, for each kind of client. The first that fits is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Makings {
    /// For two regimes: a changed step of the plain state machine.
    pub(crate) machine: Option<Steps>,
    /// For two regimes: a dialect.
    pub(crate) dialect: Option<Dialect>,
    /// For calls: a changed step of the plain call.
    pub(crate) calls: Option<CallSteps>,
    /// For two regimes: the real policy, in a loop that changes its records.
    pub(crate) records: Option<fn(&mut [Record])>,
    /// For any client that the function takes.
    pub(crate) other: Option<Making>,
}

/// The real policy with one change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Making {
    /// The wait before jitter: the real policy decides whether there is a wait, the formula computes the rung, and the
    /// client's own jitter is subtracted. `None`: the loop is dead.
    Rung(WaitFormula),
    /// The wait with jitter, for the correct rung. A client without jitter waits correctly.
    Jitter(WaitFormula),
    /// The parameters: the real policy is built from this description instead of the client's.
    Parameters(fn(&PolicySpec) -> Option<PolicySpec>),
    /// Anything else: a separate policy.
    Policy(fn(&PolicySpec) -> Option<Box<dyn Policy>>),
}

impl KnownFault {
    /// The fault of this name.
    ///
    /// ```
    /// use retrylab_faults::KnownFault;
    ///
    /// let fault = KnownFault::find("shift-wraps-to-zero").expect("one of them");
    /// assert_eq!(fault.statement, "The doubling is a shift that wraps: from the 65th failure on the wait is zero.");
    /// assert!(KnownFault::find("no-such-thing").is_none());
    /// ```
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        FAULTS.iter().find(|fault| fault.name == name)
    }

    /// The present name of a fault that was once called `name`.
    #[must_use]
    pub fn renamed(name: &str) -> Option<&'static str> {
        RENAMED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new)
    }

    /// The source: the reports, or else that of the law that it violates.
    #[must_use]
    pub fn cite(&self) -> &'static str {
        match self.law() {
            Some(law) if self.reports.is_empty() => law.cite,
            _ => self.reports,
        }
    }

    /// Whether it was reported of a shipped policy.
    #[must_use]
    pub const fn is_reported(&self) -> bool {
        !self.reports.is_empty()
    }

    /// The law that names it best, if one does.
    #[must_use]
    pub fn law(&self) -> Option<&'static Law> {
        Law::find(self.law)
    }

    /// A client that shows it to that law.
    #[must_use]
    pub fn shown_by(&self) -> Option<PolicySpec> {
        self.shown_by.map(|client| client())
    }

    /// The kind of the client with the same fault in a file.
    #[must_use]
    pub fn dialect(&self) -> Option<&'static str> {
        self.makings.dialect.map(Dialect::name)
    }

    /// The faulty policy for a client with this description; `None` if this client cannot have the fault. For a
    /// faulty loop it is the correct policy inside.
    #[must_use]
    pub fn build(&self, client: &PolicySpec) -> Option<Box<dyn Policy>> {
        let Makings { machine, dialect, calls, records, other } = self.makings;
        if let Some(rules) = rules(client) {
            if machine.is_some() {
                return if self.is_about(&rules) { self.machine(&rules) } else { None };
            }
            if let Some(dialect) = dialect.and_then(|dialect| spoken(dialect, client)) {
                return Some(Box::new(build(&dialect).ok()?.0));
            }
            if records.is_some() {
                return Some(Box::new(Machine::new(&rules, RIGHT_MACHINE)));
            }
        }
        if let (Some(steps), PolicySpec::Call(spec)) = (calls, client)
            && spec.budgets.iter().all(|budget| matches!(budget, BudgetSpec::Tokens { .. }))
        {
            return Some(Box::new(Calls::new(spec.clone(), steps)));
        }
        match other? {
            Making::Rung(formula) => Some(Box::new(WithWait::of_the_rung(client, formula)?)),
            Making::Jitter(formula) => Some(Box::new(WithWait::of_the_jitter(client, formula)?)),
            Making::Parameters(change) => Some(Box::new(build(&change(client)?).ok()?.0)),
            Making::Policy(policy) => policy(client),
        }
    }

    /// The faulty state machine with these rules; `None` if the fault is elsewhere.
    #[must_use]
    pub fn machine(&self, rules: &RetryRules) -> Option<Box<dyn Policy>> {
        Some(Box::new(Machine::new(rules, self.makings.machine?)))
    }

    /// A fault of health depends on the client's reset rule.
    fn is_about(&self, rules: &RetryRules) -> bool {
        let shown = self.shown_by().and_then(|client| self::rules(&client));
        let lasts = |rules: &RetryRules| matches!(rules.reset_rule(), BuiltInReset::HealthyFor(_));
        self.category != Category::Health || shown.is_none_or(|shown| lasts(&shown) == lasts(rules))
    }

    /// The faulty client with this description, as a subject; `None` if this client cannot have the fault.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use retrylab_faults::KnownFault;
    /// use retrylab_laws::{Claim, LAWS};
    /// use retrylab_search::Search;
    /// use retrylab_spec::Client;
    ///
    /// let fault = KnownFault::find("any-failure-extends").expect("one of them");
    /// let client = Client::new(fault.shown_by().expect("a stream"));
    /// let search = Search::of(client.clone(), Claim::of(&client), LAWS).cases(50);
    /// let faulty = fault.of(&client.kind).expect("a stream can have it");
    /// assert!(!search.run(&faulty, |_| ControlFlow::Continue(())).is_clean());
    /// ```
    #[must_use]
    pub fn of(&'static self, client: &PolicySpec) -> Option<Faulty> {
        self.build(client)?;
        Some(Faulty { fault: self, client: client.clone() })
    }
}

/// A client with a fault.
#[derive(Clone, Debug)]
pub struct Faulty {
    fault: &'static KnownFault,
    client: PolicySpec,
}

impl Faulty {
    /// The fault.
    #[must_use]
    pub const fn fault(&self) -> &'static KnownFault {
        self.fault
    }

    /// Its dialect, with the logs of that.
    fn spoken(&self) -> Option<PolicySpec> {
        let Makings { machine: None, dialect: Some(dialect), .. } = self.fault.makings else { return None };
        spoken(dialect, &self.client)
    }

    fn policy(&self) -> Result<Box<dyn Policy>, SubjectError> {
        let unbuilt = || SubjectError(format!("this client cannot have the fault {}", self.fault.name));
        self.fault.build(&self.client).ok_or_else(unbuilt)
    }
}

impl Subject for Faulty {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
        if let Some(kind) = self.spoken() {
            let mut draft = timeline.clone().into_draft();
            draft.client.kind = kind;
            let timeline =
                Timeline::new(draft).map_err(|_| SubjectError("no dialect can be played like this".to_owned()))?;
            return Described(timeline.client.clone()).play(&timeline, seed);
        }
        SubjectError::guard(|| {
            let mut records: Vec<Record> = Player::new(timeline, self.policy()?, None, seed).collect();
            if let Some(change) = self.fault.makings.records {
                change(&mut records);
            }
            Ok(records)
        })?
    }

    fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        Some(match self.spoken() {
            Some(kind) => return Described(Client::new(kind)).respond(inputs),
            None => self.policy().and_then(|mut policy| SubjectError::guard(|| respond(&mut policy, inputs))),
        })
    }
}

/// The two-regime rules of a client; `None` if it has other rules.
pub(crate) fn rules(client: &PolicySpec) -> Option<RetryRules> {
    match client {
        PolicySpec::Streaming { .. } | PolicySpec::Polling { .. } | PolicySpec::TwoRegimes(_) => {
            client.rules().map(|(rules, _)| rules)
        }
        _ => None,
    }
}

/// The dialect with the configuration of a client of its original.
pub(crate) fn spoken(dialect: Dialect, client: &PolicySpec) -> Option<PolicySpec> {
    let seconds = match client {
        PolicySpec::Streaming { initial_reconnect_delay: seconds } | PolicySpec::Polling { poll_interval: seconds } => {
            *seconds
        }
        _ => return None,
    };
    (dialect.shape() == client.shape()).then_some(PolicySpec::Dialect { dialect, seconds })
}
