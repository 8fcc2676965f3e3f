//! The treatment of a server's `retry_after`.

use core::time::Duration;

use crate::jitter::{Drawn, fraction};
use crate::time::nanos;

/// What a bounded call does with a server's `retry_after`, the wait of its `Retry-After` header.
///
/// A herd that received "60" must not return as one, so a random part of `spread` is added: the wait is `retry_after +
/// spread - (spread · draw >> 64)`, with `retry_after` cut to `most` by [`Beyond::Clamp`]. A server that requests no wait,
/// failure after failure, must not make a hot loop, so by default the wait is at least that of the ladder
/// ([`Least::Rung`]).
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Constant, Failure, FailureKind, Instant, IntoPolicy, Least, Policy, ServerDelay};
///
/// let s = Duration::from_secs;
/// let busy = |retry_after| Failure { retry_after: Some(s(retry_after)), ..FailureKind::Normal.into() };
/// let decide = |treatment, retry_after| {
///     let mut call = Constant::new(s(2)).retry_after(treatment).into_policy()?;
///     Ok::<_, retrylab_core::CallRulesError>(call.record_failure(busy(retry_after), Instant::ZERO, 0).delay())
/// };
/// assert_eq!(decide(ServerDelay::Ignore, 90)?, Some(s(2)));
/// assert_eq!(decide(ServerDelay::clamp(s(60)).spread(s(5)), 90)?, Some(s(65)));
/// assert_eq!(decide(ServerDelay::refuse(s(60)), 90)?, None);
/// assert_eq!(decide(ServerDelay::clamp(s(60)), 0)?, Some(s(2)));
/// assert_eq!(decide(ServerDelay::clamp(s(60)).least(Least::Zero), 0)?, Some(s(0)));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerDelay {
    /// Ignores it; the ladder decides.
    Ignore,
    /// Waits for `retry_after` plus the spread.
    Honour {
        /// The longest `retry_after` that is waited for.
        most: Duration,
        /// What happens to a longer one.
        beyond: Beyond,
        /// The largest addition.
        spread: Duration,
        /// The least wait.
        least: Least,
    },
}

/// What happens to a `retry_after` beyond the longest that is waited for.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Beyond, ServerDelay};
///
/// let refuse = ServerDelay::refuse(Duration::from_secs(60));
/// assert!(matches!(refuse, ServerDelay::Honour { beyond: Beyond::Refuse, .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beyond {
    /// It is cut to the longest.
    Clamp,
    /// The call gives up at once.
    Refuse,
}

/// The least wait where a `retry_after` is honoured.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Least, ServerDelay};
///
/// let clamp = ServerDelay::clamp(Duration::from_secs(60));
/// assert!(matches!(clamp, ServerDelay::Honour { least: Least::Rung, .. }));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Least {
    /// The wait of the ladder, with its jitter: the longer of the two waits is waited.
    #[default]
    Rung,
    /// No least: a server that requests no wait gets the next attempt at once.
    Zero,
}

impl ServerDelay {
    /// Honours every `retry_after`, cut to `most`; [`Duration::MAX`] is no bound.
    #[must_use]
    pub const fn clamp(most: Duration) -> Self {
        Self::Honour { most, beyond: Beyond::Clamp, spread: Duration::ZERO, least: Least::Rung }
    }

    /// Honours a `retry_after` of at most `most`, and gives up at once at a longer one.
    #[must_use]
    pub const fn refuse(most: Duration) -> Self {
        Self::Honour { most, beyond: Beyond::Refuse, spread: Duration::ZERO, least: Least::Rung }
    }

    /// The same with a random addition of up to `spread`, if it is not [`ServerDelay::Ignore`].
    #[must_use]
    pub const fn spread(self, spread: Duration) -> Self {
        match self {
            Self::Ignore => self,
            Self::Honour { most, beyond, least, .. } => Self::Honour { most, beyond, spread, least },
        }
    }

    /// The same with this least wait, if it is not [`ServerDelay::Ignore`].
    #[must_use]
    pub const fn least(self, least: Least) -> Self {
        match self {
            Self::Ignore => self,
            Self::Honour { most, beyond, spread, .. } => Self::Honour { most, beyond, spread, least },
        }
    }

    /// The wait for this `retry_after` where the ladder's would be `ladder`. Not inlined, which keeps the path without
    /// `retry_after` small.
    ///
    /// # Errors
    ///
    /// The `retry_after`, if it is refused.
    #[inline(never)]
    pub(crate) const fn wait(self, retry_after: Duration, ladder: Drawn, draw: u64) -> Result<Drawn, Duration> {
        let Self::Honour { most, beyond, spread, least } = self else { return Ok(ladder) };
        if matches!(beyond, Beyond::Refuse) && retry_after.as_nanos() > most.as_nanos() {
            return Err(retry_after);
        }
        let requested_ns = if retry_after.as_nanos() < most.as_nanos() { nanos(retry_after) } else { nanos(most) };
        let longest = requested_ns.saturating_add(nanos(spread));
        let wait = longest - fraction(longest - requested_ns, draw);
        Ok(match least {
            Least::Zero => Drawn { longest, wait },
            Least::Rung => Drawn { longest: longer(longest, ladder.longest), wait: longer(wait, ladder.wait) },
        })
    }
}

const fn longer(a: u64, b: u64) -> u64 {
    if a > b { a } else { b }
}
