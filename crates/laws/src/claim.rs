//! The claim of a subject.

use core::time::Duration;

use retrylab_core::{BuiltInReset, Constant, Exponential, Fibonacci, Jitter, Linear, Regime, ServerDelay};
use retrylab_spec::{BudgetSpec, CallSpec, Client, JitterChoice, LadderSpec, PolicySpec, ResetSpec, Shape};

use crate::rungs::Bases;

/// The claim of a subject, which selects the laws and their numbers: a description of a policy, and further facts. An
/// absent fact is not claimed, and the laws about it are not applicable.
///
/// ```
/// use std::time::Duration;
/// use retrylab_laws::{Claim, Law};
/// use retrylab_spec::{PolicySpec, Shape};
///
/// let law = Law::find("extended-lasts-until-due").expect("a law");
/// assert!(law.applies(&Claim::from(PolicySpec::streaming(Duration::from_secs(1)))));
/// // Only the laws of every policy.
/// assert!(!law.applies(&Claim::anything(Shape::Streaming)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    spec: PolicySpec,
    /// Values derived from the description, computed once.
    normal: Option<Bases>,
    extended: Option<Bases>,
    jitter: Option<Jitter>,
    cadence: Option<Duration>,
    reset: Option<BuiltInReset>,
    ends: Ends,
    /// Further facts.
    drawing: Drawing,
    says_why: bool,
    logs: bool,
    tolerance_ns: u64,
}

/// The known ends of the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Never,
    /// The limits of its call.
    ByLimits,
    Unknown,
}

/// The source of a subject's randomness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawing {
    /// The draws of its inputs, so its waits are known exactly.
    #[default]
    Given,
    /// A generator of its own, so its waits are compared with bounds.
    Own,
}

impl Claim {
    /// Claims a stream of the two-regime rules with this initial delay.
    #[must_use]
    pub fn streaming(initial_reconnect_delay: Duration) -> Self {
        PolicySpec::streaming(initial_reconnect_delay).into()
    }

    /// Claims a poller of the two-regime rules with this interval.
    #[must_use]
    pub fn polling(poll_interval: Duration) -> Self {
        PolicySpec::polling(poll_interval).into()
    }

    /// Claims bounded calls with this description.
    #[must_use]
    pub fn call(call: &CallSpec) -> Self {
        call.clone().into()
    }

    /// Claims an endless list of waits, independent of kind and time of the failures: `Iterator<Item = Duration>`.
    /// [`Claim::with_ladder`] may add its ladder.
    #[must_use]
    pub fn ladder() -> Self {
        Self::anything(Shape::Call)
    }

    /// Claims only what holds for every policy of this shape.
    #[must_use]
    pub fn anything(shape: Shape) -> Self {
        PolicySpec::external("", shape).into()
    }

    /// The claim of a file's client, with or without jitter. A data source also logs and reports. A dialect has the
    /// claim of its original; an external policy has the claim in the file, or none.
    ///
    /// ```
    /// use retrylab_core::Jitter;
    /// use retrylab_laws::Claim;
    /// use retrylab_spec::{Client, JitterChoice, PolicySpec};
    ///
    /// let mut client = Client::new(PolicySpec::Streaming { initial_reconnect_delay: None });
    /// assert_eq!(Claim::of(&client).jitter(), Some(Jitter::SubtractHalf));
    /// client.jitter = JitterChoice::None;
    /// assert_eq!(Claim::of(&client).jitter(), Some(Jitter::None));
    /// ```
    #[must_use]
    pub fn of(client: &Client) -> Self {
        let Client { kind, jitter } = client.clone().as_played();
        let mut claim = match kind {
            // It neither logs nor warns where it is played.
            PolicySpec::External { claims: Some(claims), .. } => Self::from(*claims),
            kind => {
                let claim = Self::from(kind);
                Self { logs: claim.spec.two_regimes().is_some(), ..claim }
            }
        };
        match jitter {
            // Draw 0 subtracts nothing.
            JitterChoice::None => claim.jitter = claim.jitter.map(|_| Jitter::None),
            JitterChoice::Own | JitterChoice::Coarse => {}
        }
        claim
    }

    /// Adds the growth of the bases, as one ladder without end.
    #[must_use]
    pub fn with_ladder(mut self, ladder: LadderSpec) -> Self {
        self.normal = Some(ladder.into());
        self
    }

    /// Adds the jitter of the bases.
    #[must_use]
    pub const fn with_jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = Some(jitter);
        self
    }

    /// Adds the health that clears the state.
    #[must_use]
    pub const fn with_reset(mut self, reset: BuiltInReset) -> Self {
        self.reset = Some(reset);
        self
    }

    /// Sets the source of its randomness.
    #[must_use]
    pub const fn with_drawing(mut self, drawing: Drawing) -> Self {
        self.drawing = drawing;
        self
    }

    /// Allows waits to be off by this many nanoseconds.
    #[must_use]
    pub const fn with_tolerance_ns(mut self, tolerance_ns: u64) -> Self {
        self.tolerance_ns = tolerance_ns;
        self
    }

    /// Removes all limits: the subject never gives up.
    #[must_use]
    pub const fn without_end(mut self) -> Self {
        self.ends = Ends::Never;
        self
    }

    /// Ignores the reasons of its ends: any due end is right.
    #[must_use]
    pub const fn without_reasons(mut self) -> Self {
        self.says_why = false;
        self
    }

    /// Removes the logs, reports and warnings of a data source.
    #[must_use]
    pub const fn without_logs(mut self) -> Self {
        self.logs = false;
        self
    }

    /// The claimed policy.
    #[must_use]
    pub const fn spec(&self) -> &PolicySpec {
        &self.spec
    }

    /// The kind of its operations.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.spec.shape()
    }

    /// Whether it never gives up.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        matches!(self.ends, Ends::Never)
    }

    /// The growth of the bases: in the normal regime, if there are two.
    #[must_use]
    pub fn normal(&self) -> Option<&LadderSpec> {
        self.normal.as_ref().map(|bases| &bases.ladder)
    }

    /// The growth of the bases in the extended regime.
    #[must_use]
    pub fn extended(&self) -> Option<&LadderSpec> {
        self.extended.as_ref().map(|bases| &bases.ladder)
    }

    /// The bases of a regime.
    pub(crate) const fn bases(&self, regime: Regime) -> Option<&Bases> {
        match regime {
            Regime::Normal => self.normal.as_ref(),
            Regime::Extended => self.extended.as_ref(),
        }
    }

    /// The jitter of a base.
    #[must_use]
    pub const fn jitter(&self) -> Option<Jitter> {
        self.jitter
    }

    /// Whether a wait depends on the one before.
    pub(crate) const fn is_decorrelated(&self) -> bool {
        matches!(self.jitter, Some(Jitter::Decorrelated | Jitter::DecorrelatedPublished))
    }

    /// The wait between healthy operations, and the minimum wait.
    #[must_use]
    pub const fn cadence(&self) -> Option<Duration> {
        self.cadence
    }

    /// The health that clears the state. One success ends a call.
    #[must_use]
    pub const fn reset(&self) -> Option<BuiltInReset> {
        self.reset
    }

    /// The call whose limits end it, if all of them are known.
    #[must_use]
    pub const fn limits(&self) -> Option<&CallSpec> {
        match self.ends {
            Ends::ByLimits => self.spec.call(),
            Ends::Never | Ends::Unknown => None,
        }
    }

    /// The most waits in a row, between the first attempt and the last.
    #[must_use]
    pub fn most_waits(&self) -> u64 {
        let attempts = self.limits().and_then(|limits| limits.attempts);
        attempts.map_or(u64::MAX, |attempts| u64::from(attempts.saturating_sub(1)))
    }

    /// The budgets that must pay for each retry.
    #[must_use]
    pub fn budgets(&self) -> &[BudgetSpec] {
        self.limits().map_or(&[], |limits| &limits.budgets)
    }

    /// The treatment of a server's `retry_after`, if known.
    #[must_use]
    pub fn retry_after(&self) -> Option<ServerDelay> {
        match self.ends {
            Ends::Never => Some(self.spec.call().map_or(ServerDelay::Ignore, |call| call.retry_after)),
            Ends::ByLimits => self.limits().map(|limits| limits.retry_after),
            Ends::Unknown => None,
        }
    }

    /// The source of its randomness.
    #[must_use]
    pub const fn drawing(&self) -> Drawing {
        self.drawing
    }

    /// Whether its configuration is unusable and must be replaced with a warning; `None` if its warnings are not known.
    #[must_use]
    pub fn is_replaced(&self) -> Option<bool> {
        self.logs.then(|| self.spec.is_replaced())
    }

    /// Whether it reports its reason to give up. If not, any due end is right.
    #[must_use]
    pub const fn says_why(&self) -> bool {
        self.says_why
    }

    /// Whether it logs and reports like a data source.
    #[must_use]
    pub const fn logs(&self) -> bool {
        self.logs
    }

    /// The tolerance of its waits, in nanoseconds: for subjects that compute in floating point.
    #[must_use]
    pub const fn tolerance_ns(&self) -> u64 {
        self.tolerance_ns
    }

    /// The description that claims the same, for a file; `None` if it claims nothing, or more or less than a description does.
    ///
    /// ```
    /// use retrylab_laws::{Claim, Drawing};
    /// use retrylab_spec::{CallSpec, PolicySpec};
    ///
    /// let claim = Claim::from(CallSpec::default());
    /// assert_eq!(claim.described(), Some(&PolicySpec::Call(CallSpec::default())));
    /// assert_eq!(claim.with_drawing(Drawing::Own).described(), None);
    /// assert_eq!(Claim::ladder().described(), None);
    /// ```
    #[must_use]
    pub fn described(&self) -> Option<&PolicySpec> {
        let plain = Self { tolerance_ns: self.tolerance_ns, logs: self.logs, ..Self::from(self.spec.clone()) };
        let says_all = !matches!(self.spec, PolicySpec::External { .. } | PolicySpec::Dialect { .. }) && *self == plain;
        says_all.then_some(&self.spec)
    }

    /// Whether it claims nothing that it could break. Where its randomness comes from, how exact it is and whether it says why
    /// it gives up is no such thing.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        let bare = Self {
            drawing: self.drawing,
            says_why: self.says_why,
            tolerance_ns: self.tolerance_ns,
            ..Self::from(self.spec.clone())
        };
        matches!(self.spec, PolicySpec::External { .. }) && *self == bare
    }
}

impl From<PolicySpec> for Claim {
    fn from(spec: PolicySpec) -> Self {
        let ends = if spec.two_regimes().is_some() {
            Ends::Never
        } else if spec.call().is_some() {
            Ends::ByLimits
        } else {
            Ends::Unknown
        };
        Self {
            normal: spec.normal().map(Bases::from),
            extended: spec.extended().map(Bases::from),
            jitter: spec.jitter(),
            cadence: spec.cadence(),
            reset: spec.reset().map(ResetSpec::rule),
            spec,
            ends,
            drawing: Drawing::Given,
            says_why: true,
            logs: false,
            tolerance_ns: 0,
        }
    }
}

impl From<CallSpec> for Claim {
    fn from(call: CallSpec) -> Self {
        PolicySpec::Call(call).into()
    }
}

macro_rules! claimed {
    ($($builder:ident)*) => {$(
        /// Calls with this description.
        impl From<$builder> for Claim {
            fn from(calls: $builder) -> Self {
                CallSpec::from(calls).into()
            }
        }
    )*};
}

claimed!(Exponential Constant Linear Fibonacci);
