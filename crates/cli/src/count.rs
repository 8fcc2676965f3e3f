//! A number of things on the command line, from 1 to a bound.

/// Reads a count.
///
/// # Errors
///
/// If the text is no whole number from 1 to `MOST`.
pub(crate) fn parse<const MOST: u32>(text: &str) -> Result<u32, NoCount<MOST>> {
    text.parse().ok().filter(|count| (1..=MOST).contains(count)).ok_or(NoCount)
}

/// A text that is no count; clap's message shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("allowed is a whole number from 1 to {MOST}")]
pub(crate) struct NoCount<const MOST: u32>;

#[cfg(test)]
mod tests {
    use super::*;

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
