//! Each item that the front door exports has an example where it is declared, or the list here says why it has none.

use crate::tree::{Tree, assert_tidy};

const DOOR: &str = "crates/retrylab/src/lib.rs";

/// Items without an example, each with the reason.
const WITHOUT: &[(&str, &str)] = &[
    ("CheckFailed", "the message of a failed test, shown in the README"),
    ("OnRetry", "a closure is one; `Retrying` shows it"),
    ("Operation", "`check_async` shows it"),
    ("OperationError", "`check_async` shows it"),
    ("PolicySpec", "a file, a claim or a builder makes one; `examples/subject_in_python.rs` shows it"),
    ("Simulation", "`simulate` shows it"),
    ("ThreadSleeper", "the default of the blocking driver"),
    ("TokioClock", "the default of the driver on tokio"),
    ("TokioSleeper", "the default of the driver on tokio"),
    ("played", "`play` with a result"),
];

/// The items that the door names one by one, each with the crate that declares it. Names after `as` and whole modules
/// are no items.
fn exported(door: &str) -> Vec<(String, String)> {
    let mut items = Vec::new();
    for statement in door.split(';') {
        let Some((_, path)) = statement.split_once("pub use retrylab_") else { continue };
        let krate = path.split("::").next().unwrap_or_default();
        let list = path.split_once('{').map_or_else(|| path.rsplit("::").next().unwrap_or_default(), |(_, list)| list);
        let names = list.trim_end().trim_end_matches('}').split(',').map(str::trim);
        items.extend(names.map(|name| (krate.to_owned(), name.to_owned())));
    }
    items
}

/// Whether a line begins to declare this item, in the open or in a macro that declares one.
fn declares(line: &str, name: &str) -> bool {
    let rest = line.strip_prefix("pub ").map(|rest| rest.trim_start_matches("const ").trim_start_matches("async "));
    let kinds = ["struct ", "enum ", "trait ", "type ", "fn "];
    let declared = rest.and_then(|rest| kinds.into_iter().find_map(|kind| rest.strip_prefix(kind)));
    let is_named = |rest: &str| {
        let after = rest.strip_prefix(name);
        after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    declared.is_some_and(is_named) || line.trim_start().strip_prefix(name) == Some(" {")
}

/// Whether the doc above this line has an example.
fn has_example(lines: &[&str], at: usize) -> bool {
    let above = lines[..at].iter().rev().map(|line| line.trim());
    above.take_while(|line| line.starts_with("///") || line.starts_with('#')).any(|line| line.starts_with("/// ```"))
}

fn problems(tree: &Tree, without: &[(&str, &str)]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut missing = Vec::new();
    for (krate, name) in exported(&tree.text(DOOR).unwrap_or_default()) {
        let paths = tree.files_like(&format!("crates/{krate}/src/"), ".rs");
        let mut declarations = Vec::new();
        for path in paths {
            let text = tree.text(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let at = (0..lines.len()).filter(|&at| declares(lines[at], &name));
            declarations.extend(at.map(|at| (path.clone(), has_example(&lines, at))));
        }
        if let Some((path, _)) = declarations.first()
            && declarations.iter().all(|(_, example)| !example)
        {
            missing.push(name.clone());
            if !without.iter().any(|(listed, _)| *listed == name) {
                problems
                    .push(format!("{path}: `{name}` has no example: add one, or say why not in tests/tidy/facade.rs"));
            }
        }
    }
    let stale = without.iter().filter(|(name, _)| !missing.iter().any(|missing| missing == name));
    problems
        .extend(stale.map(|(name, _)| format!("tests/tidy/facade.rs: `{name}` is not without an example; drop it")));
    problems
}

#[test]
fn each_item_of_the_front_door_has_an_example_or_a_reason() {
    assert_tidy(&problems(&Tree::checkout(), WITHOUT));
}

#[test]
fn an_item_without_an_example_is_noticed_and_a_reason_settles_it() {
    let tree = Tree::made_up(&[
        (DOOR, "pub use retrylab_a::{Shown, Bare};\npub use retrylab_a::inner;\nmod b;\npub use b::Own;\n"),
        (
            "crates/a/src/lib.rs",
            "/// Shown.\n///\n/// ```\n/// ```\n#[derive(Debug)]\npub struct Shown;\n\n/// Bare.\npub enum Bare {}\n",
        ),
    ]);
    let bare = "crates/a/src/lib.rs: `Bare` has no example: add one, or say why not in tests/tidy/facade.rs";
    assert_eq!(problems(&tree, &[]), [bare]);
    assert_tidy(&problems(&tree, &[("Bare", "a mark")]));
    let stale = "tests/tidy/facade.rs: `Shown` is not without an example; drop it";
    assert_eq!(problems(&tree, &[("Bare", "a mark"), ("Shown", "none")]), [stale]);
}
