//! Text output.

use std::io::{self, Write};

use retrylab_faults::Diagnosis;
use retrylab_laws::Law;
use retrylab_search::{Excerpt, Faulted, Kept, Verdict};

use super::Checked;
use super::hunt::{Bounds, Ended, Outcome, Shown, Totals};
use crate::count::counted;
use crate::shown;
use crate::style::{ERROR, GOOD, QUIET, TITLE, WARNING};
use crate::table::{Align, Table};

/// The lines before the search, which may take long.
pub(super) fn heading(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "policy  {}", checked.name)?;
    writeln!(out, "claims  {}", checked.claim)?;
    match &checked.hint {
        Some(setting) => writeln!(out, "        `--set {setting}` shows the difference of this dialect"),
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
    breaches(outcome.diagnosis.as_ref(), &outcome.breaches, out)?;
    if let (Some(fault), Some(again)) = (&outcome.searched.fault, &outcome.fault_again) {
        self::fault(fault, again, out)?;
    }
    writeln!(out)?;
    for mark in &outcome.missed {
        writeln!(out, "{ERROR}coverage goal missed:{ERROR:#} {mark}")?;
    }
    writeln!(out, "{}", sum(outcome))
}

fn word(verdict: &Verdict) -> String {
    match verdict {
        Verdict { found: Some(_), .. } => format!("{ERROR}VIOLATED{ERROR:#}"),
        Verdict { tested: 0, .. } => format!("{WARNING}vacuous{WARNING:#}"),
        _ => format!("{GOOD}holds{GOOD:#}"),
    }
}

/// With a diagnosis the breaches have one cause, and one of them is printed whole. Without it, a timeline that violates
/// several laws is printed once.
pub(super) fn breaches(diagnosis: Option<&Diagnosis>, breaches: &[Shown], out: &mut dyn Write) -> io::Result<()> {
    if let (Some(diagnosis), [telling, others @ ..]) = (diagnosis, breaches) {
        writeln!(out, "\n{TITLE}diagnosis{TITLE:#}  {diagnosis}")?;
        breach(telling, None, out)?;
        return others.iter().try_for_each(|other| also(other, out));
    }
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
            writeln!(out, "  shortest  {}", counted(*entries, "entry"))?;
        }
        None => writeln!(
            out,
            "  found     in case {}; shrunk from {} to {}",
            found.case,
            counted(found.events_found, "event"),
            retrylab_search::events(&found.timeline)
        )?,
    }
    if let Some(before) = before {
        writeln!(
            out,
            "  timeline  that of {} above, at record {}",
            before.found.law,
            found.breach.record.map_or(0, |record| record.saturating_add(1))
        )?;
    } else {
        writeln!(out)?;
        self::excerpt(excerpt, out)?;
        writeln!(out)?;
        indented(&file.to_string(), out)?;
    }
    kept_beside(saved.as_ref(), out)?;
    writeln!(out, "\n  {QUIET}{replay}{QUIET:#}")
}

/// Another law that is violated for the same reason.
fn also(shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let Shown { found, saved, replay, .. } = shown;
    writeln!(out, "\n{ERROR}also violates{ERROR:#} {}", found.law)?;
    kept_beside(saved.as_ref(), out)?;
    writeln!(out, "  {QUIET}{replay}{QUIET:#}")
}

fn kept_beside(saved: Option<&Kept>, out: &mut dyn Write) -> io::Result<()> {
    let Some(Kept { path, beside: Some(beside) }) = saved else { return Ok(()) };
    let [path, beside] = [path, beside].map(|path| shown::line(&path.to_string_lossy()).into_owned());
    writeln!(out, "\n  `{beside}` has other content and stays as it is; this timeline is in `{path}`")
}

pub(super) fn broken(law: &Law, expected: &str, got: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{ERROR}VIOLATED{ERROR:#} {TITLE}{law}{TITLE:#}: {}", law.statement)?;
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
    writeln!(out, "\n{ERROR}policy failed{ERROR:#} in case {case}: {}", shown::text(&fault.to_string()))?;
    let found = counted(*events_found, "event");
    if *is_again {
        writeln!(out, "  found     shrunk from {found} to {}\n", retrylab_search::events(timeline))?;
    } else {
        writeln!(out, "  found     with {found}; not reproduced after a restart, so it depends on earlier cases\n")?;
    }
    indented(&timeline.to_string(), out)?;
    writeln!(out, "\n  {QUIET}{again}{QUIET:#}")
}

pub(super) fn indented(text: &str, out: &mut dyn Write) -> io::Result<()> {
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
        Ended::AllBroken => format!("{cases} of {of} (every law violated)"),
        Ended::Time => format!("{cases} of {of} (time over)"),
        Ended::Interrupted => format!("{cases} of {of} (interrupted)"),
        Ended::Fault => format!("{cases} of {of} (policy failed)"),
        Ended::Regressed => format!("{cases} of {of} (a saved file failed)"),
    };
    text += &format!(": {held} held, {broken} violated");
    if never_tested > 0 {
        text += &format!(", {never_tested} vacuous");
    }
    if not_applicable > 0 {
        text += &format!("; {} not applicable", counted(not_applicable as u64, "law"));
    }
    text
}
