//! A public type's name stands for one thing in the whole workspace, or the list here says why it stands for two.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{Tree, assert_tidy};

/// Names that several crates give, or several modules of one, each with the reason.
const SHARED: &[(&str, &str)] = &[
    ("Backoff", "the core's ladder with its jitter; the policy of the library of that name"),
    ("Broken", "a law with its shortest script, of the walk; the report of a failed check in a test"),
    ("Call", "the core's bounded call; a call of a generated history of the testkit's"),
    ("Client", "a client as a file describes it; the maker of calls over a library's waits"),
    ("Climb", "a ladder as a trial of the corpus expects it; a table of waits of the simulator's"),
    ("Clock", "the real clock of a driver, a trait; the simulated clock of a client, a value"),
    ("Driver", "one generic type, with an alias for each driver that says what it waits with"),
    ("Entropy", "the source of a driver's draws, a trait; the seed of the simulator's, a value"),
    ("Event", "an input of the reference model, which shares no type; an entry of the full stream"),
    ("Handle", "one generic type, with an alias for each driver that says what is waited for"),
    ("Input", "a file or the standard input of the command; an input of a policy"),
    ("NotExpressible", "of a policy that the protocol has no words for; of one that a library cannot be made to be"),
    ("Outcome", "an outcome of the reference model, which shares no type; an outcome in a file"),
    ("Place", "where a policy stands on its ladders; where a warning stands in a file"),
    ("Problem", "of a file, with its location; of a line of vectors"),
    ("Repeating", "one generic type, with an alias for each driver that says what it calls"),
    ("Seconds", "a duration as a decimal number, for printing; a number of seconds as it was configured"),
    ("Source", "one generic type, with an alias for each driver that says what it runs on"),
    ("Step", "of a comparison; of a vector; of a ladder"),
    ("Store", "of a source's data, a trait; of the files that a search found"),
    ("StoreError", "of each of these two"),
    (
        "Subject",
        "in another process; of the laws; of the command line; of a library: each is what its crate judges or runs",
    ),
    ("SubjectError", "of the laws' subjects; of the command line's"),
    ("Warning", "of the linter; of a vector's configuration"),
];

/// Each name of a public type with the crate roots or modules that declare it.
fn declared(tree: &Tree) -> BTreeMap<String, Vec<String>> {
    let mut declared: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let sources = tree.files_like("crates/", ".rs").into_iter();
    for path in sources.filter(|path| path.split('/').nth(2) == Some("src")) {
        let text = tree.text(&path).unwrap_or_default();
        for name in text.lines().filter_map(type_in) {
            declared.entry(name.to_owned()).or_default().push(path.clone());
        }
    }
    declared
}

/// The name of the public type that a line begins to declare. What is declared in a function or a module of its own is
/// indented, and private to it; associated types are no types of their own.
fn type_in(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let rest = kinds.into_iter().find_map(|kind| rest.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

fn problems(tree: &Tree, shared: &[(&str, &str)]) -> Vec<String> {
    let declared = declared(tree);
    let listed: BTreeSet<&str> = shared.iter().map(|(name, _)| *name).collect();
    let twice = declared.iter().filter(|(_, paths)| paths.len() > 1);
    let unlisted = twice.filter(|(name, _)| !listed.contains(name.as_str())).map(|(name, paths)| {
        format!("`{name}` is public in {}: rename one, or say why not in tests/tidy/types.rs", paths.join(" and "))
    });
    let is_shared = |name: &str| declared.get(name).is_some_and(|paths| paths.len() > 1);
    let stale = listed.iter().filter(|name| !is_shared(name));
    let stale = stale.map(|name| format!("tests/tidy/types.rs: `{name}` is not public twice; take it off the list"));
    unlisted.chain(stale).collect()
}

#[test]
fn each_public_type_has_a_name_of_its_own_or_a_reason() {
    assert_tidy(&problems(&Tree::checkout(), SHARED));
}

#[test]
fn a_name_that_two_crates_give_is_noticed_and_a_reason_settles_it() {
    let tree = Tree::made_up(&[
        ("crates/a/src/lib.rs", "pub struct Client<T>(T);\nmod b {\n    pub struct Inner;\n}\n"),
        ("crates/b/src/client.rs", "pub enum Client {}\npub(crate) struct Inner;\npub fn client() {}\n"),
        ("crates/b/src/inner.rs", "pub trait Inner {}\n"),
        ("crates/b/tests/it.rs", "pub struct Inner;\n"),
    ]);
    let twice = "`Client` is public in crates/a/src/lib.rs and crates/b/src/client.rs: rename one, or say why not in \
                 tests/tidy/types.rs";
    assert_eq!(problems(&tree, &[]), [twice]);
    assert_tidy(&problems(&tree, &[("Client", "one is of a file, the other runs")]));
}

#[test]
fn a_reason_for_a_name_that_is_given_once_is_noticed() {
    let tree = Tree::made_up(&[("crates/a/src/lib.rs", "pub type Client = u8;\n")]);
    let stale = "tests/tidy/types.rs: `Client` is not public twice; take it off the list";
    assert_eq!(problems(&tree, &[("Client", "no reason")]), [stale]);
}
