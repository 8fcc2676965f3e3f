//! Suggestions for misspelled names.

/// The candidate nearest to `given`, if it is near enough to be a typing mistake; the first of several equally near
/// ones.
///
/// ```
/// use retrylab_spec::suggest::nearest;
///
/// assert_eq!(nearest("poling", ["streaming", "polling"]), Some("polling"));
/// assert_eq!(nearest("tower", ["streaming", "polling"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = plain(given);
    // One mistake in three characters: with more it is another word.
    let allowed = given.chars().count().max(3) / 3;
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&given, &plain(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        // The first of equally near ones, in the order in which they are documented.
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `` `a`, `b` or `c` ``, each put between two `quote`s.
pub(crate) fn choices<'a>(quote: char, words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("{quote}{word}{quote}")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// Case, hyphens and underscores do not count as differences.
fn plain(word: &str) -> String {
    // Longer than any key; the comparison costs the square of the length.
    word.chars().take(64).map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_mistakes_are_recognised_and_other_words_are_not() {
        let keys = ["until", "repeat", "play", "retry_after"];
        for (given, meant) in [
            ("utnil", Some("until")),
            ("Repeat", Some("repeat")),
            ("plya", Some("play")),
            ("retry-after", Some("retry_after")),
            ("retries_after", Some("retry_after")),
            ("rep", None),
            ("pla", Some("play")),
            ("seed", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, keys), meant, "{given}");
        }
    }

    #[test]
    fn choices_read_as_a_sentence() {
        assert_eq!(choices('`', []), "");
        assert_eq!(choices('`', ["a"]), "`a`");
        assert_eq!(choices('"', ["a", "b", "c"]), "\"a\", \"b\" or \"c\"");
    }
}
