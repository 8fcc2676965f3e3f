//! The treatment of a server's `retry_after`.

use core::time::Duration;

use crate::jitter::{Drawn, fraction};
use crate::time::nanos;

/// What a bounded call does with a server's `retry_after`, the wait of its `Retry-After` header.
///
/// A herd that received "60" must not return as one, so a random part of `spread` is added: the wait is `retry_after +
/// spread - (spread · draw >> 64)`, with `retry_after` cut to `most` by [`ServerDelay::Clamp`]. It is never less than
/// that.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Constant, Failure, FailureKind, Instant, IntoPolicy, Policy, ServerDelay};
///
/// let s = Duration::from_secs;
/// let busy = Failure { retry_after: Some(s(90)), ..FailureKind::Normal.into() };
/// let decide = |retry_after| {
///     let mut call = Constant::new(s(1)).retry_after(retry_after).into_policy()?;
///     Ok::<_, retrylab_core::CallRulesError>(call.record_failure(busy, Instant::ZERO, 0).delay())
/// };
/// assert_eq!(decide(ServerDelay::Ignore)?, Some(s(1)));
/// assert_eq!(decide(ServerDelay::Clamp { most: s(60), spread: s(5) })?, Some(s(65)));
/// assert_eq!(decide(ServerDelay::Refuse { most: s(60), spread: s(5) })?, None);
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerDelay {
    /// Ignores it; the ladder decides.
    Ignore,
    /// Waits for `retry_after`, at most `most`, plus the spread.
    Clamp {
        /// The longest wait before the spread.
        most: Duration,
        /// The largest addition.
        spread: Duration,
    },
    /// Waits for `retry_after` plus the spread, and gives up at once where `retry_after` is more than `most`.
    Refuse {
        /// The longest wait before the spread.
        most: Duration,
        /// The largest addition.
        spread: Duration,
    },
}

impl ServerDelay {
    /// The wait for this `retry_after`; `None` leaves it to the ladder. Not inlined, which keeps the path without
    /// `retry_after` small.
    ///
    /// # Errors
    ///
    /// The `retry_after`, if it is refused.
    #[inline(never)]
    pub(crate) const fn wait(self, retry_after: Duration, draw: u64) -> Result<Option<Drawn>, Duration> {
        let (requested_ns, spread) = match self {
            Self::Ignore => return Ok(None),
            Self::Clamp { most, spread } => {
                let (retry_after, most) = (nanos(retry_after), nanos(most));
                (if retry_after < most { retry_after } else { most }, spread)
            }
            Self::Refuse { most, spread } => {
                if retry_after.as_nanos() > most.as_nanos() {
                    return Err(retry_after);
                }
                (nanos(retry_after), spread)
            }
        };
        let longest = requested_ns.saturating_add(nanos(spread));
        let subtracted = fraction(longest - requested_ns, draw);
        Ok(Some(Drawn { longest, wait: longest - subtracted }))
    }
}
