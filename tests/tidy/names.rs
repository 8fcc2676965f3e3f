//! What must have a test of its own name: each thing that is easy to get wrong, and each law.

use std::collections::BTreeSet;

use retrylab_laws::LAWS;

use crate::tree::{Tree, assert_tidy};

/// Where the tests are that are looked for.
const ROOMS: [&str; 6] = [
    "tests/",
    "crates/core/tests/",
    "crates/laws/tests/",
    "crates/search/tests/",
    "crates/faults/tests/",
    "crates/source/tests/",
];

/// What retry state machines and data sources get wrong, numbered. The test of number 3 is called `spec_15_03_…`.
const EASY_TO_GET_WRONG: [(u8, &str); 50] = [
    (1, "a due reset comes before the reset rule records the failure"),
    (2, "the health window is inclusive"),
    (3, "the window starts at the first success after a failure"),
    (4, "health may start at clock zero"),
    (5, "health starts at the first message, not at the connection"),
    (6, "a success restores the cadence even while extended"),
    (7, "one success does not reset polling, and a failure starts the count anew"),
    (8, "a reset clears the count, the bounds and the regime"),
    (9, "only the move into the extended regime restarts the count"),
    (10, "the move counts as the first failure of its regime"),
    (11, "a normal failure after an unexpected one stays on the extended ladder"),
    (12, "the regime is kept, not guessed from the bounds"),
    (13, "jitter subtracts up to half, below the ceiling and before the floor"),
    (14, "the floor is the cadence, not the initial delay"),
    (15, "one draw a failure, none for anything else"),
    (16, "the first delay is the cadence"),
    (17, "normal failures of polling never escalate"),
    (18, "a ceiling is never below its initial"),
    (19, "a long poll interval hides the jitter of the first extended rung"),
    (20, "doubling saturates, and so does the count"),
    (21, "no cap on the exponent but the ceiling"),
    (22, "nan is unusable"),
    (23, "nan and infinity reach the constructors"),
    (24, "no float becomes a duration by a conversion that panics"),
    (25, "a positive delay below a nanosecond counts as one"),
    (26, "TLS is normal; 404, 405 and 410 are unexpected; 400 is normal"),
    (27, "redirects, 204 and whatever is no status are normal"),
    (28, "a server's wish for a delay changes nothing"),
    (29, "an own interrupt counts once, and swallows no real close"),
    (30, "the level of a line is no function of the failure's kind"),
    (31, "the line states the wait, and comes before the status, which comes before the wait"),
    (32, "interrupted before the first valid is initializing, and told each time"),
    (33, "an error sticks to valid and off"),
    (34, "valid comes before ready"),
    (35, "nothing is reported after off"),
    (36, "no failure makes a source ready"),
    (37, "a poll's success is recorded last, so what goes wrong late makes it a failure"),
    (38, "not modified is a success"),
    (39, "the delay is read once after the callback, and counted from its return"),
    (40, "a stop cuts any wait, wherever it falls"),
    (41, "start and stop come in every order"),
    (42, "an attempt begins after the wait"),
    (43, "a reset leaves the next delay alone"),
    (44, "time alone changes nothing"),
    (45, "one clock for successes and failures"),
    (46, "without a first success there is no reset"),
    (47, "flaps climb, healthy minutes do not"),
    (48, "after a healthy extended minute the extended ladder starts again"),
    (49, "a success that completes the window resets at once"),
    (50, "delays are exact to the nanosecond"),
];

fn tests(tree: &Tree) -> BTreeSet<String> {
    let paths = ROOMS.into_iter().flat_map(|room| tree.files_like(room, ".rs"));
    paths.filter_map(|path| tree.text(&path)).flat_map(|text| tests_in(&text)).collect()
}

/// The names of the functions that are marked as tests, each on a line of its own.
fn tests_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut marked = false;
    for line in text.lines().map(str::trim_start) {
        if line == "#[test]" {
            marked = true;
        } else if let Some(rest) = line.strip_prefix("fn ") {
            if marked {
                names.extend(rest.split(['(', '<']).next().map(str::to_owned));
            }
            marked = false;
        }
    }
    names
}

fn untested_items(tree: &Tree) -> Vec<String> {
    let tests = tests(tree);
    let has_test = |number: u8| {
        let prefix = format!("spec_15_{number:02}_");
        tests.iter().any(|name| name.starts_with(&prefix))
    };
    EASY_TO_GET_WRONG
        .into_iter()
        .filter(|(number, _)| !has_test(*number))
        .map(|(number, phrase)| format!("no test spec_15_{number:02}_… ({phrase})"))
        .collect()
}

/// The test of the law `reading-changes-nothing` is called `reading_changes_nothing`, or begins so.
fn untested_laws(tree: &Tree, laws: &[(&str, &str)]) -> Vec<String> {
    let tests = tests(tree);
    let test_of = |name: &str| name.replace('-', "_");
    let is_untested = |(name, _): &&(&str, &str)| !tests.iter().any(|test| test.starts_with(&test_of(name)));
    laws.iter()
        .filter(is_untested)
        .map(|(name, statement)| format!("no test {} ({statement})", test_of(name)))
        .collect()
}

#[test]
fn each_thing_that_is_easy_to_get_wrong_has_a_test() {
    assert_tidy(&untested_items(&Tree::checkout()));
}

#[test]
fn each_law_has_a_test() {
    let laws: Vec<_> = LAWS.iter().map(|law| (law.name, law.statement)).collect();
    assert_tidy(&untested_laws(&Tree::checkout(), &laws));
}

#[test]
fn an_item_without_a_test_is_noticed() {
    let sources: String = EASY_TO_GET_WRONG
        .into_iter()
        .filter(|(number, _)| *number != 43)
        .map(|(number, _)| format!("#[test]\nfn spec_15_{number:02}_x() {{}}\n"))
        .collect();
    let tree = Tree::made_up(&[("tests/core/items.rs", &sources)]);
    assert_eq!(untested_items(&tree), ["no test spec_15_43_… (a reset leaves the next delay alone)"]);
}

#[test]
fn a_law_without_a_test_is_noticed() {
    let laws = [("a-law", "It holds."), ("b-law", "It holds too."), ("c-law", "And so does this.")];
    let tree = Tree::made_up(&[
        ("tests/machine.rs", "proptest! {\n    #[test]\n    fn a_law_of_polling(x in 0..1) {}\n}\nfn b_law() {}\n"),
        ("crates/laws/src/law.rs", "#[test]\nfn c_law() {}\n"),
    ]);
    assert_eq!(untested_laws(&tree, &laws), ["no test b_law (It holds too.)", "no test c_law (And so does this.)"]);
}
