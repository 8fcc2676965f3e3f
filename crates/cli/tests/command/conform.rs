//! `retrylab conform`.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;

mod exec;
mod write;

use crate::session::{ROOT, compare, retrylab, snapshot, snapshot_each, snapshot_in};

const VECTORS: &str = "crates/conform/tests/data/retry-vectors.jsonl.gz";
const MISTAKES: &str = "crates/cli/tests/data/mistakes.jsonl";

fn vectors() -> String {
    let mut text = String::new();
    let packed = fs::File::open(format!("{ROOT}/{VECTORS}")).expect("the vectors are in the project");
    GzDecoder::new(packed).read_to_string(&mut text).expect("they are packed");
    text
}

#[test]
fn the_built_in_rules_conform_to_every_vector() {
    let output = retrylab(["conform", VECTORS]).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1920 vectors, 41676 steps, 0 failed, 1 skipped\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn json_names_skipped_vectors_and_ends_with_the_totals() {
    snapshot("conform-json", &mut retrylab(["conform", "--format", "json", VECTORS]));
}

#[test]
fn one_digit_changed_is_one_failure_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one digit.jsonl");
    // The second failure of the first vector waits 600 s.
    let text = vectors().replacen(r#""expect_delay_s":600"#, r#""expect_delay_s":601"#, 1);
    fs::write(&file, text).unwrap();
    snapshot_in(folder.path(), "conform-one-digit", &mut retrylab(["conform", file.to_str().unwrap()]));
}

#[test]
fn a_failure_shows_the_result_the_expected_one_and_the_replay_command() {
    snapshot("conform-mistakes", &mut retrylab(["conform", MISTAKES]));
}

#[test]
fn json_has_the_same_failures_with_exact_values() {
    snapshot("conform-mistakes-json", &mut retrylab(["conform", MISTAKES, "--format", "json"]));
}

#[test]
fn ten_failures_are_shown_and_the_others_counted() {
    snapshot("conform-many-mistakes", &mut retrylab(["conform", "crates/cli/tests/data/twelve-mistakes.jsonl"]));
}

#[test]
fn json_shows_all_failures() {
    let output =
        retrylab(["conform", "crates/cli/tests/data/twelve-mistakes.jsonl", "--format", "json"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 13);
}

#[test]
fn the_replay_command_finds_the_failure_again() {
    snapshot("conform-replay", &mut retrylab(["conform", MISTAKES, "--filter", "the count, it's off by one"]));
}

#[test]
fn a_filter_counts_only_its_matches() {
    snapshot("conform-filter", &mut retrylab(["conform", VECTORS, "--filter", "clock zero"]));
}

#[test]
fn standard_input_is_read_plain() {
    let output = retrylab(["conform", "-"]).write_stdin(vectors()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1920 vectors, 41676 steps, 0 failed, 1 skipped\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn standard_input_is_read_packed() {
    let packed = fs::read(format!("{ROOT}/{VECTORS}")).unwrap();
    let output = retrylab(["conform", "-"]).write_stdin(packed).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "1920 vectors, 41676 steps, 0 failed, 1 skipped\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_missing_file_is_refused() {
    snapshot("refused-conform-missing", &mut retrylab(["conform", "nowhere.jsonl"]));
}

#[test]
fn a_folder_is_refused() {
    snapshot("refused-conform-folder", &mut retrylab(["conform", "crates"]));
}

#[test]
fn an_empty_input_is_refused() {
    snapshot("refused-conform-empty", &mut retrylab(["conform", "-"]));
}

#[test]
fn blank_lines_are_skipped() {
    snapshot("refused-conform-blank", &mut retrylab(["conform", "crates/cli/tests/data/blank.jsonl"]));
}

#[test]
fn invalid_json_is_refused_with_its_place() {
    snapshot("refused-conform-no-json", &mut retrylab(["conform", "crates/cli/tests/data/no-json.jsonl"]));
}

#[test]
fn an_invalid_vector_is_refused_with_its_field() {
    snapshot("refused-conform-no-vector", &mut retrylab(["conform", "crates/cli/tests/data/no-vector.jsonl"]));
}

const STREAM: &str = r#"{"name":"n","constructor":"streaming","params":{"initial_reconnect_delay":1},"steps":[{"op":"failure","kind":"normal","at_s":5,"jitter_unit":0,"expect_delay_s":1,"expect_extended":false}]}"#;
const CUSTOM: &str = r#"{"name":"n","constructor":"custom","params":{"normal_initial_delay":1,"normal_ceiling_delay":30,"extended_initial_delay":300,"extended_ceiling_delay":3600,"reset_policy":{"type":"after_healthy_for","seconds":60},"operating_cadence":0},"steps":[]}"#;

#[test]
fn each_error_in_a_vector_names_its_field() {
    let streams = [
        (r#""name":"n","#, ""),
        (r#""streaming""#, r#""tcp""#),
        (r#""initial_reconnect_delay""#, r#""poll_interval""#),
        (r#""initial_reconnect_delay":1"#, r#""initial_reconnect_delay":"soon""#),
        (r#""failure""#, r#""sucess""#),
        (r#""at_s":5"#, r#""at":5"#),
        (r#""at_s":5"#, r#""at_s":-5"#),
        (r#"[{"op""#, r#"[{"op":"advance","at_s":6.5},{"op""#),
        (r#""kind":"normal","#, ""),
        (r#""kind":"normal","#, r#""kind":"normal","status":503,"#),
        (r#""jitter_unit":0,"#, ""),
        (r#""jitter_unit":0"#, r#""jitter_unit":1"#),
        (r#""jitter_unit":0"#, r#""repeat":0,"jitter_unit":0"#),
        (r#""expect_delay_s":1,"#, ""),
        (r#""expect_delay_s":1"#, r#""expect_delay_s":-1"#),
        (r#","expect_extended":false"#, ""),
        (r#""failure""#, r#""success""#),
        (r#""failure","kind":"normal""#, r#""success""#),
        (r#""failure","kind":"normal","at_s":5,"jitter_unit":0"#, r#""advance","at_s":5"#),
        (r#"}]}"#, r#"}],"expect_warning":{"option":"jitter","default_s":1}}"#),
        (r#"}]}"#, r#"}],"expect_warning":{"option":"poll_interval","default_s":-1}}"#),
    ];
    let customs = [
        (r#""normal_initial_delay":1"#, r#""normal_initial_delay":-1"#),
        (r#""seconds":60"#, r#""count":2"#),
        (r#","operating_cadence":0"#, ""),
    ];
    let told = |good: &str, (from, to): (&str, &str)| {
        assert!(good.contains(from), "{from}");
        let output = retrylab(["conform", "-"]).write_stdin(good.replacen(from, to, 1)).output().unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{from} -> {to}");
        format!("{from} -> {to}\n{}", String::from_utf8(output.stderr).unwrap())
    };
    let streams = streams.map(|change| told(STREAM, change));
    let customs = customs.map(|change| told(CUSTOM, change));
    compare("refused-conform-changes", &[streams.join("\n"), customs.join("\n")].join("\n"));
}

#[test]
fn invalid_options_are_refused() {
    snapshot_each("refused-conform-options", [&["conform"], &["conform", MISTAKES, "--format", "yaml"]]);
}

#[test]
fn truncated_gzip_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.jsonl.gz");
    let packed = fs::read(format!("{ROOT}/{VECTORS}")).unwrap();
    fs::write(&file, &packed[..packed.len() / 2]).unwrap();
    let output = retrylab(["conform", file.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    // Which line it breaks off in is up to the packer.
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.starts_with("error: `") && errors.contains("cannot be read: "), "{errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
}

#[test]
fn a_filter_that_matches_nothing_is_refused() {
    snapshot("refused-conform-filter", &mut retrylab(["conform", MISTAKES, "--filter", "no such name"]));
}

#[test]
fn skipped_vectors_alone_are_no_pass() {
    snapshot("refused-conform-skipped", &mut retrylab(["conform", "crates/cli/tests/data/skipped.jsonl"]));
}

/// A vector of this name that fails.
fn failing(name: &str) -> String {
    format!(
        "{{\"name\":\"{name}\",\"constructor\":\"streaming\",\"params\":{{\"initial_reconnect_delay\":1}},\"steps\":[{{\"op\":\"read\",\
         \"at_s\":0,\"expect_delay_s\":2,\"expect_extended\":false}}]}}\n"
    )
}

#[test]
fn a_vector_without_expectations_is_refused() {
    let text = failing("n")
        .replace("\"read\",\"at_s\":0,\"expect_delay_s\":2,\"expect_extended\":false", "\"advance\",\"at_s\":0");
    snapshot("refused-conform-expects-nothing", retrylab(["conform", "-"]).write_stdin(text));
}

#[test]
fn an_invalid_line_after_failures_says_that_these_are_not_all() {
    let text = failing("n") + "[]\n";
    snapshot("refused-conform-partly", retrylab(["conform", "-"]).write_stdin(text));
}

#[test]
fn the_replay_command_can_be_pasted_for_any_name() {
    let text = failing("-x") + &failing("a\\nb\\u001b[31m");
    snapshot("conform-odd-names", retrylab(["conform", "-"]).write_stdin(text.clone()));
    let again = retrylab(["conform", "-", "--filter=-x"]).write_stdin(text.clone()).output().unwrap();
    assert!(String::from_utf8(again.stdout).unwrap().ends_with("1 vector, 1 step, 1 failed, 0 skipped\n"));
    let again = retrylab(["conform", "-", "--filter", "a\nb\u{1b}[31m"]).write_stdin(text).output().unwrap();
    assert!(String::from_utf8(again.stdout).unwrap().ends_with("1 vector, 1 step, 1 failed, 0 skipped\n"));
}

#[test]
fn an_endless_line_is_refused() {
    // Zeros pack well: 64 MiB and one byte of them.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut std::io::repeat(b'0').take((64 << 20) + 1), &mut packed).unwrap();
    let bomb = packed.finish().unwrap();
    snapshot("refused-conform-bomb", retrylab(["conform", "-"]).write_stdin(bomb));
}
