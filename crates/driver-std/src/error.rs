//! How an operation under a policy can fail.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use retrylab_core::{CallRulesError, GiveUp};

/// An operation that did not succeed under its policy. `E` is the operation's own error.
///
/// ```
/// use std::error::Error;
/// use std::io;
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver_std::{Driver, RetryError};
///
/// fn fetch(attempts: u32) -> Result<(), RetryError<io::Error>> {
///     let rules = CallRules::builder().attempts(attempts).build()?;
///     let driver = Driver::new().target("https://example.org").sleeper(|_| {});
///     driver.retry(Call::new(rules), || Err(io::Error::other("connection reset")))
/// }
///
/// let exhausted = fetch(4).unwrap_err();
/// assert_eq!(exhausted.to_string(), "giving up on https://example.org after 4 attempts");
/// assert_eq!(exhausted.source().unwrap().to_string(), "connection reset");
/// assert_eq!(fetch(0).unwrap_err().to_string(), "attempts is 0; at least 1 is allowed");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetryError<E> {
    /// The failures were worth another attempt, but a limit allows no more. Its source is the last failure.
    Exhausted {
        /// What was attempted, if the driver was told.
        target: Option<Cow<'static, str>>,
        /// How many attempts were made.
        attempts: u32,
        /// From the start of the first attempt to the end of the last one.
        elapsed: Duration,
        /// Which limit it was.
        why: GiveUp,
        /// Why the last attempt failed.
        last: E,
    },
    /// A failure that is not worth another attempt, unchanged: text and source are its own.
    Terminal(E),
    /// The policy cannot be built, so the operation was not called even once.
    Refused(CallRulesError),
    /// Cancelled before the operation succeeded or the policy gave up. Its source is the last failure.
    Cancelled {
        /// How many attempts were made.
        attempts: u32,
        /// Why the last attempt failed; `None` if there was none.
        last: Option<E>,
    },
}

impl<E> RetryError<E> {
    /// Why the last attempt failed; `None` if there was none.
    #[must_use]
    pub const fn last(&self) -> Option<&E> {
        match self {
            Self::Exhausted { last, .. } | Self::Terminal(last) => Some(last),
            Self::Refused(_) => None,
            Self::Cancelled { last, .. } => last.as_ref(),
        }
    }

    /// Why the last attempt failed, for who does not mind how it ended; `None` if there was none.
    #[must_use]
    pub fn into_last(self) -> Option<E> {
        match self {
            Self::Exhausted { last, .. } | Self::Terminal(last) => Some(last),
            Self::Refused(_) => None,
            Self::Cancelled { last, .. } => last,
        }
    }
}

/// So that building the rules and running them can fail alike.
impl<E> From<CallRulesError> for RetryError<E> {
    fn from(refused: CallRulesError) -> Self {
        Self::Refused(refused)
    }
}

impl<E: fmt::Display> fmt::Display for RetryError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted { target, attempts, why, .. } => {
                match target {
                    Some(target) => write!(f, "giving up on {target} after {attempts} attempts")?,
                    None => write!(f, "giving up after {attempts} attempts")?,
                }
                match why {
                    GiveUp::Elapsed => write!(f, ": the next wait would not fit into the time allowed"),
                    GiveUp::Budget => write!(f, ": the budget allows no further retry"),
                    GiveUp::RetryAfter(asked) => {
                        write!(f, ": the server asked to wait {asked:?}, and the policy allows no wait that long")
                    }
                    // All attempts are used, which the text already says; `Terminal` is a variant of its own.
                    _ => Ok(()),
                }
            }
            Self::Terminal(error) => error.fmt(f),
            Self::Refused(refused) => refused.fmt(f),
            Self::Cancelled { attempts, .. } => write!(f, "cancelled after {attempts} attempts"),
        }
    }
}

impl<E: Error + 'static> Error for RetryError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Exhausted { last, .. } => Some(last),
            Self::Terminal(error) => error.source(),
            Self::Refused(refused) => refused.source(),
            Self::Cancelled { last, .. } => last.as_ref().map(|last| last as _),
        }
    }
}
