//! Every snapshot is in `snapshots/`, reviewed, and belongs to a scenario or a test.

use std::collections::BTreeSet;

use crate::tree::{Tree, assert_tidy};

const SCENARIO_SNAPSHOTS: &str = "snapshots/scenarios/";
const REGRESSIONS: &str = "sims/regressions/";

fn stray(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for path in tree.files() {
        if path.ends_with(".snap.new") || path.ends_with(".pending-snap") {
            problems.push(format!("{path}: waits for review; run `cargo insta review`"));
        } else if path.ends_with(".snap") != path.starts_with("snapshots/") {
            problems.push(format!("{path}: snapshots, and nothing else, live in snapshots/"));
        }
    }
    problems
}

/// Scenarios that are played and snapshots of scenarios, each without the other.
fn unpaired(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    let mut played = BTreeSet::new();
    for path in tree.files_like("sims/", ".toml") {
        match is_played(&tree.text(&path).unwrap_or_default()) {
            Err(problem) => problems.push(format!("{path}: {problem}")),
            Ok(false) => {}
            Ok(true) => {
                let snapshot = snapshot_of(&path);
                if !path.starts_with(REGRESSIONS) && tree.text(&snapshot).is_none() {
                    problems.push(format!("{path}: is played, but there is no {snapshot}"));
                }
                played.insert(snapshot);
            }
        }
    }
    for snapshot in tree.files_like(SCENARIO_SNAPSHOTS, ".snap") {
        if !played.contains(&snapshot) {
            problems.push(format!("{snapshot}: belongs to no scenario that is played"));
        }
    }
    problems
}

/// `sims/streaming/flap.toml` → `snapshots/scenarios/streaming/flap.snap`.
fn snapshot_of(scenario: &str) -> String {
    let name = scenario.trim_start_matches("sims/").trim_end_matches(".toml");
    format!("{SCENARIO_SNAPSHOTS}{name}.snap")
}

/// Whether a file is played by `run` itself: not one that says what it waits for, or why it is outside, or that only
/// the owner of its policy can play.
fn is_played(text: &str) -> Result<bool, toml::de::Error> {
    let file: toml::Table = text.parse()?;
    let external =
        file.get("client").and_then(|client| client.get("kind")).and_then(toml::Value::as_str) == Some("external");
    Ok(!external && !file.contains_key("waits_for") && !file.contains_key("outside"))
}

#[test]
fn every_snapshot_is_reviewed_and_in_its_folder() {
    assert_tidy(&stray(&Tree::checkout()));
}

#[test]
fn every_scenario_that_is_played_has_a_snapshot_and_the_other_way_round() {
    assert_tidy(&unpaired(&Tree::checkout()));
}

#[test]
fn stray_and_pending_snapshots_are_noticed() {
    let tree = Tree::made_up(&[
        ("crates/cli/tests/snapshots/a.snap", ""),
        ("crates/cli/tests/.b.rs.pending-snap", ""),
        ("snapshots/c.snap", ""),
        ("snapshots/d.snap.new", ""),
        ("snapshots/notes.md", ""),
    ]);
    assert_eq!(
        stray(&tree),
        [
            "crates/cli/tests/.b.rs.pending-snap: waits for review; run `cargo insta review`",
            "crates/cli/tests/snapshots/a.snap: snapshots, and nothing else, live in snapshots/",
            "snapshots/d.snap.new: waits for review; run `cargo insta review`",
            "snapshots/notes.md: snapshots, and nothing else, live in snapshots/",
        ]
    );
}

#[test]
fn a_scenario_without_a_snapshot_and_a_snapshot_without_a_scenario_are_noticed() {
    let tree = Tree::made_up(&[
        ("sims/streaming/flap.toml", "why = \"x\""),
        ("sims/streaming/both.toml", "why = \"x\""),
        ("sims/streaming/broken.toml", "why = "),
        ("sims/later.toml", "why = \"x\"\nwaits_for = \"fleet\""),
        ("sims/theirs.toml", "[client]\nkind = \"external\""),
        ("sims/regressions/found.toml", "why = \"x\""),
        ("snapshots/scenarios/streaming/both.snap", ""),
        ("snapshots/scenarios/flap.snap", ""),
        ("snapshots/scenarios/later.snap", ""),
    ]);
    let problems = unpaired(&tree);
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert!(problems[0].starts_with("sims/streaming/broken.toml: TOML parse error"), "{}", problems[0]);
    assert_eq!(
        problems[1..],
        [
            "sims/streaming/flap.toml: is played, but there is no snapshots/scenarios/streaming/flap.snap",
            "snapshots/scenarios/flap.snap: belongs to no scenario that is played",
            "snapshots/scenarios/later.snap: belongs to no scenario that is played",
        ]
    );
}
