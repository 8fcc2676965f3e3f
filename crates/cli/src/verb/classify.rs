//! `retrylab classify`: what kind of failure a status is.

use std::io::{self, Write};
use std::num::IntErrorKind;
use std::str::FromStr;

use clap::Args;
use retrylab_core::FailureKind;

use crate::{Console, Exit, Format, Refusal};

/// Say what kind of failure each status is
///
/// Unexpected failures (a rejected key, a wrong address) take the extended ladder, normal ones the normal ladder. Every
/// whole number has a kind, also those that are no HTTP status.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab classify 401 429 503
  retrylab classify --format json 404")]
pub(crate) struct Classify {
    /// HTTP statuses, or any other whole numbers
    #[arg(required = true, value_name = "STATUS", allow_negative_numbers = true)]
    statuses: Vec<Status>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl Classify {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        Refusal::unless_unread(self.print(console.out))?;
        Ok(Exit::Held)
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.statuses.iter().map(|status| status.digits.len()).max().unwrap_or(0);
        for Status { digits, kind } in &self.statuses {
            match self.format {
                Format::Text => writeln!(out, "{digits:>width$}  {kind}")?,
                Format::Json => writeln!(out, r#"{{"status":{digits},"kind":"{kind}"}}"#)?,
            }
        }
        Ok(())
    }
}

/// A whole number of any size, and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Status {
    /// In decimal, without needless zeros or sign, which is also how JSON writes it.
    digits: String,
    kind: FailureKind,
}

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, StatusError> {
        let (number, digits) = match text.parse::<i64>() {
            Ok(number) => (number, number.to_string()),
            Err(error) => match error.kind() {
                // Far outside of what HTTP knows, one number is classified like another.
                IntErrorKind::PosOverflow => (i64::MAX, text.trim_start_matches(['+', '0']).to_owned()),
                IntErrorKind::NegOverflow => {
                    (i64::MIN, format!("-{}", text.trim_start_matches('-').trim_start_matches('0')))
                }
                _ => return Err(StatusError),
            },
        };
        Ok(Self { digits, kind: FailureKind::from_status(number) })
    }
}

/// What was given is no whole number; clap's message shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a status is a whole number, such as 503")]
struct StatusError;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(String, FailureKind), StatusError> {
        text.parse::<Status>().map(|status| (status.digits, status.kind))
    }

    #[test]
    fn numbers_beyond_64_bits_have_a_kind_and_keep_their_digits() {
        assert_eq!(read("+009223372036854775808"), Ok(("9223372036854775808".to_owned(), FailureKind::Normal)));
        assert_eq!(read("-009223372036854775809"), Ok(("-9223372036854775809".to_owned(), FailureKind::Normal)));
    }

    #[test]
    fn needless_signs_and_zeros_are_dropped() {
        assert_eq!(read("+0401"), Ok(("401".to_owned(), FailureKind::Unexpected)));
        assert_eq!(read("-0"), Ok(("0".to_owned(), FailureKind::Normal)));
    }

    #[test]
    fn what_is_no_whole_number_is_refused() {
        for text in ["", "abc", "4.01", "0x191", "401 ", "-"] {
            assert_eq!(read(text), Err(StatusError), "{text:?}");
        }
    }
}
