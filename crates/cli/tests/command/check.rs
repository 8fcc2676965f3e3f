//! `retrylab check`.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::session::{ROOT, files, retrylab, snapshot, snapshot_each, values};

/// A client whose own timeline violates a law that it expects.
const REJECTED: &str = "crates/cli/tests/data/check/rejected.toml";

#[test]
fn a_policy_that_obeys_every_law_is_a_table() {
    snapshot("check-clean", &mut retrylab(["check", "streaming", "call", "--cases", "600"]));
}

#[test]
fn a_violation_is_shown_as_a_trace_a_file_and_the_command_that_repeats_it() {
    snapshot(
        "check-broken",
        &mut retrylab(["check", "streaming:tls-unexpected", "--law", "reset-exactly-when-due", "--seed", "3"]),
    );
}

#[test]
fn a_printed_command_finds_the_same_violation() {
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
        text.lines().skip_while(|line| !line.starts_with("VIOLATED")).take(20).collect::<Vec<_>>().join("\n")
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
fn a_wrong_log_line_is_marked() {
    let law = "a-failure-is-logged-by-its-kind";
    snapshot("check-logged", &mut retrylab(["check", "streaming:http-always-error", "--law", law]));
}

#[test]
fn the_timeline_of_a_file_that_expects_laws_is_the_first_case() {
    let law = "success-restores-the-cadence";
    snapshot("check-file", &mut retrylab(["check", REJECTED, "--law", law]));
    // The same as the client of a file, and with options.
    let arguments = ["check", "-", "--law", law, "--set", "poll_interval=2m", "--format", "json"];
    let file = fs::read_to_string(Path::new(ROOT).join(REJECTED)).unwrap();
    let output = retrylab(arguments).write_stdin(file).output().unwrap();
    let lines = values(&output.stdout);
    assert_eq!(lines[0]["breach"]["case"], 0);
    assert_eq!(lines[0]["breach"]["expected"], "2m");
}

/// Without jitter a client waits for its bases, and is checked for that; no law about draws applies.
#[test]
fn a_client_is_checked_with_its_own_jitter() {
    let cases = ["--cases", "300"];
    for (policy, set, bounds) in [
        ("streaming", true, cases),
        ("polling", true, cases),
        ("call", true, cases),
        ("reconnect", true, cases),
        // The same where the file says it.
        (FIXED, false, cases),
        (CALLS, true, cases),
        ("streaming", true, ["--exhaustive", "4"]),
        ("polling", true, ["--exhaustive", "4"]),
        ("call", true, ["--exhaustive", "4"]),
    ] {
        let mut check = retrylab(["check", policy]);
        check.args(bounds).args(if set { &["--set", "jitter=none"][..] } else { &[] });
        let output = check.output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{check:?}:\n{out}");
        for law in ["one-draw-a-failure", "jitter-spreads", "clients-differ"] {
            assert!(!out.contains(law), "{check:?}: {law} applies to jitter:\n{out}");
        }
    }
}

/// Streams whose file says `jitter = "none"`.
const FIXED: &str = "sims/streaming/idle-is-never-healthy.toml";
/// Calls with the usual jitter.
const CALLS: &str = "sims/planted/an-attempt-too-many.toml";

#[test]
fn a_vacuous_search_does_not_hold() {
    snapshot("check-nothing", &mut retrylab(["check", "call", "--cases", "1"]));
}

#[test]
fn a_search_whose_time_is_over_ends_after_its_block() {
    snapshot("check-time", &mut retrylab(["check", "polling", "--cases", "100000", "--time", "0s"]));
}

#[test]
fn json_is_exact() {
    let arguments = ["check", "polling:cadence-not-restored", "--cases", "300", "--format", "json"];
    snapshot("check-json", &mut retrylab(arguments));
    snapshot("check-nothing-json", &mut retrylab(["check", "reconnect", "--cases", "2", "--format", "json"]));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_search_with_the_results_so_far() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_retrylab"))
        .args(["check", "streaming", "--cases", "1000000000"])
        .env_remove("RETRYLAB_SEED")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // The heading comes before the search, and the handler of Ctrl-C before the heading.
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert_eq!(first, "policy  streaming\n");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let last = rest.lines().last().unwrap();
    assert!(last.contains(" of 1000000000 cases (interrupted): "), "{rest}");
    assert!(last.contains(" 0 violated"), "{rest}");
}

#[test]
fn an_unknown_law_is_refused_with_the_closest() {
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
fn an_unknown_policy_is_refused() {
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
fn invalid_options_are_refused() {
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

/// Worked by hand: there are four states after one entry, and each entry more adds a rung of either ladder with either draw,
/// so 4 + 29 · 4 = 120. Each state but the last four is walked on from by six entries: 116 · 6 = 696.
#[test]
fn every_short_timeline_is_walked() {
    snapshot("check-exhaustive", &mut retrylab(["check", "streaming", "--exhaustive", "30"]));
    snapshot("check-exhaustive-broken", &mut retrylab(["check", "polling:cadence-not-restored", "--exhaustive", "4"]));
    let arguments = ["check", "call", "--law", "gives-up-exactly-when-due", "--exhaustive", "5", "--format", "json"];
    snapshot("check-exhaustive-json", &mut retrylab(arguments));
    snapshot("check-exhaustive-time", &mut retrylab(["check", "polling", "--exhaustive", "1000000", "--time", "0s"]));
    snapshot_each(
        "refused-check-exhaustive",
        [
            &["check", "polling", "--exhaustive", "0"],
            // One compares runs, one is about the times of attempts.
            &["check", "polling", "--exhaustive", "3", "--law", "jitter-spreads"],
            &["check", "polling", "--exhaustive", "3", "--law", "no-attempt-before-its-time"],
        ],
    );
    // Time alone passes in no entry of its own.
    let alone = ["check", "polling", "--exhaustive", "1", "--law", "time-alone-changes-nothing"];
    snapshot("check-exhaustive-never-tested", &mut retrylab(alone));
}

/// With the smallest and with the largest draws that a file can have.
#[test]
fn a_counterexample_of_a_walk_is_saved_and_fails() {
    for (dialect, set) in [
        ("streaming:tls-unexpected", "jitter=own"),
        ("polling:cadence-not-restored", "jitter=own"),
        ("streaming:inverted-extended", "initial_reconnect_delay=400"),
        ("streaming:clamp-initial", "initial_reconnect_delay=45"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let save = format!("--save={path}");
        let walk = ["check", dialect, "--set", set, "--exhaustive", "4", "--format", "json", &save];
        let lines = values(&retrylab(walk).output().unwrap().stdout);
        let broken: Vec<&Value> = lines.iter().filter(|line| line["verdict"] == "broken").collect();
        for line in &broken {
            assert!(line["replay"].as_str().unwrap().starts_with("retrylab run "), "{line}");
            assert!(Path::new(line["saved"].as_str().unwrap()).exists(), "{line}");
        }
        assert_eq!(files(folder.path()).len(), broken.len(), "{dialect}");
        if broken.is_empty() {
            // It takes a failed handshake, which is no entry of the alphabet.
            assert_eq!(dialect, "streaming:tls-unexpected");
            continue;
        }
        let run = || values(&retrylab(["run", path, "--format", "json"]).output().unwrap().stdout);
        assert!(run().iter().filter(|line| line["file"].is_string()).all(|line| line["verdict"] == "failed"));
        let (original, _) = dialect.split_once(':').unwrap();
        for file in files(folder.path()) {
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, text.replace(&format!("kind = \"{dialect}\""), &format!("kind = \"{original}\"")))
                .unwrap();
        }
        assert!(run().iter().filter(|line| line["file"].is_string()).all(|line| line["verdict"] == "held"));
    }
}

/// The file, a line of it, a plausible mistake in its place, the claim, and the violated law.
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

/// Needs `python3` and `node`; without them it fails with a message.
#[test]
fn policies_in_other_languages_are_held_to_their_claims() {
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

/// Bounds of one's own, for which `--as` has no word.
#[test]
fn a_policy_in_another_process_is_held_to_the_client_of_a_file() {
    let check = |program: &str, claim: &[&str]| {
        let check = ["check", "--exec", program, "--cases", "60", "--time-limit", "60s"];
        let output = retrylab(check).args(claim).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        (output.status.code(), text)
    };
    let program = "python3 crates/cli/tests/data/custom.py";
    for file in ["streaming-own-ladders", "streaming-raised-ceilings", "polling-own-cadence"] {
        let (status, text) = check(program, &[&format!("sims/bounds/{file}.toml")]);
        assert_eq!(status, Some(0), "{file}: {text}");
    }
    // Sixteen minutes are the ceiling there.
    let (wrong, file) = (format!("{program} wrong"), "sims/bounds/streaming-own-ladders.toml");
    let (status, text) = check(&wrong, &[file]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("expect.delays[9], value 10: expected 16m, got 32m"), "{text}");
    let (status, text) = check(&wrong, &["--as", file, "--law", "wait-is-jittered-base-or-cadence"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("VIOLATED wait-is-jittered-base-or-cadence"), "{text}");
}

/// The examples with one plausible mistake.
#[test]
fn wrong_policies_in_other_languages_violate_the_expected_law() {
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
        assert!(out.contains(&format!("VIOLATED {law}")), "{out}");
    }
}

/// Only its owner can play a saved counterexample, and the next check plays it first.
#[test]
fn a_counterexample_of_a_policy_in_another_language_is_played_first_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let (source, right, wrong, claim, law) = WRONG[0];
    let text = fs::read_to_string(Path::new(ROOT).join(source)).unwrap();
    let subject = folder.path().join("subject.py");
    fs::write(&subject, text.replace(right, wrong)).unwrap();
    let program = format!("python3 {}", subject.display());
    let check = ["check", "--exec", &program, "--as", claim, "--law", law, "--time-limit", "60s"];
    let save = format!("--save={}", folder.path().join("found").display());
    let saves = [&*save, "--allow-missing", "--cases", "300"];
    assert_eq!(retrylab(check).args(saves).output().unwrap().status.code(), Some(1));
    let found: Vec<PathBuf> =
        fs::read_dir(folder.path().join("found")).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = found.as_slice() else { panic!("{found:?}") };

    let again = |cases| {
        let output = retrylab(check).arg(file).args(["--cases", cases, "--format", "json"]).output().unwrap();
        (output.status.code(), values(&output.stdout)[0]["breach"]["case"].clone())
    };
    assert_eq!(again("1"), (Some(1), 0.into()));
    // The file alone, which need not reach the coverage goals.
    assert_eq!(again("0"), (Some(1), 0.into()));
    // The next check replays it from its folder.
    let next = retrylab(check).args(saves).output().unwrap();
    let out = String::from_utf8_lossy(&next.stdout);
    assert_eq!(next.status.code(), Some(1), "{out}");
    assert!(out.contains("1 failed, so nothing is searched"), "{out}");
    // `run` replays it with the program alone: the file has the claim.
    let run = |options: &[&str]| retrylab(["run", FIXED, file.to_str().unwrap()]).args(options).output().unwrap();
    let exec = ["--exec", &program, "--time-limit", "60s"];
    let failed = run(&exec);
    let out = String::from_utf8_lossy(&failed.stdout);
    assert_eq!(failed.status.code(), Some(1), "{out}");
    assert!(out.contains(&format!("({law})")) && out.contains("1 held, 1 failed"), "{out}");
    let line = out.lines().find_map(|line| line.trim().strip_prefix("retrylab run ")).unwrap();
    assert!(line.contains("--exec ") && line.ends_with(" --trace"), "{line}");
    let refused = run(&[]);
    let err = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{err}");
    assert!(err.contains("which only its owner can play; --exec starts a policy in another process"), "{err}");
    let passed = run(&["--allow-external"]);
    assert_eq!(passed.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&passed.stdout).contains("1 not played (1 external)"));
    fs::write(&subject, text).unwrap();
    let held = run(&exec);
    assert_eq!(held.status.code(), Some(0), "{}", String::from_utf8_lossy(&held.stdout));
    assert_eq!(run(&[&exec[..], &["--trace", "--format", "json"]].concat()).status.code(), Some(0));
    assert_eq!(retrylab(check).args([&*save, "--cases", "0"]).output().unwrap().status.code(), Some(0));
    assert_eq!(again("0"), (Some(0), Value::Null));
    assert_eq!(again("40"), (Some(0), Value::Null));
}

#[test]
fn zero_cases_need_a_timeline() {
    snapshot_each(
        "refused-check-no-timeline",
        [&["check", "streaming", "--cases", "0"], &["check", "--exec", PYTHON, "--as", "streaming", "--cases", "0"]],
    );
    let law = "reset-exactly-when-due";
    snapshot("check-replay", &mut retrylab(["check", REJECTED, "--law", law, "--cases", "0"]));
}

/// A dialect that differs only with some setting names it.
#[test]
fn the_report_names_the_setting_that_shows_a_dialect() {
    let out = |arguments: [&str; 6]| String::from_utf8(retrylab(arguments).output().unwrap().stdout).unwrap();
    let law = ["--law", "wait-within-bounds", "--cases", "300"];
    let hint = "`--set initial_reconnect_delay=";
    assert!(out(["check", "streaming:clamp-initial", law[0], law[1], law[2], law[3]]).contains(hint));
    let set = "initial_reconnect_delay=45";
    assert!(!out(["check", "streaming:clamp-initial", "--set", set, "--cases", "300"]).contains(hint));
    assert!(!out(["check", "streaming:tls-unexpected", law[0], law[1], law[2], law[3]]).contains(hint));
}

#[test]
fn a_failure_of_a_policy_in_another_language_names_the_request() {
    let program = |answers: u32| {
        let script = format!(
            "import sys\nfor nth, line in enumerate(sys.stdin): print('{{\"ok\":true,\"delay_s\":0}}' if nth < {answers} else 'soon', flush=True)"
        );
        shlex::try_join(["python3", "-c", &script]).unwrap()
    };
    // At its construction, and in the middle of a timeline.
    for (name, answers) in [("refused-check-exec-fault", 1), ("check-exec-fault", 20)] {
        let program = program(answers);
        snapshot(name, &mut retrylab(["check", "--exec", &program, "--as", "streaming", "--time-limit", "60s"]));
    }
    // At any request: the shortest timeline that contains it, from the start of the process.
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
