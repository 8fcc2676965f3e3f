//! Policies as a file describes them: bounded calls, reconnecting loops, and dialects of the built-in rules.

use core::fmt;
use core::time::Duration;

use retrylab_core::{
    Backoff, CallRules, CallRulesBuilder, CallRulesError, Instant, Jitter, Ladder, LadderError, ServerDelay,
};

use crate::model::Shape;

/// A bounded call, or each outage of a reconnecting loop.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSpec {
    /// How the waits grow.
    pub ladder: LadderSpec,
    /// How they are spread.
    pub jitter: Jitter,
    /// The most attempts; `None`: no limit. 0 is refused when the call begins, not when the file is read.
    pub attempts: Option<u32>,
    /// The most time from the first failure to the end of the last wait.
    pub elapsed: Option<Duration>,
    /// The last reading of the client's clock at which a retry may start.
    pub deadline: Option<Duration>,
    /// What is done with a wait that the server asks for.
    pub retry_after: ServerDelay,
    /// Budgets that all calls of the client share; each has to pay.
    pub budgets: Vec<BudgetSpec>,
    /// Whether it is safe to send the operation again when it may have been received.
    pub idempotent: bool,
}

impl Default for CallSpec {
    /// Four attempts, 500 ms doubling to 30 s, full jitter, no other limit.
    fn default() -> Self {
        Self {
            ladder: LadderSpec::Exponential {
                base: Duration::from_millis(500),
                ratio: Ratio { numerator: 2, denominator: 1 },
                ceiling: Duration::from_secs(30),
            },
            jitter: Jitter::Full,
            attempts: Some(4),
            elapsed: None,
            deadline: None,
            retry_after: ServerDelay::Ignore,
            budgets: Vec::new(),
            idempotent: true,
        }
    }
}

impl CallSpec {
    /// What a reconnecting loop is until told otherwise: as a call, with no limit of attempts.
    #[must_use]
    pub fn reconnect() -> Self {
        Self { attempts: None, ..Self::default() }
    }

    /// The rules that this describes.
    ///
    /// # Errors
    ///
    /// If no attempt is allowed. The ladder of a checked timeline can be built.
    pub fn rules(&self) -> Result<CallRules, CallSpecError> {
        let mut builder: CallRulesBuilder = CallRules::builder()
            .backoff(Backoff::new(self.ladder.ladder()?, self.jitter))
            .attempts(self.attempts.unwrap_or(u32::MAX))
            .server_delay(self.retry_after);
        if let Some(elapsed) = self.elapsed {
            builder = builder.elapsed(elapsed);
        }
        if let Some(deadline) = self.deadline {
            builder = builder.deadline(Instant::ZERO + deadline);
        }
        Ok(builder.build()?)
    }
}

/// A description that is no policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallSpecError {
    /// The ladder cannot be built.
    Ladder(LadderError),
    /// The rules cannot be built.
    Rules(CallRulesError),
}

impl fmt::Display for CallSpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ladder(error) => error.fmt(f),
            Self::Rules(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CallSpecError {}

impl From<LadderError> for CallSpecError {
    fn from(error: LadderError) -> Self {
        Self::Ladder(error)
    }
}

impl From<CallRulesError> for CallSpecError {
    fn from(error: CallRulesError) -> Self {
        Self::Rules(error)
    }
}

/// How waits grow.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderSpec {
    /// Each rung is the one before times the ratio.
    Exponential {
        /// The first rung.
        base: Duration,
        /// At least 1.
        ratio: Ratio,
        /// The longest wait.
        ceiling: Duration,
    },
    /// The same wait at every rung.
    Constant(Duration),
    /// Each rung is `step` longer.
    Linear {
        /// The first rung.
        base: Duration,
        /// What each rung adds.
        step: Duration,
        /// The longest wait.
        ceiling: Duration,
    },
    /// The base times 1, 1, 2, 3, 5, ….
    Fibonacci {
        /// The first rung.
        base: Duration,
        /// The longest wait.
        ceiling: Duration,
    },
    /// These waits, then the last for ever.
    List(Vec<Duration>),
}

impl LadderSpec {
    /// Twice as long at each rung, from `base` up to `ceiling`.
    #[must_use]
    pub const fn doubling(base: Duration, ceiling: Duration) -> Self {
        Self::Exponential { base, ratio: Ratio { numerator: 2, denominator: 1 }, ceiling }
    }

    /// The ladder itself.
    ///
    /// # Errors
    ///
    /// If the ratio is below 1, or a list is empty or too long.
    pub fn ladder(&self) -> Result<Ladder, LadderError> {
        match self {
            Self::Exponential { base, ratio, ceiling } => {
                Ladder::exponential(*base, ratio.numerator, ratio.denominator, *ceiling)
            }
            Self::Constant(delay) => Ok(Ladder::constant(*delay)),
            Self::Linear { base, step, ceiling } => Ok(Ladder::linear(*base, *step, *ceiling)),
            Self::Fibonacci { base, ceiling } => Ok(Ladder::fibonacci(*base, *ceiling)),
            Self::List(rungs) => Ladder::list(rungs),
        }
    }
}

/// A ratio of whole numbers, in lowest terms in a checked timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Above the line.
    pub numerator: u32,
    /// Below the line.
    pub denominator: u32,
}

impl Ratio {
    /// Reads `2`, `1.6` or `3/2`, exactly. `None` for anything else, for a denominator of 0, and for what does not fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (numerator, denominator) = match (text.split_once('/'), text.split_once('.')) {
            (Some((above, below)), _) => (digits(above.trim())?, digits(below.trim())?),
            (None, Some((whole, part))) => {
                let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
                (digits(whole)?.checked_mul(scale)?.checked_add(digits(part)?)?, scale)
            }
            (None, None) => (digits(text)?, 1),
        };
        Self::of(numerator, denominator)
    }

    /// The same ratio in lowest terms; `None` for a denominator of 0.
    #[must_use]
    pub fn lowest_terms(self) -> Option<Self> {
        Self::of(self.numerator.into(), self.denominator.into())
    }

    fn of(numerator: u64, denominator: u64) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Some(Self {
            numerator: u32::try_from(numerator / divisor).ok()?,
            denominator: u32::try_from(denominator / divisor).ok()?,
        })
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// What pays for retries, shared by all calls of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSpec {
    /// A bucket of tokens.
    Tokens {
        /// How many it starts with and can hold.
        tokens: u32,
        /// What a retry costs.
        cost: u32,
        /// What a retry costs after a timeout.
        timeout_cost: u32,
        /// What a success puts back.
        refill: u32,
    },
    /// A fraction of the requests, and a reserve.
    Ratio {
        /// Retries a request.
        ratio: Ratio,
        /// Retries beyond those.
        reserve: u32,
    },
}

/// When a reconnecting loop starts over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetSpec {
    /// After this much unbroken health.
    HealthyFor(Duration),
    /// After so many successes in a row.
    Successes(u32),
}

/// The built-in rules as other implementations of them have them: each a real difference, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// An initial delay above the normal ceiling is cut down to it.
    ClampInitial,
    /// The extended initial stays at 300 s below a larger normal initial: the worse failure waits less.
    InvertedExtended,
    /// A stream is healthy from its connect on, without a message.
    HealthFromConnect,
    /// A stream's health starts anew at each message.
    HealthFromLastMessage,
    /// TLS and certificate failures are unexpected.
    TlsUnexpected,
    /// The first good poll while extended still waits the last delay.
    CadenceNotRestored,
    /// A server's hint replaces the base, restarts the count and survives resets.
    RetryHint,
    /// A zero or negative initial delay is taken as zero.
    ZeroLiteral,
    /// A zero or negative initial delay is 1 s, and nobody is told.
    DefaultSilent,
    /// The exponent stops at 30.
    ExponentCapped,
    /// The doubled delay wraps to zero.
    ExponentWraps,
    /// The clock's zero stands for "not healthy yet".
    ClockZeroUnset,
    /// Every HTTP failure of a stream is logged as an error, whatever its kind.
    HttpAlwaysError,
    /// Every HTTP failure of a stream is logged as a warning, whatever its kind.
    HttpAlwaysWarning,
    /// A stream is valid after any message that was handled, not after a put alone.
    ValidAfterPatch,
    /// A poll's unreadable body is invalid data, not an unknown error.
    MalformedIsInvalidData,
}

impl Dialect {
    /// Every dialect with its name as a kind of client.
    pub const ALL: [(Self, &'static str); 16] = [
        (Self::ClampInitial, "streaming:clamp-initial"),
        (Self::InvertedExtended, "streaming:inverted-extended"),
        (Self::HealthFromConnect, "streaming:health-from-connect"),
        (Self::HealthFromLastMessage, "streaming:health-from-last-message"),
        (Self::TlsUnexpected, "streaming:tls-unexpected"),
        (Self::CadenceNotRestored, "polling:cadence-not-restored"),
        (Self::RetryHint, "streaming:retry-hint"),
        (Self::ZeroLiteral, "streaming:zero-literal"),
        (Self::DefaultSilent, "streaming:default-silent"),
        (Self::ExponentCapped, "streaming:exponent-capped"),
        (Self::ExponentWraps, "streaming:exponent-wraps"),
        (Self::ClockZeroUnset, "streaming:clock-zero-unset"),
        (Self::HttpAlwaysError, "streaming:http-always-error"),
        (Self::HttpAlwaysWarning, "streaming:http-always-warning"),
        (Self::ValidAfterPatch, "streaming:valid-after-patch"),
        (Self::MalformedIsInvalidData, "polling:malformed-is-invalid-data"),
    ];

    /// The name as a kind of client.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// What it is a dialect of.
    #[must_use]
    pub const fn shape(self) -> Shape {
        match self {
            Self::CadenceNotRestored | Self::MalformedIsInvalidData => Shape::Polling,
            _ => Shape::Streaming,
        }
    }
}

/// Decimal digits only.
fn digits(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok()).flatten()
}

const fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_read_exactly() {
        let ratio = |numerator, denominator| Some(Ratio { numerator, denominator });
        assert_eq!(Ratio::parse("2"), ratio(2, 1));
        assert_eq!(Ratio::parse("1.6"), ratio(8, 5));
        assert_eq!(Ratio::parse("3/2"), ratio(3, 2));
        assert_eq!(Ratio::parse("0.10"), ratio(1, 10));
        for refused in ["", "nan", "inf", "-2", "+2", "1e3", "1/0", "2.", ".5", "5000000000", "1.2.3"] {
            assert_eq!(Ratio::parse(refused), None, "{refused}");
        }
    }

    #[test]
    fn every_dialect_has_its_own_name() {
        for (dialect, name) in Dialect::ALL {
            assert_eq!(dialect.name(), name);
            assert!(name.starts_with(dialect.shape().name()), "{name}");
        }
    }
}
