//! Conversion of a vector's seconds to integer nanoseconds and draws.

#![expect(clippy::float_arithmetic, reason = "the one place where a vector's seconds are still floats")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the conversions are bounded where they stand, and a bound may be off by its last bit"
)]

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// The nearest nanosecond, saturating. `seconds` is not negative.
pub(crate) fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// The range of [`fits`], for messages.
pub(crate) const RANGE: &str = "from 0 to 18446744073.709551615 seconds, which is 584 years";

/// Whether this is a span of time that is neither negative nor too long for nanoseconds.
pub(crate) fn fits(seconds: f64) -> bool {
    const MOST: f64 = u64::MAX as f64 / 1e9;
    (0.0..=MOST).contains(&seconds)
}

/// The draw whose fraction of 2^64 is `unit`, if that is in [0, 1): its leading 53 bits are exact, the rest zero.
pub(crate) fn draw(unit: f64) -> Option<u64> {
    const UNITS: f64 = (1u64 << 53) as f64;
    (0.0..1.0).contains(&unit).then_some(((unit * UNITS) as u64) << 11)
}

/// A number of seconds that may also be `"nan"`, `"inf"` or `"-inf"`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnySeconds(pub(crate) f64);

impl<'de> Deserialize<'de> for AnySeconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Seconds;

        // Integers beyond 2^53 are rounded like in JSON's own parser.
        impl Visitor<'_> for Seconds {
            type Value = AnySeconds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seconds, \"nan\", \"inf\" or \"-inf\"")
            }

            fn visit_f64<E: Error>(self, seconds: f64) -> Result<AnySeconds, E> {
                Ok(AnySeconds(seconds))
            }

            fn visit_u64<E: Error>(self, seconds: u64) -> Result<AnySeconds, E> {
                Ok(AnySeconds(seconds as f64))
            }

            fn visit_i64<E: Error>(self, seconds: i64) -> Result<AnySeconds, E> {
                Ok(AnySeconds(seconds as f64))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AnySeconds, E> {
                match text {
                    "nan" => Ok(AnySeconds(f64::NAN)),
                    "inf" => Ok(AnySeconds(f64::INFINITY)),
                    "-inf" => Ok(AnySeconds(f64::NEG_INFINITY)),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }
        }

        deserializer.deserialize_any(Seconds)
    }
}
