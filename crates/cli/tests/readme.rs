//! The README's output of the command equals the real output.

use assert_cmd::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const README: &str = include_str!("../../../README.md");
const PROMPT: &str = "$ cargo run --release -- ";

/// A line of this alone stands for any number of lines.
const OMISSION: &str = "…";

/// Each command of the document that is followed by output, with the lines of that output.
fn examples(document: &str) -> Vec<(&str, Vec<&str>)> {
    let mut examples = Vec::new();
    let blocks = document.split("```").skip(1).step_by(2);
    for block in blocks.filter_map(|block| block.strip_prefix("console\n")) {
        let mut open = false;
        for line in block.lines() {
            if let Some(command) = line.strip_prefix(PROMPT) {
                examples.push((command, Vec::new()));
                open = true;
            } else if line.starts_with("$ ") {
                open = false;
            } else if open && let Some((_, output)) = examples.last_mut() {
                output.push(line);
            }
        }
    }
    examples.retain(|(_, output)| !output.is_empty());
    examples
}

/// Whether the lines are those of the example, where an omission matches as few lines as it can.
fn agrees(example: &[&str], lines: &[&str]) -> bool {
    match example {
        [] => lines.is_empty(),
        [OMISSION, rest @ ..] => (0..=lines.len()).any(|skipped| agrees(rest, &lines[skipped..])),
        [first, rest @ ..] => lines.split_first().is_some_and(|(line, lines)| line == first && agrees(rest, lines)),
    }
}

#[test]
fn every_output_in_the_readme_equals_that_of_the_command() {
    let examples = examples(README);
    assert!(!examples.is_empty(), "the README shows no output of the command");
    for (arguments, expected) in examples {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retrylab"));
        let arguments = shlex::split(arguments).expect("arguments as a shell reads them");
        command.args(&arguments).current_dir(ROOT).env_remove("RETRYLAB_SEED");
        let output = command.output().expect("the command was built with these tests");
        let printed = String::from_utf8(output.stdout).expect("the command prints UTF-8");
        let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert!(
            agrees(&expected, &lines),
            "README.md shows for {arguments:?}:\n{}\n\nbut the command prints:\n{printed}",
            expected.join("\n")
        );
    }
}

#[test]
fn examples_are_commands_with_output_and_omissions_match_any_lines() {
    let document = "```console\n$ cargo run --release -- run --seed 1\na\n…\nz\n$ cargo test\nok\n```\n```console\n$ cargo run --release -- classify 1\n```";
    assert_eq!(examples(document), [("run --seed 1", vec!["a", "…", "z"])]);
    assert!(agrees(&["a", "…", "z"], &["a", "z"]));
    assert!(agrees(&["a", "…", "z"], &["a", "b", "c", "z"]));
    assert!(!agrees(&["a", "…", "z"], &["a", "b", "c"]));
    assert!(!agrees(&["a"], &["a", "b"]));
}
