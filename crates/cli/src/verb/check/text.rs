//! The verdicts for people.

use std::io::{self, Write};

use retrylab_laws::Law;
use retrylab_laws::search::{Excerpt, Faulted, Verdict};

use super::Checked;
use super::hunt::{Bounds, Ended, Outcome, Shown, Totals};
use super::regression::Kept;
use crate::count::counted;
use crate::shown;
use crate::style::{ERROR, GOOD, QUIET, TITLE, WARNING};
use crate::table::{Align, Table};

/// Said before anything is played, which may take long.
pub(super) fn heading(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "policy  {}", checked.name)?;
    match &checked.hint {
        Some(setting) => writeln!(out, "        differs from what it claims to be with `--set {setting}`"),
        None => Ok(()),
    }
}

pub(super) fn search(checked: &Checked, bounds: &Bounds<'_>, out: &mut dyn Write) -> io::Result<()> {
    let laws = checked.laws.iter().filter(|law| law.applies(&checked.claim)).count();
    let laws = counted(laws as u64, "law");
    writeln!(out, "seed    {}", checked.seed)?;
    if bounds.replay {
        return writeln!(out, "replay  {} of files, {laws}\n", counted(bounds.cases, "timeline"));
    }
    writeln!(out, "search  {}, {laws}\n", counted(bounds.cases, "case"))
}

pub(super) fn print(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new([("law", Align::Left), ("tested in", Align::Right), ("verdict", Align::Left)]);
    for verdict in outcome.searched.verdicts.iter().filter(|verdict| verdict.applies) {
        table.row([verdict.law.name.to_owned(), verdict.tested.to_string(), word(verdict)]);
    }
    table.print(TITLE, out)?;
    breaches(&outcome.breaches, out)?;
    if let (Some(fault), Some(again)) = (&outcome.searched.fault, &outcome.fault_again) {
        self::fault(fault, again, out)?;
    }
    writeln!(out)?;
    for mark in &outcome.missed {
        writeln!(out, "{ERROR}never reached:{ERROR:#} {mark}")?;
    }
    writeln!(out, "{}", sum(outcome))
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict { found: Some(_), .. } => format!("{ERROR}BROKEN{ERROR:#}"),
        Verdict { tested: 0, .. } => format!("{WARNING}never tested{WARNING:#}"),
        _ => format!("{GOOD}holds{GOOD:#}"),
    }
}

/// A timeline that breaks several laws is shown once.
pub(super) fn breaches(breaches: &[Shown], out: &mut dyn Write) -> io::Result<()> {
    for (nth, shown) in breaches.iter().enumerate() {
        let same = |other: &&Shown| other.found.timeline == shown.found.timeline;
        breach(shown, breaches[..nth].iter().find(same), out)?;
    }
    Ok(())
}

fn breach(shown: &Shown, before: Option<&Shown>, out: &mut dyn Write) -> io::Result<()> {
    let Shown { found, excerpt, file, saved, walked, replay } = shown;
    let law = found.law;
    broken(law, &found.breach.expected, &found.breach.got, out)?;
    writeln!(out, "  see       {}", law.cite)?;
    match walked {
        Some(entries) => {
            let entries = if *entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
            writeln!(out, "  by        {entries}, and no fewer")?;
        }
        None => writeln!(
            out,
            "  found     in case {}, with {}; shortened to {}",
            found.case,
            counted(found.events_found, "event"),
            retrylab_laws::search::events(&found.timeline)
        )?,
    }
    if let Some(before) = before {
        writeln!(
            out,
            "  in        the timeline of {}, above, at record {}",
            before.found.law,
            found.breach.record.saturating_add(1)
        )?;
    } else {
        writeln!(out)?;
        self::excerpt(excerpt, out)?;
        writeln!(out)?;
        indented(&file.to_string(), out)?;
    }
    if let Some(Kept { path, beside: Some(beside) }) = saved {
        let [path, beside] = [path, beside].map(|path| shown::line(&path.to_string_lossy()).into_owned());
        writeln!(out, "\n  `{beside}` says something else and is left as it is; this is `{path}`")?;
    }
    writeln!(out, "\n  {QUIET}{replay}{QUIET:#}")
}

pub(super) fn broken(law: &Law, expected: &str, got: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{ERROR}BROKEN{ERROR:#} {TITLE}{law}{TITLE:#}: {}", law.statement)?;
    writeln!(out, "  expected  {expected}")?;
    writeln!(out, "  got       {got}")
}

fn excerpt(excerpt: &Excerpt, out: &mut dyn Write) -> io::Result<()> {
    if let Some((first, last)) = excerpt.cut() {
        writeln!(out, "  {QUIET}records {first} to {last} of {}{QUIET:#}", excerpt.of_records())?;
    }
    for (is_marked, line) in excerpt.lines() {
        if is_marked { writeln!(out, "{ERROR}>{ERROR:#} {line}")? } else { writeln!(out, "  {line}")? }
    }
    Ok(())
}

fn fault(faulted: &Faulted, again: &str, out: &mut dyn Write) -> io::Result<()> {
    let Faulted { case, timeline, fault, again: is_again, events_found, .. } = faulted;
    writeln!(out, "\n{ERROR}not played to its end{ERROR:#} in case {case}: {}", shown::text(&fault.to_string()))?;
    let found = counted(*events_found, "event");
    if *is_again {
        writeln!(out, "  found     with {found}; shortened to {}\n", retrylab_laws::search::events(timeline))?;
    } else {
        writeln!(
            out,
            "  found     with {found}; not seen again there by a fresh start, so it hangs on what was before\n"
        )?;
    }
    indented(&timeline.to_string(), out)?;
    writeln!(out, "\n  {QUIET}{again}{QUIET:#}")
}

fn indented(text: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in text.trim_end().lines() {
        if line.is_empty() { writeln!(out)? } else { writeln!(out, "  {line}")? }
    }
    Ok(())
}

/// The last line.
fn sum(outcome: &Outcome) -> String {
    let Totals { held, broken, never_tested, not_applicable } = outcome.totals();
    let (cases, of) = (outcome.searched.cases, counted(outcome.of, "case"));
    let mut text = match outcome.ended {
        Ended::Complete => of,
        Ended::AllBroken => format!("{cases} of {of}, when nothing was left to break"),
        Ended::Time => format!("{cases} of {of}, when the time was over"),
        Ended::Interrupted => format!("{cases} of {of}, when it was interrupted"),
        Ended::Fault => format!("{cases} of {of}, when it could not be played"),
    };
    text += &format!(": {held} held, {broken} broken");
    if never_tested > 0 {
        text += &format!(", {never_tested} never tested");
    }
    if not_applicable > 0 {
        let verb = if not_applicable == 1 { "does" } else { "do" };
        text += &format!("; {} {verb} not apply", counted(not_applicable as u64, "law"));
    }
    text
}
