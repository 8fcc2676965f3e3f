//! The bounded call: one operation, attempted a limited number of times.

use core::fmt;
use core::hint;
use core::time::Duration;

use crate::backoff::{Backoff, BackoffState};
use crate::budget::{Budget, Unlimited};
use crate::jitter::Drawn;
use crate::ladder::saturated;
use crate::policy::{Decision, Failure, GiveUp, Policy, Rung};
use crate::server_delay::ServerDelay;
use crate::state::Regime;
use crate::time::{Instant, nanos};
use crate::{FailureKind, Jitter, Ladder};

/// The waits and limits of a bounded call. Immutable; all calls of a client share them.
///
/// A [`FailureKind::Normal`] failure is transient: it is retried while all limits allow. An [`FailureKind::Unexpected`]
/// one is terminal. The limits compose: attempts, elapsed time, a deadline, and any [`Budget`] shared with other calls.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{CallRules, Decision, FailureKind, GiveUp, Instant, Unlimited};
///
/// // Four attempts: waits of 0.5, 1 and 2 s.
/// let rules = CallRules::builder().attempts(4).build()?;
/// let mut state = rules.start();
/// let mut fail = |draw| rules.record_failure(&mut state, &Unlimited, FailureKind::Normal.into(), Instant::ZERO, draw);
/// assert_eq!(fail(0), Decision::RetryAfter(Duration::from_millis(500)));
/// assert_eq!(fail(0), Decision::RetryAfter(Duration::from_secs(1)));
/// assert_eq!(fail(0), Decision::RetryAfter(Duration::from_secs(2)));
/// assert_eq!(fail(0), Decision::GiveUp(GiveUp::Attempts));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallRules {
    backoff: Backoff,
    /// Attempts after the first; `u64::MAX`: no limit.
    retries: u64,
    /// `u64::MAX`: no limit.
    elapsed_ns: u64,
    /// `u64::MAX`, later than every instant: no deadline.
    deadline_ns: u64,
    server_delay: ServerDelay,
}

/// The memory of one call between two attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallState {
    backoff: BackoffState,
    next_delay_ns: u64,
    /// The wait of the last failure at draw 0.
    base_ns: u64,
    /// `None` before the call's first failure.
    first_failure: Option<Instant>,
}

impl CallRules {
    /// Rules with the defaults: 4 attempts, waits from 0.5 s doubling to 30 s, full jitter.
    pub const fn builder() -> CallRulesBuilder {
        CallRulesBuilder {
            backoff: None,
            attempts: 4,
            elapsed: None,
            deadline: None,
            server_delay: ServerDelay::Ignore,
        }
    }

    /// The state of a call before its first attempt.
    #[inline]
    #[must_use]
    pub const fn start(&self) -> CallState {
        CallState { backoff: self.backoff.start(), next_delay_ns: 0, base_ns: 0, first_failure: None }
    }

    /// Records that the present attempt failed at `now`, and decides. `draw` is the one random draw of this failure,
    /// uniform over all of `u64`; 0 gives the longest wait. The order is exact:
    ///
    /// 1. a terminal failure ends the call, as does the last attempt;
    /// 2. the wait is the server's `retry_after`, if it sent one and the rules honour it, but by default at least the
    ///    ladder's; without one it is the ladder's; a refused `retry_after` ends the call;
    /// 3. a wait that does not fit into the elapsed time (counted from the call's first failure) or before the deadline
    ///    ends the call; one that ends exactly there fits;
    /// 4. the budget pays, or the call ends.
    ///
    /// After the end of a call, the state is that of the next one.
    #[inline]
    pub fn record_failure(
        &self,
        state: &mut CallState,
        budget: &impl Budget,
        failure: Failure,
        now: Instant,
        draw: u64,
    ) -> Decision {
        match self.wait(state, budget, failure, now, draw) {
            Ok(wait) => Decision::RetryAfter(Duration::from_nanos(wait)),
            Err(why) => {
                *state = self.start();
                Decision::GiveUp(why)
            }
        }
    }

    /// Records that the present attempt succeeded, which ends the call: the state is that of the next one.
    #[inline]
    pub fn record_success(&self, state: &mut CallState, budget: &impl Budget) {
        if state.first_failure.is_none() {
            budget.record_request();
        }
        budget.record_success();
        *state = self.start();
    }

    /// The ladder and its jitter.
    #[must_use]
    pub const fn backoff(&self) -> &Backoff {
        &self.backoff
    }

    /// The maximum number of attempts, if limited.
    #[must_use]
    pub const fn attempts(&self) -> Option<u32> {
        if self.retries == u64::MAX { None } else { Some(saturated(self.retries + 1)) }
    }

    /// The maximum time from the first failure to the end of the last wait, if limited.
    #[must_use]
    pub const fn elapsed(&self) -> Option<Duration> {
        if self.elapsed_ns == u64::MAX { None } else { Some(Duration::from_nanos(self.elapsed_ns)) }
    }

    /// The last instant at which a retry may start, if limited.
    #[must_use]
    pub const fn deadline(&self) -> Option<Instant> {
        if self.deadline_ns == u64::MAX { None } else { Some(Instant::from_nanos(self.deadline_ns)) }
    }

    /// The treatment of a server's `retry_after`.
    #[must_use]
    pub const fn server_delay(&self) -> ServerDelay {
        self.server_delay
    }

    /// These rules with another deadline, for one call of many.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Instant) -> Self {
        self.deadline_ns = deadline.as_nanos();
        self
    }

    /// These rules without limits of time: no elapsed time, no deadline.
    #[must_use]
    pub const fn untimed(mut self) -> Self {
        self.elapsed_ns = u64::MAX;
        self.deadline_ns = u64::MAX;
        self
    }

    /// The wait in nanoseconds, or the reason to give up, which leaves the state unusable.
    #[inline]
    fn wait(
        &self,
        state: &mut CallState,
        budget: &impl Budget,
        failure: Failure,
        now: Instant,
        draw: u64,
    ) -> Result<u64, GiveUp> {
        let since_first = match state.first_failure {
            Some(first) => now.nanos_since(first),
            None => {
                hint::cold_path();
                budget.record_request();
                state.first_failure = Some(now);
                0
            }
        };
        if failure.kind == FailureKind::Unexpected {
            return Err(GiveUp::Terminal);
        }
        if state.backoff.failures() >= self.retries {
            return Err(GiveUp::Attempts);
        }
        let ladder = self.backoff.next_drawn(&mut state.backoff, draw);
        let Drawn { longest, wait } = match failure.retry_after {
            None => ladder,
            Some(retry_after) => self.server_delay.wait(retry_after, ladder, draw).map_err(GiveUp::RetryAfter)?,
        };
        if ends_after(since_first, wait, self.elapsed_ns) || ends_after(now.as_nanos(), wait, self.deadline_ns) {
            return Err(GiveUp::Elapsed);
        }
        if !budget.withdraw(&failure) {
            return Err(GiveUp::Budget);
        }
        state.next_delay_ns = wait;
        state.base_ns = longest;
        Ok(wait)
    }
}

impl CallState {
    /// The wait before the next attempt; zero before the first one of a call.
    #[inline]
    #[must_use]
    pub const fn next_delay(&self) -> Duration {
        Duration::from_nanos(self.next_delay_ns)
    }

    /// The number of failed attempts of the present call, saturating.
    #[inline]
    #[must_use]
    pub const fn failures(&self) -> u32 {
        saturated(self.backoff.failures())
    }
}

/// A builder of [`CallRules`].
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Backoff, CallRules, Jitter, Ladder};
///
/// let ladder = Ladder::constant(Duration::from_secs(5));
/// let rules = CallRules::builder().backoff(Backoff::new(ladder, Jitter::Full)).attempts(3).build()?;
/// assert_eq!((rules.attempts(), rules.elapsed()), (Some(3), None));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct CallRulesBuilder {
    backoff: Option<Backoff>,
    attempts: u32,
    elapsed: Option<Duration>,
    deadline: Option<Instant>,
    server_delay: ServerDelay,
}

impl CallRulesBuilder {
    /// Sets the ladder and its jitter.
    pub const fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = Some(backoff);
        self
    }

    /// Sets the maximum number of attempts, the first one included; `u32::MAX` is no limit.
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sets the maximum time from the first failure of a call to the end of its last wait. `u64::MAX` ns (about 584
    /// years) or more is no limit.
    pub const fn elapsed(mut self, elapsed: Duration) -> Self {
        self.elapsed = Some(elapsed);
        self
    }

    /// Sets the last instant at which a retry may start. The first attempt of a call is always allowed, also after the
    /// deadline.
    pub const fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the treatment of a server's `retry_after`.
    pub const fn server_delay(mut self, server_delay: ServerDelay) -> Self {
        self.server_delay = server_delay;
        self
    }

    /// Builds the rules.
    ///
    /// # Errors
    ///
    /// If no attempt is allowed.
    pub const fn build(self) -> Result<CallRules, CallRulesError> {
        if self.attempts == 0 {
            return Err(CallRulesError::NoAttempt);
        }
        let backoff = match self.backoff {
            Some(backoff) => backoff,
            None => Backoff::new(DEFAULT_LADDER, Jitter::Full),
        };
        let elapsed_ns = match self.elapsed {
            Some(elapsed) => nanos(elapsed),
            None => u64::MAX,
        };
        let retries = if self.attempts == u32::MAX { u64::MAX } else { self.attempts as u64 - 1 };
        let deadline_ns = match self.deadline {
            Some(deadline) => deadline.as_nanos(),
            None => u64::MAX,
        };
        Ok(CallRules { backoff, retries, elapsed_ns, deadline_ns, server_delay: self.server_delay })
    }
}

/// Whether a wait that begins at `start` ends after `limit`, all in nanoseconds; `u64::MAX` is no limit.
#[inline]
pub(crate) const fn ends_after(start: u64, wait: u64, limit: u64) -> bool {
    match start.checked_add(wait) {
        Some(end) => end > limit,
        None => limit != u64::MAX,
    }
}

/// 0.5 s doubling to 30 s.
const DEFAULT_LADDER: Ladder = Ladder::doubling(Duration::from_millis(500), Duration::from_secs(30));

/// The reason why rules cannot be built.
///
/// ```
/// use retrylab_core::{CallRules, CallRulesError};
///
/// assert_eq!(CallRules::builder().attempts(0).build().err(), Some(CallRulesError::NoAttempt));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallRulesError {
    /// No attempt is allowed.
    NoAttempt,
}

impl fmt::Display for CallRulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAttempt => write!(f, "attempts is 0; at least 1 is allowed"),
        }
    }
}

impl core::error::Error for CallRulesError {}

/// One client's calls, one after the other: rules, state and budget together.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Call, CallRules, FailureKind, Instant, Policy};
///
/// let mut call = Call::new(CallRules::builder().build()?);
/// call.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
/// assert_eq!(call.next_delay(), Duration::from_millis(500));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call<B = Unlimited> {
    rules: CallRules,
    state: CallState,
    budget: B,
}

impl Call {
    /// A client before its first attempt, without a budget.
    #[must_use]
    pub const fn new(rules: CallRules) -> Self {
        Self::with_budget(rules, Unlimited)
    }
}

impl<B> Call<B> {
    /// A client before its first attempt, with a budget. A reference or an `Arc` shares it with other calls.
    #[must_use]
    pub const fn with_budget(rules: CallRules, budget: B) -> Self {
        Self { rules, state: rules.start(), budget }
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> &CallRules {
        &self.rules
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> &CallState {
        &self.state
    }

    /// The budget.
    #[must_use]
    pub const fn budget(&self) -> &B {
        &self.budget
    }
}

impl<B: Budget> Policy for Call<B> {
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.rules.record_failure(&mut self.state, &self.budget, failure, now, draw)
    }

    #[inline]
    fn record_success(&mut self, _: Instant) {
        self.rules.record_success(&mut self.state, &self.budget);
    }

    fn record_cancelled_retry(&mut self, failure: Failure) {
        if self.state.first_failure.is_some() {
            self.budget.refund(&failure);
        }
    }

    /// The state becomes that of the next call.
    fn record_abandoned(&mut self) {
        self.state = self.rules.start();
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        self.state.next_delay()
    }

    /// The base is the wait at draw 0; the number counts the failures of the present call.
    fn explain(&self, _: u64) -> Option<Rung> {
        let CallState { base_ns, next_delay_ns, .. } = self.state;
        Some(Rung {
            regime: Regime::Normal,
            number: self.state.failures(),
            base: Duration::from_nanos(base_ns),
            jitter: Duration::from_nanos(base_ns - next_delay_ns),
        })
    }
}
