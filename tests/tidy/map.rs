//! ARCHITECTURE.md has a map: every module of every crate root in one line. It is compared with the `mod` declarations.

use std::collections::BTreeMap;

use crate::tree::{Tree, assert_tidy};

/// The heading of the map; a heading a crate and a line a module follow.
const MAP: &str = "## Map";

/// Folder of a crate → its modules, each with its line in the map.
type Modules = BTreeMap<String, BTreeMap<String, String>>;

/// The modules that are declared, each with the line that the map should have: the first sentence of its own documentation.
fn declared(tree: &Tree) -> Modules {
    let mut modules = Modules::new();
    for root in tree.files_like("crates/", "/src/lib.rs") {
        let folder = root.split('/').nth(1).unwrap_or_default().to_owned();
        if root != format!("crates/{folder}/src/lib.rs") {
            continue;
        }
        let text = tree.text(&root).unwrap_or_default();
        let lines = text.lines().filter_map(module_in).map(|name| {
            let paths = [format!("crates/{folder}/src/{name}.rs"), format!("crates/{folder}/src/{name}/mod.rs")];
            let source = paths.iter().find_map(|path| tree.text(path)).unwrap_or_default();
            (name.to_owned(), format!("- `{name}`: {}", first_sentence(&source)))
        });
        let lines = lines.collect();
        modules.insert(folder, lines);
    }
    modules
}

/// The module that a line of a crate root declares, not one that it holds.
fn module_in(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) ")).unwrap_or(line);
    line.strip_prefix("mod ")?.strip_suffix(';')
}

/// The first sentence of a module's documentation, without the brackets of its links.
fn first_sentence(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let sentence = paragraph.split_inclusive(". ").next().unwrap_or_default().trim_end();
    sentence.replace("[`", "`").replace("`]", "`")
}

/// The lines of the map.
fn mapped(document: &str) -> Modules {
    let mut modules = Modules::new();
    let lines = document.lines().skip_while(|line| *line != MAP).skip(1).take_while(|line| !line.starts_with("## "));
    let mut folder = None;
    for line in lines {
        if let Some(heading) = line.strip_prefix("### ") {
            let name = heading.trim_matches('`').to_owned();
            modules.entry(name.clone()).or_default();
            folder = Some(name);
        } else if let Some(module) = line.strip_prefix("- `").and_then(|rest| rest.split_once("`: "))
            && let Some(lines) = folder.as_ref().and_then(|folder| modules.get_mut(folder))
        {
            lines.insert(module.0.to_owned(), line.to_owned());
        }
    }
    modules
}

fn problems(tree: &Tree) -> Vec<String> {
    let (declared, mapped) = (declared(tree), mapped(&tree.text("ARCHITECTURE.md").unwrap_or_default()));
    let mut problems = Vec::new();
    for (folder, modules) in &declared {
        let there = mapped.get(folder);
        if there.is_none() {
            problems.push(format!("ARCHITECTURE.md: add the heading \"### `{folder}`\" to the map"));
        }
        let missing = modules.iter().filter(|(name, _)| !there.is_some_and(|lines| lines.contains_key(*name)));
        problems.extend(missing.map(|(_, line)| format!("ARCHITECTURE.md: add below \"### `{folder}`\": {line}")));
    }
    for (folder, lines) in &mapped {
        let there = declared.get(folder);
        if there.is_none() {
            problems.push(format!("ARCHITECTURE.md: drop the heading \"### `{folder}`\" from the map"));
        }
        let gone = lines.iter().filter(|(name, _)| !there.is_some_and(|modules| modules.contains_key(*name)));
        problems.extend(gone.map(|(_, line)| format!("ARCHITECTURE.md: drop below \"### `{folder}`\": {line}")));
    }
    problems
}

#[test]
fn the_map_has_every_module_of_every_crate_and_no_other() {
    assert_tidy(&problems(&Tree::checkout()));
}

const ARCHITECTURE: &str =
    "# A\n\n## Map\n\n### `a`\n\n- `clock`: Time.\n- `gone`: Was here.\n\n### `b`\n\n## More\n\n- `x`: no.\n";

#[test]
fn a_module_that_is_new_and_one_that_is_gone_are_told_with_their_lines() {
    let tree = Tree::made_up(&[
        ("ARCHITECTURE.md", ARCHITECTURE),
        ("crates/a/src/lib.rs", "mod clock;\npub mod waits;\n#[cfg(test)]\nmod tests {\n}\n"),
        ("crates/a/src/waits.rs", "//! What [`Waits`] wait,\n//! and how. More of it.\n//!\n//! Else.\n"),
        ("crates/c/src/lib.rs", ""),
    ]);
    assert_eq!(
        problems(&tree),
        [
            "ARCHITECTURE.md: add below \"### `a`\": - `waits`: What `Waits` wait, and how.",
            "ARCHITECTURE.md: add the heading \"### `c`\" to the map",
            "ARCHITECTURE.md: drop below \"### `a`\": - `gone`: Was here.",
            "ARCHITECTURE.md: drop the heading \"### `b`\" from the map",
        ]
    );
}

#[test]
fn a_map_of_what_is_there_is_fine() {
    let tree = Tree::made_up(&[
        ("ARCHITECTURE.md", "## Map\n\n### `a`\n\n- `clock`: Time, in other words than the module's.\n"),
        ("crates/a/src/lib.rs", "pub(crate) mod clock;\n"),
    ]);
    assert_tidy(&problems(&tree));
}
