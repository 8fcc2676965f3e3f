//! JSON output: one line per applicable law, the last one a summary of the policy.

use std::io::{self, Write};

use retrylab_faults::{Diagnosis, Suspect};
use retrylab_search::{Faulted, Verdict, events};
use serde::Serialize;

use super::Checked;
use super::hunt::{Ended, Outcome, Shown, Totals};
use super::saved::Replayed;
use crate::json::{Unmet, Violation, line};
use crate::seed::Seed;

pub(super) fn print(checked: &Checked, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    for verdict in outcome.searched.verdicts.iter().filter(|verdict| verdict.applies) {
        let shown = outcome.breaches.iter().find(|shown| shown.found.law.name == verdict.law.name);
        line(
            &LawLine {
                check: &checked.name,
                law: verdict.law.name,
                verdict: word(verdict),
                tested: verdict.tested,
                breach: shown.map(Breach::from),
            },
            out,
        )?;
    }
    let sum = Sum {
        check: &checked.name,
        seed: checked.seed,
        cases: outcome.searched.cases,
        of: outcome.of,
        ended: outcome.ended,
        totals: outcome.totals(),
        never_reached: outcome.missed.iter().map(ToString::to_string).collect(),
        diagnosis: outcome.diagnosis.as_ref().map(DiagnosisPart::from),
        fault: outcome
            .searched
            .fault
            .as_ref()
            .zip(outcome.fault_again.as_deref())
            .map(|(fault, again)| FaultCase::new(fault, again)),
    };
    line(&sum, out)
}

/// A line for each saved file that was replayed.
pub(super) fn replayed(checked: &Checked, replayed: &Replayed<'_>, out: &mut dyn Write) -> io::Result<()> {
    for file in replayed.files() {
        let unmet = |finding| Unmet::new(finding, &file.stored.locations);
        let report = file.outcome.as_ref().ok().map(|replay| &replay.report);
        line(
            &SavedLine {
                check: &checked.name,
                file: file.stored.path.to_string_lossy().into_owned(),
                verdict: if file.holds() { "held" } else { "failed" },
                seed: file.seed,
                unmet: report.map(|report| report.findings.iter().map(unmet).collect()).unwrap_or_default(),
                fault: file.outcome.as_ref().err().map(ToString::to_string),
            },
            out,
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
struct SavedLine<'a> {
    check: &'a str,
    file: String,
    verdict: &'static str,
    seed: u64,
    unmet: Vec<Unmet<'a>>,
    fault: Option<String>,
}

const fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict { found: Some(_), .. } => "broken",
        Verdict { tested: 0, .. } => "never-tested",
        _ => "holds",
    }
}

#[derive(Serialize)]
struct LawLine<'a> {
    check: &'a str,
    law: &'static str,
    verdict: &'static str,
    tested: u64,
    breach: Option<Breach<'a>>,
}

#[derive(Serialize)]
struct Breach<'a> {
    statement: &'static str,
    #[serde(flatten)]
    finding: Violation<'a>,
    case: u64,
    /// Of the shrunk timeline, like the other fields.
    events: u64,
    events_found: u64,
    /// The timeline file.
    timeline: String,
    saved: Option<String>,
    replay: &'a str,
}

impl<'a> From<&'a Shown> for Breach<'a> {
    fn from(Shown { found, file, saved, replay, .. }: &'a Shown) -> Self {
        Self {
            statement: found.law.statement,
            finding: (&found.breach).into(),
            case: found.case,
            events: events(&found.timeline),
            events_found: found.events_found,
            timeline: file.to_string(),
            saved: saved.as_ref().map(|kept| kept.path.to_string_lossy().into_owned()),
            replay,
        }
    }
}

#[derive(Serialize)]
struct Sum<'a> {
    check: &'a str,
    #[serde(flatten)]
    seed: Seed,
    cases: u64,
    of: u64,
    ended: Ended,
    #[serde(flatten)]
    totals: Totals,
    never_reached: Vec<String>,
    /// The known faults that explain what is broken.
    diagnosis: Option<DiagnosisPart>,
    fault: Option<FaultCase<'a>>,
}

#[derive(Serialize)]
pub(super) struct DiagnosisPart {
    suspects: Vec<SuspectPart>,
    /// The cases in which they answer as the policy.
    same: u64,
    /// All cases.
    cases: u64,
}

#[derive(Serialize)]
struct SuspectPart {
    name: &'static str,
    statement: String,
    reports: &'static str,
}

impl From<&Diagnosis> for DiagnosisPart {
    fn from(Diagnosis { suspects, same, cases, .. }: &Diagnosis) -> Self {
        let suspect = |suspect: &Suspect| SuspectPart {
            name: suspect.name(),
            statement: suspect.statement(),
            reports: suspect.reports(),
        };
        Self { suspects: suspects.iter().map(suspect).collect(), same: *same, cases: *cases }
    }
}

#[derive(Serialize)]
struct FaultCase<'a> {
    case: u64,
    said: String,
    /// Whether it was reproduced after a restart. If not, the timeline is that of the case.
    again: bool,
    events: u64,
    events_found: u64,
    timeline: String,
    replay: &'a str,
}

impl<'a> FaultCase<'a> {
    fn new(faulted: &Faulted, replay: &'a str) -> Self {
        let Faulted { case, timeline, fault, again, events_found, .. } = faulted;
        Self {
            case: *case,
            said: fault.to_string(),
            again: *again,
            events: events(timeline),
            events_found: *events_found,
            timeline: timeline.to_string(),
            replay,
        }
    }
}
