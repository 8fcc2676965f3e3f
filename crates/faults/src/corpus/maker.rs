//! The makers of policies for trials, from a shared setting.

use core::fmt;
use core::time::Duration;

use retrylab_core::{FailureKind, Jitter, Policy, ServerDelay};
use retrylab_sim::build;
use retrylab_spec::{CallSpec, Client, LadderSpec, PolicySpec, Ratio, ResetSpec, Seconds, Shape, named};

use super::BugVerdict;
use crate::fault::{Category, KnownFault};

/// A policy that can be built for any number of clients.
pub trait Maker {
    /// Its name on the command line.
    fn name(&self) -> &str;

    /// The kind of its clients, which decides the applicable trials.
    fn shape(&self) -> Shape;

    /// Makes one fresh client. `seed` is for a generator that outlives a call; draws come with each failure.
    ///
    /// # Errors
    ///
    /// If the policy does not support the setting.
    fn make(&self, asked: &SharedSetting, seed: u64) -> Result<Box<dyn Policy>, Unsayable>;

    /// Makes this many fresh clients of one process, as its users do: they share what those share.
    ///
    /// # Errors
    ///
    /// If the policy does not support the setting.
    fn fleet(&self, asked: &SharedSetting, seed: u64, clients: usize) -> Result<Vec<Box<dyn Policy>>, Unsayable> {
        (0..clients).map(|_| self.make(asked, seed)).collect()
    }

    /// Whether two equal runs are equal: false for a policy with an unseeded generator.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// The ladder with this setting. A policy with a fixed ladder returns that.
    fn climb(&self, asked: &SharedSetting) -> Climb {
        Climb { kind: FailureKind::Normal, base: asked.base, ceiling: asked.ceiling }
    }

    /// The result of configuring an invalid number.
    fn configure(&self, odd: Odd) -> Configured {
        let _ = odd;
        Configured::Unsayable
    }
}

/// A setting in terms that all policies share: waits that double from a base to a ceiling.
///
/// A policy that honours `retry_after` does so up to [`SERVER_MOST`] and adds up to [`SERVER_SPREAD`] at random, if it
/// can be configured so. Streams are healthy after a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedSetting {
    /// The first wait.
    pub base: Duration,
    /// The longest wait.
    pub ceiling: Duration,
    /// Whether there is jitter.
    pub jitter: bool,
    /// The maximum number of attempts of a call or an outage, the first one included.
    pub attempts: Option<u32>,
    /// The maximum time of a call or an outage.
    pub elapsed: Option<Duration>,
}

/// The longest `retry_after` that is honoured.
pub const SERVER_MOST: Duration = Duration::from_secs(60);

/// The maximum random addition to it.
pub const SERVER_SPREAD: Duration = Duration::from_secs(6);

/// The health of a stream that restarts its ladder.
pub(super) const HEALTHY: Duration = Duration::from_secs(60);

impl Default for SharedSetting {
    /// 1 s doubling to 30 s, with jitter and without a limit.
    fn default() -> Self {
        let (base, ceiling) = (Duration::from_secs(1), Duration::from_secs(30));
        Self { base, ceiling, jitter: true, attempts: None, elapsed: None }
    }
}

/// A doubling ladder, and the failures that climb it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// The kind of these failures.
    pub kind: FailureKind,
    /// The first wait, before jitter.
    pub base: Duration,
    /// The longest wait.
    pub ceiling: Duration,
}

/// An invalid number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Odd {
    /// A wait that is not a number.
    NotANumber,
    /// A wait without an end.
    Infinite,
    /// A wait of minus one second.
    Negative,
    /// A factor of a half.
    Shrinking,
}

/// The result of configuring an [`Odd`] number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configured {
    /// The policy has no such setting.
    Unsayable,
    /// It is refused, or replaced by a default with a warning.
    Refused,
    /// It is used, or replaced without a warning.
    Accepted,
}

/// The reason why a policy does not support a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsayable(pub String);

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Unsayable {}

impl From<Unsayable> for BugVerdict {
    fn from(Unsayable(why): Unsayable) -> Self {
        Self::NotApplicable { why }
    }
}

/// The maker of the built-in policy of this name.
#[must_use]
pub fn built_in(name: &str) -> Option<BuiltInMaker> {
    let Client { kind, .. } = named::client(name)?;
    Some(BuiltInMaker { name: kind.name(), kind })
}

/// Makes a built-in policy.
#[derive(Clone, Debug)]
pub struct BuiltInMaker {
    name: &'static str,
    kind: PolicySpec,
}

impl Maker for BuiltInMaker {
    fn name(&self) -> &str {
        self.name
    }

    fn shape(&self) -> Shape {
        self.kind.shape()
    }

    fn make(&self, asked: &SharedSetting, _: u64) -> Result<Box<dyn Policy>, Unsayable> {
        let (policy, _) = build(&as_asked(&self.kind, asked)?).map_err(|refused| Unsayable(refused.to_string()))?;
        Ok(Box::new(policy))
    }

    fn climb(&self, asked: &SharedSetting) -> Climb {
        climb(&self.kind, asked)
    }

    fn configure(&self, odd: Odd) -> Configured {
        match (&self.kind, odd) {
            (PolicySpec::Call(_) | PolicySpec::Reconnect { .. }, Odd::Shrinking) => match shrinking().ladder() {
                Ok(_) => Configured::Accepted,
                Err(_) => Configured::Refused,
            },
            (kind, odd) => match odd_seconds(odd).and_then(|seconds| with_seconds(kind, seconds)) {
                None => Configured::Unsayable,
                Some(kind) => match build(&kind) {
                    Ok((_, None)) => Configured::Accepted,
                    Ok((_, Some(_))) | Err(_) => Configured::Refused,
                },
            },
        }
    }
}

/// The maker of the fault with this name; none if there is none, or it does not concern a single policy.
#[must_use]
pub fn fault(name: &str) -> Option<FaultMaker> {
    let fault = KnownFault::find(name).filter(|fault| fault.category != Category::Loop)?;
    let kinds = ["call", "reconnect", "streaming", "polling"].into_iter().filter_map(named::client);
    let asked = SharedSetting::default();
    let can_be = |kind: &PolicySpec| {
        as_asked(kind, &asked).is_ok_and(|kind| fault.build(&kind).is_some())
            || with_seconds(kind, NAN).is_some_and(|kind| fault.build(&kind).is_some())
    };
    let kind = kinds.map(|client| client.kind).find(can_be)?;
    Some(FaultMaker { name: format!("fault:{name}"), fault, kind })
}

/// Makes a faulty policy.
#[derive(Clone, Debug)]
pub struct FaultMaker {
    name: String,
    fault: &'static KnownFault,
    kind: PolicySpec,
}

impl Maker for FaultMaker {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> Shape {
        self.kind.shape()
    }

    fn make(&self, asked: &SharedSetting, _: u64) -> Result<Box<dyn Policy>, Unsayable> {
        let kind = as_asked(&self.kind, asked)?;
        self.fault.build(&kind).ok_or_else(|| Unsayable("this client cannot have the fault".to_owned()))
    }

    fn climb(&self, asked: &SharedSetting) -> Climb {
        climb(&self.kind, asked)
    }

    /// A fault that exists only with such a number has accepted it.
    fn configure(&self, odd: Odd) -> Configured {
        let taken = |seconds| with_seconds(&self.kind, seconds).is_some_and(|kind| self.fault.build(&kind).is_some());
        let only_then = !taken(Seconds::Number(1.0));
        match odd_seconds(odd) {
            Some(seconds) if only_then && taken(seconds) => Configured::Accepted,
            _ => Configured::Unsayable,
        }
    }
}

/// The built-in client with this setting.
fn as_asked(kind: &PolicySpec, asked: &SharedSetting) -> Result<PolicySpec, Unsayable> {
    let fixed = match kind {
        PolicySpec::Call(_) => return Ok(PolicySpec::Call(spec(asked))),
        PolicySpec::Reconnect { .. } => {
            return Ok(PolicySpec::Reconnect { outage: spec(asked), reset: ResetSpec::HealthyFor(HEALTHY) });
        }
        fixed => fixed,
    };
    if asked.attempts.is_some() || asked.elapsed.is_some() {
        return Err(Unsayable("it never gives up".to_owned()));
    }
    match (fixed, fixed.shape()) {
        (_, Shape::Streaming) => with_seconds(fixed, Seconds::Text(asked.base)),
        (fixed, _) => Some(fixed.clone()),
    }
    .ok_or_else(|| Unsayable("it is an external policy".to_owned()))
}

fn spec(asked: &SharedSetting) -> CallSpec {
    let SharedSetting { base, ceiling, jitter, attempts, elapsed } = *asked;
    CallSpec {
        ladder: LadderSpec::Exponential { base, ratio: Ratio { numerator: 2, denominator: 1 }, ceiling },
        jitter: if jitter { Jitter::Full } else { Jitter::None },
        attempts,
        elapsed,
        retry_after: ServerDelay::clamp(SERVER_MOST).spread(SERVER_SPREAD),
        ..CallSpec::default()
    }
}

fn shrinking() -> LadderSpec {
    let SharedSetting { base, ceiling, .. } = SharedSetting::default();
    LadderSpec::Exponential { base, ratio: Ratio { numerator: 1, denominator: 2 }, ceiling }
}

/// A poller climbs with rejections; streams and calls with failures that pass. The two-regime rules have fixed
/// ceilings.
fn climb(kind: &PolicySpec, asked: &SharedSetting) -> Climb {
    let (base, ceiling) = (asked.base, asked.ceiling);
    match (kind, kind.shape()) {
        (PolicySpec::Call(_) | PolicySpec::Reconnect { .. }, _) | (_, Shape::Call) => {
            Climb { kind: FailureKind::Normal, base, ceiling }
        }
        (_, Shape::Streaming) => Climb { kind: FailureKind::Normal, base, ceiling: Duration::from_secs(30) },
        (_, Shape::Polling) => {
            let (base, ceiling) = (Duration::from_secs(300), Duration::from_secs(3600));
            Climb { kind: FailureKind::Unexpected, base, ceiling }
        }
    }
}

const NAN: Seconds = Seconds::Number(f64::NAN);

const fn odd_seconds(odd: Odd) -> Option<Seconds> {
    match odd {
        Odd::NotANumber => Some(NAN),
        Odd::Infinite => Some(Seconds::Number(f64::INFINITY)),
        Odd::Negative => Some(Seconds::Number(-1.0)),
        Odd::Shrinking => None,
    }
}

/// The client with these seconds, for kinds with seconds in their configuration.
fn with_seconds(kind: &PolicySpec, seconds: Seconds) -> Option<PolicySpec> {
    let mut kind = kind.clone();
    *kind.configured_mut()? = Some(seconds);
    Some(kind)
}
