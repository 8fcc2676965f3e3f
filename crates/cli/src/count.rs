//! A count on the command line, from 1 to a bound.

use std::fmt;

/// Parses a count.
///
/// # Errors
///
/// If the text is not an integer from 1 to `MOST`.
pub(crate) fn parse<const MOST: u32>(text: &str) -> Result<u32, NoCount<MOST>> {
    text.parse().ok().filter(|count| (1..=MOST).contains(count)).ok_or(NoCount)
}

/// A number with its noun, given in the singular: `1 file`, `2 files`.
pub(crate) fn counted<N: fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == N::from(1) => format!("{count} {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// An error: the text is not a count. clap's message shows the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be an integer from 1 to {MOST}")]
pub(crate) struct NoCount<const MOST: u32>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let files = [0_u64, 1, 2].map(|files| counted(files, "file"));
        assert_eq!(files, ["0 files", "1 file", "2 files"]);
        let entries = [1_u64, 2].map(|entries| counted(entries, "entry"));
        assert_eq!(entries, ["1 entry", "2 entries"]);
    }

    #[test]
    fn a_count_is_an_integer_within_its_bounds() {
        for (text, count) in [("1", 1), ("+7", 7), ("100", 100)] {
            assert_eq!(parse::<100>(text), Ok(count));
        }
        for text in ["0", "-1", "101", "1.5", "ten", "", " 1", "99999999999999999999"] {
            assert_eq!(parse::<100>(text), Err(NoCount), "{text:?}");
        }
        assert_eq!(NoCount::<100>.to_string(), "it must be an integer from 1 to 100");
    }
}
