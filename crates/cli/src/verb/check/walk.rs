//! `--exhaustive`: every short timeline, each state once.

use std::io::{self, Write};
use std::ops::ControlFlow;

use retrylab_driver::{Clock, Monotonic};
use retrylab_faults::Diagnosis;
use retrylab_laws::{Described, Law};
use retrylab_search::{Begun, Broken, WALK_LACKS, Walked, exhaust};
use retrylab_sim::build;
use retrylab_spec::{Draw, Entry};
use serde::Serialize;

use super::hunt::{self, Shown};
use super::json::DiagnosisPart;
use super::regression::Folder;
use super::{Check, CheckError, Checked, text};
use crate::interrupt::Interrupt;
use crate::json;
use crate::progress::Progress;
use crate::style::{ERROR, GOOD, TITLE, WARNING};
use crate::subject::SubjectError;
use crate::table::{Align, Table};
use crate::{Console, Exit, Format, Refusal};

/// The reason why a walk ended before its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Ended {
    Complete,
    Time,
    Interrupted,
}

impl Check {
    pub(super) fn walk(
        &self,
        checked: &Checked,
        depth: u32,
        interrupt: &Interrupt,
        console: &mut Console<'_>,
    ) -> Result<Exit, Refusal> {
        let (policy, _) = build(&checked.client.kind).map_err(SubjectError::NoBuiltIn)?;
        let judged = |law: &&'static Law| law.applies(&checked.claim) && is_judged(law);
        let laws: Vec<&'static Law> = checked.laws.iter().copied().filter(judged).collect();
        if self.output.format == Format::Text {
            Refusal::unless_unread(
                writeln!(console.out, "walk    every timeline of up to {depth} entries\n")
                    .and_then(|()| console.out.flush()),
            )?;
        }
        let began = Monotonic.now();
        let mut progress = Progress::new(console.progress, Some(depth.into()));
        let mut ended = Ended::Complete;
        let walked = exhaust(&policy, &checked.claim, &laws, depth.into(), hunt::threads(), |walked| {
            progress.reach(walked.depth);
            if interrupt.is_pressed() {
                ended = Ended::Interrupted;
            } else if walked.depth < u64::from(depth)
                && self.time.is_some_and(|time| Monotonic.now().since(began) >= time)
            {
                ended = Ended::Time;
            }
            if ended == Ended::Complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        drop(progress);
        // Selected laws are always reported.
        let told = |law: &&'static Law| !self.laws.is_empty() || is_tested(&walked, law);
        let laws: Vec<&'static Law> = laws.into_iter().filter(told).collect();
        let mut folder = self.save.as_deref().map(Folder::at);
        let mut shown: Vec<Shown> =
            walked.broken.iter().filter_map(|broken| checked.show_walked(broken, folder.as_mut())).collect();
        let subject = Described(checked.client.clone());
        let diagnosis = checked.diagnose(&checked.search(), &subject, &mut shown, checked.usual_cases.into());
        Refusal::unless_unread(match self.output.format {
            Format::Text => print(&laws, &walked, &shown, diagnosis.as_ref(), ended, console.out),
            Format::Json => lines(checked, &laws, &walked, &shown, diagnosis.as_ref(), ended, console.out),
        })?;
        if let Some(failed) = folder.and_then(Folder::failed) {
            return Err(CheckError::from(failed).into());
        }
        let tested = !laws.is_empty() && laws.iter().all(|law| is_tested(&walked, law));
        let held = walked.broken.is_empty() && ended != Ended::Interrupted && tested;
        Ok(if held { Exit::Held } else { Exit::NotHeld })
    }
}

/// Whether a walk can test a law: it plays single runs, without logs, with attempts at the end of each wait.
pub(super) fn is_judged(law: &Law) -> bool {
    WALK_LACKS.iter().all(|&need| !law.needs(need))
}

fn is_tested(walked: &Walked, law: &Law) -> bool {
    walked.tested.iter().any(|tested| tested.name == law.name)
}

fn print(
    laws: &[&'static Law],
    walked: &Walked,
    shown: &[Shown],
    diagnosis: Option<&Diagnosis>,
    ended: Ended,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = Table::new([("law", Align::Left), ("verdict", Align::Left)]);
    for law in laws {
        let verdict = match breach(walked, law) {
            Some(_) => format!("{ERROR}VIOLATED{ERROR:#}"),
            None if !is_tested(walked, law) => format!("{WARNING}vacuous{WARNING:#}"),
            None => format!("{GOOD}holds{GOOD:#}"),
        };
        table.row([law.name.to_owned(), verdict]);
    }
    table.print(TITLE, out)?;
    text::breaches(diagnosis, shown, out)?;
    for Broken { law, script, expected, got } in &walked.broken {
        if shown.iter().all(|shown| shown.found.law.name != law.name) {
            text::broken(law, expected, got, out)?;
            writeln!(out, "  shortest  {} entries", script.len())?;
            writeln!(out, "  file      none: it cannot express the client")?;
        }
    }
    let Walked { depth, alphabet, steps, states, .. } = walked;
    let why = match ended {
        Ended::Complete => String::new(),
        Ended::Time => " (time over)".to_owned(),
        Ended::Interrupted => " (interrupted)".to_owned(),
    };
    let why = match walked.begun {
        Some(Begun { entries, of }) => format!("{why}, then {entries} of {of} entries of depth {}", depth + 1),
        None => why,
    };
    writeln!(
        out,
        "\ndepth {depth}{why}: all {alphabet}^{depth} timelines, by {steps} entries played from {states} distinct states: \
         {} held, {} violated",
        held(laws, walked),
        walked.broken.len()
    )
}

fn held(laws: &[&'static Law], walked: &Walked) -> usize {
    laws.iter().filter(|law| is_tested(walked, law) && breach(walked, law).is_none()).count()
}

#[derive(Serialize)]
struct LawLine<'a> {
    check: &'a str,
    law: &'static str,
    verdict: &'static str,
    expected: Option<&'a str>,
    got: Option<&'a str>,
    entries: Option<usize>,
    /// The entries, from 1, with the largest draw. The draw of the others is 0.
    largest_draws: Option<Vec<usize>>,
    /// The file; none if it cannot express the client.
    timeline: Option<String>,
    saved: Option<String>,
    replay: Option<&'a str>,
}

#[derive(Serialize)]
struct Sum<'a> {
    check: &'a str,
    depth: u64,
    /// The part of the next depth that was walked, if it was begun and not finished.
    begun: Option<BegunSum>,
    alphabet: usize,
    steps: u64,
    states: u64,
    ended: Ended,
    held: usize,
    broken: usize,
    diagnosis: Option<DiagnosisPart>,
}

#[derive(Serialize)]
struct BegunSum {
    entries: u64,
    of: u64,
}

fn lines(
    checked: &Checked,
    laws: &[&'static Law],
    walked: &Walked,
    shown: &[Shown],
    diagnosis: Option<&Diagnosis>,
    ended: Ended,
    out: &mut dyn Write,
) -> io::Result<()> {
    let check = checked.name.as_str();
    for law in laws {
        let broken = breach(walked, law);
        let shown = shown.iter().find(|shown| shown.found.law.name == law.name);
        let saved = shown.and_then(|shown| shown.saved.as_ref());
        let line = LawLine {
            check,
            law: law.name,
            verdict: match broken {
                Some(_) => "broken",
                None if !is_tested(walked, law) => "never-tested",
                None => "holds",
            },
            expected: broken.map(|broken| broken.expected.as_str()),
            got: broken.map(|broken| broken.got.as_str()),
            entries: broken.map(|broken| broken.script.len()),
            largest_draws: broken.map(|broken| largest(&broken.script)),
            timeline: shown.map(|shown| shown.file.to_string()),
            saved: saved.map(|kept| kept.path.to_string_lossy().into_owned()),
            replay: shown.map(|shown| shown.replay.as_str()),
        };
        json::line(&line, out)?;
    }
    let Walked { depth, alphabet, steps, states, ref broken, .. } = *walked;
    let held = held(laws, walked);
    let begun = walked.begun.map(|Begun { entries, of }| BegunSum { entries, of });
    let sum = Sum {
        check,
        depth,
        begun,
        alphabet,
        steps,
        states,
        ended,
        held,
        broken: broken.len(),
        diagnosis: diagnosis.map(DiagnosisPart::from),
    };
    json::line(&sum, out)
}

fn breach<'a>(walked: &'a Walked, law: &Law) -> Option<&'a Broken> {
    walked.broken.iter().find(|broken| broken.law.name == law.name)
}

/// The entries, from 1, with the largest draw.
fn largest(script: &[Entry]) -> Vec<usize> {
    let is_largest = |entry: &Entry| !matches!(entry.draw, None | Some(Draw::Value(0)));
    (1..).zip(script).filter(|(_, entry)| is_largest(entry)).map(|(nth, _)| nth).collect()
}
