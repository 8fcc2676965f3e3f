//! A library as a subject.

use core::fmt;

use crate::{Session, Setting};

/// A library whose policy can be built from a [`Setting`].
pub trait Library: Session + Sized {
    /// What the subject is called: the package's name, with an addition where a library has two.
    const NAME: &'static str;

    /// The package.
    const PACKAGE: &'static str = Self::NAME;

    /// The version of the package.
    const VERSION: &'static str;

    /// Where the randomness of its jitter comes from.
    const DRAWS: Draws;

    /// The policy of this setting. `seed` is for a generator that outlives a call.
    ///
    /// # Errors
    ///
    /// If the library has no way to say so.
    fn new(setting: &Setting, seed: u64) -> Result<Self, NotExpressible>;

    /// The same policy for one more client, made the way that the library's users make it, before its first call.
    ///
    /// What clients made like this share, such as the state of a generator, they share in production too.
    #[must_use]
    fn sibling(&self) -> Self;
}

/// Where the randomness of a policy's jitter comes from, and so what can be expected of two equal runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Draws {
    /// From the draw that each failure is recorded with: waits can be held against exact values.
    Given,
    /// From a generator of its own, seeded with what it is built with or with the first draw of a call: two equal runs
    /// are equal, and waits are judged in bands.
    Seeded,
    /// From a generator of its own that nobody can seed: no two runs are equal, and waits are judged in bands.
    Own,
}

impl Draws {
    /// The lower-case name that headers use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Seeded => "seeded",
            Self::Own => "own",
        }
    }

    /// Whether the same run gives the same trace.
    #[must_use]
    pub const fn is_repeatable(self) -> bool {
        !matches!(self, Self::Own)
    }
}

impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A setting that a library has no way to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotExpressible {
    /// The library.
    pub library: &'static str,
    /// What it cannot express, and what it can.
    pub what: String,
}

#[allow(dead_code, reason = "used by every adapter, and there may be none")]
impl NotExpressible {
    /// Blames the library `L`.
    pub(crate) fn by<L: Library>(what: impl Into<String>) -> Self {
        Self { library: L::NAME, what: what.into() }
    }
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot express {}", self.library, self.what)
    }
}

impl core::error::Error for NotExpressible {}
