//! The errors of an operation under a policy.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use retrylab_core::{CallRulesError, GiveUp};

/// An operation failed under its policy. `E` is the operation's own error.
///
/// ```
/// use std::error::Error;
/// use std::io;
/// use retrylab_core::{Call, CallRules};
/// use retrylab_driver::RetryError;
/// use retrylab_driver::blocking::Driver;
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
    /// The failures were transient, but a limit allows no further attempt. Its source is the last error.
    Exhausted {
        /// The target, if the driver has one.
        target: Option<Cow<'static, str>>,
        /// The number of attempts.
        attempts: u32,
        /// From the start of the first attempt to the end of the last one.
        elapsed: Duration,
        /// The limit.
        why: GiveUp,
        /// The error of the last attempt.
        last: E,
    },
    /// A terminal failure, unchanged: text and source are its own.
    Terminal(E),
    /// The policy is invalid, so the operation was never called.
    Refused(CallRulesError),
    /// Cancelled before the operation succeeded or the policy gave up. Its source is the last error.
    Cancelled {
        /// The number of attempts.
        attempts: u32,
        /// The error of the last attempt; `None` if there was none.
        last: Option<E>,
    },
}

impl<E> RetryError<E> {
    /// The error of the last attempt; `None` if there was none.
    #[must_use]
    pub const fn last(&self) -> Option<&E> {
        match self {
            Self::Exhausted { last, .. } | Self::Terminal(last) => Some(last),
            Self::Refused(_) => None,
            Self::Cancelled { last, .. } => last.as_ref(),
        }
    }

    /// The error of the last attempt, by value; `None` if there was none.
    #[must_use]
    pub fn into_last(self) -> Option<E> {
        match self {
            Self::Exhausted { last, .. } | Self::Terminal(last) => Some(last),
            Self::Refused(_) => None,
            Self::Cancelled { last, .. } => last,
        }
    }
}

/// Lets the construction of the rules and their use fail with one type.
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
                    GiveUp::Elapsed => write!(f, ": the next wait would pass the time limit"),
                    GiveUp::Budget => write!(f, ": the budget allows no further retry"),
                    GiveUp::RetryAfter(asked) => {
                        write!(f, ": the server's retry_after of {asked:?} is above the maximum")
                    }
                    // All attempts are used, as the text already says; `Terminal` is a variant of its own.
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
