//! JSON output: one line for each vector that did not pass, the totals last.

use std::io::{self, Write};

use retrylab_conform::{Mismatch, SKIPPED_TAG, Tally, Vector};
use serde::Serialize;

use crate::json::line;

pub(super) fn failed(mismatch: &Mismatch, text: String, out: &mut dyn Write) -> io::Result<()> {
    line(&Failed { verdict: "failed", mismatch, text }, out)
}

pub(super) fn skipped(vector: &Vector, out: &mut dyn Write) -> io::Result<()> {
    line(&Skipped { verdict: "skipped", vector: &vector.name, line: vector.line, tag: SKIPPED_TAG }, out)
}

/// `stopped`: some vectors were not played, because the subject failed.
pub(super) fn tally(tally: &Tally, stopped: bool, out: &mut dyn Write) -> io::Result<()> {
    line(&Totals { tally, stopped }, out)
}

#[derive(Serialize)]
struct Failed<'a> {
    verdict: &'static str,
    #[serde(flatten)]
    mismatch: &'a Mismatch,
    text: String,
}

#[derive(Serialize)]
struct Skipped<'a> {
    verdict: &'static str,
    vector: &'a str,
    line: usize,
    tag: &'static str,
}

#[derive(Serialize)]
struct Totals<'a> {
    #[serde(flatten)]
    tally: &'a Tally,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
}
