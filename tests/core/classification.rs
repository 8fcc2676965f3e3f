//! Every status and every fault, against the table that comes with the vectors.

use std::collections::BTreeMap;
use std::fs::File;

use retrylab_core::{Failure, FailureKind, Fault};

fn table() -> BTreeMap<i64, String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/conform/tests/data/classification.json");
    serde_json::from_reader(File::open(path).expect("the file is in the repository")).expect("it is a table")
}

#[test]
fn every_status_is_classified_as_in_the_table() {
    let table = table();
    for (&status, kind) in &table {
        assert_eq!(FailureKind::for_source_status(status).name(), kind, "{status}");
    }
    let listed: Vec<_> = table.into_keys().collect();
    let all: Vec<_> = [-1, 0, 1, 99].into_iter().chain(100..=600).chain([999]).collect();
    assert_eq!(listed, all);
}

#[test]
fn of_the_statuses_97_are_unexpected() {
    let unexpected =
        (100..=599).filter(|status| FailureKind::for_source_status(*status) == FailureKind::Unexpected).count();
    assert_eq!(unexpected, 97);
}

#[test]
fn the_kinds_change_at_these_statuses_and_nowhere_else() {
    let mut changes = Vec::new();
    for status in -1000..2000 {
        if FailureKind::for_source_status(status) != FailureKind::for_source_status(status - 1) {
            changes.push(status);
        }
    }
    assert_eq!(changes, [401, 408, 409, 429, 430, 500]);
    assert_eq!(FailureKind::for_source_status(400), FailureKind::Normal);
}

/// The rows of the table in the documentation of [`FailureKind`]: for a source, and for a call.
#[test]
fn a_source_and_a_call_read_a_status_differently() {
    use FailureKind::{Normal, Unexpected};
    let rows: [(&[i64], FailureKind, FailureKind); 6] = [
        (&[408, 429], Normal, Normal),
        (&[425], Unexpected, Normal),
        (&[400], Normal, Unexpected),
        (&[401, 403, 404, 409, 418, 451, 499], Unexpected, Unexpected),
        (&[500, 502, 503, 504], Normal, Normal),
        (&[501, 505, 511, 599, 200, 204, 304, 99, 600, -1], Normal, Unexpected),
    ];
    for (statuses, source, call) in rows {
        for &status in statuses {
            let kinds = (FailureKind::for_source_status(status), FailureKind::for_call_status(status));
            assert_eq!(kinds, (source, call), "{status}");
        }
    }
}

#[test]
fn every_fault_is_normal() {
    for fault in Fault::ALL {
        assert_eq!(FailureKind::for_source_fault(fault), FailureKind::Normal, "{fault}");
    }
}

#[test]
fn faults_and_kinds_have_these_names() {
    let names = Fault::ALL.map(Fault::name);
    let expected = [
        "dns",
        "refused",
        "reset",
        "timeout",
        "tls",
        "certificate",
        "close",
        "content-type",
        "malformed",
        "missing-key",
        "store",
    ];
    assert_eq!(names, expected);
    assert_eq!(Fault::ALL.map(|fault| fault.to_string()), expected);
    assert_eq!(format!("{:>10}|{:<10}", FailureKind::Normal, FailureKind::Unexpected), "    normal|unexpected");
    assert_eq!(format!("[{:5}]", Fault::Tls), "[tls  ]");
}

#[test]
fn a_failure_of_a_kind_alone_has_no_fault_and_no_retry_after() {
    let failure = Failure::from(FailureKind::Unexpected);
    assert_eq!(failure, Failure { kind: FailureKind::Unexpected, retry_after: None, fault: None });
}
