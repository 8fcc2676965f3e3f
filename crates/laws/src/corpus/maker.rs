//! What is asked: something that makes fresh policies from a setting that all have in common.

use core::fmt;
use core::time::Duration;

use retrylab_core::{FailureKind, Jitter, Policy, ServerDelay};
use retrylab_scenario::{CallSpec, Client, ClientKind, LadderSpec, Ratio, ResetSpec, Seconds, Shape, named};
use retrylab_sim::build;

use super::Verdict;
use crate::specimen::Specimen;

/// A policy that can be built for any number of clients.
pub trait Maker {
    /// What the command line calls it.
    fn name(&self) -> &str;

    /// What its clients do, which decides the questions that make sense.
    fn shape(&self) -> Shape;

    /// One fresh client. `seed` is for a generator that outlives a call; draws come with each failure.
    ///
    /// # Errors
    ///
    /// If the policy has no way to be as asked.
    fn make(&self, asked: &Asked, seed: u64) -> Result<Box<dyn Policy>, Unsayable>;

    /// So many fresh clients of one process, made as its users make them: what those share, these share.
    ///
    /// # Errors
    ///
    /// If the policy has no way to be as asked.
    fn fleet(&self, asked: &Asked, seed: u64, clients: usize) -> Result<Vec<Box<dyn Policy>>, Unsayable> {
        (0..clients).map(|_| self.make(asked, seed)).collect()
    }

    /// Whether two equal runs are equal: false for a policy with a generator of its own that nobody can seed.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// The ladder that it climbs when it is made so. A policy whose ladder is fixed says which it is.
    fn climb(&self, asked: &Asked) -> Climb {
        Climb { kind: FailureKind::Normal, base: asked.base, ceiling: asked.ceiling }
    }

    /// What becomes of a number that nobody should configure.
    fn configure(&self, odd: Odd) -> Configured {
        let _ = odd;
        Configured::Unsayable
    }
}

/// The setting in the terms that all policies share: waits that double from a base to a ceiling.
///
/// Whoever can listen to a server's wait does, obeys [`SERVER_MOST`] of it and adds up to [`SERVER_SPREAD`] at random,
/// if it has a way to say so. Streams are healthy after a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The first wait.
    pub base: Duration,
    /// The longest wait.
    pub ceiling: Duration,
    /// Whether waits are spread.
    pub jitter: bool,
    /// The most attempts of a call or an outage, the first one included.
    pub attempts: Option<u32>,
    /// The most time for a call or an outage.
    pub elapsed: Option<Duration>,
}

/// The longest wait that is obeyed when a server asks for it.
pub const SERVER_MOST: Duration = Duration::from_secs(60);

/// What is added to it at random, at most.
pub const SERVER_SPREAD: Duration = Duration::from_secs(6);

/// How long a stream has to be healthy for its ladder to start over.
pub(super) const HEALTHY: Duration = Duration::from_secs(60);

impl Default for Asked {
    /// 1 s doubling to 30 s, with jitter and without a limit.
    fn default() -> Self {
        let (base, ceiling) = (Duration::from_secs(1), Duration::from_secs(30));
        Self { base, ceiling, jitter: true, attempts: None, elapsed: None }
    }
}

/// A ladder that doubles, and what climbs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// The kind of failure that climbs.
    pub kind: FailureKind,
    /// The first wait, before jitter.
    pub base: Duration,
    /// The longest wait.
    pub ceiling: Duration,
}

/// A number that nobody should configure.
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

/// What became of an [`Odd`] number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configured {
    /// There is no way to say it.
    Unsayable,
    /// There is no policy, or a default with a warning.
    Refused,
    /// It is used, or replaced without a word.
    Accepted,
}

/// Why a policy cannot be as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsayable(pub String);

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Unsayable {}

impl From<Unsayable> for Verdict {
    fn from(Unsayable(why): Unsayable) -> Self {
        Self::NotApplicable { why }
    }
}

/// The maker of the built-in policy of this name.
#[must_use]
pub fn built_in(name: &str) -> Option<BuiltInMaker> {
    let Client { kind, .. } = named::client(name)?;
    Some(BuiltInMaker { name: named::name(&kind), kind })
}

/// Makes a built-in policy.
#[derive(Clone, Debug)]
pub struct BuiltInMaker {
    name: &'static str,
    kind: ClientKind,
}

impl Maker for BuiltInMaker {
    fn name(&self) -> &str {
        self.name
    }

    fn shape(&self) -> Shape {
        self.kind.shape()
    }

    fn make(&self, asked: &Asked, _: u64) -> Result<Box<dyn Policy>, Unsayable> {
        let (policy, _) = build(&as_asked(&self.kind, asked)?).map_err(|refused| Unsayable(refused.to_string()))?;
        Ok(Box::new(policy))
    }

    fn climb(&self, asked: &Asked) -> Climb {
        climb(&self.kind, asked)
    }

    fn configure(&self, odd: Odd) -> Configured {
        match (&self.kind, odd) {
            (ClientKind::Call(_) | ClientKind::Reconnect { .. }, Odd::Shrinking) => match shrinking().ladder() {
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

/// The maker of the specimen of this name; none if there is no such specimen, or it is not about a policy as it is asked
/// for here.
#[must_use]
pub fn specimen(name: &str) -> Option<SpecimenMaker> {
    let specimen = Specimen::find(name)?;
    let kinds = ["call", "reconnect", "streaming", "polling"].into_iter().filter_map(named::client);
    let asked = Asked::default();
    let can_be = |kind: &ClientKind| {
        as_asked(kind, &asked).is_ok_and(|kind| specimen.build(&kind).is_some())
            || with_seconds(kind, NAN).is_some_and(|kind| specimen.build(&kind).is_some())
    };
    let kind = kinds.map(|client| client.kind).find(can_be)?;
    Some(SpecimenMaker { name: format!("specimen:{name}"), specimen, kind })
}

/// Makes a specimen.
#[derive(Clone, Debug)]
pub struct SpecimenMaker {
    name: String,
    specimen: &'static Specimen,
    kind: ClientKind,
}

impl Maker for SpecimenMaker {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> Shape {
        self.kind.shape()
    }

    fn make(&self, asked: &Asked, _: u64) -> Result<Box<dyn Policy>, Unsayable> {
        let kind = as_asked(&self.kind, asked)?;
        self.specimen.build(&kind).ok_or_else(|| Unsayable("such a client cannot have the fault".to_owned()))
    }

    fn climb(&self, asked: &Asked) -> Climb {
        climb(&self.kind, asked)
    }

    /// A specimen that there is only of such a number has taken it.
    fn configure(&self, odd: Odd) -> Configured {
        let taken =
            |seconds| with_seconds(&self.kind, seconds).is_some_and(|kind| self.specimen.build(&kind).is_some());
        let only_then = !taken(Seconds::Number(1.0));
        match odd_seconds(odd) {
            Some(seconds) if only_then && taken(seconds) => Configured::Accepted,
            _ => Configured::Unsayable,
        }
    }
}

/// The built-in client that is as asked.
fn as_asked(kind: &ClientKind, asked: &Asked) -> Result<ClientKind, Unsayable> {
    let fixed = match kind {
        ClientKind::Call(_) => return Ok(ClientKind::Call(spec(asked))),
        ClientKind::Reconnect { .. } => {
            return Ok(ClientKind::Reconnect { outage: spec(asked), reset: ResetSpec::HealthyFor(HEALTHY) });
        }
        fixed => fixed,
    };
    if asked.attempts.is_some() || asked.elapsed.is_some() {
        return Err(Unsayable("it goes on for ever, without a limit".to_owned()));
    }
    match (fixed, fixed.shape()) {
        (_, Shape::Streaming) => with_seconds(fixed, Seconds::Text(asked.base)),
        (fixed, _) => Some(fixed.clone()),
    }
    .ok_or_else(|| Unsayable("only its owner can build it".to_owned()))
}

fn spec(asked: &Asked) -> CallSpec {
    let Asked { base, ceiling, jitter, attempts, elapsed } = *asked;
    CallSpec {
        ladder: LadderSpec::Exponential { base, ratio: Ratio { numerator: 2, denominator: 1 }, ceiling },
        jitter: if jitter { Jitter::Full } else { Jitter::None },
        attempts,
        elapsed,
        retry_after: ServerDelay::Clamp { most: SERVER_MOST, spread: SERVER_SPREAD },
        ..CallSpec::default()
    }
}

fn shrinking() -> LadderSpec {
    let Asked { base, ceiling, .. } = Asked::default();
    LadderSpec::Exponential { base, ratio: Ratio { numerator: 1, denominator: 2 }, ceiling }
}

/// A poller climbs by rejections; streams and calls by failures that will pass. The two-regime rules have fixed ceilings.
fn climb(kind: &ClientKind, asked: &Asked) -> Climb {
    let (base, ceiling) = (asked.base, asked.ceiling);
    match (kind, kind.shape()) {
        (ClientKind::Call(_) | ClientKind::Reconnect { .. }, _) | (_, Shape::Call) => {
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

/// The client with these seconds, for kinds that are configured with seconds.
fn with_seconds(kind: &ClientKind, seconds: Seconds) -> Option<ClientKind> {
    match *kind {
        ClientKind::Streaming { .. } => Some(ClientKind::Streaming { initial_reconnect_delay: Some(seconds) }),
        ClientKind::Polling { .. } => Some(ClientKind::Polling { poll_interval: Some(seconds) }),
        ClientKind::Dialect { dialect, .. } => Some(ClientKind::Dialect { dialect, seconds: Some(seconds) }),
        ClientKind::Call(_) | ClientKind::Reconnect { .. } | ClientKind::External { .. } => None,
    }
}
