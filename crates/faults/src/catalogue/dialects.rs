//! Differences of other implementations of the two-regime rules that are not a changed step of the plain state machine.

use retrylab_spec::{Dialect, PolicySpec, Seconds};

use super::clients::STREAMING;
use super::{Category, KnownFault, dialect};

pub(super) const CLAMP_INITIAL: KnownFault = dialect(
    Category::Configuration,
    "clamp-initial",
    "base-is-that-of-the-rung",
    "An initial delay above the normal ceiling is cut down to it.",
    || of(45.0),
    Dialect::ClampInitial,
);

pub(super) const INVERTED_EXTENDED: KnownFault = dialect(
    Category::Regime,
    "inverted-extended",
    "wait-within-bounds",
    "The extended ladder begins at 300 s below a larger normal one, so that the worse failure waits less.",
    || of(400.0),
    Dialect::InvertedExtended,
);

pub(super) const TLS_UNEXPECTED: KnownFault = dialect(
    Category::Regime,
    "tls-unexpected",
    "reset-exactly-when-due",
    "A TLS failure counts as a rejection, so that a flapping link climbs to an hour and stays there.",
    STREAMING,
    Dialect::TlsUnexpected,
);

pub(super) const RETRY_HINT: KnownFault = dialect(
    Category::Server,
    "retry-hint",
    "base-is-that-of-the-rung",
    "A server's hint replaces the base, restarts the count and survives resets.",
    STREAMING,
    Dialect::RetryHint,
);

pub(super) const ZERO_LITERAL: KnownFault = dialect(
    Category::Configuration,
    "zero-literal",
    "repeated-failures-get-a-pause",
    "An initial delay of zero is accepted, so there is no wait.",
    || of(0.0),
    Dialect::ZeroLiteral,
);

pub(super) const DEFAULT_SILENT: KnownFault = dialect(
    Category::Configuration,
    "default-silent",
    "a-replaced-configuration-is-told",
    "An unusable delay is replaced without a warning.",
    || of(0.0),
    Dialect::DefaultSilent,
);

pub(super) const HTTP_ALWAYS_ERROR: KnownFault = dialect(
    Category::Loop,
    "http-always-error",
    "a-failure-is-logged-by-its-kind",
    "Every HTTP failure of a stream is logged as an error.",
    STREAMING,
    Dialect::HttpAlwaysError,
);

pub(super) const HTTP_ALWAYS_WARNING: KnownFault = dialect(
    Category::Loop,
    "http-always-warning",
    "a-failure-is-logged-by-its-kind",
    "Every HTTP failure of a stream is logged as a warning.",
    STREAMING,
    Dialect::HttpAlwaysWarning,
);

pub(super) const VALID_AFTER_PATCH: KnownFault = dialect(
    Category::Loop,
    "valid-after-patch",
    "valid-comes-with-all-data",
    "A stream is valid after any message, and not only after one with all data.",
    STREAMING,
    Dialect::ValidAfterPatch,
);

pub(super) const MALFORMED_IS_INVALID_DATA: KnownFault = dialect(
    Category::Loop,
    "malformed-is-invalid-data",
    "a-malformed-poll-is-of-no-known-kind",
    "A poll's unreadable body is reported as invalid data.",
    super::clients::POLLING,
    Dialect::MalformedIsInvalidData,
);

fn of(seconds: f64) -> PolicySpec {
    PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Number(seconds)) }
}
