//! Broken files, each with the exact text that is said about it.

use expect_test::expect_file;

/// After a change: `UPDATE_EXPECT=1 cargo test -p retrylab-scenario`, then read the difference.
#[test]
fn each_broken_file_is_reported_as_written_beside_it() {
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let name = path.file_name().unwrap().to_str().unwrap();
            let error = retrylab_scenario::parse_bytes(name, &std::fs::read(&path).unwrap());
            let text = error.map(|parsed| format!("{:?}", parsed.file)).unwrap_or_else(|error| format!("{error}\n"));
            expect_file![path.with_extension("stderr")].assert_eq(&text);
        }
    }
}
