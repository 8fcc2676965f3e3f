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
}

impl Exit {
    /// The number that the shell sees; 70 is `EX_SOFTWARE` of sysexits.h.
    ///
    /// ```
    /// use retrylab::Exit::{Defect, Held, NotHeld, Refused, TwoTraces};
    ///
    /// assert_eq!([Held, NotHeld, Refused, TwoTraces, Defect].map(|exit| exit.status()), [0, 1, 2, 3, 70]);
    /// ```
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            Self::Held => 0,
            Self::NotHeld => 1,
            Self::Refused => 2,
            Self::TwoTraces => 3,
            Self::Defect => 70,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}
