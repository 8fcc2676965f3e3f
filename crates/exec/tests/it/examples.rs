//! The protocol page: its two subjects equal the examples, and its exchange is their output.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use retrylab_exec::{Construction, Subject};
use retrylab_spec::TwoRegimes;

use crate::subject::{LONG, interpreter, streaming};

const PAGE: &str = include_str!("../../PROTOCOL.md");

const SUBJECTS: [(&str, &str, &str, &str); 2] = [
    ("python3", "subject.py", "python", include_str!("../../examples/subject.py")),
    ("node", "subject.js", "javascript", include_str!("../../examples/subject.js")),
];

/// The one block of the page in this language.
fn block(language: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(&format!("```{language}\n")).expect("a block in this language");
    rest.split_once("```").expect("an end of the block").0
}

#[test]
fn the_page_shows_the_examples_as_they_are() {
    for (_, file, language, text) in SUBJECTS {
        assert_eq!(block(language), text, "{file}");
    }
}

#[test]
fn the_examples_are_under_forty_lines() {
    for (_, file, _, text) in SUBJECTS {
        assert!(text.lines().count() < 40, "{file}: {} lines", text.lines().count());
    }
}

#[test]
fn both_examples_give_the_responses_of_the_page() {
    let exchange = block("text");
    let lines = |mark: &str| exchange.lines().filter_map(|line| line.strip_prefix(mark)).collect::<Vec<_>>();
    let (requests, expected) = (lines("> ").join("\n") + "\n", lines("< "));
    for (name, file, _, _) in SUBJECTS {
        let path = format!("{}/examples/{file}", env!("CARGO_MANIFEST_DIR"));
        let program = interpreter(name, &[&path]);
        let mut child = Command::new(&program.words()[0])
            .args(&program.words()[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        child.stdin.take().expect("a pipe").write_all(requests.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{file}: {}", output.status);
        let answers = String::from_utf8(output.stdout).expect("text");
        let answers: Vec<&str> = answers.lines().collect();
        assert_eq!(answers.len(), expected.len(), "{file}: {answers:?}");
        for (answer, expected) in answers.iter().zip(&expected) {
            let answer: serde_json::Value = serde_json::from_str(answer).expect("JSON");
            let expected: serde_json::Value = serde_json::from_str(expected).expect("JSON");
            // The examples send all fields with every response; the page shows the relevant ones.
            for (field, value) in expected.as_object().expect("an object") {
                let same = match (value.as_f64(), answer[field].as_f64()) {
                    (Some(expected), Some(given)) => expected.to_bits() == given.to_bits(),
                    _ => *value == answer[field],
                };
                assert!(same, "{file}: {field} of {answer} is not that of {expected}");
            }
        }
    }
}

#[test]
fn the_examples_refuse_other_policies_and_continue() {
    let second = Duration::from_secs(1);
    let bounds = (second, second);
    let custom = TwoRegimes { normal: bounds, extended: bounds, ..TwoRegimes::polling(second) };
    let custom = Construction::of(&custom.into()).expect("bounds of its own");
    for (name, file, _, _) in SUBJECTS {
        let path = format!("{}/examples/{file}", env!("CARGO_MANIFEST_DIR"));
        let subject = Subject::start(interpreter(name, &[&path]), LONG).expect("it can be started");
        let refused = subject.policy(&custom, 7).unwrap_err().wrong.to_string();
        assert_eq!(
            refused, "the subject refuses to build this policy: `only streaming and polling are built here`",
            "{file}"
        );
        assert_eq!(subject.fault(), None, "{file}");
        assert!(streaming(&subject).is_ok(), "{file}");
    }
}
