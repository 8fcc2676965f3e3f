//! What repeats is folded, nothing is lost.

use retrylab_sim::{Folder, Line, Record, Trace};
use retrylab_spec::End;

use crate::timelines::*;

fn fold(records: &[Record]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut folder = Folder::new();
    for record in records {
        folder.push(*record, &mut |line| lines.push(line));
    }
    folder.finish(&mut |line| lines.push(line));
    lines
}

/// How many records the lines stand for.
fn unfolded(lines: &[Line]) -> u64 {
    let size = |line: &Line| match line {
        Line::Record(_) => 1,
        Line::Folded(folded) => folded.cycle.len() as u64 * folded.times,
    };
    lines.iter().map(size).sum()
}

fn folds(lines: &[Line]) -> Vec<(u64, usize)> {
    let fold = |line: &Line| match line {
        Line::Record(_) => None,
        Line::Folded(folded) => Some((folded.times, folded.cycle.len())),
    };
    lines.iter().filter_map(fold).collect()
}

#[test]
fn seven_equal_failures_stay_seven_lines_and_eight_become_one() {
    // Rungs 1, 2, 4, 8, 16, then the ceiling.
    let seven = records(&checked(stream(vec![times(5 + 7, vec![status(503)])])));
    assert_eq!(folds(&fold(&seven)), []);
    let eight = records(&checked(stream(vec![times(5 + 8, vec![status(503)])])));
    assert_eq!(folds(&fold(&eight)), [(8, 1)]);
}

#[test]
fn a_flap_of_two_records_folds_from_the_ceiling_on() {
    // Message and close, twenty times; the first five closes have bases of their own.
    let records = records(&checked(stream(vec![times(20, vec![up(5, End::Close)])])));
    let lines = fold(&records);
    assert_eq!(folds(&lines), [(15, 2)]);
    assert_eq!(lines.len(), 2 * 5 + 1 + 1);
    assert_eq!(unfolded(&lines), records.len() as u64);
}

#[test]
fn records_of_a_cycle_that_breaks_off_are_shown_plainly() {
    let script = vec![times(10, vec![ok(), status(503)]), ok(), ok(), status(401)];
    let records = records(&checked(poller(script)));
    let lines = fold(&records);
    assert_eq!(folds(&lines), [(10, 2)]);
    assert_eq!(unfolded(&lines), records.len() as u64);
    // The `ok` that the next round of the cycle began with, the second `ok`, the 401 and the end.
    assert_eq!(lines.len(), 1 + 4);
}

#[test]
fn two_different_repeats_are_two_folds() {
    let script = vec![times(9, vec![status(503)]), times(9, vec![refused()])];
    let records = records(&checked(poller(script)));
    assert_eq!(folds(&fold(&records)), [(9, 1), (9, 1)]);
}

#[test]
fn a_million_polls_are_a_page() {
    let records = records(&checked(poller(vec![times(100_000, vec![ok(), status(503), status(503)])])));
    let lines = fold(&records);
    assert_eq!(folds(&lines), [(100_000, 3)]);
    assert_eq!(Trace::fold(records).to_string().lines().count(), 3);
}
