//! `--exhaustive`: every short timeline, each state once.

use std::io::{self, Write};
use std::ops::ControlFlow;

use retrylab_driver_std::{Clock, Monotonic};
use retrylab_laws::Law;
use retrylab_laws::search::{Begun, Broken, Letter, Walked, exhaust};
use retrylab_sim::build;
use serde::Serialize;

use super::hunt::{self, Shown};
use super::regression::Folder;
use super::{Check, CheckError, Checked, text};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::style::{ERROR, GOOD, TITLE, WARNING};
use crate::subject::SubjectError;
use crate::table::{Align, Table};
use crate::{Console, Exit, Format, Refusal};

/// Why a walk is over before its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        if self.format == Format::Text {
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
            if interrupt.is_asked() {
                ended = Ended::Interrupted;
            } else if walked.depth < u64::from(depth)
                && self.time.is_some_and(|time| Monotonic.now().since(began) >= time)
            {
                ended = Ended::Time;
            }
            if ended == Ended::Complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        drop(progress);
        // What was asked for is told of in any case.
        let told = |law: &&'static Law| !self.laws.is_empty() || is_tested(&walked, law);
        let laws: Vec<&'static Law> = laws.into_iter().filter(told).collect();
        let mut folder = self.save.as_deref().map(Folder::at);
        let shown: Vec<Shown> =
            walked.broken.iter().filter_map(|broken| checked.show_walked(broken, folder.as_mut())).collect();
        Refusal::unless_unread(match self.format {
            Format::Text => print(&laws, &walked, &shown, ended, console.out),
            Format::Json => json(checked, &laws, &walked, &shown, ended, console.out),
        })?;
        if let Some(failed) = folder.and_then(Folder::failed) {
            return Err(CheckError::from(failed).into());
        }
        let tested = !laws.is_empty() && laws.iter().all(|law| is_tested(&walked, law));
        let held = walked.broken.is_empty() && ended != Ended::Interrupted && tested;
        Ok(if held { Exit::Held } else { Exit::NotHeld })
    }
}

/// Whether a walk can say anything of a law: it plays single runs, in which nothing is logged and attempts are made when it
/// says.
pub(super) fn is_judged(law: &Law) -> bool {
    !law.compares() && !law.is_of_what_is_logged() && law.name != "no-attempt-before-its-time"
}

fn is_tested(walked: &Walked, law: &Law) -> bool {
    walked.tested.iter().any(|tested| tested.name == law.name)
}

fn print(laws: &[&'static Law], walked: &Walked, shown: &[Shown], ended: Ended, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new([("law", Align::Left), ("verdict", Align::Left)]);
    for law in laws {
        let verdict = match breach(walked, law) {
            Some(_) => format!("{ERROR}BROKEN{ERROR:#}"),
            None if !is_tested(walked, law) => format!("{WARNING}never tested{WARNING:#}"),
            None => format!("{GOOD}holds{GOOD:#}"),
        };
        table.row([law.name.to_owned(), verdict]);
    }
    table.print(TITLE, out)?;
    text::breaches(shown, out)?;
    for Broken { law, script, expected, got } in &walked.broken {
        if shown.iter().all(|shown| shown.found.law.name != law.name) {
            text::broken(law, expected, got, out)?;
            let largest: Vec<String> = largest(script).iter().map(ToString::to_string).collect();
            let draws =
                if largest.is_empty() { String::new() } else { format!(", the largest at {}", largest.join(", ")) };
            writeln!(out, "  by        {} entries, and no fewer; every draw is 0{draws}", script.len())?;
            writeln!(out, "  file      none: no seed has draws that break it")?;
        }
    }
    let Walked { depth, alphabet, steps, states, .. } = walked;
    let why = match ended {
        Ended::Complete => String::new(),
        Ended::Time => ", when the time was over".to_owned(),
        Ended::Interrupted => ", when it was interrupted".to_owned(),
    };
    let why = match walked.begun {
        Some(Begun { entries, of }) => format!("{why} in depth {}, after {entries} of its {of} entries", depth + 1),
        None => why,
    };
    writeln!(
        out,
        "\ndepth {depth}{why}: all {alphabet}^{depth} timelines, by {steps} entries played from {states} distinct states: \
         {} held, {} broken",
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
    /// Which of the entries, from 1, have the largest draw. That of the others is 0.
    largest_draws: Option<Vec<usize>>,
    /// The file, whose draws are as near to those as those of a seed come; none if it does not break the law with them.
    timeline: Option<String>,
    saved: Option<String>,
    replay: Option<&'a str>,
}

#[derive(Serialize)]
struct Sum<'a> {
    check: &'a str,
    depth: u64,
    /// How much of the next depth was walked, if it was begun and is not over.
    begun: Option<BegunSum>,
    alphabet: usize,
    steps: u64,
    states: u64,
    ended: &'static str,
    held: usize,
    broken: usize,
}

#[derive(Serialize)]
struct BegunSum {
    entries: u64,
    of: u64,
}

fn json(
    checked: &Checked,
    laws: &[&'static Law],
    walked: &Walked,
    shown: &[Shown],
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
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
    }
    let Walked { depth, alphabet, steps, states, ref broken, .. } = *walked;
    let ended = match ended {
        Ended::Complete => "complete",
        Ended::Time => "time",
        Ended::Interrupted => "interrupted",
    };
    let held = held(laws, walked);
    let begun = walked.begun.map(|Begun { entries, of }| BegunSum { entries, of });
    let sum = Sum { check, depth, begun, alphabet, steps, states, ended, held, broken: broken.len() };
    serde_json::to_writer(&mut *out, &sum)?;
    writeln!(out)
}

fn breach<'a>(walked: &'a Walked, law: &Law) -> Option<&'a Broken> {
    walked.broken.iter().find(|broken| broken.law.name == law.name)
}

/// Which of the entries, from 1, have the largest draw.
fn largest(script: &[Letter]) -> Vec<usize> {
    (1..).zip(script).filter(|(_, letter)| letter.draw != 0).map(|(nth, _)| nth).collect()
}
