//! The documents, the justfile and the CI script name only what exists, and name all of it.

use std::collections::BTreeSet;

use crate::markdown::{quoted, table};
use crate::tree::{Tree, assert_tidy};

/// Where people and CI read commands.
const DOCUMENTS: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "justfile", ".ci/run"];

/// Recipes that are no cargo line: the list of recipes, and everything together.
const NOT_CARGO: [(&str, &str); 2] = [("default", "@just --list"), ("ci", ".ci/run")];

/// Folder with one module a verb.
const VERBS: &str = "crates/cli/src/verb/";

/// The verbs of the command, by their modules.
fn verbs(tree: &Tree) -> BTreeSet<String> {
    let modules = tree.files_like(VERBS, ".rs").into_iter();
    let names = modules.map(|path| {
        let inner = path.trim_start_matches(VERBS);
        inner.split_once('/').map_or_else(|| inner.trim_end_matches(".rs").to_owned(), |(folder, _)| folder.to_owned())
    });
    names.filter(|name| name != "mod").collect()
}

/// Verbs that the README's table does not have, and rows of it that are no verb.
fn readme_problems(tree: &Tree) -> Vec<String> {
    let readme = tree.text("README.md").unwrap_or_default();
    let rows: BTreeSet<String> =
        table(&readme, "verb", "what it does").into_iter().flat_map(|cells| verb_of(cells[0])).collect();
    let verbs = verbs(tree);
    let missing = verbs.difference(&rows).map(|verb| format!("README.md: the table of verbs has no row `{verb}`"));
    let extra = rows
        .difference(&verbs)
        .map(|verb| format!("README.md: the table of verbs has a row `{verb}`, which is no verb"));
    missing.chain(extra).collect()
}

/// The first word of what a cell quotes: `run [PATH…]` is the row of `run`.
fn verb_of(cell: &str) -> Option<String> {
    quoted(cell).next()?.split_whitespace().next().map(str::to_owned)
}

fn recipe_problems(tree: &Tree) -> Vec<String> {
    let justfile = tree.text("justfile").unwrap_or_default();
    let mut problems = Vec::new();
    for (name, lines, comment) in recipes(&justfile) {
        let fine = match lines.as_slice() {
            [line] => is_cargo(line) || NOT_CARGO.contains(&(name, line)),
            _ => false,
        };
        if !fine {
            problems.push(format!("justfile: `{name}` is not one cargo line"));
        }
        if !comment {
            problems.push(format!("justfile: `{name}` has no comment that says what it is for"));
        }
    }
    problems
}

/// Name, lines and whether there is a comment above, of each recipe.
fn recipes(justfile: &str) -> Vec<(&str, Vec<&str>, bool)> {
    let mut recipes: Vec<(&str, Vec<&str>, bool)> = Vec::new();
    let mut above = "";
    for line in justfile.lines() {
        if line.starts_with(' ') || line.starts_with('\t') {
            if let Some((_, lines, _)) = recipes.last_mut() {
                lines.push(line.trim());
            }
        } else if let Some((head, _)) = line.split_once(':').filter(|_| !line.starts_with('#')) {
            recipes.push((head.split_whitespace().next().unwrap_or(head), Vec::new(), above.starts_with('#')));
        }
        above = line;
    }
    recipes
}

/// Whether a line starts cargo, after any number of `NAME=value`.
fn is_cargo(line: &str) -> bool {
    line.split_whitespace().find(|word| !word.contains('=')) == Some("cargo")
}

/// Targets, verbs and recipes that a document names and that do not exist.
fn unknown_names(tree: &Tree) -> Vec<String> {
    let manifest: toml::Table = tree.text("Cargo.toml").unwrap_or_default().parse().expect("the root manifest is TOML");
    let targets = |kind: &str| -> BTreeSet<String> {
        let targets = manifest.get(kind).and_then(toml::Value::as_array).into_iter().flatten();
        targets.filter_map(|target| Some(target.get("name")?.as_str()?.to_owned())).collect()
    };
    let justfile = tree.text("justfile").unwrap_or_default();
    let known: [(&str, BTreeSet<String>); 5] = [
        ("--test", targets("test")),
        ("--bench", targets("bench")),
        ("--example", targets("example")),
        ("cargo run --release --", verbs(tree)),
        ("`just", recipes(&justfile).into_iter().map(|(name, ..)| name.to_owned()).collect()),
    ];
    let mut problems = Vec::new();
    for document in DOCUMENTS {
        let text = tree.text(document).unwrap_or_default();
        for (before, names) in &known {
            for name in names_after(&text, before).filter(|name| !names.contains(*name)) {
                problems.push(format!(
                    "{document}: names `{}`, which does not exist",
                    format!("{before} {name}").trim_matches('`')
                ));
            }
        }
    }
    problems
}

/// The words that follow `before` and a space, if they look like names.
fn names_after<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.split(before).skip(1).filter_map(move |rest| {
        let rest = rest.strip_prefix(' ')?;
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        name.starts_with(|c: char| c.is_ascii_lowercase()).then_some(name)
    })
}

#[test]
fn every_verb_of_the_command_is_in_the_readme_and_nothing_else() {
    assert_tidy(&readme_problems(&Tree::checkout()));
}

#[test]
fn each_recipe_is_one_cargo_line_with_a_comment() {
    assert_tidy(&recipe_problems(&Tree::checkout()));
}

#[test]
fn documents_name_only_targets_verbs_and_recipes_that_exist() {
    assert_tidy(&unknown_names(&Tree::checkout()));
}

#[test]
fn a_verb_without_a_row_and_a_row_without_a_verb_are_noticed() {
    let tree = Tree::made_up(&[
        ("crates/cli/src/verb/mod.rs", ""),
        ("crates/cli/src/verb/run.rs", ""),
        ("crates/cli/src/verb/ladder/bars.rs", ""),
        ("README.md", "| verb | what it does |\n|---|---|\n| `run [PATH…]` | plays |\n| `storm` | not yet |\n"),
    ]);
    assert_eq!(
        readme_problems(&tree),
        [
            "README.md: the table of verbs has no row `ladder`",
            "README.md: the table of verbs has a row `storm`, which is no verb"
        ]
    );
}

#[test]
fn recipes_that_are_more_than_a_cargo_line_are_noticed() {
    let tree = Tree::made_up(&[(
        "justfile",
        "# All.\ndefault:\n    @just --list\n\n# Fine.\ndeep:\n    DEPTH=9 cargo test\n\n# Two.\ntwo X:\n    cargo test\n    cargo doc\n\nbare:\n    echo\n",
    )]);
    assert_eq!(
        recipe_problems(&tree),
        [
            "justfile: `two` is not one cargo line",
            "justfile: `bare` is not one cargo line",
            "justfile: `bare` has no comment that says what it is for"
        ]
    );
}

#[test]
fn names_of_things_that_do_not_exist_are_noticed() {
    let tree = Tree::made_up(&[
        ("Cargo.toml", "[[test]]\nname = \"tidy\"\n"),
        ("justfile", "# x\nlint:\n    cargo clippy\n"),
        ("crates/cli/src/verb/run.rs", ""),
        ("README.md", "`cargo test --test tidy` `cargo bench --bench nothing` `just lint` `just shout`"),
        (".ci/run", "cargo run --release -- run\ncargo run --release -- jump\n"),
    ]);
    assert_eq!(
        unknown_names(&tree),
        [
            "README.md: names `--bench nothing`, which does not exist",
            "README.md: names `just shout`, which does not exist",
            ".ci/run: names `cargo run --release -- jump`, which does not exist"
        ]
    );
}
