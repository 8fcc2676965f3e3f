//! The interface of every policy.

use core::fmt;
use core::ops::DerefMut;
use core::time::Duration;

use crate::state::Regime;
use crate::time::Instant;
use crate::{FailureKind, Fault};

/// A retry policy for one client. It receives each outcome and decides how long to wait.
///
/// The caller owns the clock and the randomness. It passes one draw, uniform over all of `u64`, with each failure and
/// with nothing else. Equal calls must give equal results.
///
/// The call order, which every driver and simulator here keeps:
///
/// 1. An attempt begins without a call. Once a connection is made, [`Policy::record_connected`] may follow, before the
///    first byte.
/// 2. The attempt ends with exactly one of [`Policy::record_success`] and [`Policy::record_failure`]. A live stream has as
///    many successes as messages, then a failure.
/// 3. [`Policy::next_delay`] and [`Policy::explain`] may be read at any time, any number of times. After a success
///    `next_delay` is the wait before the next operation; after a failure it is the decided wait.
/// 4. After a [`Decision::RetryAfter`] comes that wait and the next attempt. If the caller gives the operation up instead,
///    [`Policy::record_cancelled_retry`] with the same failure follows, and then [`Policy::record_abandoned`]. An attempt
///    that never returns is followed by [`Policy::record_abandoned`] alone.
/// 5. After a [`Decision::GiveUp`] the operation is over. The next call belongs to another operation.
///
/// The readings of `now` never go back, and may stand still.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Decision, Failure, FailureKind, Instant, Policy};
///
/// /// Waits a second, whatever happens.
/// struct EachSecond;
///
/// impl Policy for EachSecond {
///     fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
///         Decision::RetryAfter(self.next_delay())
///     }
///
///     fn record_success(&mut self, _: Instant) {}
///
///     fn next_delay(&self) -> Duration {
///         Duration::from_secs(1)
///     }
/// }
///
/// let decision = EachSecond.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
/// assert_eq!(decision, Decision::RetryAfter(Duration::from_secs(1)));
/// ```
pub trait Policy {
    /// Records a failure at `now` and decides what comes next.
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision;

    /// Records a success at `now`.
    fn record_success(&mut self, now: Instant);

    /// Records that a connection was made at `now`, before any data arrived. The default does nothing, because a
    /// connection without data is not yet health.
    fn record_connected(&mut self, now: Instant) {
        let _ = now;
    }

    /// Records that the retry decided after `failure`, the last one, was cancelled. The caller calls it at most once
    /// per decision. The default does nothing; a policy that paid for the retry gets a refund.
    fn record_cancelled_retry(&mut self, failure: Failure) {
        let _ = failure;
    }

    /// Records that the caller abandoned the present operation: it was cancelled, or an attempt never returned. The
    /// next outcome belongs to another operation. The default does nothing, since an outage goes on whether or not a
    /// caller waits.
    fn record_abandoned(&mut self) {}

    /// The wait before the next operation. It is a stored value; reading it changes nothing.
    fn next_delay(&self) -> Duration;

    /// The policy's place on its ladder, and the jitter that `draw`, the draw of the last failure, subtracts there.
    /// Traces and laws read it. A policy without a ladder keeps the default, `None`.
    fn explain(&self, draw: u64) -> Option<Rung> {
        let _ = draw;
        None
    }
}

/// A box or an exclusive reference of a policy is a policy.
impl<P: DerefMut> Policy for P
where
    P::Target: Policy,
{
    #[inline]
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        (**self).record_failure(failure, now, draw)
    }

    #[inline]
    fn record_success(&mut self, now: Instant) {
        (**self).record_success(now);
    }

    #[inline]
    fn record_connected(&mut self, now: Instant) {
        (**self).record_connected(now);
    }

    #[inline]
    fn record_cancelled_retry(&mut self, failure: Failure) {
        (**self).record_cancelled_retry(failure);
    }

    #[inline]
    fn record_abandoned(&mut self) {
        (**self).record_abandoned();
    }

    #[inline]
    fn next_delay(&self) -> Duration {
        (**self).next_delay()
    }

    #[inline]
    fn explain(&self, draw: u64) -> Option<Rung> {
        (**self).explain(draw)
    }
}

/// A failure, as the input of a policy.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Failure, FailureKind};
///
/// let busy = Failure { retry_after: Some(Duration::from_secs(20)), ..FailureKind::for_call_status(503).into() };
/// assert_eq!((busy.kind, busy.fault), (FailureKind::Normal, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// Its kind, which decides the ladder.
    pub kind: FailureKind,
    /// The wait that the server requested, if any.
    pub retry_after: Option<Duration>,
    /// The transport fault behind it, if any.
    pub fault: Option<Fault>,
}

impl From<FailureKind> for Failure {
    fn from(kind: FailureKind) -> Self {
        Self { kind, retry_after: None, fault: None }
    }
}

/// A policy's decision after a failure.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Decision, GiveUp};
///
/// assert_eq!(Decision::RetryAfter(Duration::from_secs(2)).delay(), Some(Duration::from_secs(2)));
/// assert_eq!(Decision::GiveUp(GiveUp::Attempts).delay(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Retry after this wait.
    RetryAfter(Duration),
    /// Stop retrying.
    GiveUp(GiveUp),
}

impl Decision {
    /// The wait before the retry, or `None` if the policy gave up.
    #[must_use]
    pub const fn delay(self) -> Option<Duration> {
        match self {
            Self::RetryAfter(delay) => Some(delay),
            Self::GiveUp(_) => None,
        }
    }
}

/// The reason why a policy gave up.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Constant, Decision, FailureKind, GiveUp, Instant, IntoPolicy, Policy};
///
/// let mut call = Constant::new(Duration::from_secs(1)).attempts(1).into_policy()?;
/// let decision = call.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
/// assert_eq!(decision, Decision::GiveUp(GiveUp::Attempts));
/// assert_eq!(GiveUp::Attempts.to_string(), "attempts");
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GiveUp {
    /// All attempts are used.
    Attempts,
    /// The time limit of the call has passed, or the next wait would pass it.
    Elapsed,
    /// The budget shared with other calls is empty.
    Budget,
    /// The failure is terminal: a retry would not help.
    Terminal,
    /// The server requested this wait, and the policy refuses it.
    RetryAfter(Duration),
}

impl GiveUp {
    /// The lower-case name that traces use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attempts => "attempts",
            Self::Elapsed => "elapsed",
            Self::Budget => "budget",
            Self::Terminal => "terminal",
            Self::RetryAfter(_) => "retry-after",
        }
    }
}

impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A place on a ladder.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Exponential, FailureKind, Instant, IntoPolicy, Policy};
///
/// let mut call = Exponential::new(Duration::from_secs(2), Duration::from_secs(30)).into_policy()?;
/// let half = 1 << 63;
/// call.record_failure(FailureKind::Normal.into(), Instant::ZERO, half);
/// let rung = call.explain(half).expect("a call has a ladder");
/// assert_eq!((rung.number, rung.base, rung.jitter), (1, Duration::from_secs(2), Duration::from_secs(1)));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rung {
    /// The ladder.
    pub regime: Regime,
    /// Failures counted on it: 0 before the first, 1 on the first rung.
    pub number: u32,
    /// The wait of that rung before jitter and cadence; zero before the first failure.
    pub base: Duration,
    /// The jitter that the draw subtracts from it, even where the cadence hides it.
    pub jitter: Duration,
}
