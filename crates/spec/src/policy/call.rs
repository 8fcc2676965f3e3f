//! Bounded calls.

use core::fmt;
use core::time::Duration;

use retrylab_core::{Backoff, CallRules, CallRulesBuilder, CallRulesError, Instant, Jitter, LadderError, ServerDelay};

use super::ladder::LadderSpec;
use super::ratio::Ratio;

/// A bounded call, or each outage of a reconnecting loop.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSpec {
    /// The growth of the waits.
    pub ladder: LadderSpec,
    /// The jitter.
    pub jitter: Jitter,
    /// The maximum number of attempts; `None`: no limit. 0 is refused when the call begins, not when the file is
    /// parsed.
    pub attempts: Option<u32>,
    /// The maximum time from the first failure to the end of the last wait.
    pub elapsed: Option<Duration>,
    /// The last reading of the client's clock at which a retry may start.
    pub deadline: Option<Duration>,
    /// The treatment of a server's `retry_after`.
    pub retry_after: ServerDelay,
    /// Budgets that all calls of the client share; every one must pay.
    pub budgets: Vec<BudgetSpec>,
    /// Whether a request that the server may have received is sent again.
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
    /// The defaults of a reconnecting loop: those of a call, without a limit on attempts.
    #[must_use]
    pub fn reconnect() -> Self {
        Self { attempts: None, ..Self::default() }
    }

    /// Builds the rules.
    ///
    /// # Errors
    ///
    /// If no attempt is allowed. The ladder of a checked timeline is valid.
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

/// The reason why the rules cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallSpecError {
    /// The ladder is invalid.
    Ladder(LadderError),
    /// The rules are invalid.
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

/// A budget for retries, shared by all calls of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSpec {
    /// A bucket of tokens.
    Tokens {
        /// Its capacity, and its content at the start.
        tokens: u32,
        /// The cost of a retry.
        cost: u32,
        /// The cost of a retry after a timeout.
        timeout_cost: u32,
        /// The refill of a success.
        refill: u32,
    },
    /// A fraction of the requests, and a reserve.
    Ratio {
        /// Retries per request.
        ratio: Ratio,
        /// Retries beyond those.
        reserve: u32,
    },
}
