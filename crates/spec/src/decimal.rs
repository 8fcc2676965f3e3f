//! Seconds and draws as JSON numbers, exact in both directions.
//!
//! ```
//! use core::time::Duration;
//! use retrylab_spec::decimal::{Seconds, Unit, parse};
//!
//! let short = Duration::from_nanos(59_999_999_999);
//! assert_eq!(Seconds(short).to_string(), "59.999999999");
//! assert_eq!(parse("59.999999999"), Ok(short));
//! assert_eq!(Unit(1 << 62).to_string(), "0.25");
//! ```

use core::fmt;
use core::time::Duration;

use retrylab_core::nanos;

/// A duration as a number of seconds, with every digit that it needs and no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seconds(pub Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs())?;
        let (mut digits, mut width) = (self.0.subsec_nanos(), 9);
        if digits == 0 {
            return Ok(());
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            width -= 1;
        }
        write!(f, ".{digits:0width$}")
    }
}

/// A draw as the fraction of 2^64 of its leading 53 bits: in [0, 1), and equal after parsing as a double.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(pub u64);

impl fmt::Display for Unit {
    #[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "53 bits and a power of two: both exact")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: f64 = (1_u64 << 53) as f64;
        // The debug form has an exponent where the display form has hundreds of digits.
        write!(f, "{:?}", (self.0 >> 11) as f64 / UNITS)
    }
}

/// Parses a JSON number of seconds, to the nearest nanosecond, halves up. A number above `u64::MAX` ns (584 years)
/// saturates.
///
/// # Errors
///
/// If it is not a JSON number, below zero, or larger than any double.
pub fn parse(text: &str) -> Result<Duration, NoSeconds> {
    let number = Number::read(text).ok_or(NoSeconds::NoNumber)?;
    let digits: Vec<u8> = number.whole.bytes().chain(number.part.bytes()).skip_while(|digit| *digit == b'0').collect();
    if digits.is_empty() {
        return Ok(Duration::ZERO);
    }
    if number.negative {
        return Err(NoSeconds::Negative);
    }
    // The sign is gone, so this compares no floats: only an overflow is infinite.
    if text.parse::<f64>().is_ok_and(f64::is_infinite) {
        return Err(NoSeconds::TooLarge);
    }
    // The number of digits that are whole nanoseconds.
    let places = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let part = i64::try_from(number.part.len()).unwrap_or(i64::MAX);
    let whole = places.saturating_sub(part).saturating_add(number.exponent).saturating_add(9);
    if whole < 0 {
        return Ok(Duration::ZERO);
    }
    if whole > 20 {
        return Ok(Duration::from_nanos(u64::MAX));
    }
    let digit = |place: i64| {
        let digit = usize::try_from(place).ok().and_then(|place| digits.get(place));
        digit.map_or(0, |digit| u128::from(digit - b'0'))
    };
    let rounded = (0..whole).fold(0, |sum, place| sum * 10 + digit(place)) + u128::from(digit(whole) >= 5);
    Ok(Duration::from_nanos(u64::try_from(rounded).unwrap_or(u64::MAX)))
}

/// The parts of a JSON number.
struct Number<'a> {
    negative: bool,
    whole: &'a str,
    part: &'a str,
    exponent: i64,
}

impl<'a> Number<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
            None => (rest, 0),
        };
        let (whole, part) = match mantissa.split_once('.') {
            Some((whole, part)) if is_digits(part) => (whole, part),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let is_whole = is_digits(whole) && (whole == "0" || !whole.starts_with('0'));
        is_whole.then_some(Self { negative, whole, part, exponent })
    }
}

/// The exponent saturates far beyond any number here.
fn read_exponent(text: &str) -> Option<i64> {
    const MOST: i64 = 1 << 40;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let size = is_digits(digits).then(|| digits.parse().unwrap_or(MOST).min(MOST))?;
    Some(if text.starts_with('-') { -size } else { size })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An error: not a span of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoSeconds {
    /// Not a JSON number.
    NoNumber,
    /// Below zero.
    Negative,
    /// Larger than any double.
    TooLarge,
}

impl fmt::Display for NoSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::NoNumber => "not a number",
            Self::Negative => "below zero",
            Self::TooLarge => "larger than any double",
        })
    }
}

impl core::error::Error for NoSeconds {}

/// A number of seconds in JSON, where it may also be the text `nan`, `inf` or `-inf`.
#[derive(Clone, Copy, Debug)]
pub struct AnySeconds(pub crate::Seconds);

impl fmt::Display for AnySeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            crate::Seconds::Text(span) => Seconds(Duration::from_nanos(nanos(span))).fmt(f),
            crate::Seconds::Number(number) if number.is_finite() => write!(f, "{number:?}"),
            crate::Seconds::Number(number) if number.is_nan() => f.write_str("\"nan\""),
            crate::Seconds::Number(number) if number.is_sign_negative() => f.write_str("\"-inf\""),
            crate::Seconds::Number(_) => f.write_str("\"inf\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_the_digits_that_they_need() {
        let text = |nanos| Seconds(Duration::from_nanos(nanos)).to_string();
        assert_eq!(text(0), "0");
        assert_eq!(text(1), "0.000000001");
        assert_eq!(text(1_500_000_000), "1.5");
        assert_eq!(text(60_001_953_125), "60.001953125");
        assert_eq!(text(300_000_000_000), "300");
        assert_eq!(text(u64::MAX), "18446744073.709551615");
    }

    #[test]
    fn seconds_are_read_to_the_nearest_nanosecond() {
        let read = |text: &str| parse(text).map(|span| span.as_nanos());
        for (text, nanos) in [
            ("0", 0),
            ("-0.0", 0),
            ("0.875", 875_000_000),
            ("59.999999999", 59_999_999_999),
            ("1e-9", 1),
            ("4.9999e-10", 0),
            ("5e-10", 1),
            ("0.0000000014999", 1),
            ("0.0000000015", 2),
            ("5e-324", 0),
            ("12.5E+1", 125_000_000_000),
            ("18446744073.709551614", u128::from(u64::MAX) - 1),
            ("18446744073.709551616", u128::from(u64::MAX)),
            ("1e300", u128::from(u64::MAX)),
            ("0e99999999999999999999", 0),
        ] {
            assert_eq!(read(text), Ok(nanos), "{text}");
        }
    }

    #[test]
    fn an_invalid_span_of_seconds_is_refused() {
        for text in
            ["", "-", "+1", ".5", "1.", "1e", "1e+", "NaN", "\"1\"", "null", "0x1", "1_0", "01", "-00", "00.5", "065e9"]
        {
            assert_eq!(parse(text), Err(NoSeconds::NoNumber), "{text}");
        }
        assert_eq!(parse("-1e-30"), Err(NoSeconds::Negative));
        assert_eq!(parse("1e309"), Err(NoSeconds::TooLarge));
        assert_eq!(parse("1e99999999999999999999"), Err(NoSeconds::TooLarge));
        assert_eq!(parse("1e-99999999999999999999"), Ok(Duration::ZERO));
    }

    #[test]
    fn a_draw_is_the_same_again_when_it_is_read() {
        assert_eq!(Unit(0).to_string(), "0.0");
        assert_eq!(Unit(1 << 63).to_string(), "0.5");
        // 1 - 2^-53, and 2^-53.
        assert_eq!(Unit(u64::MAX).to_string(), "0.9999999999999999");
        assert_eq!(Unit(1 << 11).to_string(), "1.1102230246251565e-16");
        assert_eq!("0.9999999999999999".parse(), Ok(1.0 - f64::EPSILON / 2.0));
    }

    #[test]
    fn configured_seconds_need_not_be_a_number() {
        let text = |seconds| AnySeconds(seconds).to_string();
        assert_eq!(text(crate::Seconds::Text(Duration::from_millis(1500))), "1.5");
        for (number, written) in [
            (30.0, "30.0"),
            (-0.0, "-0.0"),
            (1e300, "1e300"),
            (f64::NAN, "\"nan\""),
            (f64::INFINITY, "\"inf\""),
            (f64::NEG_INFINITY, "\"-inf\""),
        ] {
            assert_eq!(text(crate::Seconds::Number(number)), written);
        }
    }
}
