//! What a subject says of itself, and is held to.

use core::time::Duration;

use retrylab_core::{BuiltInReset, HealthyFor, Jitter, ServerDelay, Successes};
use retrylab_scenario::{
    BudgetSpec, CallSpec, Client, ClientKind, JitterChoice, LadderSpec, Ratio, ResetSpec, Seconds, Shape,
};

use crate::model::Rules;

/// What a subject says of itself, which is what the laws hold it to. What is `None` is not claimed, and the laws about it
/// do not apply.
///
/// ```
/// use retrylab_laws::{Claim, Law};
///
/// let claim = Claim::streaming(1.0);
/// assert!(Law::find("extended-lasts-until-due").is_some_and(|law| law.applies(&claim)));
/// // Nothing but what holds of every policy whatever.
/// let modest = Claim::anything(claim.shape);
/// assert!(!Law::find("extended-lasts-until-due").is_some_and(|law| law.applies(&modest)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What it repeats.
    pub shape: Shape,
    /// Whether it goes on for ever, whatever happens.
    pub endless: bool,
    /// How the bases grow: of the normal regime, where there are two.
    pub normal: Option<LadderSpec>,
    /// How they grow once a failure was unexpected.
    pub extended: Option<LadderSpec>,
    /// How a base is spread.
    pub jitter: Option<Jitter>,
    /// The wait between healthy operations, which no wait is below.
    pub cadence: Option<Duration>,
    /// How much health clears the state. One success ends a call.
    pub reset: Option<BuiltInReset>,
    /// What ends a call, if all of that is known.
    pub limits: Option<CallLimits>,
    /// Where its randomness comes from.
    pub drawing: Drawing,
    /// Whether its configuration cannot be used, so that it replaces it and has to say so; `None` if it is not known what it
    /// says of itself.
    pub replaced: Option<bool>,
    /// Whether it says why it gives up. Where it does not, any end that is due is the right one.
    pub says_why: bool,
    /// Whether it logs and reports as a data source does.
    pub logs: bool,
    /// By how much a wait may be off, in nanoseconds: for subjects that compute in floating point.
    pub tolerance_ns: u64,
}

/// Everything that ends a call before it succeeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallLimits {
    /// The most attempts.
    pub attempts: Option<u32>,
    /// The most time from the first failure to the end of the last wait.
    pub elapsed: Option<Duration>,
    /// The last reading of the client's clock at which a retry may start.
    pub deadline: Option<Duration>,
    /// What is done with a wait that the server asks for.
    pub retry_after: Option<ServerDelay>,
    /// What has to pay for each retry.
    pub budgets: Vec<BudgetSpec>,
}

/// Where a subject's randomness comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawing {
    /// It uses the draws that it is given, so its waits are known exactly.
    #[default]
    Given,
    /// It has a generator of its own, so its waits are judged in bands.
    Own,
}

impl Claim {
    /// A stream of the two-regime rules with this initial delay in seconds.
    #[must_use]
    pub fn streaming(initial_reconnect_delay: f64) -> Self {
        Self::two_regimes(Shape::Streaming, &Rules::streaming(initial_reconnect_delay))
    }

    /// A poller of the two-regime rules with this interval in seconds.
    #[must_use]
    pub fn polling(poll_interval: f64) -> Self {
        Self::two_regimes(Shape::Polling, &Rules::polling(poll_interval))
    }

    /// Bounded calls as described.
    #[must_use]
    pub fn call(call: &CallSpec) -> Self {
        Self { reset: Some(BuiltInReset::Successes(Successes::new(1))), ..Self::outage(Shape::Call, call) }
    }

    /// A list of waits without end that ignores what fails and when: `Iterator<Item = Duration>`, told nothing. Its ladder
    /// may be given with [`Claim::with_ladder`].
    #[must_use]
    pub fn ladder() -> Self {
        Self::anything(Shape::Call)
    }

    /// Nothing but what holds of every policy of this shape.
    #[must_use]
    pub const fn anything(shape: Shape) -> Self {
        Self {
            shape,
            endless: false,
            normal: None,
            extended: None,
            jitter: None,
            cadence: None,
            reset: None,
            limits: None,
            drawing: Drawing::Given,
            replaced: None,
            says_why: true,
            logs: false,
            tolerance_ns: 0,
        }
    }

    /// What a client of a file claims as it is played, with its jitter or without. A dialect claims to be what it is a
    /// dialect of; of a policy that only its owner can build nothing is known.
    ///
    /// ```
    /// use retrylab_core::Jitter;
    /// use retrylab_laws::{Claim, Law};
    /// use retrylab_scenario::{Client, ClientKind, JitterChoice};
    ///
    /// let mut client = Client::new(ClientKind::Streaming { initial_reconnect_delay: None });
    /// assert_eq!(Claim::of(&client).jitter, Some(Jitter::SubtractHalf));
    /// client.jitter = JitterChoice::None;
    /// assert_eq!(Claim::of(&client).jitter, Some(Jitter::None));
    /// ```
    #[must_use]
    pub fn of(client: &Client) -> Self {
        let client = client.clone().as_played();
        let claim = Self::of_kind(&client.kind);
        match client.jitter {
            // Draw 0 subtracts nothing.
            JitterChoice::None => Self { jitter: claim.jitter.map(|_| Jitter::None), ..claim },
            JitterChoice::Own | JitterChoice::Coarse => claim,
        }
    }

    fn of_kind(kind: &ClientKind) -> Self {
        match kind {
            ClientKind::Streaming { initial_reconnect_delay } => {
                Self::source(Shape::Streaming, *initial_reconnect_delay)
            }
            ClientKind::Polling { poll_interval } => Self::source(Shape::Polling, *poll_interval),
            ClientKind::Dialect { dialect, seconds } => Self::source(dialect.shape(), *seconds),
            ClientKind::Call(call) => Self::call(call),
            ClientKind::Reconnect { outage, reset } => {
                let reset = match *reset {
                    ResetSpec::HealthyFor(window) => BuiltInReset::HealthyFor(HealthyFor::new(window)),
                    ResetSpec::Successes(count) => BuiltInReset::Successes(Successes::new(count)),
                };
                Self { reset: Some(reset), ..Self::outage(Shape::Streaming, outage) }
            }
            ClientKind::External { played_as, .. } => Self::anything(*played_as),
        }
    }

    /// The same with bases that grow so, as one ladder without end.
    #[must_use]
    pub fn with_ladder(mut self, ladder: LadderSpec) -> Self {
        self.normal = Some(ladder);
        self
    }

    /// The same with bases that are spread so.
    #[must_use]
    pub const fn with_jitter(mut self, jitter: Jitter) -> Self {
        self.jitter = Some(jitter);
        self
    }

    /// The same with randomness from there.
    #[must_use]
    pub const fn with_drawing(mut self, drawing: Drawing) -> Self {
        self.drawing = drawing;
        self
    }

    /// A data source that was configured so, which tells what it does.
    fn source(shape: Shape, configured: Option<Seconds>) -> Self {
        let seconds = configured.map(Seconds::as_f64);
        let claim = match shape {
            Shape::Polling => Self::polling(seconds.unwrap_or(30.0)),
            Shape::Streaming | Shape::Call => Self::streaming(seconds.unwrap_or(1.0)),
        };
        let usable = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        Self { replaced: Some(!seconds.is_none_or(usable)), logs: true, ..claim }
    }

    fn two_regimes(shape: Shape, rules: &Rules) -> Self {
        let doubling =
            |(base, ceiling)| LadderSpec::Exponential { base, ratio: Ratio { numerator: 2, denominator: 1 }, ceiling };
        Self {
            endless: true,
            normal: Some(doubling(rules.normal())),
            extended: Some(doubling(rules.extended())),
            jitter: Some(Jitter::SubtractHalf),
            cadence: Some(rules.cadence()),
            reset: Some(rules.reset()),
            ..Self::anything(shape)
        }
    }

    fn outage(shape: Shape, call: &CallSpec) -> Self {
        let limits = CallLimits {
            attempts: call.attempts,
            elapsed: call.elapsed,
            deadline: call.deadline,
            retry_after: Some(call.retry_after),
            budgets: call.budgets.clone(),
        };
        Self {
            normal: Some(call.ladder.clone()),
            jitter: Some(call.jitter),
            cadence: Some(Duration::ZERO),
            limits: Some(limits),
            ..Self::anything(shape)
        }
    }
}
