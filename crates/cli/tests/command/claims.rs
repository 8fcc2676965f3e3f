//! What `check --exec` holds a policy in another process to: a kind, the client of a file, its rounding, its own draws.

use crate::session::{retrylab, snapshot};

const GROWING: &str = "crates/cli/tests/data/check/growing.toml";
const OBEYING: &str = "crates/cli/tests/data/check/obeying.toml";

/// The status and the output of a check of `waits.py`.
fn check(how: &str, options: &[&str]) -> (Option<i32>, String) {
    let program = format!("python3 crates/cli/tests/data/waits.py {how}");
    let fixed = ["check", "--exec", &program, "--as", "ladder", "--cases", "60", "--time-limit", "60s"];
    let output = retrylab(fixed).args(options).output().expect("the command was built with these tests");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code(), text)
}

#[track_caller]
fn holds(how: &str, options: &[&str]) {
    let (status, text) = check(how, options);
    assert_eq!(status, Some(0), "{how} {options:?}: {text}");
}

#[track_caller]
fn violates(how: &str, options: &[&str], law: &str) -> String {
    let (status, text) = check(how, options);
    assert_eq!(status, Some(1), "{how} {options:?}: {text}");
    assert!(text.contains(&format!("VIOLATED {law}: ")), "{how} {options:?}: {text}");
    text
}

#[test]
fn a_kind_has_the_numbers_of_the_files_client() {
    holds("growing", &[GROWING]);
    violates("growing", &[], "wait-is-jittered-base-or-cadence");
    violates(
        "rounded",
        &[OBEYING, "--rounds-to", "1ms", "--law", "server-delay-honoured-and-bounded"],
        "server-delay-honoured-and-bounded",
    );
}

#[test]
fn a_policy_that_obeys_the_server_and_says_so_is_clean() {
    holds("obeying", &[OBEYING]);
    let text = violates("obeying", &[], "an-ignored-retry-after-changes-nothing");
    assert_eq!(text.matches("VIOLATED ").count(), 1, "one cause is one finding: {text}");
}

#[test]
fn waits_in_whole_milliseconds_may_be_claimed() {
    holds("rounded", &["--rounds-to", "1ms"]);
    violates("rounded", &[], "wait-is-jittered-base-or-cadence");
    // A wait of half a second is not off by less than a millisecond.
    violates("growing", &["--rounds-to", "1ms"], "wait-is-jittered-base-or-cadence");
}

#[test]
fn draws_of_its_own_are_held_to_the_claimed_distribution() {
    holds("drawn", &[]);
    let text = violates("never-climbs", &[], "drawn-waits-fill-the-band");
    assert!(!text.contains("diagnosis"), "its waits are all within their bands: {text}");
}

#[test]
fn a_file_may_be_the_claim() {
    let check = |program: &str| {
        let claim = ["--as", "sims/bounds/polling-own-cadence.toml", "--cases", "60", "--time-limit", "60s"];
        retrylab(["check", "--exec", program]).args(claim).output().unwrap().status.code()
    };
    assert_eq!(check("python3 crates/cli/tests/data/custom.py"), Some(0));
    assert_eq!(check("python3 crates/cli/tests/data/waits.py drawn"), Some(1));
}

#[test]
fn what_a_given_file_expects_has_to_hold_before_the_search() {
    let program = "python3 crates/cli/tests/data/waits.py rounded";
    let mut command = retrylab(["check", "--exec", program, "--as", "ladder", GROWING, "--time-limit", "60s"]);
    snapshot("check-given-fails", &mut command);
    // Of a built-in client, too.
    let held = retrylab(["check", GROWING, "--cases", "60"]).output().unwrap();
    let text = String::from_utf8_lossy(&held.stdout).into_owned();
    assert!(held.status.success() && text.contains("\ngiven   1 file: holds\n"), "{text}");
}

#[test]
fn a_claim_that_is_neither_a_kind_nor_a_file_is_refused() {
    snapshot("refused-check-as", &mut retrylab(["check", "--exec", "true", "--as", "laddr"]));
    let external = "crates/cli/tests/data/external.toml";
    snapshot("refused-check-as-external", &mut retrylab(["check", "--exec", "true", "--as", external]));
}
