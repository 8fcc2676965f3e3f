//! `retrylab run`.

use std::fs;
use std::io::{self, Write};

use retrylab_cli::{Console, Exit};

use crate::session::{ROOT, retrylab, snapshot, snapshot_each, snapshot_in};

const DATA: &str = "crates/cli/tests/data/run";

fn run<const N: usize>(name: &str, file: &str, more: [&str; N]) {
    let path = format!("{DATA}/{file}");
    let mut command = retrylab(["run", &path]);
    snapshot(name, command.args(more));
}

#[test]
fn each_file_is_played_exactly_twice_whatever_is_expected_and_shown_of_it() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    for (file, exit) in [("held", Exit::Held), ("several-wrong", Exit::NotHeld), ("law-of-histories", Exit::Held)] {
        for trace in [None, Some("--trace"), Some("--trace=full")] {
            let path = format!("{ROOT}/{DATA}/{file}.toml");
            let before = retrylab_sim::runs_begun();
            let mut stdin = io::empty();
            let mut console = Console::new(&mut stdin, &mut out, &mut err);
            let arguments = ["retrylab", "run", &path].into_iter().chain(trace);
            assert_eq!(retrylab_cli::run(arguments, &mut console), exit, "{file} {trace:?}");
            assert_eq!(retrylab_sim::runs_begun() - before, 2, "{file} {trace:?}");
        }
    }
}

#[test]
fn a_scenario_that_holds() {
    run("run-held", "held.toml", []);
}

#[test]
fn a_scenario_that_holds_with_its_trace() {
    run("run-trace", "held.toml", ["--trace"]);
}

#[test]
fn a_scenario_that_holds_with_its_full_trace() {
    run("run-trace-full", "held.toml", ["--trace=full"]);
}

#[test]
fn a_full_trace_for_machines() {
    run("run-trace-full-json", "held.toml", ["--trace=full", "--format", "json"]);
}

#[test]
fn a_scenario_that_holds_for_machines() {
    run("run-json", "held.toml", ["--format", "json"]);
}

#[test]
fn a_trace_for_machines() {
    run("run-trace-json", "held.toml", ["--trace", "--format", "json"]);
}

#[test]
fn one_nanosecond_off_is_a_failure_with_its_place() {
    run("run-one-nanosecond-off", "one-nanosecond-off.toml", []);
}

#[test]
fn every_failed_expectation_is_reported() {
    run("run-several-wrong", "several-wrong.toml", []);
}

#[test]
fn every_failed_expectation_is_reported_in_json() {
    run("run-several-wrong-json", "several-wrong.toml", ["--format", "json"]);
}

#[test]
fn a_replaced_configuration_is_a_warning_and_the_status_is_unchanged() {
    run("run-warned", "warned.toml", ["--trace"]);
}

#[test]
fn a_run_that_a_limit_ends_is_a_failure() {
    run("run-endless", "endless.toml", []);
}

#[test]
fn the_seed_of_the_command_line_wins() {
    run("run-seed-of-the-command-line", "seeded.toml", ["--seed", "42", "--trace"]);
}

#[test]
fn the_seed_of_the_file_wins_over_the_environment() {
    let path = format!("{DATA}/seeded.toml");
    snapshot("run-seed-of-the-file", retrylab(["run", &path, "--trace"]).env("RETRYLAB_SEED", "3"));
}

#[test]
fn the_seed_of_the_environment_is_used_without_another() {
    let path = format!("{DATA}/held.toml");
    let both = format!("{DATA}/seeded.toml");
    snapshot("run-seed-of-the-environment", retrylab(["run", &path, &both]).env("RETRYLAB_SEED", "3"));
}

#[test]
fn an_invalid_seed_is_refused() {
    let path = format!("{DATA}/held.toml");
    snapshot("run-seed-refused", retrylab(["run", &path]).env("RETRYLAB_SEED", "three"));
}

#[test]
fn a_seed_below_zero_is_refused() {
    run("run-seed-below-zero", "held.toml", ["--seed", "-1"]);
}

#[test]
fn an_option_of_the_client_can_be_set() {
    run("run-set", "without-expect.toml", ["--trace", "--set", "initial_reconnect_delay=5s"]);
}

#[test]
fn a_failure_with_options_is_replayed_with_them() {
    run("run-set-fails", "one-nanosecond-off.toml", ["--set", "initial_reconnect_delay=29.999999999s"]);
}

#[test]
fn an_option_that_the_client_does_not_have_is_refused() {
    run("run-set-refused", "held.toml", ["--set", "poll_interval=5s"]);
}

#[test]
fn a_file_without_expectations_is_refused_with_a_hint() {
    run("run-without-expect", "without-expect.toml", []);
}

#[test]
fn a_file_without_expectations_is_played_with_its_trace() {
    run("run-without-expect-trace", "without-expect.toml", ["--trace"]);
}

#[test]
fn an_unknown_law_is_refused_with_its_line() {
    run("run-unknown-law", "unknown-law.toml", []);
}

#[test]
fn an_unknown_fault_is_refused_with_its_line() {
    run("run-unknown-fault", "unknown-fault.toml", []);
}

#[test]
fn a_fault_of_another_client_is_refused_with_its_line() {
    run("run-fault-of-another-client", "fault-of-another-client.toml", []);
}

#[test]
fn a_law_that_compares_histories_is_checked_on_the_run() {
    run("run-law-of-histories", "law-of-histories.toml", []);
}

#[test]
fn all_errors_of_all_files_are_reported_and_nothing_is_played() {
    let [bad, good, bare] = ["not-a-timeline", "held", "without-expect"].map(|name| format!("{DATA}/{name}.toml"));
    snapshot("run-bad-files", &mut retrylab(["run", &bad, &good, &bare]));
}

#[test]
fn files_that_are_not_played_are_counted_and_named() {
    let held = format!("{DATA}/held.toml");
    let resting = format!("{DATA}/resting");
    let allowed = "--allow-external";
    snapshot("run-resting", &mut retrylab(["run", &held, &resting, allowed]));
    snapshot("run-resting-json", &mut retrylab(["run", &held, &resting, allowed, "--format", "json"]));
}

/// A program that is not that of the file, and none at all.
#[test]
fn a_file_of_a_policy_that_is_not_there_is_refused() {
    let external = "crates/cli/tests/data/external.toml";
    snapshot_each(
        "refused-run-external",
        [&["run", external], &["run", external, "--exec", "another"], &["run", external, "--exec", "our-own"]],
    );
}

/// The built-in policies of the files hold, which would say nothing about the program.
#[test]
fn a_program_that_no_file_is_of_is_refused() {
    let held = format!("{DATA}/held.toml");
    snapshot("refused-run-not-of-program", &mut retrylab(["run", &held, "--exec", "no-such-program"]));
}

#[test]
fn files_none_of_which_is_played_are_refused() {
    run("run-only-resting", "resting", ["--allow-external"]);
}

#[test]
fn a_filter_chooses_by_path() {
    let [one, two] = ["held", "seeded"].map(|name| format!("{DATA}/{name}.toml"));
    snapshot("run-filter", &mut retrylab(["run", &one, &two, "--filter", "seed"]));
    snapshot("run-filter-matches-nothing", &mut retrylab(["run", &one, &two, "--filter", "flap"]));
}

#[test]
fn a_missing_path_is_refused() {
    run("run-no-such-path", "no-such-folder", []);
}

#[test]
fn a_folder_without_a_scenario_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("notes.txt"), "not a scenario").expect("a file");
    let path = folder.path().to_str().expect("a readable name");
    snapshot_in(folder.path(), "run-empty-folder", &mut retrylab(["run", path]));
}

#[test]
fn invalid_utf_8_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("bytes.toml");
    fs::write(&file, [b'w', 0xff, 0xfe]).expect("a file");
    let path = file.to_str().expect("a readable name");
    snapshot_in(folder.path(), "run-not-text", &mut retrylab(["run", path]));
}

#[test]
fn a_file_named_twice_is_played_once() {
    let path = format!("{DATA}/held.toml");
    snapshot("run-named-twice", &mut retrylab(["run", &path, &path]));
}

/// A file that holds, with this said of why it exists.
fn held(why: &str) -> String {
    let text = fs::read_to_string(format!("{ROOT}/{DATA}/held.toml")).expect("the file is in the project");
    let rest = text.split_once('\n').expect("several lines").1;
    format!("why = \"{why}\"\n{rest}")
}

/// A folder with a scenario in it, and its path.
fn folder_with(name: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(name), held("It holds.")).expect("a file");
    let path = folder.path().to_str().expect("a readable name").to_owned();
    (folder, path)
}

#[test]
fn standard_input_is_a_scenario() {
    snapshot("run-standard-input", retrylab(["run", "-", "-"]).write_stdin(held("From a pipe.")));
    let nothing = retrylab(["run", "-"]).write_stdin("").output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
}

#[test]
fn a_file_that_is_reached_by_two_paths_is_played_once() {
    let (folder, path) = folder_with("a.toml");
    let again = format!("{path}/../{}/./a.toml", folder.path().file_name().unwrap().to_str().unwrap());
    let output = retrylab(["run", &path, &again, &format!("{path}/a.toml")]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("1 played (3s of virtual time): 1 held, 0 failed\n"), "{text}");
}

#[cfg(unix)]
mod unix {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed() {
        let (folder, _) = folder_with("a.toml");
        let (other, _) = folder_with("b.toml");
        symlink(other.path().join("b.toml"), folder.path().join("link.toml")).unwrap();
        symlink(other.path(), folder.path().join("more")).unwrap();
        // The file of the second folder is reached by both links, and played once.
        snapshot("run-links", retrylab(["run", "."]).current_dir(folder.path()));
        snapshot("run-link-to-file", retrylab(["run", "link.toml"]).current_dir(folder.path()));
        let below = retrylab(["run", "more"]).current_dir(folder.path()).output().unwrap();
        assert_eq!(below.status.code(), Some(0));
    }

    #[test]
    fn dangling_and_circular_links_and_pipes_are_reported_together() {
        let (folder, path) = folder_with("a.toml");
        fs::write(folder.path().join("b.toml"), "why = 1").unwrap();
        symlink("nowhere.toml", folder.path().join("c.toml")).unwrap();
        symlink(".", folder.path().join("d")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(folder.path().join("e.toml")).status();
        assert!(pipe.is_ok_and(|status| status.success()), "a pipe");
        let missing = format!("{path}/missing.toml");
        snapshot_in(folder.path(), "run-bad-paths", &mut retrylab(["run", &path, &missing]));
    }

    #[test]
    fn a_named_pipe_is_read() {
        let output = retrylab(["run", "/dev/stdin"]).write_stdin(held("It holds.")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("held    /dev/stdin ") && text.ends_with("1 held, 0 failed\n"), "{text}");
    }

    #[test]
    fn control_characters_in_names_are_escaped_and_can_be_pasted() {
        let folder = tempfile::tempdir().unwrap();
        let name = OsStr::from_bytes(b"-\x1b[31m\xff.toml");
        let text = fs::read_to_string(format!("{ROOT}/{DATA}/one-nanosecond-off.toml")).unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        let mut argument = OsString::from("./");
        argument.push(name);
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_retrylab"));
        let output = command.current_dir(folder.path()).arg("run").arg(&argument).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(text.contains("FAILED  ./-\\u{1b}[31m\u{fffd}.toml "), "{text}");
        assert!(text.contains("\n  retrylab run $'./-\\033[31m\\377.toml' --seed 0 --trace\n"), "{text}");
    }
}

#[test]
fn the_text_of_a_file_cannot_colour_the_terminal() {
    let text = held("Red \\u001b[31m, and\\na second line.");
    let output = retrylab(["run", "-", "--trace"]).write_stdin(text).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\nRed \\u{1b}[31m, and\na second line.\n"), "{text}");
}

#[test]
fn an_endless_file_is_refused() {
    let endless = " ".repeat((4 << 20) + 1);
    let output = retrylab(["run", "-"]).write_stdin(endless).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: cannot read -: it is larger than 4 MiB, the limit of a timeline file\n"
    );
}

/// Takes one piece of output, and no more.
struct Head {
    error: io::ErrorKind,
    writes: usize,
}

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        if self.writes == 1 { Ok(bytes.len()) } else { Err(self.error.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn work_stops_when_the_output_is_closed() {
    // So many records would take days, and twenty different ones in turn are never folded.
    let statuses: Vec<String> = (500..520).map(|status| format!("{{ status = {status} }}")).collect();
    let endless = format!(
        "why = \"It goes on.\"\nuntil = \"3650d\"\nlimits = {{ events = 1000000000000, time = \"3650d\" }}\n\
         client = {{ kind = \"call\", attempts = 1000000000 }}\n\
         timeline = [{{ repeat = 1000000000, play = [{}] }}]\n",
        statuses.join(", ")
    );
    let run = |error, arguments: &[&str]| {
        let (mut out, mut err) = (Head { error, writes: 0 }, Vec::new());
        let stdin = &mut endless.as_bytes();
        let mut console = Console::new(stdin, &mut out, &mut err);
        let exit = retrylab_cli::run(arguments, &mut console);
        (exit, out.writes, String::from_utf8(err).unwrap())
    };
    let arguments = ["retrylab", "run", "-", "--trace", "--format", "json"];
    assert_eq!(run(io::ErrorKind::BrokenPipe, &arguments), (Exit::Unread, 2, String::new()));
    let full = "error: cannot write the output: no storage space\n";
    let (exit, writes, said) = run(io::ErrorKind::StorageFull, &arguments);
    assert_eq!((exit, writes, anstream::adapter::strip_str(&said).to_string()), (Exit::Refused, 2, full.to_owned()));
    // A trace for people is no reason to remember everything either.
    assert_eq!(run(io::ErrorKind::BrokenPipe, &arguments[..4]), (Exit::Unread, 2, String::new()));
}

#[test]
fn invalid_options_are_refused() {
    let held = format!("{DATA}/held.toml");
    snapshot_each(
        "refused-run-options",
        [
            &["run", &held, "--seed", "three"],
            &["run", &held, "--set", "jitter"],
            &["run", &held, "--set", "interval=5s"],
            &["run", &held, "--format", "yaml"],
        ],
    );
}

#[test]
fn laws_of_a_call_are_refused_with_their_line() {
    run("run-laws-of-a-call", "laws-of-a-call.toml", []);
}

#[cfg(unix)]
#[test]
fn a_linked_scenario_is_played_and_a_dangling_link_is_refused() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let held = fs::canonicalize(format!("{}/{DATA}/held.toml", crate::session::ROOT)).expect("the file is there");
    symlink(&held, folder.path().join("linked.toml")).expect("a link");
    // What an editor leaves beside a file that it has open.
    symlink("somebody@somewhere", folder.path().join(".#linked")).expect("a link");
    let path = folder.path().to_str().expect("a readable name");
    let played = retrylab(["run", path]).output().expect("the command was built with these tests");
    let text = String::from_utf8(played.stdout).expect("text");
    assert!(text.contains(&format!("held    {path}/linked.toml")), "{text}");
    assert!(text.contains("1 held, 0 failed"), "{text}");

    symlink("no-such-file", folder.path().join("lost.toml")).expect("a link");
    snapshot_in(folder.path(), "run-lost-link", &mut retrylab(["run", path]));
}

#[test]
fn a_file_that_does_not_catch_what_it_names_fails() {
    run("run-catches-nothing", "catches-nothing.toml", []);
}

#[test]
fn a_file_is_played_with_a_fault() {
    run("run-with", "held.toml", ["--with", "doubled-before-the-first-wait"]);
}

#[test]
fn a_fault_that_no_client_of_the_files_can_have_is_refused() {
    run("refused-run-with-unknown", "held.toml", ["--with", "one-succes-resets"]);
}
