//! `retrylab classify`.

use crate::session::{retrylab, snapshot};

#[test]
fn kinds_are_aligned_beside_their_statuses() {
    snapshot(
        "classify",
        &mut retrylab(["classify", "99", "204", "400", "401", "404", "408", "410", "429", "503", "600"]),
    );
}

#[test]
fn every_integer_has_a_kind() {
    snapshot("classify-any-number", &mut retrylab(["classify", "-1", "0", "+0418", "99999999999999999999999"]));
}

#[test]
fn json_has_one_object_per_line() {
    snapshot(
        "classify-json",
        &mut retrylab(["classify", "--format", "json", "401", "503", "-99999999999999999999999"]),
    );
}

#[test]
fn a_text_that_is_no_integer_is_refused() {
    snapshot("refused-classify-no-number", &mut retrylab(["classify", "503", "teapot"]));
}

#[test]
fn nothing_to_classify_is_refused() {
    snapshot("refused-classify-nothing", &mut retrylab(["classify"]));
}
