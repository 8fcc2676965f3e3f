//! The page about the timeline file: each of its examples is a file that can be copied, linted and run.

use crate::session::retrylab;

const PAGE: &str = include_str!("../../../spec/TIMELINE.md");

/// The examples that are complete files and are played.
fn files() -> Vec<&'static str> {
    let examples = PAGE.split("\n```toml\n").skip(1).filter_map(|part| Some(part.split_once("\n```")?.0));
    let played =
        |text: &&str| ["waits_for = ", "outside = ", "kind = \"external\""].iter().all(|mark| !text.contains(mark));
    examples.filter(played).collect()
}

fn status(arguments: &[&str], text: &str) -> (Option<i32>, String) {
    let output =
        retrylab([]).args(arguments).write_stdin(text).output().expect("the command was built with these tests");
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).expect("text"))
}

#[test]
fn lint_refuses_no_example_except_the_one_with_an_unusable_value() {
    let files = files();
    assert!(files.len() >= 6, "found {}", files.len());
    for text in files {
        let (status, told) = status(&["lint", "-"], text);
        if text.contains("warnings = [") {
            assert!(status == Some(2) && told.contains("-:5:17: error: client.poll_interval: NaN is not"), "{told}");
        } else {
            assert!(matches!(status, Some(0 | 1)), "{told}\n{text}");
        }
    }
}

#[test]
fn each_example_with_expectations_holds_and_the_others_are_playable() {
    for text in files() {
        let arguments = if text.contains("[expect]") { &["run", "-"][..] } else { &["run", "-", "--trace"] };
        let (status, told) = status(arguments, text);
        // A counterexample fails until the policy is fixed.
        assert_eq!(status, Some(i32::from(text.contains("found_by = "))), "{told}\n{text}");
    }
}
