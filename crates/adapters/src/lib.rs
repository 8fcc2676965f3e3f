//! Retry policies of other libraries as subjects: each library's own arithmetic behind the
//! [`Policy`](retrylab_core::Policy) trait, for the same scenarios and laws.
//!
//! Each library has a feature of its own name, off by default; `all` turns on all of them. Reading map:
//!
//! * [`Library`]: a library as a subject, with the base, factor, ceiling, limits and jitter of an
//!   [`Exponential`](retrylab_core::Exponential); [`NotExpressible`] is the error for a setting that it does not support.
//! * [`SUBJECTS`]: the libraries that are compiled in, by name.
//! * [`Client`]: makes a policy of a [`CallWaits`]; [`Waits`] is the session of any iterator of waits.
//!
//! All of these libraries retry calls, so a client here makes calls, one after the other: a
//! [`Normal`](retrylab_core::FailureKind::Normal) failure is transient, an
//! [`Unexpected`](retrylab_core::FailureKind::Unexpected) one ends the call.
//!
//! | library | jitter when on | limits | draws | a server's `retry_after` |
//! |---|---|---|---|---|
//! | backon | rung to twice the rung | attempts, sum of waits | seeded | replaces the wait, and the limits with it |
//! | backoff | plus or minus half the rung | elapsed | own | replaces the wait, and the limit with it |
//! | tokio-retry | anything below the rung | attempts | own | ignored |
//! | tokio-retry2 | plus or minus half the rung | attempts | own | passed to the notification, then ignored |
//! | exponential-backoff | up to 29 % of the rung less, or 15 to 29 % more, cut at base and ceiling | attempts | seeded | ignored |
//! | tower | up to 99 % of the rung more, cut at the ceiling | attempts, counted as in its examples | seeded | ignored |
//! | retry-policies | anything below the rung | attempts, elapsed | own | ignored |
//! | google-cloud-gax | anything below the rung, always | attempts | own | ignored |
//!
//! ```
//! use core::time::Duration;
//! use retrylab_adapters::{Client, Waits};
//! use retrylab_core::{Decision, FailureKind, GiveUp, Instant, Policy};
//!
//! let s = Duration::from_secs;
//! let mut policy = Client::new(Waits::new(move || [s(1), s(5)].into_iter()));
//! let mut fail = || policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
//! assert_eq!(fail(), Decision::RetryAfter(s(1)));
//! assert_eq!(fail(), Decision::RetryAfter(s(5)));
//! assert_eq!(fail(), Decision::GiveUp(GiveUp::Attempts));
//! // The next call starts anew.
//! assert_eq!(fail(), Decision::RetryAfter(s(1)));
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "backoff")]
mod backoff;
#[cfg(feature = "backon")]
mod backon;
mod client;
#[cfg(feature = "exponential-backoff")]
mod exponential_backoff;
#[cfg(feature = "google-cloud-gax")]
mod google_cloud_gax;
mod library;
#[cfg(feature = "retry-policies")]
mod retry_policies;
mod setting;
mod subject;
#[cfg(feature = "tokio-retry")]
mod tokio_retry;
#[cfg(feature = "tokio-retry2")]
mod tokio_retry2;
#[cfg(feature = "tower")]
mod tower;
mod waits;

#[cfg(feature = "backoff")]
pub use crate::backoff::Backoff;
#[cfg(feature = "backon")]
pub use crate::backon::Backon;
pub use crate::client::{CallWaits, Client};
#[cfg(feature = "exponential-backoff")]
pub use crate::exponential_backoff::ExponentialBackoff;
#[cfg(feature = "google-cloud-gax")]
pub use crate::google_cloud_gax::GoogleCloudGax;
pub use crate::library::{Library, NotExpressible, Randomness};
#[cfg(feature = "retry-policies")]
pub use crate::retry_policies::RetryPolicies;
pub use crate::setting::LONGEST;
pub use crate::subject::{SUBJECTS, Subject};
#[cfg(feature = "tokio-retry")]
pub use crate::tokio_retry::{FromMillis, TokioRetry};
#[cfg(feature = "tokio-retry2")]
pub use crate::tokio_retry2::TokioRetry2;
#[cfg(feature = "tower")]
pub use crate::tower::Tower;
pub use crate::waits::Waits;
