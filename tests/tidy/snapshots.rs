//! Every snapshot is in `snapshots/`, reviewed, and belongs to a scenario or a test.

use std::collections::BTreeSet;

use retrylab_spec::{File, ParseError, parse};

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
        match is_played(&path, &tree.text(&path).unwrap_or_default()) {
            Err(error) => problems.push(error.to_string()),
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

/// Whether `run` plays a file itself: not one that says what it waits for, or why it is outside, or that only the owner of
/// its policy can play.
fn is_played(path: &str, text: &str) -> Result<bool, ParseError> {
    Ok(matches!(parse(path, text)?.file, File::Played(_)))
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
    let plays = "[client]\nkind = \"streaming\"\n[[timeline]]\nplay = [{ status = 503 }]\n";
    let played = format!("why = \"x\"\n{plays}");
    let theirs = played.replace("\"streaming\"", "\"external\"\nname = \"theirs\"\nas = \"polling\"");
    let tree = Tree::made_up(&[
        ("sims/streaming/flap.toml", &played),
        ("sims/streaming/both.toml", &played),
        ("sims/streaming/broken.toml", "why = "),
        ("sims/later.toml", "why = \"x\"\nwaits_for = \"fleet\""),
        ("sims/theirs.toml", &theirs),
        ("sims/regressions/found.toml", &played),
        ("snapshots/scenarios/streaming/both.snap", ""),
        ("snapshots/scenarios/flap.snap", ""),
        ("snapshots/scenarios/later.snap", ""),
    ]);
    let problems = unpaired(&tree);
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert!(problems[0].contains("sims/streaming/broken.toml"), "{}", problems[0]);
    assert_eq!(
        problems[1..],
        [
            "sims/streaming/flap.toml: is played, but there is no snapshots/scenarios/streaming/flap.snap",
            "snapshots/scenarios/flap.snap: belongs to no scenario that is played",
            "snapshots/scenarios/later.snap: belongs to no scenario that is played",
        ]
    );
}
