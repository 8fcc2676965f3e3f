//! How the command ends.

use std::process::ExitCode;

/// The exit status, one meaning each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything that was asked about held.
    Held,
    /// Something did not hold.
    NotHeld,
    /// Wrong usage, or an input that cannot be read; nothing was decided.
    Refused,
    /// The same run gave two traces.
    TwoTraces,
    /// The command itself is broken.
    Defect,
    /// Whoever read the output went away before anything was decided. It is no error, and nothing is said; but it must not
    /// pass for an answer either.
    Unread,
}

impl Exit {
    /// The number that the shell sees; 70 is `EX_SOFTWARE` of sysexits.h, and 141 what a shell shows of a
    /// program that a closed pipe has ended (128 and the number of `SIGPIPE`).
    ///
    /// ```
    /// use retrylab::Exit::{Defect, Held, NotHeld, Refused, TwoTraces, Unread};
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
