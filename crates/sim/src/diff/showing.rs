//! Settings that show the difference of a dialect.

use core::time::Duration;

use retrylab_spec::{Dialect, Seconds};

/// The initial reconnect delay with which a dialect differs from its original, if the default one is not enough.
///
/// ```
/// use core::time::Duration;
/// use retrylab_spec::{Dialect, Seconds};
/// use retrylab_sim::diff::showing;
///
/// assert_eq!(showing(Dialect::ClampInitial), Some(Seconds::Text(Duration::from_secs(45))));
/// assert_eq!(showing(Dialect::TlsUnexpected), None);
/// ```
#[must_use]
pub const fn showing(dialect: Dialect) -> Option<Seconds> {
    match dialect {
        // Above the normal ceiling of 30 s.
        Dialect::ClampInitial => Some(Seconds::Text(Duration::from_secs(45))),
        // Above the extended initial of 300 s.
        Dialect::InvertedExtended => Some(Seconds::Text(Duration::from_secs(600))),
        // Not usable.
        Dialect::ZeroLiteral | Dialect::DefaultSilent => Some(Seconds::Number(0.0)),
        // Small enough for 2^30 times it to be below the ceiling.
        Dialect::ExponentCapped => Some(Seconds::Text(Duration::from_nanos(10))),
        Dialect::HealthFromConnect
        | Dialect::HealthFromLastMessage
        | Dialect::TlsUnexpected
        | Dialect::CadenceNotRestored
        | Dialect::RetryHint
        | Dialect::ExponentWraps
        | Dialect::ClockZeroUnset
        | Dialect::HttpAlwaysError
        | Dialect::HttpAlwaysWarning
        | Dialect::ValidAfterPatch
        | Dialect::MalformedIsInvalidData => None,
    }
}
