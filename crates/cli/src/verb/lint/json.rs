//! The machine form: a line for each finding, the totals last.

use std::io::{self, Write};

use serde::Serialize;

use super::{Finding, Totals};

pub(super) fn finding(file: &str, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let line = Line {
        file,
        line: finding.position.map(|position| position.line),
        column: finding.position.map(|position| position.column),
        level: if finding.rule.is_some() { "warning" } else { "error" },
        rule: finding.rule.map(|rule| rule.name()),
        key: Some(&*finding.key).filter(|key| !key.is_empty()),
        message: &finding.message,
        advice: finding.advice.as_deref(),
    };
    print(&line, out)
}

pub(super) fn totals(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let Totals { files, not_played, refused, warnings, allowed } = *totals;
    print(&TotalsLine { files, not_played, refused, warnings, allowed }, out)
}

fn print(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
}

#[derive(Serialize)]
struct TotalsLine {
    files: usize,
    not_played: usize,
    refused: usize,
    warnings: usize,
    allowed: usize,
}
