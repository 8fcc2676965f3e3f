//! `retrylab probe`.

use std::time::Duration;

use crate::session::{retrylab, snapshot};

const URL: &str = "https://example.org/flags";

/// The output of a probe as JSON.
fn json<const N: usize>(attempts: &str, script: [&str; N]) -> serde_json::Value {
    let mut command = retrylab(["probe", "--url", URL, "--format", "json", "--attempts", attempts]);
    let output = command.args(script).output().expect("the command was built with these tests");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_success_after_two_failures() {
    snapshot("probe-ok", &mut retrylab(["probe", "--url", URL, "--attempts", "4", "transient", "transient", "ok"]));
}

#[test]
fn a_script_that_never_succeeds_is_exhausted() {
    snapshot("probe-exhausted", &mut retrylab(["probe", "--url", URL, "--attempts", "4", "transient"]));
}

#[test]
fn a_terminal_failure_comes_back_at_once() {
    snapshot("probe-terminal", &mut retrylab(["probe", "--url", URL, "--attempts", "4", "transient", "terminal"]));
}

#[test]
fn zero_attempts_are_refused_with_status_0() {
    snapshot("probe-refused", &mut retrylab(["probe", "--url", URL, "--attempts", "0", "ok"]));
}

#[test]
fn negative_attempts_are_refused_too() {
    snapshot("probe-refused-negative", &mut retrylab(["probe", "--url", URL, "--attempts", "-3", "ok"]));
}

#[test]
fn sleeps_saturate_and_equal_ones_are_counted() {
    snapshot("probe-saturated", &mut retrylab(["probe", "--url", URL, "--attempts", "100", "transient"]));
}

#[test]
fn json_is_one_line_with_sleeps_in_seconds() {
    let script = ["transient", "transient", "transient", "ok"];
    snapshot("probe-json", retrylab(["probe", "--url", URL, "--attempts", "4", "--format", "json"]).args(script));
}

#[test]
fn json_has_the_same_fields_for_each_outcome() {
    let line = |attempts, script| json(attempts, [script]).to_string();
    // serde_json sorts the fields of a value by their names.
    assert_eq!(
        line("4", "ok"),
        r#"{"calls":1,"error":null,"outcome":"ok","result":"payload for https://example.org/flags","sleeps":[],"source":null}"#
    );
    assert_eq!(
        line("2", "transient"),
        r#"{"calls":2,"error":"giving up on https://example.org/flags after 2 attempts","outcome":"exhausted","result":null,"sleeps":[0.5],"source":"connection reset on call 2"}"#
    );
    assert_eq!(
        line("4", "terminal"),
        r#"{"calls":1,"error":"404 on call 1","outcome":"terminal","result":null,"sleeps":[],"source":null}"#
    );
    for attempts in ["0", "-1", "-9223372036854775808"] {
        assert_eq!(
            line(attempts, "transient"),
            format!(
                r#"{{"calls":0,"error":"attempts is {attempts}; at least 1 is allowed","outcome":"refused","result":null,"sleeps":[],"source":null}}"#
            )
        );
    }
}

#[test]
fn the_last_entry_repeats_and_any_other_word_is_a_success() {
    assert_eq!(json("9", ["transient", "transient"])["calls"], 9);
    for entry in ["ok", "", "Transient", "transient ", "503", "terminal?"] {
        let report = json("9", ["transient", entry, "terminal"]);
        assert_eq!((&report["outcome"], &report["calls"]), (&"ok".into(), &2.into()), "{entry:?}");
    }
}

#[test]
fn sleeps_double_exactly_until_the_longest_wait() {
    let report = json("200", ["transient"]);
    let sleeps = report["sleeps"].as_array().unwrap();
    assert_eq!(sleeps.len(), 199);
    for (doublings, sleep) in sleeps[..35].iter().enumerate() {
        assert_eq!(sleep.as_f64(), Some(Duration::from_millis(500 << doublings).as_secs_f64()));
    }
    // 0.5 s · 2^35 is 17,179,869,184 s.
    assert!(sleeps[35..].iter().all(|sleep| sleep.as_f64() == Some(9_223_372_036.0)), "{sleeps:?}");
}

#[test]
fn any_number_of_attempts_is_allowed_while_the_script_ends() {
    for attempts in ["4294967294", "4294967295", "4294967296", "9223372036854775807"] {
        let report = json(attempts, ["transient", "ok"]);
        assert_eq!((&report["outcome"], &report["calls"]), (&"ok".into(), &2.into()), "{attempts}");
    }
}

#[test]
fn a_million_calls_are_listed() {
    let report = json("1000000", ["transient"]);
    assert_eq!(report["calls"], 1_000_000);
    assert_eq!(report["sleeps"].as_array().unwrap().len(), 999_999);
    assert_eq!(report["source"], "connection reset on call 1000000");
}

#[test]
fn more_than_a_million_calls_are_refused() {
    snapshot(
        "refused-probe-too-many-calls",
        &mut retrylab(["probe", "--url", URL, "--attempts", "4000000000", "transient"]),
    );
    let one_more = retrylab(["probe", "--url", URL, "--attempts", "1000001", "transient"]).output().unwrap();
    assert_eq!(one_more.status.code(), Some(2));
}

#[test]
fn an_empty_script_is_refused() {
    snapshot("refused-probe-empty", &mut retrylab(["probe", "--url", URL, "--attempts", "0"]));
}

#[test]
fn without_a_url_or_attempts_it_is_refused() {
    snapshot("refused-probe-no-url", &mut retrylab(["probe", "--attempts", "4", "ok"]));
    snapshot("refused-probe-no-attempts", &mut retrylab(["probe", "--url", URL, "ok"]));
}

#[test]
fn invalid_numbers_of_attempts_are_refused() {
    snapshot("refused-probe-attempts", &mut retrylab(["probe", "--url", URL, "--attempts", "1.5", "ok"]));
    let huge = ["probe", "--url", URL, "--attempts", "9223372036854775808", "ok"];
    snapshot("refused-probe-attempts-huge", &mut retrylab(huge));
}

#[test]
fn an_unknown_format_is_refused() {
    let yaml = ["probe", "--url", URL, "--attempts", "4", "--format", "yaml", "ok"];
    snapshot("refused-probe-format", &mut retrylab(yaml));
}

#[test]
fn a_misspelled_entry_is_a_success_with_a_hint() {
    snapshot("probe-slip", &mut retrylab(["probe", "--url", URL, "--attempts", "4", "transeint", "Terminal", "ok"]));
}
