//! One run of the command, and its record.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// The project's top folder: what a path on the command line is relative to, as for a reader of the README.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The command with these arguments, in an empty environment.
pub(crate) fn retrylab<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrylab"));
    command.args(arguments).current_dir(ROOT);
    for variable in
        ["RETRYLAB_SEED", "RETRYLAB_CREDENTIAL", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"]
    {
        command.env_remove(variable);
    }
    command
}

/// Runs the command and compares its record with the snapshot of this name.
#[track_caller]
pub(crate) fn snapshot(name: &str, command: &mut Command) {
    let record = record(command, |text| text);
    compare(name, &record);
}

/// The same for a command that names files in a temporary `folder`, which the record calls `TMP`.
#[track_caller]
pub(crate) fn snapshot_in(folder: &Path, name: &str, command: &mut Command) {
    let folder = folder.to_str().expect("a temporary folder with a readable name");
    let record = record(command, |text| text.replace(folder, "TMP"));
    compare(name, &record);
}

/// The records of several commands, which are one snapshot.
#[track_caller]
pub(crate) fn snapshot_each<const N: usize>(name: &str, commands: [&[&str]; N]) {
    let records = commands.map(|arguments| record(retrylab([]).args(arguments), |text| text));
    compare(name, &records.join("\n"));
}

#[track_caller]
pub(crate) fn compare(name: &str, record: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots/cli"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, record));
}

fn record(command: &mut Command, clean: impl Fn(String) -> String) -> String {
    let line = command.get_args().map(|argument| argument.to_str().expect("readable arguments"));
    let line = shlex::try_join(line).expect("no NUL in arguments");
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let variables: String = variables.map(|(name, value)| format!("{}={} ", name.display(), value.display())).collect();
    let line = clean(format!("$ {variables}retrylab {line}"));
    let output = command.output().expect("the command was built with these tests");
    let status = output.status.code().map_or("none, ended by a signal".to_owned(), |code| code.to_string());
    let text = |bytes: Vec<u8>| clean(String::from_utf8(bytes).expect("the command prints UTF-8"));
    let mut record = format!("{}\nstatus {status}\n", line.trim_end());
    for (title, text) in [("output", text(output.stdout)), ("errors", text(output.stderr))] {
        if !text.is_empty() {
            record.push_str(&format!("--- {title}\n{text}"));
        }
    }
    record
}

/// The files of a folder, in the order of their names.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let there = fs::read_dir(folder).expect("a folder that the test made");
    let mut files: Vec<PathBuf> = there.map(|entry| entry.expect("an entry that can be read").path()).collect();
    files.sort();
    files
}

/// The lines of an output, each as JSON.
pub(crate) fn values(output: &[u8]) -> Vec<Value> {
    let text = str::from_utf8(output).expect("the command prints UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}
