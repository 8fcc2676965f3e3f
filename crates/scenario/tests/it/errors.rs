//! Broken files, each with the exact text that is said about it.

use std::path::PathBuf;

use expect_test::expect_file;
use retrylab_scenario::{ParseError, parse};

/// After a change: `UPDATE_EXPECT=1 cargo test -p retrylab-scenario`, then read the difference.
#[test]
fn each_broken_file_is_reported_as_written_beside_it() {
    let broken = files("toml");
    assert!(broken.len() > 30, "found {}", broken.len());
    for path in broken {
        let name = path.file_name().unwrap().to_str().unwrap();
        let error = retrylab_scenario::parse_bytes(name, &std::fs::read(&path).unwrap()).expect_err(name);
        assert_eq!(error.name(), name);
        expect_file![path.with_extension("stderr")].assert_eq(&format!("{error}\n"));
    }
}

#[test]
fn each_text_of_an_error_belongs_to_a_broken_file() {
    for path in files("stderr") {
        assert!(path.with_extension("toml").is_file(), "{}", path.display());
    }
}

fn files(extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|ext| ext == extension)).collect();
    files.sort();
    files
}

/// A file with this many unknown keys, one a line from the fourth on.
fn unknown_keys(count: usize) -> ParseError {
    let keys: String = (0..count).map(|number| format!("k{number} = 1\n")).collect();
    let text = format!("why = 'x'\nthen = 'succeed'\n[client]\n{keys}kind = 'streaming'\n");
    parse("long.toml", &text).expect_err("the keys are unknown")
}

#[test]
fn a_thousand_problems_are_told_apart_and_more_are_only_said_to_be_there() {
    let exact = unknown_keys(1000);
    assert_eq!((exact.problems().len(), exact.has_more()), (1000, false));
    assert!(exact.to_string().ends_with("\n\nand 980 more in long.toml"));
    let last = exact.problems().last().expect("a thousand").position;
    assert_eq!((last.line, last.column), (1003, 1));

    let more = unknown_keys(1001);
    assert_eq!((more.problems().len(), more.has_more()), (1000, true));
    assert!(more.to_string().ends_with("\n\nand more than 980 more in long.toml"));
}

#[test]
fn a_text_that_is_no_toml_is_not_worked_on_for_ever() {
    for text in ["{\n".repeat(20_000), "[\n".repeat(20_000), "=".repeat(20_000), "k = \n".repeat(20_000)] {
        let error = parse("broken.toml", &text).expect_err("no TOML");
        assert!((1..=1000).contains(&error.problems().len()), "{}", error.problems().len());
    }
}
