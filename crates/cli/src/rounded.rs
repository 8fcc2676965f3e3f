//! Durations in columns: the same number of decimals in each line, for comparison.

use std::fmt;
use std::time::Duration;

use retrylab_core::nanos;

/// A duration rounded to a number of decimals of a second, halves up. It is valid input: `4m 05.250s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounded {
    nanos: u128,
    decimals: usize,
}

impl Rounded {
    /// Rounds to at most 9 decimals.
    pub(crate) fn new(duration: Duration, decimals: usize) -> Self {
        let decimals = decimals.min(9);
        let step = 10_u128.pow(9 - u32::try_from(decimals).unwrap_or(9));
        let nanos = u128::from(nanos(duration));
        Self { nanos: (nanos + step / 2) / step * step, decimals }
    }

    /// The rounded duration.
    pub(crate) fn value(self) -> Duration {
        Duration::from_nanos(u64::try_from(self.nanos).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.nanos / 1_000_000_000, self.nanos % 1_000_000_000);
        let (days, hours, minutes, seconds) = (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60, whole % 60);
        let mut text = String::new();
        for (count, unit) in [(days, "d "), (hours, "h "), (minutes, "m ")] {
            if !text.is_empty() {
                text += &format!("{count:02}{unit}");
            } else if count > 0 {
                text += &format!("{count}{unit}");
            }
        }
        text += &if text.is_empty() { format!("{seconds}") } else { format!("{seconds:02}") };
        if self.decimals > 0 {
            text.push('.');
            text.extend(format!("{fraction:09}").chars().take(self.decimals));
        }
        text.push('s');
        f.pad(&text)
    }
}

/// The unit of the shortest wait of a table, which decides the decimals of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Minutes,
    Seconds,
    Milliseconds,
    Less,
}

impl Size {
    /// Zero waits need no decimals.
    pub(crate) fn finest(waits: impl Iterator<Item = Duration>) -> Self {
        match waits.filter(|wait| !wait.is_zero()).min() {
            None => Self::Seconds,
            Some(wait) if wait >= Duration::from_secs(60) => Self::Minutes,
            Some(wait) if wait >= Duration::from_secs(1) => Self::Seconds,
            Some(wait) if wait >= Duration::from_millis(1) => Self::Milliseconds,
            Some(_) => Self::Less,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_spec::duration;

    fn text(nanos: u64, decimals: usize) -> String {
        Rounded::new(Duration::from_nanos(nanos), decimals).to_string()
    }

    #[test]
    fn every_line_has_as_many_decimals() {
        assert_eq!(text(0, 3), "0.000s");
        assert_eq!(text(500_000_000, 3), "0.500s");
        assert_eq!(text(245_250_000_000, 3), "4m 05.250s");
        assert_eq!(text(3_600_000_000_000, 1), "1h 00m 00.0s");
        assert_eq!(text(90_061_000_000_000, 0), "1d 01h 01m 01s");
        assert_eq!(text(1, 9), "0.000000001s");
    }

    #[test]
    fn halves_are_rounded_up_and_carried() {
        assert_eq!(text(1_500_000, 3), "0.002s");
        assert_eq!(text(1_499_999, 3), "0.001s");
        assert_eq!(text(59_999_500_000, 3), "1m 00.000s");
    }

    #[test]
    fn a_printed_duration_is_valid_input() {
        for nanos in [0, 1, 999_999_999, 245_250_000_000, 3_661_000_000_000, 90_061_000_000_000, u64::MAX] {
            let exact = Duration::from_nanos(nanos);
            assert_eq!(duration::parse(&text(nanos, 9)), Ok(exact));
        }
    }

    #[test]
    fn the_rounded_value_equals_its_text() {
        let rounded = Rounded::new(Duration::from_nanos(500_000_001), 3);
        assert_eq!(rounded.value(), Duration::from_millis(500));
    }
}
