//! Specimens are small enough to be seen through.

use std::fs;
use std::path::Path;

/// The most lines of a specimen, and of a function that it is made of.
const MOST: usize = 20;

/// What a specimen is made of begins so, behind its indentation.
const BEGINS: [&str; 3] = ["pub(super) const ", "pub(super) fn ", "fn "];

#[test]
fn every_specimen_is_at_most_twenty_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/specimen");
    let (mut specimens, mut long) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be listed").path();
        let text = fs::read_to_string(&path).expect("source text");
        let formulas = text.split("#[cfg(test)]").next().unwrap_or_default();
        specimens += formulas.matches(": Specimen = Specimen {").count();
        long.extend(too_long(formulas).map(|first| format!("{}: {first}", path.display())));
    }
    assert_eq!(specimens, retrylab_laws::SPECIMENS.len(), "each of them was looked at");
    assert!(long.is_empty(), "longer than {MOST} lines:\n{}", long.join("\n"));
}

#[test]
fn twenty_one_lines_are_noticed() {
    let of = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
    assert_eq!(too_long(&of(20)).count(), 0);
    assert_eq!(too_long(&of(21)).collect::<Vec<_>>(), ["fn f() {"]);
}

/// The first lines of what is too long. An item ends with the line that closes it at its own indentation.
fn too_long(text: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let ends = |first: usize| {
        let indentation = lines[first].len() - lines[first].trim_start().len();
        let closes = |line: &str| line.get(indentation..).is_some_and(|rest| rest.starts_with('}'));
        let one_line = lines[first].ends_with(['}', ';']);
        if one_line { first } else { (first..lines.len()).find(|&line| closes(lines[line])).unwrap_or(lines.len()) }
    };
    let begins = |line: &str| BEGINS.iter().any(|begin| line.trim_start().starts_with(begin));
    let firsts = (0..lines.len()).filter(|&first| begins(lines[first]));
    let long: Vec<&str> = firsts.filter(|&first| ends(first) - first + 1 > MOST).map(|first| lines[first]).collect();
    long.into_iter()
}
