//! The machine form: a line a law that applies, the last one a summary of the policy.

use std::io::{self, Write};

use retrylab_laws::search::{Faulted, Verdict, events};
use serde::Serialize;

use super::Checked;
use super::hunt::{Ended, Outcome, Shown, Totals};

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
    let Totals { held, broken, never_tested, not_applicable } = outcome.totals();
    let sum = Sum {
        check: &checked.name,
        seed: checked.seed.value,
        seed_from: checked.seed.source.name(),
        cases: outcome.searched.cases,
        of: outcome.of,
        ended: ended(outcome.ended),
        held,
        broken,
        never_tested,
        not_applicable,
        never_reached: outcome.missed.iter().map(ToString::to_string).collect(),
        fault: outcome
            .searched
            .fault
            .as_ref()
            .zip(outcome.fault_again.as_deref())
            .map(|(fault, again)| FaultCase::new(fault, again)),
    };
    line(&sum, out)
}

fn line(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

const fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict { found: Some(_), .. } => "broken",
        Verdict { tested: 0, .. } => "never-tested",
        _ => "holds",
    }
}

const fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Complete => "complete",
        Ended::AllBroken => "all-broken",
        Ended::Time => "time",
        Ended::Interrupted => "interrupted",
        Ended::Fault => "fault",
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
    expected: &'a str,
    got: &'a str,
    case: u64,
    /// Of the shortest timeline, as the rest.
    events: u64,
    events_found: u64,
    /// Its number in the trace, from 0.
    record: u64,
    attempt: u64,
    at_ns: u64,
    /// The file.
    timeline: String,
    saved: Option<String>,
    replay: &'a str,
}

impl<'a> From<&'a Shown> for Breach<'a> {
    fn from(Shown { found, file, saved, replay, .. }: &'a Shown) -> Self {
        Self {
            statement: found.law.statement,
            expected: &found.breach.expected,
            got: &found.breach.got,
            case: found.case,
            events: events(&found.timeline),
            events_found: found.events_found,
            record: found.breach.record,
            attempt: found.breach.attempt,
            at_ns: found.breach.time_ns,
            timeline: file.to_string(),
            saved: saved.as_ref().map(|kept| kept.path.to_string_lossy().into_owned()),
            replay,
        }
    }
}

#[derive(Serialize)]
struct Sum<'a> {
    check: &'a str,
    seed: u64,
    seed_from: &'static str,
    cases: u64,
    of: u64,
    ended: &'static str,
    held: usize,
    broken: usize,
    never_tested: usize,
    not_applicable: usize,
    never_reached: Vec<String>,
    fault: Option<FaultCase<'a>>,
}

#[derive(Serialize)]
struct FaultCase<'a> {
    case: u64,
    said: String,
    /// Whether it came again when the policy was started anew. If not, the timeline is that of the case.
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
