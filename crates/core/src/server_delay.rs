//! What to do with a wait that the server asks for.

use core::time::Duration;

use crate::jitter::{Drawn, fraction};
use crate::time::nanos;

/// What a bounded call does when the server says how long to wait (`Retry-After`).
///
/// A herd that was told "60" must not return as one, so `spread` is added on top, at random: the wait is
/// `asked + spread - (spread · draw >> 64)`, so never less than `asked`. That is what the server asked for, or `most` where
/// [`ServerDelay::Clamp`] cuts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerDelay {
    /// The ladder decides.
    Ignore,
    /// Waits what the server asks for, at most `most`, plus the spread.
    Clamp {
        /// The longest wait before the spread.
        most: Duration,
        /// The most that is added.
        spread: Duration,
    },
    /// Waits what the server asks for, plus the spread; gives up at once where that is more than `most`.
    Refuse {
        /// The longest wait before the spread.
        most: Duration,
        /// The most that is added.
        spread: Duration,
    },
}

impl ServerDelay {
    /// The wait for what the server asked; `None`: the ladder decides. Apart, so that a failure without stays small where
    /// it is inlined.
    ///
    /// # Errors
    ///
    /// What was asked for, if that is refused.
    #[inline(never)]
    pub(crate) const fn wait(self, asked: Duration, draw: u64) -> Result<Option<Drawn>, Duration> {
        let (asked_ns, spread) = match self {
            Self::Ignore => return Ok(None),
            Self::Clamp { most, spread } => {
                let (asked, most) = (nanos(asked), nanos(most));
                (if asked < most { asked } else { most }, spread)
            }
            Self::Refuse { most, spread } => {
                if asked.as_nanos() > most.as_nanos() {
                    return Err(asked);
                }
                (nanos(asked), spread)
            }
        };
        let longest = asked_ns.saturating_add(nanos(spread));
        let subtracted = fraction(longest - asked_ns, draw);
        Ok(Some(Drawn { longest, wait: longest - subtracted }))
    }
}
