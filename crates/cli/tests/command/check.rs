//! `retrylab check`.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::session::{ROOT, retrylab, snapshot, snapshot_each, snapshot_in};

/// A client whose own timeline breaks a law that it expects.
const REJECTED: &str = "crates/cli/tests/data/check/rejected.toml";

#[test]
fn a_policy_that_obeys_every_law_is_a_table() {
    snapshot("check-clean", &mut retrylab(["check", "streaming", "call", "--cases", "600"]));
}

#[test]
fn a_breach_is_shown_as_a_trace_a_file_and_the_command_that_finds_it_again() {
    snapshot(
        "check-broken",
        &mut retrylab(["check", "streaming:tls-unexpected", "--law", "reset-exactly-when-due", "--seed", "3"]),
    );
}

#[test]
fn a_command_that_is_printed_finds_the_same_again() {
    let output = |arguments: &[&str]| {
        let output = retrylab(["check"]).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap()
    };
    let text =
        output(&["polling:cadence-not-restored", "--set", "poll_interval=1m 30s", "--cases", "600", "--seed", "5"]);
    let line = text.lines().find_map(|line| line.trim().strip_prefix("retrylab check ")).unwrap();
    let words = shlex::split(line).unwrap();
    let again = output(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let breach = |text: &str| {
        text.lines().skip_while(|line| !line.starts_with("BROKEN")).take(20).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(breach(&again), breach(&text));
}

#[test]
fn a_long_trace_is_shown_around_the_breach() {
    let law = "base-never-decreases";
    let arguments = ["check", "streaming:exponent-wraps", "--set", "initial_reconnect_delay=1s", "--law", law];
    snapshot("check-long", &mut retrylab(arguments));
}

#[test]
fn a_line_that_is_logged_wrongly_is_the_one_that_is_marked() {
    let law = "a-failure-is-logged-by-its-kind";
    snapshot("check-logged", &mut retrylab(["check", "streaming:http-always-error", "--law", law]));
}

#[test]
fn the_timeline_of_a_file_that_expects_laws_is_the_first_case() {
    let law = "success-restores-the-cadence";
    snapshot("check-file", &mut retrylab(["check", REJECTED, "--law", law]));
    // As the client of a file and by its options the same.
    let arguments = ["check", "-", "--law", law, "--set", "poll_interval=2m", "--format", "json"];
    let file = fs::read_to_string(Path::new(ROOT).join(REJECTED)).unwrap();
    let output = retrylab(arguments).write_stdin(file).output().unwrap();
    let lines = values(&output.stdout);
    assert_eq!(lines[0]["breach"]["case"], 0);
    assert_eq!(lines[0]["breach"]["expected"], "2m");
}

/// Without its jitter a client waits its bases, which is what it is held to; and no law asks for draws that it does not use.
#[test]
fn a_client_is_held_to_the_jitter_that_it_is_played_with() {
    let set = ["--set", "jitter=none", "--cases", "300"];
    let mut all: Vec<Vec<&str>> = ["streaming", "polling", "call", "reconnect"]
        .map(|policy| [&["check", policy][..], &set].concat())
        .to_vec();
    // The same where the file says it.
    all.push(vec!["check", FIXED, "--cases", "300"]);
    all.push(vec!["check", CALLS, "--set", "jitter=none", "--cases", "300"]);
    all.extend(["streaming", "polling", "call"].map(|policy| {
        ["check", policy, "--set", "jitter=none", "--exhaustive", "4"].to_vec()
    }));
    for arguments in all {
        let output = retrylab(&arguments).output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}:\n{out}");
        for law in ["one-draw-a-failure", "jitter-spreads", "clients-differ"] {
            assert!(!out.contains(law), "{arguments:?}: {law} is about jitter:\n{out}");
        }
    }
}

/// Streams whose file says `jitter = "none"`.
const FIXED: &str = "sims/streaming/idle-is-never-healthy.toml";
/// Calls with the usual jitter.
const CALLS: &str = "sims/bugs/attempts-off-by-one/b072-zero-attempts.toml";

#[test]
fn a_search_that_explored_nothing_did_not_hold() {
    snapshot("check-nothing", &mut retrylab(["check", "call", "--cases", "1"]));
}

#[test]
fn a_search_whose_time_is_over_ends_after_the_block() {
    snapshot("check-time", &mut retrylab(["check", "polling", "--cases", "100000", "--time", "0s"]));
}

#[test]
fn json_is_exact() {
    let arguments = ["check", "polling:cadence-not-restored", "--cases", "300", "--format", "json"];
    snapshot("check-json", &mut retrylab(arguments));
    snapshot("check-nothing-json", &mut retrylab(["check", "reconnect", "--cases", "2", "--format", "json"]));
}

#[test]
fn what_is_saved_is_a_test_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let save = format!("--save={path}");
    let check = ["check", "polling:cadence-not-restored", "--cases", "600", &save];
    snapshot_in(folder.path(), "check-save", &mut retrylab(check));
    let [file] = &files(folder.path())[..] else { panic!("one law is broken") };
    let text = fs::read_to_string(file).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();

    // It fails until the bug is mended.
    snapshot_in(folder.path(), "check-save-run", &mut retrylab(["run", path]));
    let mended = text.replace("polling:cadence-not-restored", "polling");
    fs::write(file, mended).unwrap();
    assert_eq!(retrylab(["run", path]).output().unwrap().status.code(), Some(0));

    // What is there is not written again, whoever wrote it.
    fs::write(file, "# mine\n").unwrap();
    let seed = ["--seed", "0"];
    assert_eq!(retrylab(check).args(seed).output().unwrap().status.code(), Some(1));
    assert_eq!(files(folder.path()), [folder.path().join(name)]);
    assert_eq!(fs::read_to_string(file).unwrap(), "# mine\n");
}

/// Each with a configuration that shows it.
const DIALECTS: [(&str, &str); 15] = [
    ("streaming:clamp-initial", "initial_reconnect_delay=45"),
    ("streaming:inverted-extended", "initial_reconnect_delay=400"),
    ("streaming:health-from-connect", "jitter=own"),
    ("streaming:health-from-last-message", "jitter=own"),
    ("streaming:tls-unexpected", "jitter=own"),
    ("polling:cadence-not-restored", "jitter=own"),
    ("streaming:retry-hint", "jitter=own"),
    ("streaming:zero-literal", "initial_reconnect_delay=0"),
    ("streaming:default-silent", "initial_reconnect_delay=0"),
    ("streaming:exponent-capped", "initial_reconnect_delay=0.000000001"),
    ("streaming:exponent-wraps", "jitter=own"),
    ("streaming:clock-zero-unset", "jitter=own"),
    ("streaming:http-always-error", "jitter=own"),
    ("streaming:http-always-warning", "jitter=own"),
    ("polling:malformed-is-invalid-data", "jitter=own"),
];

#[test]
fn every_saved_breach_of_a_dialect_fails_by_its_law_and_holds_once_the_dialect_is_mended() {
    for (dialect, setting) in DIALECTS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let save = format!("--save={path}");
        let arguments = ["check", dialect, "--set", setting, "--cases", "512", "--format", "json", &save];
        let lines = values(&retrylab(arguments).output().unwrap().stdout);
        let saved: Vec<&str> = lines.iter().filter_map(|line| line["breach"]["saved"].as_str()).collect();
        let broken = lines.last().unwrap()["broken"].as_u64().unwrap();
        assert_eq!(saved.len() as u64, broken, "{dialect}");
        let there = files(folder.path());
        assert_eq!(there.len() as u64, broken, "{dialect}: {there:?}");
        if broken == 0 {
            // Rarer than a test has time for.
            continue;
        }

        let run = || values(&retrylab(["run", path, "--format", "json"]).output().unwrap().stdout);
        for line in run().iter().filter(|line| line["file"].is_string()) {
            assert_eq!(line["verdict"], "failed", "{dialect}: {line}");
            let unmet = line["unmet"].as_array().unwrap();
            let of_law = unmet.iter().find(|unmet| unmet["key"] == "expect.laws[0]").unwrap();
            assert!(of_law["got"] != "nothing that it is about", "{dialect}: {line}");
        }
        let (original, _) = dialect.split_once(':').unwrap();
        for file in there {
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace(&format!("kind = \"{dialect}\""), &format!("kind = \"{original}\"")))
                .unwrap();
        }
        for line in run().iter().filter(|line| line["file"].is_string()) {
            assert_eq!(line["verdict"], "held", "{dialect}: {line}");
        }
    }
}

#[test]
fn what_cannot_be_saved_is_told_first_and_refused_then() {
    let law = "success-restores-the-cadence";
    let save = "--save=crates/cli/Cargo.toml/found";
    snapshot("refused-check-save", &mut retrylab(["check", "polling:cadence-not-restored", "--law", law, save]));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_search_with_what_is_known() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
        .args(["check", "streaming", "--cases", "1000000000"])
        .env_remove("RETRYLAB_SEED")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // The heading is there before the search begins, and Ctrl-C is heard before the heading.
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert_eq!(first, "policy  streaming\n");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let last = rest.lines().last().unwrap();
    assert!(last.contains(" of 1000000000 cases, when it was interrupted: "), "{rest}");
    assert!(last.contains(" 0 broken"), "{rest}");
}

#[test]
fn a_law_that_there_is_not_is_refused_with_the_closest() {
    snapshot_each(
        "refused-check-law",
        [
            &["check", "streaming", "--law", "base-never-decrease"],
            &["check", "streaming", "--law", "murphy"],
            &["check", "call", "--law", "extended-lasts-until-due"],
            &["check", "streaming", "call", "--law", "always-a-next-attempt"],
        ],
    );
}

#[test]
fn a_policy_that_is_none_is_refused() {
    snapshot_each(
        "refused-check-policy",
        [
            &["check"],
            &["check", "streeming"],
            &["check", "no-such.toml"],
            &["check", "crates/cli/tests/data/waits.toml"],
            &["check", "crates/cli/tests/data/typo.toml"],
            &["check", "crates/cli/tests/data/external.toml"],
        ],
    );
}

#[test]
fn options_that_are_none_are_refused() {
    let with = |option, value| ["check", "polling", option, value];
    snapshot_each(
        "refused-check-options",
        [
            &with("--cases", "0"),
            &with("--cases", "-1"),
            &with("--cases", "1000000001"),
            &with("--time", "-1s"),
            &with("--time", "soon"),
            &with("--seed", "seven"),
            &with("--set", "initial_reconnect_delay=1s"),
            &with("--format", "yaml"),
        ],
    );
    snapshot("refused-check-environment", retrylab(["check", "call"]).env("RETRYLAB_SEED", "seven"));
}

#[test]
fn check_has_help() {
    snapshot("help-check", &mut retrylab(["check", "--help"]));
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let there = fs::read_dir(folder).expect("a folder that the test made");
    let mut files: Vec<PathBuf> = there.map(|entry| entry.expect("an entry that can be read").path()).collect();
    files.sort();
    files
}

fn values(output: &[u8]) -> Vec<Value> {
    let text = str::from_utf8(output).expect("the command prints UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Worked by hand: there are four states after one entry, and each entry more adds a rung of either ladder with either draw,
/// so 4 + 29 · 4 = 120. Each state but the last four is walked on from by six entries: 116 · 6 = 696.
#[test]
fn every_short_timeline_is_walked() {
    snapshot("check-exhaustive", &mut retrylab(["check", "streaming", "--exhaustive", "30"]));
    snapshot("check-exhaustive-broken", &mut retrylab(["check", "polling:cadence-not-restored", "--exhaustive", "4"]));
    let arguments = ["check", "call", "--law", "gives-up-exactly-when-due", "--exhaustive", "5", "--format", "json"];
    snapshot("check-exhaustive-json", &mut retrylab(arguments));
    snapshot("check-exhaustive-time", &mut retrylab(["check", "polling", "--exhaustive", "1000000", "--time", "0s"]));
    snapshot("refused-check-exhaustive", &mut retrylab(["check", "polling", "--exhaustive", "0"]));
}

/// The file, a line of it and what somebody would have written instead, what it claims to be, and the law that it breaks.
const WRONG: [(&str, &str, &str, &str, &str); 4] = [
    (
        "crates/exec/examples/subject.py",
        "        self.delay = self.cadence\n",
        "        pass\n",
        "polling",
        "success-restores-the-cadence",
    ),
    ("crates/exec/examples/subject.py", ">= 60e9", "> 60e9", "streaming", "reset-exactly-when-due"),
    (
        "crates/exec/examples/subject.js",
        "if (this.successes++ === 0) this.healthySince = now;",
        "this.successes++; this.healthySince = now;",
        "streaming",
        "a-success-more-never-lengthens-a-wait",
    ),
    (
        "crates/exec/examples/subject.js",
        "(jitter_unit * delay) / 2",
        "jitter_unit * delay",
        "streaming",
        "wait-is-jittered-base-or-cadence",
    ),
];

const PYTHON: &str = "python3 crates/exec/examples/subject.py";
const JAVASCRIPT: &str = "node crates/exec/examples/subject.js";

/// Needs `python3` and `node`: a machine without them fails here, and says so.
#[test]
fn policies_in_other_languages_are_held_to_what_they_claim() {
    for (program, claim) in
        [(PYTHON, "streaming"), (PYTHON, "polling"), (JAVASCRIPT, "streaming"), (JAVASCRIPT, "polling")]
    {
        let output = retrylab(["check", "--exec", program, "--as", claim, "--cases", "60", "--time-limit", "60s"])
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{program} as {claim}:\n{out}{err}");
        assert!(out.contains("\n60 cases: "), "{out}");
    }
}

/// The examples with one line changed, as somebody would get it wrong.
#[test]
fn wrong_policies_in_other_languages_break_the_law_that_they_should() {
    let folder = tempfile::tempdir().unwrap();
    for (source, right, wrong, claim, law) in WRONG {
        let text = fs::read_to_string(Path::new(ROOT).join(source)).unwrap();
        assert_eq!(text.matches(right).count(), 1, "{source} has {right:?} once");
        let name = Path::new(source).file_name().unwrap();
        fs::write(folder.path().join(name), text.replace(right, wrong)).unwrap();
        let runs = if source.ends_with(".py") { "python3" } else { "node" };
        let program = format!("{runs} {}", folder.path().join(name).display());
        let arguments =
            ["check", "--exec", &program, "--as", claim, "--law", law, "--cases", "300", "--time-limit", "60s"];
        let output = retrylab(arguments).output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{source} with {wrong:?}:\n{out}");
        assert!(out.contains(&format!("BROKEN {law}")), "{out}");
    }
}

/// A saved breach is of a client that only its owner can play, who plays it first from then on.
#[test]
fn what_is_found_of_a_policy_in_another_language_is_played_first_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let (source, right, wrong, claim, law) = WRONG[0];
    let text = fs::read_to_string(Path::new(ROOT).join(source)).unwrap();
    let subject = folder.path().join("subject.py");
    fs::write(&subject, text.replace(right, wrong)).unwrap();
    let program = format!("python3 {}", subject.display());
    let check = ["check", "--exec", &program, "--as", claim, "--law", law, "--time-limit", "60s"];
    let save = format!("--save={}", folder.path().join("found").display());
    assert_eq!(retrylab(check).args([&*save, "--cases", "300"]).output().unwrap().status.code(), Some(1));
    let found: Vec<PathBuf> =
        fs::read_dir(folder.path().join("found")).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = found.as_slice() else { panic!("{found:?}") };

    let again = |cases| {
        let output = retrylab(check).arg(file).args(["--cases", cases, "--format", "json"]).output().unwrap();
        (output.status.code(), values(&output.stdout)[0]["breach"]["case"].clone())
    };
    assert_eq!(again("1"), (Some(1), 0.into()));
    fs::write(&subject, text).unwrap();
    assert_eq!(again("40"), (Some(0), Value::Null));
}

#[test]
fn a_policy_in_another_language_that_fails_is_told_with_the_request() {
    let program = |answers: u32| {
        let script = format!(
            "import sys\nfor nth, line in enumerate(sys.stdin): print('{{\"ok\":true,\"delay_s\":0}}' if nth < {answers} else 'soon', flush=True)"
        );
        shlex::try_join(["python3", "-c", &script]).unwrap()
    };
    // As it is built, and in the middle of a timeline.
    for (name, answers) in [("refused-check-exec-fault", 1), ("check-exec-fault", 20)] {
        let program = program(answers);
        snapshot(name, &mut retrylab(["check", "--exec", &program, "--as", "streaming", "--time-limit", "60s"]));
    }
    // In what it is asked, wherever that is: the shortest timeline that has it, from the start of the process.
    let crash = "import sys\nfor line in sys.stdin: print('{\"ok\":true,\"delay_s\":0}' if 'unexpected' not in line else sys.exit(3), \
                 flush=True)";
    let crash = shlex::try_join(["python3", "-c", crash]).unwrap();
    let law = ["--law", "success-restores-the-cadence"];
    let arguments = ["check", "--exec", &crash, "--as", "polling", law[0], law[1], "--time-limit", "60s"];
    snapshot("check-exec-crash", &mut retrylab(arguments));
    snapshot_each(
        "refused-check-exec",
        [
            &["check", "--exec", "no-such-program", "--as", "streaming"],
            &["check", "--exec", PYTHON],
            &["check", "--as", "streaming"],
            &["check", "--exec", PYTHON, "--as", "streaming", "--set", "jitter=none"],
            &["check", "--exec", PYTHON, "--as", "polling", "sims/streaming/first-message-is-a-patch.toml"],
            &["check", "--exec", PYTHON, "--as", "streaming", "--exhaustive", "3"],
        ],
    );
}
