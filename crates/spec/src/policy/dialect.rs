//! Dialects of the built-in rules.

use retrylab_core::ConfigOption;

use crate::policy::Shape;

/// The built-in rules with one difference each, as in other implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// An initial delay above the normal ceiling is cut down to it.
    ClampInitial,
    /// The extended initial stays at 300 s below a larger normal initial: the worse failure waits less.
    InvertedExtended,
    /// A stream is healthy from its connect on, without a message.
    HealthFromConnect,
    /// A stream's health restarts at each message.
    HealthFromLastMessage,
    /// TLS and certificate failures are unexpected.
    TlsUnexpected,
    /// The first good poll while extended still waits the last delay.
    CadenceNotRestored,
    /// A server's hint replaces the base, restarts the count and survives resets.
    RetryHint,
    /// A zero or negative initial delay is taken as zero.
    ZeroLiteral,
    /// A zero or negative initial delay is 1 s, without a warning.
    DefaultSilent,
    /// The exponent stops at 30.
    ExponentCapped,
    /// The doubled delay wraps to zero.
    ExponentWraps,
    /// The clock's zero stands for "not healthy yet".
    ClockZeroUnset,
    /// Every HTTP failure of a stream is logged as an error, whatever its kind.
    HttpAlwaysError,
    /// Every HTTP failure of a stream is logged as a warning, whatever its kind.
    HttpAlwaysWarning,
    /// A stream is valid after any message that was handled, not after a put alone.
    ValidAfterPatch,
    /// A poll's unreadable body is invalid data, not an unknown error.
    MalformedIsInvalidData,
}

impl Dialect {
    /// Every dialect with its name as a kind of client.
    pub const ALL: [(Self, &'static str); 16] = [
        (Self::ClampInitial, "streaming:clamp-initial"),
        (Self::InvertedExtended, "streaming:inverted-extended"),
        (Self::HealthFromConnect, "streaming:health-from-connect"),
        (Self::HealthFromLastMessage, "streaming:health-from-last-message"),
        (Self::TlsUnexpected, "streaming:tls-unexpected"),
        (Self::CadenceNotRestored, "polling:cadence-not-restored"),
        (Self::RetryHint, "streaming:retry-hint"),
        (Self::ZeroLiteral, "streaming:zero-literal"),
        (Self::DefaultSilent, "streaming:default-silent"),
        (Self::ExponentCapped, "streaming:exponent-capped"),
        (Self::ExponentWraps, "streaming:exponent-wraps"),
        (Self::ClockZeroUnset, "streaming:clock-zero-unset"),
        (Self::HttpAlwaysError, "streaming:http-always-error"),
        (Self::HttpAlwaysWarning, "streaming:http-always-warning"),
        (Self::ValidAfterPatch, "streaming:valid-after-patch"),
        (Self::MalformedIsInvalidData, "polling:malformed-is-invalid-data"),
    ];

    /// The name as a kind of client.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The option of what it is a dialect of.
    #[must_use]
    pub const fn option(self) -> ConfigOption {
        match self.shape() {
            Shape::Polling => ConfigOption::PollInterval,
            Shape::Streaming | Shape::Call => ConfigOption::InitialReconnectDelay,
        }
    }

    /// What it is a dialect of.
    #[must_use]
    pub const fn shape(self) -> Shape {
        match self {
            Self::CadenceNotRestored | Self::MalformedIsInvalidData => Shape::Polling,
            _ => Shape::Streaming,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_has_its_own_name() {
        for (dialect, name) in Dialect::ALL {
            assert_eq!(dialect.name(), name);
            assert!(name.starts_with(dialect.shape().name()), "{name}");
        }
    }
}
