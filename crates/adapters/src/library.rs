//! A library as a subject.

use core::fmt;

use retrylab_core::Exponential;

use crate::CallWaits;

/// A library whose policy can be built from a setting: an [`Exponential`] in terms that all libraries share. Its waits
/// start at a base, grow by a factor and stop at a ceiling. Any jitter but [`Jitter::None`](retrylab_core::Jitter::None)
/// is the library's own, and a time limit counts as the library counts it.
pub trait Library: CallWaits + Sized {
    /// The name of the subject: the package's name, with a suffix where a library has two.
    const NAME: &'static str;

    /// The package.
    const PACKAGE: &'static str = Self::NAME;

    /// The version of the package.
    const VERSION: &'static str;

    /// The source of its jitter's randomness.
    const DRAWS: Randomness;

    /// Builds the policy with this setting. `seed` is for a generator that outlives a call.
    ///
    /// # Errors
    ///
    /// If the library does not support the setting.
    fn new(setting: &Exponential, seed: u64) -> Result<Self, NotExpressible>;

    /// Builds the same policy for one more client, as the library's users do, before its first call.
    ///
    /// State shared between such clients, for instance of a generator, is shared in production too.
    #[must_use]
    fn sibling(&self) -> Self;
}

/// The source of a policy's randomness, which decides how equal two runs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Randomness {
    /// The draw of each failure: waits are compared with exact values.
    Given,
    /// A generator of its own, seeded when it is built or by the first draw of a call: two equal runs are equal, and
    /// waits are compared with bounds.
    Seeded,
    /// A generator of its own without a seed: no two runs are equal, and waits are compared with bounds.
    Own,
}

impl Randomness {
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

impl fmt::Display for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An error: the library does not support the setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotExpressible {
    /// The library.
    pub library: &'static str,
    /// The unsupported part, and the supported values.
    pub what: String,
}

#[allow(dead_code, reason = "used by every adapter, and there may be none")]
impl NotExpressible {
    /// An error of the library `L`.
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
