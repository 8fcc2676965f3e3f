//! The libraries that are compiled in, as values.

use retrylab_core::{Exponential, Policy};

use crate::setting::usable;
use crate::{Client, Library, NotExpressible, Randomness};

/// The libraries with their feature on, in alphabetical order.
pub const SUBJECTS: &[Subject] = &[
    #[cfg(feature = "backoff")]
    Subject::of::<crate::Backoff>(),
    #[cfg(feature = "backon")]
    Subject::of::<crate::Backon>(),
    #[cfg(feature = "exponential-backoff")]
    Subject::of::<crate::ExponentialBackoff>(),
    #[cfg(feature = "google-cloud-gax")]
    Subject::of::<crate::GoogleCloudGax>(),
    #[cfg(feature = "retry-policies")]
    Subject::of::<crate::RetryPolicies>(),
    #[cfg(feature = "tokio-retry")]
    Subject::of::<crate::TokioRetry>(),
    #[cfg(feature = "tokio-retry")]
    Subject::of::<crate::FromMillis>(),
    #[cfg(feature = "tokio-retry2")]
    Subject::of::<crate::TokioRetry2>(),
    #[cfg(feature = "tower")]
    Subject::of::<crate::Tower>(),
];

/// A [`Library`] chosen at run time.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    draws: Randomness,
    fleet: fn(&Exponential, u64, usize) -> Result<Vec<Boxed>, NotExpressible>,
    build: fn(&Exponential, u64) -> Result<Boxed, NotExpressible>,
}

type Boxed = Box<dyn Policy + Send>;

impl Subject {
    /// The subject of this library.
    #[must_use]
    pub const fn of<L: Library + Send + 'static>() -> Self {
        Self {
            name: L::NAME,
            package: L::PACKAGE,
            version: L::VERSION,
            draws: L::DRAWS,
            fleet: fleet::<L>,
            build: build::<L>,
        }
    }

    /// The subject of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        SUBJECTS.iter().copied().find(|subject| subject.name == name)
    }

    /// Its name: the package's name, with a suffix where a library has two.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its package.
    #[must_use]
    pub const fn package(&self) -> &'static str {
        self.package
    }

    /// The version of the package.
    #[must_use]
    pub const fn version(&self) -> &'static str {
        self.version
    }

    /// The source of its jitter's randomness.
    #[must_use]
    pub const fn draws(&self) -> Randomness {
        self.draws
    }

    /// Builds one client with this policy. `seed` is for a generator that outlives a call.
    ///
    /// # Errors
    ///
    /// If the library does not support the setting, the base is zero, no attempt is allowed, or the ceiling or the time
    /// limit is above [`LONGEST`](crate::LONGEST).
    pub fn build(&self, setting: &Exponential, seed: u64) -> Result<Box<dyn Policy + Send>, NotExpressible> {
        (self.build)(setting, seed)
    }

    /// Builds this many clients with this policy, as the library's users do.
    ///
    /// # Errors
    ///
    /// If [`Subject::build`] would fail.
    pub fn fleet(
        &self,
        setting: &Exponential,
        seed: u64,
        clients: usize,
    ) -> Result<Vec<Box<dyn Policy + Send>>, NotExpressible> {
        (self.fleet)(setting, seed, clients)
    }
}

fn build<L: Library + Send + 'static>(setting: &Exponential, seed: u64) -> Result<Boxed, NotExpressible> {
    Ok(boxed(made::<L>(setting, seed)?))
}

fn fleet<L: Library + Send + 'static>(
    setting: &Exponential,
    seed: u64,
    clients: usize,
) -> Result<Vec<Boxed>, NotExpressible> {
    let first = made::<L>(setting, seed)?;
    Ok((0..clients).map(|_| boxed(first.sibling())).collect())
}

fn made<L: Library>(setting: &Exponential, seed: u64) -> Result<L, NotExpressible> {
    usable(setting).map_err(NotExpressible::by::<L>)?;
    L::new(setting, seed)
}

fn boxed<L: Library + Send + 'static>(library: L) -> Boxed {
    Box::new(Client::new(library))
}
