//! The libraries that are compiled in, as values.

use retrylab_core::Policy;

use crate::{Client, Draws, Library, NotExpressible, Setting};

/// Every library whose feature is on, in alphabetical order.
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

/// A [`Library`] that is chosen when the program runs.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    name: &'static str,
    package: &'static str,
    version: &'static str,
    draws: Draws,
    fleet: fn(&Setting, u64, usize) -> Result<Vec<Boxed>, NotExpressible>,
    build: fn(&Setting, u64) -> Result<Boxed, NotExpressible>,
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

    /// What it is called: the package's name, with an addition where a library has two.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The package that it comes from.
    #[must_use]
    pub const fn package(&self) -> &'static str {
        self.package
    }

    /// The version of the package.
    #[must_use]
    pub const fn version(&self) -> &'static str {
        self.version
    }

    /// Where the randomness of its jitter comes from.
    #[must_use]
    pub const fn draws(&self) -> Draws {
        self.draws
    }

    /// One client with this policy. `seed` is for a generator that outlives a call.
    ///
    /// # Errors
    ///
    /// If the library has no way to say so.
    pub fn build(&self, setting: &Setting, seed: u64) -> Result<Box<dyn Policy + Send>, NotExpressible> {
        (self.build)(setting, seed)
    }

    /// This many clients with this policy, made the way that the library's users make them.
    ///
    /// # Errors
    ///
    /// If the library has no way to say so.
    pub fn fleet(
        &self,
        setting: &Setting,
        seed: u64,
        clients: usize,
    ) -> Result<Vec<Box<dyn Policy + Send>>, NotExpressible> {
        (self.fleet)(setting, seed, clients)
    }
}

fn build<L: Library + Send + 'static>(setting: &Setting, seed: u64) -> Result<Boxed, NotExpressible> {
    Ok(boxed(L::new(setting, seed)?))
}

fn fleet<L: Library + Send + 'static>(
    setting: &Setting,
    seed: u64,
    clients: usize,
) -> Result<Vec<Boxed>, NotExpressible> {
    let first = L::new(setting, seed)?;
    Ok((0..clients).map(|_| boxed(first.sibling())).collect())
}

fn boxed<L: Library + Send + 'static>(library: L) -> Boxed {
    Box::new(Client::new(library))
}
