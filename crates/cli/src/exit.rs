//! The exit status.

use std::process::ExitCode;

/// The exit status; each has one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything held.
    Held,
    /// Something did not hold.
    NotHeld,
    /// Wrong usage or invalid input; there is no result.
    Refused,
    /// The same run gave two different traces.
    TwoTraces,
    /// A bug in the command.
    Defect,
    /// The reader of the output closed it before there was a result. It is no error, and prints nothing, but must not
    /// pass for a result either.
    Unread,
}

impl Exit {
    /// The number that the shell receives; 70 is `EX_SOFTWARE` of sysexits.h, and 141 the number for a program that a
    /// closed pipe has ended (128 and the number of `SIGPIPE`).
    ///
    /// ```
    /// use retrylab_cli::Exit::{Defect, Held, NotHeld, Refused, TwoTraces, Unread};
    ///
    /// let all = [Held, NotHeld, Refused, TwoTraces, Defect, Unread];
    /// assert_eq!(all.map(|exit| exit.status()), [0, 1, 2, 3, 70, 141]);
    /// ```
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            Self::Held => 0,
            Self::NotHeld => 1,
            Self::Refused => 2,
            Self::TwoTraces => 3,
            Self::Defect => 70,
            Self::Unread => 141,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}
