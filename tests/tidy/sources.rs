//! What every source file keeps to: a readable length, no unsafe code, nothing unfinished, no place outside the project.

use crate::tree::{Tree, assert_tidy};

/// Lines. Above this a module holds more than one idea.
const LONGEST_MODULE: usize = 600;

/// Why a file may not hold one of these; put together from halves, so that this file does not hold them either.
const BANNED: [(&[&str], &str); 3] = [
    (
        &[concat!("../sh", "ared"), concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")],
        "a place on one machine",
    ),
    (&[concat!("index.cra", "tes.io"), concat!("static.cra", "tes.io")], "the host of a registry"),
    (
        &[
            concat!("TO", "DO"),
            concat!("FIX", "ME"),
            concat!("todo", "!("),
            concat!("unimplement", "ed!("),
            concat!("#[ign", "ore"),
        ],
        "unfinished work",
    ),
];

fn too_long(tree: &Tree) -> Vec<String> {
    let modules = tree.files_like("", ".rs").into_iter();
    let lines = modules.filter_map(|path| tree.text(&path).map(|text| (path, text.lines().count())));
    lines
        .filter(|(_, lines)| *lines > LONGEST_MODULE)
        .map(|(path, lines)| format!("{path}: {lines} lines; at most {LONGEST_MODULE}"))
        .collect()
}

fn unsafe_allowed(tree: &Tree) -> Vec<String> {
    let roots = tree.files_like("crates/", ".rs").into_iter();
    roots
        .filter(|path| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"))
        .filter(|path| !tree.text(path).is_some_and(|text| text.lines().any(|line| line == "#![forbid(unsafe_code)]")))
        .map(|path| format!("{path}: a crate root says `#![forbid(unsafe_code)]`"))
        .collect()
}

fn banned(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for path in tree.files().into_iter().filter(|path| !path.ends_with("Cargo.lock")) {
        // What is not text (compressed vectors) has no words.
        let Some(text) = tree.text(&path) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            for (word, reason) in BANNED.iter().flat_map(|(words, reason)| words.iter().map(move |word| (word, reason)))
            {
                if line.contains(word) {
                    problems.push(format!("{path}:{number}: `{word}` is {reason}"));
                }
            }
        }
    }
    problems
}

#[test]
fn modules_are_short_enough_to_hold_one_idea() {
    assert_tidy(&too_long(&Tree::checkout()));
}

#[test]
fn every_crate_forbids_unsafe_code() {
    assert_tidy(&unsafe_allowed(&Tree::checkout()));
}

#[test]
fn nothing_is_unfinished_and_nothing_names_one_machine() {
    assert_tidy(&banned(&Tree::checkout()));
}

#[test]
fn a_module_of_601_lines_is_noticed() {
    let tree = Tree::made_up(&[("tests/long.rs", &"//\n".repeat(601)), ("crates/a/src/lib.rs", &"//\n".repeat(600))]);
    assert_eq!(too_long(&tree), ["tests/long.rs: 601 lines; at most 600"]);
}

#[test]
fn a_crate_root_that_does_not_forbid_unsafe_code_is_noticed() {
    let tree = Tree::made_up(&[
        ("crates/a/src/lib.rs", "#![forbid(unsafe_code)]\n"),
        ("crates/b/src/lib.rs", "//! `#![forbid(unsafe_code)]`\n"),
        ("crates/b/src/inner.rs", ""),
    ]);
    assert_eq!(unsafe_allowed(&tree), ["crates/b/src/lib.rs: a crate root says `#![forbid(unsafe_code)]`"]);
}

#[test]
fn each_banned_word_is_noticed_with_its_line() {
    for (words, reason) in BANNED {
        for word in words {
            let tree = Tree::made_up(&[("docs/a.md", &format!("fine\nnot {word} fine\n")), ("Cargo.lock", word)]);
            assert_eq!(banned(&tree), [format!("docs/a.md:2: `{word}` is {reason}")]);
        }
    }
}
