//! Faults are small enough to be seen through.

use std::fs;
use std::path::Path;

use retrylab_faults::FAULTS;

/// The most lines of a fault, and of a function that it is made of.
const MOST: usize = 20;

/// What a fault is made of begins so, behind its indentation.
const BEGINS: [&str; 3] = ["pub(super) const ", "pub(super) fn ", "fn "];

#[test]
fn every_fault_is_at_most_twenty_lines() {
    // These three are what is right.
    assert_small("src/catalogue", &["machine.rs", "calls.rs", "formula.rs"], ": KnownFault =", FAULTS.len() + 8);
}

/// Whether each of so many that begin so is small.
fn assert_small(folder: &str, without: &[&str], begins: &str, count: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut counted, mut long) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be listed").path();
        if without.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("source text");
        let formulas = text.split("#[cfg(test)]").next().unwrap_or_default();
        counted += formulas.matches(begins).count();
        long.extend(too_long(formulas).map(|first| format!("{}: {first}", path.display())));
    }
    assert_eq!(counted, count, "each of them was looked at");
    assert!(long.is_empty(), "longer than {MOST} lines:\n{}", long.join("\n"));
}

#[test]
fn twenty_one_lines_are_noticed() {
    let of = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
    assert_eq!(too_long(&of(20)).count(), 0);
    assert_eq!(too_long(&of(21)).collect::<Vec<_>>(), ["fn f() {"]);
    let called = |lines: usize| format!("pub(super) const A: B = c(\n{});\n", "    d,\n".repeat(lines - 2));
    assert_eq!(too_long(&called(20)).count(), 0);
    assert_eq!(too_long(&called(21)).count(), 1);
    let broken = |lines: usize| format!("pub(super) const A: B =\n{}    d);\n", "    d,\n".repeat(lines - 2));
    assert_eq!(too_long(&broken(20)).count(), 0);
    assert_eq!(too_long(&broken(21)).count(), 1);
    let chained = |lines: usize| {
        format!("pub(super) const A: B = C\n    .d(|| {{\n{}    }});\n", "        e();\n".repeat(lines - 3))
    };
    assert_eq!(too_long(&chained(20)).count(), 0);
    assert_eq!(too_long(&chained(21)).count(), 1);
}

/// The first lines of what is too long. An item ends with the line that closes it at its own indentation.
fn too_long(text: &str) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let ends = |first: usize| {
        let indentation = lines[first].len() - lines[first].trim_start().len();
        let closes = |line: &str| line.get(indentation..).is_some_and(|rest| rest.starts_with(['}', ')']));
        // A value that goes on below its name, as a call on a line of its own or as a chain of them.
        let goes_on = !lines[first].ends_with(['(', '{']);
        let is_near = |line: &str| line.len() - line.trim_start().len() <= indentation + 4;
        let ends = |line: &str| if goes_on { line.ends_with(';') && is_near(line) } else { closes(line) };
        let one_line = lines[first].ends_with(['}', ';']);
        if one_line { first } else { (first..lines.len()).find(|&line| ends(lines[line])).unwrap_or(lines.len()) }
    };
    let begins = |line: &str| BEGINS.iter().any(|begin| line.trim_start().starts_with(begin));
    let firsts = (0..lines.len()).filter(|&first| begins(lines[first]));
    let long: Vec<&str> = firsts.filter(|&first| ends(first) - first + 1 > MOST).map(|first| lines[first]).collect();
    long.into_iter()
}
