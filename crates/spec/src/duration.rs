//! Durations in the form that people write: `"1s"`, `"59.999999999s"`, `"1m 30s"`, `"365d"`.
//!
//! Parsing is exact to the nanosecond and accepts the friendly format of [`jiff`], with days of 24 hours and weeks of 7
//! days. Printing has one form for each duration, the shortest usual one, and prints valid input: `parse(&print(d)) ==
//! Ok(d)` up to [`MAX`].
//!
//! ```
//! use core::time::Duration;
//! use retrylab_spec::duration::{Text, parse, print};
//!
//! assert_eq!(parse("1m 30s"), Ok(Duration::from_secs(90)));
//! assert_eq!(print(Duration::from_millis(16_500)), "16.5s");
//! assert_eq!(format!("{:>6}", Text(Duration::from_millis(250))), " 250ms");
//! ```

use core::fmt;
use core::time::Duration;

use jiff::SpanRelativeTo;
use jiff::fmt::friendly::SpanParser;

/// The longest duration in a file: `u64::MAX` nanoseconds, about 584 years of 365 days.
pub const MAX: Duration = Duration::from_nanos(u64::MAX);

/// Parses a duration that is zero or positive.
///
/// # Errors
///
/// See the cases of [`DurationError`].
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let (negative, length) = parse_signed(text)?;
    if negative && !length.is_zero() { Err(DurationError::Negative) } else { Ok(length) }
}

/// Parses a duration with an optional sign, for the steps of a clock.
///
/// Returns whether it is negative, and its length.
///
/// # Errors
///
/// See the cases of [`DurationError`], without [`DurationError::Negative`].
pub fn parse_signed(text: &str) -> Result<(bool, Duration), DurationError> {
    if is_finer_than_nanoseconds(text) {
        return Err(DurationError::TooFine);
    }
    let span = SpanParser::new()
        .parse_span(text)
        .map_err(|error| if error.is_range() { DurationError::TooLong } else { DurationError::Unreadable })?;
    if span.get_years() != 0 || span.get_months() != 0 {
        return Err(DurationError::Calendar);
    }
    let signed = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| DurationError::TooLong)?;
    let length = signed.unsigned_abs();
    if length > MAX { Err(DurationError::TooLong) } else { Ok((signed.is_negative(), length)) }
}

/// Prints a duration as valid input of a file or a command.
///
/// Days, hours and minutes are integers, seconds have the fraction; below a second, the unit is smaller.
#[must_use]
pub fn print(duration: Duration) -> String {
    Text(duration).to_string()
}

/// A duration whose `Display` is what [`print()`] gives; width and alignment are respected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(pub Duration);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = Line { bytes: [0; 48], used: 0 };
        line.duration(self.0);
        f.pad(line.as_str())
    }
}

/// The reason why a text is not a valid duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DurationError {
    /// It is not written as numbers with units.
    Unreadable,
    /// It is below zero.
    Negative,
    /// It has years or months, which have no fixed length.
    Calendar,
    /// It has more digits than nanoseconds.
    TooFine,
    /// It is above [`MAX`].
    TooLong,
}

impl DurationError {
    /// The correction.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Unreadable => {
                "write numbers with units, largest first, such as \"250ms\", \"1m 30s\", \"8h\" or \"365d\""
            }
            Self::Negative => "write it without the sign",
            Self::Calendar => "years and months have no fixed length; write days, such as \"365d\" or \"30d\"",
            Self::TooFine => "one nanosecond, \"1ns\" or \"0.000000001s\", is the finest step",
            Self::TooLong => "at most 18446744073709551615 ns, which is \"213503d 23h 34m 33.709551615s\"",
        }
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unreadable => "not a duration",
            Self::Negative => "a duration below zero",
            Self::Calendar => "a duration in years or months",
            Self::TooFine => "a duration with more digits than nanoseconds",
            Self::TooLong => "a duration that is too long",
        })
    }
}

impl core::error::Error for DurationError {}

/// Whether digits of a fraction are below a nanosecond, which the parser would drop silently.
fn is_finer_than_nanoseconds(text: &str) -> bool {
    // Only the last number can have a fraction; a comma before it may also stand between two units.
    let Some((_, after)) = text.rsplit_once(['.', ',']) else {
        return false;
    };
    let unit = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = after[..after.len() - unit.len()].trim_end_matches('0').len();
    let unit = unit.trim_start();
    let finest = if unit.starts_with("ms") || unit.starts_with("milli") {
        6
    } else if unit.starts_with(['u', 'µ', 'μ']) || unit.starts_with("micro") {
        3
    } else if unit.starts_with('n') {
        0
    } else {
        9
    };
    digits > finest
}

/// The text of a duration, built without allocation: traces print millions.
struct Line {
    bytes: [u8; 48],
    used: usize,
}

impl Line {
    fn duration(&mut self, duration: Duration) {
        let seconds = duration.as_secs();
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
        let (seconds, nanos) = (seconds % 60, duration.subsec_nanos());
        for (count, unit) in [(days, "d"), (hours, "h"), (minutes, "m")] {
            if count > 0 {
                self.space();
                self.whole(count);
                self.push(unit);
            }
        }
        if seconds > 0 || (nanos > 0 && self.used > 0) {
            self.space();
            self.decimal(seconds, nanos, 9, "s");
        } else if nanos >= 1_000_000 {
            self.decimal(u64::from(nanos / 1_000_000), nanos % 1_000_000, 6, "ms");
        } else if nanos >= 1_000 {
            self.decimal(u64::from(nanos / 1_000), nanos % 1_000, 3, "us");
        } else if nanos > 0 {
            self.decimal(u64::from(nanos), 0, 0, "ns");
        } else if self.used == 0 {
            self.push("0s");
        }
    }

    /// `whole.fraction`, the fraction being of `digits` digits, without its trailing zeros.
    fn decimal(&mut self, whole: u64, mut fraction: u32, mut digits: usize, unit: &str) {
        self.whole(whole);
        if fraction > 0 {
            while fraction.is_multiple_of(10) {
                fraction /= 10;
                digits -= 1;
            }
            self.push(".");
            self.digits(u64::from(fraction), digits);
        }
        self.push(unit);
    }

    fn whole(&mut self, number: u64) {
        let digits = number.checked_ilog10().map_or(1, |log| log as usize + 1);
        self.digits(number, digits);
    }

    /// Exactly `digits` digits, with leading zeros.
    fn digits(&mut self, mut number: u64, digits: usize) {
        for place in self.bytes[self.used..self.used + digits].iter_mut().rev() {
            *place = b"0123456789"[(number % 10) as usize];
            number /= 10;
        }
        self.used += digits;
    }

    fn space(&mut self) {
        if self.used > 0 {
            self.push(" ");
        }
    }

    fn push(&mut self, text: &str) {
        self.bytes[self.used..self.used + text.len()].copy_from_slice(text.as_bytes());
        self.used += text.len();
    }

    fn as_str(&self) -> &str {
        // Only ASCII is pushed.
        str::from_utf8(&self.bytes[..self.used]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_has_its_usual_form() {
        let written = [
            (0, "0s"),
            (1, "1ns"),
            (1_500, "1.5us"),
            (250_000, "250us"),
            (1_500_000, "1.5ms"),
            (250_000_000, "250ms"),
            (999_999_999, "999.999999ms"),
            (1_000_000_000, "1s"),
            (16_500_000_000, "16.5s"),
            (59_999_999_999, "59.999999999s"),
            (60_000_000_000, "1m"),
            (60_000_000_001, "1m 0.000000001s"),
            (90_500_000_000, "1m 30.5s"),
            (300_000_000_000, "5m"),
            (3_600_000_000_000, "1h"),
            (5_400_000_000_000, "1h 30m"),
            (90_000_000_000_000, "1d 1h"),
            (31_536_000_000_000_000, "365d"),
            (u64::MAX, "213503d 23h 34m 33.709551615s"),
        ];
        for (nanos, text) in written {
            let duration = Duration::from_nanos(nanos);
            assert_eq!(print(duration), text);
            assert_eq!(parse(text), Ok(duration), "{text}");
        }
    }

    #[test]
    fn the_longest_duration_of_the_standard_library_still_prints() {
        // u64::MAX seconds: 213503982334601 d 7 h 0 m 15 s.
        assert_eq!(print(Duration::MAX), "213503982334601d 7h 15.999999999s");
    }

    #[test]
    fn units_may_be_written_out_and_weeks_have_seven_days() {
        for (text, seconds) in [
            ("2 hours 5 minutes", 7_500),
            ("1w", 604_800),
            ("1h30m", 5_400),
            ("1:30:00", 5_400),
            ("+5s", 5),
            ("-0s", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse("1µs"), Ok(Duration::from_micros(1)));
        assert_eq!(parse("0.5m"), Ok(Duration::from_secs(30)));
    }

    #[test]
    fn an_invalid_duration_is_refused_with_its_reason() {
        for (text, error) in [
            ("", DurationError::Unreadable),
            ("5", DurationError::Unreadable),
            ("five seconds", DurationError::Unreadable),
            ("PT5S", DurationError::Unreadable),
            ("30s 1m", DurationError::Unreadable),
            ("1.5d", DurationError::Unreadable),
            ("-1s", DurationError::Negative),
            ("5s ago", DurationError::Negative),
            ("1y", DurationError::Calendar),
            ("1 month 3 days", DurationError::Calendar),
            ("1.0000000001s", DurationError::TooFine),
            ("0.1234567ms", DurationError::TooFine),
            ("0,1234us", DurationError::TooFine),
            ("1h, 0.1234us", DurationError::TooFine),
            ("1.5ns", DurationError::TooFine),
            ("213503d 23h 34m 33.709551616s", DurationError::TooLong),
            ("9999999999d", DurationError::TooLong),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
        assert_eq!(parse("0.123456000ms"), Ok(Duration::from_nanos(123_456)));
    }

    #[test]
    fn a_signed_duration_keeps_its_sign() {
        assert_eq!(parse_signed("-1h"), Ok((true, Duration::from_secs(3_600))));
        assert_eq!(parse_signed("+1h"), Ok((false, Duration::from_secs(3_600))));
        assert_eq!(parse_signed("1h"), Ok((false, Duration::from_secs(3_600))));
    }
}
