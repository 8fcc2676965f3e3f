//! `retrylab classify`: the failure kind of a status.

use std::io::{self, Write};
use std::num::IntErrorKind;
use std::str::FromStr;

use clap::Args;
use retrylab_core::FailureKind;

use crate::options::Output;
use crate::{Console, Exit, Format, Refusal};

/// Print the failure kind of each HTTP status
///
/// Unexpected failures (a rejected key, a wrong address) take the extended ladder, normal ones the normal ladder. Every
/// integer has a kind, also one that is not an HTTP status.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab classify 401 429 503
  retrylab classify --format json 404")]
pub(crate) struct Classify {
    /// HTTP statuses, or any other integers
    #[arg(required = true, value_name = "STATUS", allow_negative_numbers = true)]
    statuses: Vec<Status>,
    #[command(flatten)]
    output: Output,
}

impl Classify {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        Refusal::unless_unread(self.print(console.out))?;
        Ok(Exit::Held)
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self.statuses.iter().map(|status| status.digits.len()).max().unwrap_or(0);
        for Status { digits, kind } in &self.statuses {
            match self.output.format {
                Format::Text => writeln!(out, "{digits:>width$}  {kind}")?,
                // A status of any size, which no integer type of JSON's writer holds.
                Format::Json => writeln!(out, r#"{{"status":{digits},"kind":"{kind}"}}"#)?,
            }
        }
        Ok(())
    }
}

/// An integer of any size, and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Status {
    /// The decimal form without leading zeros or plus sign, as in JSON.
    digits: String,
    kind: FailureKind,
}

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, StatusError> {
        let (number, digits) = match text.parse::<i64>() {
            Ok(number) => (number, number.to_string()),
            Err(error) => match error.kind() {
                // Far outside of HTTP, all numbers are classified alike.
                IntErrorKind::PosOverflow => (i64::MAX, text.trim_start_matches(['+', '0']).to_owned()),
                IntErrorKind::NegOverflow => {
                    (i64::MIN, format!("-{}", text.trim_start_matches('-').trim_start_matches('0')))
                }
                _ => return Err(StatusError),
            },
        };
        Ok(Self { digits, kind: FailureKind::for_source_status(number) })
    }
}

/// An error: the text is not an integer. clap's message shows the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a status is an integer, such as 503")]
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
    fn plus_signs_and_leading_zeros_are_dropped() {
        assert_eq!(read("+0401"), Ok(("401".to_owned(), FailureKind::Unexpected)));
        assert_eq!(read("-0"), Ok(("0".to_owned(), FailureKind::Normal)));
    }

    #[test]
    fn a_text_that_is_no_integer_is_refused() {
        for text in ["", "abc", "4.01", "0x191", "401 ", "-"] {
            assert_eq!(read(text), Err(StatusError), "{text:?}");
        }
    }
}
