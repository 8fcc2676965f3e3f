//! A number of things on the command line, from 1 to a bound.

use std::fmt;

/// Reads a count.
///
/// # Errors
///
/// If the text is no whole number from 1 to `MOST`.
pub(crate) fn parse<const MOST: u32>(text: &str) -> Result<u32, NoCount<MOST>> {
    text.parse().ok().filter(|count| (1..=MOST).contains(count)).ok_or(NoCount)
}

/// So many of what is named in the singular: `1 file`, `2 files`.
pub(crate) fn counted<N: fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let many = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{many}")
}

/// A text that is no count; clap's message shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("allowed is a whole number from 1 to {MOST}")]
pub(crate) struct NoCount<const MOST: u32>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let files = [0_u64, 1, 2].map(|files| counted(files, "file"));
        assert_eq!(files, ["0 files", "1 file", "2 files"]);
    }

    #[test]
    fn a_count_is_a_whole_number_within_its_bounds() {
        for (text, count) in [("1", 1), ("+7", 7), ("100", 100)] {
            assert_eq!(parse::<100>(text), Ok(count));
        }
        for text in ["0", "-1", "101", "1.5", "ten", "", " 1", "99999999999999999999"] {
            assert_eq!(parse::<100>(text), Err(NoCount), "{text:?}");
        }
        assert_eq!(NoCount::<100>.to_string(), "allowed is a whole number from 1 to 100");
    }
}
