//! Broken files, each with the exact text that is said about it.

use std::path::PathBuf;

use expect_test::expect_file;

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
