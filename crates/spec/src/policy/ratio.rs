//! Ratios of integers.

use core::fmt;

/// A ratio of integers, in lowest terms in a checked timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The numerator.
    pub numerator: u32,
    /// The denominator.
    pub denominator: u32,
}

impl Ratio {
    /// Parses `2`, `1.6` or `3/2`, exactly. `None` for any other text, for a denominator of 0, and for an overflow.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (numerator, denominator) = match (text.split_once('/'), text.split_once('.')) {
            (Some((above, below)), _) => (digits(above.trim())?, digits(below.trim())?),
            (None, Some((whole, part))) => {
                let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
                (digits(whole)?.checked_mul(scale)?.checked_add(digits(part)?)?, scale)
            }
            (None, None) => (digits(text)?, 1),
        };
        Self::of(numerator, denominator)
    }

    /// The same ratio in lowest terms; `None` for a denominator of 0.
    #[must_use]
    pub fn lowest_terms(self) -> Option<Self> {
        Self::of(self.numerator.into(), self.denominator.into())
    }

    fn of(numerator: u64, denominator: u64) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        Some(Self {
            numerator: u32::try_from(numerator / divisor).ok()?,
            denominator: u32::try_from(denominator / divisor).ok()?,
        })
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// Decimal digits only.
fn digits(text: &str) -> Option<u64> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok()).flatten()
}

const fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_read_exactly() {
        let ratio = |numerator, denominator| Some(Ratio { numerator, denominator });
        assert_eq!(Ratio::parse("2"), ratio(2, 1));
        assert_eq!(Ratio::parse("1.6"), ratio(8, 5));
        assert_eq!(Ratio::parse("3/2"), ratio(3, 2));
        assert_eq!(Ratio::parse("0.10"), ratio(1, 10));
        for refused in ["", "nan", "inf", "-2", "+2", "1e3", "1/0", "2.", ".5", "5000000000", "1.2.3"] {
            assert_eq!(Ratio::parse(refused), None, "{refused}");
        }
    }
}
