//! The description of a policy, which files, claims, vectors, the protocol and builders use.

mod builders;
mod call;
mod dialect;
mod ladder;
mod ratio;
mod regimes;
mod reset;
mod seconds;
mod shape;

use core::time::Duration;

use retrylab_core::{BuiltInReset, ConfigOption, ConfigWarning, Jitter, RetryRules};

pub use self::call::{BudgetSpec, CallSpec, CallSpecError};
pub use self::dialect::Dialect;
pub use self::ladder::LadderSpec;
pub use self::ratio::Ratio;
pub use self::regimes::TwoRegimes;
pub use self::reset::ResetSpec;
pub use self::seconds::Seconds;
pub use self::shape::Shape;

/// The description of a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicySpec {
    /// A stream that reconnects.
    Streaming {
        /// Absent: 1 s, without a warning.
        initial_reconnect_delay: Option<Seconds>,
    },
    /// A poller.
    Polling {
        /// Absent: 30 s, without a warning.
        poll_interval: Option<Seconds>,
    },
    /// A stream or a poller with bounds, a reset rule and a cadence of its own. The two above are presets of it.
    TwoRegimes(TwoRegimes),
    /// Bounded calls, one after the other.
    Call(CallSpec),
    /// A stream that reconnects by a policy of its own.
    Reconnect {
        /// The rules of each outage.
        outage: CallSpec,
        /// The end of an outage.
        reset: ResetSpec,
    },
    /// A stream or a poller of another implementation.
    Dialect {
        /// The dialect.
        dialect: Dialect,
        /// The initial reconnect delay of a stream, the interval of a poller; absent: as for the built-in one.
        seconds: Option<Seconds>,
    },
    /// A policy that only its owner can build.
    External {
        /// The owner's name for it.
        name: String,
        /// The kind of client.
        played_as: Shape,
        /// What it claims to be, of any other kind; absent: nothing.
        claims: Option<Box<PolicySpec>>,
    },
}

impl PolicySpec {
    /// The preset of a stream with this initial reconnect delay.
    #[must_use]
    pub const fn streaming(initial_reconnect_delay: Duration) -> Self {
        Self::Streaming { initial_reconnect_delay: Some(Seconds::Text(initial_reconnect_delay)) }
    }

    /// The preset of a stream with this many seconds as its initial reconnect delay, usable or not.
    #[must_use]
    pub const fn streaming_from_secs_f64(initial_reconnect_delay: f64) -> Self {
        Self::Streaming { initial_reconnect_delay: Some(Seconds::Number(initial_reconnect_delay)) }
    }

    /// The preset of a poller with this interval.
    #[must_use]
    pub const fn polling(poll_interval: Duration) -> Self {
        Self::Polling { poll_interval: Some(Seconds::Text(poll_interval)) }
    }

    /// The preset of a poller with this many seconds as its interval, usable or not.
    #[must_use]
    pub const fn polling_from_secs_f64(poll_interval: f64) -> Self {
        Self::Polling { poll_interval: Some(Seconds::Number(poll_interval)) }
    }

    /// A policy of which only the name and the shape are known.
    #[must_use]
    pub fn external(name: impl Into<String>, played_as: Shape) -> Self {
        Self::External { name: name.into(), played_as, claims: None }
    }

    /// The kind of client, which decides the possible outcomes.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        match self {
            Self::Streaming { .. } | Self::Reconnect { .. } => Shape::Streaming,
            Self::Polling { .. } => Shape::Polling,
            Self::TwoRegimes(regimes) => regimes.shape,
            Self::Call(_) => Shape::Call,
            Self::Dialect { dialect, .. } => dialect.shape(),
            Self::External { played_as, .. } => *played_as,
        }
    }

    /// The `kind` of the client in a file.
    ///
    /// ```
    /// use retrylab_spec::{CallSpec, PolicySpec};
    ///
    /// assert_eq!(PolicySpec::Call(CallSpec::default()).name(), "call");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Streaming { .. } => "streaming",
            Self::Polling { .. } => "polling",
            Self::TwoRegimes(regimes) => regimes.shape.name(),
            Self::Call(_) => "call",
            Self::Reconnect { .. } => "reconnect",
            Self::Dialect { dialect, .. } => dialect.name(),
            Self::External { .. } => "external",
        }
    }

    /// The owner's name for an external policy; of any other its [`PolicySpec::name`].
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::External { name, .. } => name,
            _ => self.name(),
        }
    }

    /// The two regimes of a data source, with what replaces unusable seconds. A dialect has those of what it is a dialect
    /// of.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_spec::PolicySpec;
    ///
    /// let regimes = PolicySpec::polling_from_secs_f64(f64::NAN).two_regimes();
    /// assert_eq!(regimes.map(|regimes| regimes.cadence), Some(Duration::from_secs(30)));
    /// ```
    #[must_use]
    pub fn two_regimes(&self) -> Option<TwoRegimes> {
        if let Self::TwoRegimes(regimes) = self {
            return Some(*regimes);
        }
        let option = self.option()?;
        let first = self.configured().and_then(Seconds::usable).unwrap_or(option.default());
        Some(match option {
            ConfigOption::InitialReconnectDelay => TwoRegimes::streaming(first),
            ConfigOption::PollInterval => TwoRegimes::polling(first),
        })
    }

    /// The rules of a stream or a poller, with the warning if the default replaces its seconds. A dialect has rules of its
    /// own.
    #[must_use]
    pub fn rules(&self) -> Option<(RetryRules<BuiltInReset>, Option<ConfigWarning>)> {
        match self {
            Self::Streaming { initial_reconnect_delay } => {
                let seconds = initial_reconnect_delay.map_or(1.0, Seconds::as_f64);
                let (rules, warning) = RetryRules::streaming_from_secs_f64(seconds);
                Some((rules.into(), warning))
            }
            Self::Polling { poll_interval } => {
                let seconds = poll_interval.map_or(30.0, Seconds::as_f64);
                let (rules, warning) = RetryRules::polling_from_secs_f64(seconds);
                Some((rules.into(), warning))
            }
            Self::TwoRegimes(regimes) => Some((regimes.rules(), None)),
            _ => None,
        }
    }

    /// The bounded call that it is, or that each of its outages is.
    #[must_use]
    pub const fn call(&self) -> Option<&CallSpec> {
        match self {
            Self::Call(call) | Self::Reconnect { outage: call, .. } => Some(call),
            _ => None,
        }
    }

    /// [`PolicySpec::call`], mutable.
    #[must_use]
    pub const fn call_mut(&mut self) -> Option<&mut CallSpec> {
        match self {
            Self::Call(call) | Self::Reconnect { outage: call, .. } => Some(call),
            _ => None,
        }
    }

    /// The option that configures a preset or a dialect.
    #[must_use]
    pub const fn option(&self) -> Option<ConfigOption> {
        match self {
            Self::Streaming { .. } => Some(ConfigOption::InitialReconnectDelay),
            Self::Polling { .. } => Some(ConfigOption::PollInterval),
            Self::Dialect { dialect, .. } => Some(dialect.option()),
            _ => None,
        }
    }

    /// The seconds of [`PolicySpec::option`], if they are given.
    #[must_use]
    pub const fn configured(&self) -> Option<Seconds> {
        match self {
            Self::Streaming { initial_reconnect_delay: seconds }
            | Self::Polling { poll_interval: seconds }
            | Self::Dialect { seconds, .. } => *seconds,
            _ => None,
        }
    }

    /// [`PolicySpec::configured`], mutable; `None` if there is no such option.
    #[must_use]
    pub const fn configured_mut(&mut self) -> Option<&mut Option<Seconds>> {
        match self {
            Self::Streaming { initial_reconnect_delay: seconds }
            | Self::Polling { poll_interval: seconds }
            | Self::Dialect { seconds, .. } => Some(seconds),
            _ => None,
        }
    }

    /// Whether its seconds are unusable, so that the default replaces them, with a warning.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.configured().is_some_and(|seconds| seconds.usable().is_none())
    }

    /// The growth of its waits: in the normal regime, if there are two.
    #[must_use]
    pub fn normal(&self) -> Option<LadderSpec> {
        match self.call() {
            Some(call) => Some(call.ladder.clone()),
            None => self.two_regimes().map(|regimes| regimes.normal_ladder()),
        }
    }

    /// The growth of its waits in the extended regime.
    #[must_use]
    pub fn extended(&self) -> Option<LadderSpec> {
        self.two_regimes().map(|regimes| regimes.extended_ladder())
    }

    /// The wait between healthy operations, and the minimum wait.
    #[must_use]
    pub fn cadence(&self) -> Option<Duration> {
        match self.call() {
            Some(_) => Some(Duration::ZERO),
            None => self.two_regimes().map(|regimes| regimes.cadence),
        }
    }

    /// The health that clears its state. One success ends a call.
    #[must_use]
    pub fn reset(&self) -> Option<ResetSpec> {
        match self {
            Self::Call(_) => Some(ResetSpec::Successes(1)),
            Self::Reconnect { reset, .. } => Some(*reset),
            _ => self.two_regimes().map(|regimes| regimes.reset),
        }
    }

    /// The jitter of its waits.
    #[must_use]
    pub fn jitter(&self) -> Option<Jitter> {
        match self.call() {
            Some(call) => Some(call.jitter),
            None => self.two_regimes().map(|_| Jitter::SubtractHalf),
        }
    }
}

impl From<CallSpec> for PolicySpec {
    fn from(call: CallSpec) -> Self {
        Self::Call(call)
    }
}

impl From<TwoRegimes> for PolicySpec {
    fn from(regimes: TwoRegimes) -> Self {
        Self::TwoRegimes(regimes)
    }
}
