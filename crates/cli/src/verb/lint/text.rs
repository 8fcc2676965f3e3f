//! One line per finding, in the form that editors follow: `file:line:column: …`.

use std::io::{self, Write};

use super::{Finding, Level, Totals};
use crate::count::counted;
use crate::shown;
use crate::style::{ERROR, GOOD, WARNING};

pub(super) fn finding(finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let Finding { file, line, column, level, rule, key, message, advice } = finding;
    write!(out, "{}:", shown::line(file))?;
    if let (Some(line), Some(column)) = (line, column) {
        write!(out, "{line}:{column}:")?;
    }
    let (style, level) = match level {
        Level::Warning => (WARNING, "warning"),
        Level::Error => (ERROR, "error"),
    };
    write!(out, " {style}{level}:{style:#} ")?;
    if !key.is_empty() {
        write!(out, "{key}: ")?;
    }
    // A parser's message may have lines of its own.
    write!(out, "{}", shown::line(&message.lines().collect::<Vec<_>>().join(" ")))?;
    if let Some(advice) = advice {
        write!(out, "; {advice}")?;
    }
    match rule {
        Some(rule) => writeln!(out, " [{rule}]"),
        None => writeln!(out),
    }
}

pub(super) fn totals(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    let Totals { files, not_played, refused, warnings, allowed } = *totals;
    let mut notes = Vec::new();
    if not_played > 0 {
        notes.push(format!("{not_played} not played"));
    }
    if allowed > 0 {
        notes.push(format!("{} allowed", counted(allowed, "warning")));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let files = counted(files, "file");
    match (refused, warnings) {
        (0, 0) => writeln!(out, "{GOOD}no findings{GOOD:#} in {files}{notes}"),
        (0, _) => writeln!(out, "{} in {files}{notes}", counted(warnings, "warning")),
        _ => writeln!(out, "{refused} of {files} with errors, {}{notes}", counted(warnings, "warning")),
    }
}
