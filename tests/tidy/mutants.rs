//! The lists of mutants that are explained instead of killed: every function that they name is there.

use std::collections::BTreeSet;

use crate::tree::{Tree, assert_tidy};

/// What `exclude_re` names and no source defines.
fn problems(tree: &Tree) -> Vec<String> {
    let sources: String = tree.files_like("crates/", ".rs").iter().filter_map(|path| tree.text(path)).collect();
    let words: BTreeSet<&str> = sources.split(|c: char| !is_of_a_name(c)).collect();
    let mut problems = Vec::new();
    for path in tree.files_like(".cargo/mutants", ".toml") {
        let text = tree.text(&path).unwrap_or_default();
        let lists: toml::Table = text.parse().expect("a list of mutants");
        let explained = lists.get("exclude_re").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for pattern in explained.iter().filter_map(toml::Value::as_str) {
            let unknown = names(pattern).filter(|name| !words.contains(name));
            problems.extend(unknown.map(|name| format!("{path}: nothing is called `{name}` in `{pattern}`")));
        }
    }
    problems
}

/// The names in a pattern, without what the tool itself writes around them.
fn names(pattern: &str) -> impl Iterator<Item = &str> {
    let of_the_tool = ["replace", "with", "in", "impl", "for", "rs", "d", "None", "bool"];
    let words = pattern.split(|c: char| !is_of_a_name(c)).filter(|word| word.starts_with(char::is_alphabetic));
    words.filter(move |word| !of_the_tool.contains(word))
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[test]
fn every_explained_mutant_is_of_a_function_that_is_there() {
    assert_tidy(&problems(&Tree::checkout()));
}

#[test]
fn a_mutant_of_a_removed_function_is_reported() {
    let list = r#"exclude_re = ['replace < with <= in Ladder::grown', 'replace Ladder::gone -> bool with \(\)']"#;
    let source = "impl Ladder { fn grown() {} }";
    let tree = Tree::made_up(&[(".cargo/mutants.toml", list), ("crates/core/src/ladder.rs", source)]);
    let told = r".cargo/mutants.toml: nothing is called `gone` in `replace Ladder::gone -> bool with \(\)`";
    assert_eq!(problems(&tree), [told]);
}
