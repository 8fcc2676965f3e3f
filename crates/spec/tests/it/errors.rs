//! Broken files, each with the exact text that is said about it.

use std::path::PathBuf;

use expect_test::expect_file;
use retrylab_spec::{ParseError, parse};

/// After a change: `UPDATE_EXPECT=1 cargo test -p retrylab-spec`, then read the difference.
#[test]
fn each_invalid_file_has_exactly_the_expected_errors() {
    let broken = files("toml");
    assert!(broken.len() > 30, "found {}", broken.len());
    for path in broken {
        let name = path.file_name().unwrap().to_str().unwrap();
        let error = retrylab_spec::parse_bytes(name, &std::fs::read(&path).unwrap()).expect_err(name);
        assert_eq!(error.name(), name);
        expect_file![path.with_extension("stderr")].assert_eq(&format!("{error}\n"));
    }
}

#[test]
fn each_expected_error_text_belongs_to_an_invalid_file() {
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
fn a_thousand_errors_are_counted_and_more_are_only_mentioned() {
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
fn invalid_toml_is_refused_in_bounded_time() {
    for text in ["{\n".repeat(20_000), "[\n".repeat(20_000), "=".repeat(20_000), "k = \n".repeat(20_000)] {
        let error = parse("broken.toml", &text).expect_err("no TOML");
        assert!((1..=1000).contains(&error.problems().len()), "{}", error.problems().len());
    }
}
