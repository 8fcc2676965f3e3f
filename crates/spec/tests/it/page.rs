//! The page about the file: its examples are good files, and it names every key.

use retrylab_spec::{File, parse, print};

const PAGE: &str = include_str!("../../TIMELINE.md");

/// Every key of the file, by the section that describes it.
const KEYS: [(&str, &[&str]); 9] = [
    (
        "The file",
        &[
            "why",
            "cite",
            "found_by",
            "waits_for",
            "outside",
            "seed",
            "then",
            "wall",
            "until",
            "stop",
            "client",
            "timeline",
            "window",
            "clock",
            "limits",
            "stack",
            "catches",
            "expect",
        ],
    ),
    (
        "`[client]`",
        &[
            "kind",
            "initial_reconnect_delay",
            "poll_interval",
            "normal",
            "extended",
            "cadence",
            "name",
            "as",
            "claims",
            "jitter",
            "ladder",
            "attempts",
            "elapsed",
            "deadline",
            "retry_after",
            "budget",
            "idempotent",
            "reset",
        ],
    ),
    ("`[[timeline]]`", &["play", "repeat"]),
    (
        "The outcome of an attempt",
        &["up", "idle", "ok", "status", "fault", "malformed", "hang", "end", "first", "retry_after", "latency", "draw"],
    ),
    ("`[[window]]`", &["from", "until", "cut", "end"]),
    ("`[[clock]]`", &["at", "step", "suspend", "wall_step"]),
    ("`[limits]`", &["events", "time"]),
    (
        "`[expect]`",
        &["delays", "waits", "attempts", "regime", "rung", "at", "outcome", "laws", "warnings", "value", "times"],
    ),
    ("`[stack]`", &["most"]),
];

#[test]
fn each_section_has_a_row_for_each_of_its_keys_and_no_other() {
    for (section, keys) in KEYS {
        let body = PAGE.split("\n## ").find_map(|part| part.strip_prefix(section)).unwrap_or_default();
        let rows: Vec<&str> =
            body.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(key, _)| key).collect();
        assert_eq!(rows, keys, "{section}");
    }
}

#[test]
fn the_keys_of_the_page_are_those_that_the_parser_allows() {
    let attempt = KEYS[3].1;
    let without = |keys: &[&'static str], left_out: &[&str]| -> Vec<&'static str> {
        keys.iter().filter(|key| !left_out.contains(key)).copied().collect()
    };
    let of_sources = ["initial_reconnect_delay", "poll_interval", "normal", "extended", "cadence"];
    let of_source = |option| vec!["kind", option, "normal", "extended", "cadence", "reset", "jitter"];
    let files = [
        ("zzz = 1", KEYS[0].1.to_vec()),
        ("client.kind = \"streaming\"\nclient.zzz = 1", of_source("initial_reconnect_delay")),
        ("client.kind = \"polling\"\nclient.zzz = 1", of_source("poll_interval")),
        ("client.kind = \"polling\"\nclient.normal.zzz = 1", vec!["initial", "ceiling"]),
        ("client.kind = \"external\"\nclient.zzz = 1", vec!["kind", "name", "as", "claims", "jitter"]),
        (
            "client.kind = \"call\"\nclient.zzz = 1",
            without(KEYS[1].1, &[&of_sources[..], &["name", "as", "claims", "reset"]].concat()),
        ),
        (
            "client.kind = \"reconnect\"\nclient.zzz = 1",
            without(KEYS[1].1, &[&of_sources[..], &["name", "as", "claims", "idempotent"]].concat()),
        ),
        ("[[timeline]]\nzzz = 1", KEYS[2].1.to_vec()),
        ("[[timeline]]\nplay = [{ repeat = 2, zzz = 1 }]", KEYS[2].1.to_vec()),
        ("[[timeline]]\nplay = [{ zzz = 1 }]", attempt.to_vec()),
        ("[[window]]\nzzz = 1", [without(KEYS[4].1, &["end"]), attempt.to_vec()].concat()),
        ("[[clock]]\nzzz = 1", KEYS[5].1.to_vec()),
        ("[limits]\nzzz = 1", KEYS[6].1.to_vec()),
        ("[expect]\nzzz = 1", without(KEYS[7].1, &["value", "times"])),
        ("[expect]\nwaits = [{ zzz = 1 }]", vec!["value", "times"]),
        ("[expect]\nat.\"5m\".zzz = 1", vec!["regime", "rung"]),
    ];
    for (text, mut keys) in files {
        let error = parse("unknown.toml", text).unwrap_err();
        let unknown = error.problems().iter().find(|located| located.problem.message() == "unknown key");
        let advice = unknown.and_then(|located| located.problem.advice()).unwrap_or_default();
        let mut allowed: Vec<&str> = advice.split('`').skip(1).step_by(2).collect();
        keys.sort_unstable();
        allowed.sort_unstable();
        assert_eq!(allowed, keys, "{text}: {advice}");
    }
}

#[test]
fn each_key_is_in_an_example() {
    let examples: String = examples().into_iter().map(|(_, text)| text).collect();
    for key in KEYS.into_iter().flat_map(|(_, keys)| keys) {
        let is_used = [format!("{key} = "), format!("[{key}]"), format!("{key}.\"")];
        assert!(is_used.iter().any(|form| examples.contains(form)), "{key}");
    }
}

#[test]
fn each_example_is_valid_and_its_print_parses_back() {
    let examples = examples();
    assert!(examples.len() >= 10, "found {}", examples.len());
    for (index, (info, text)) in examples.into_iter().enumerate() {
        let name = format!("example {index}");
        let file = parse(&name, &complete(&info, &text)).unwrap_or_else(|error| panic!("{error}")).file;
        if let File::Played(timeline) | File::External(timeline) = &file {
            let again = parse(&name, &print(timeline)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(&again.file, &file, "{name}");
        }
    }
}

/// The fenced examples, each with what follows `toml` on its fence: nothing for a whole file, or the kind of client
/// for which it is a part.
fn examples() -> Vec<(String, String)> {
    PAGE.split("\n```toml")
        .skip(1)
        .filter_map(|part| part.split_once("\n```")?.0.split_once('\n'))
        .map(|(info, text)| (info.trim_start_matches(',').to_owned(), format!("{text}\n")))
        .collect()
}

fn complete(info: &str, text: &str) -> String {
    if info.is_empty() {
        return text.to_owned();
    }
    let client = if text.contains("[client]") { String::new() } else { format!("client.kind = \"{info}\"\n") };
    let played = text.contains("[[timeline]]") || text.contains("then = \"succeed\"");
    let script = if played { "" } else { "[[timeline]]\nplay = [{ fault = \"reset\" }]\n" };
    format!("why = \"An example.\"\n{client}{text}{script}")
}
