//! `--exhaustive`: every short timeline, each state once.

use std::io::{self, Write};
use std::ops::ControlFlow;

use retrylab_driver_std::{Clock, Monotonic};
use retrylab_laws::Law;
use retrylab_laws::search::{Begun, Broken, Letter, Walked, exhaust};
use retrylab_scenario::{Draft, Expect, JitterChoice, Play, Timeline};
use retrylab_sim::build;
use serde::Serialize;

use super::{Check, Checked, hunt};
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::style::{ERROR, GOOD, TITLE};
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
        let laws: Vec<&'static Law> = checked.laws.iter().copied().filter(|law| judged(law, checked)).collect();
        if self.format == Format::Text {
            writeln!(console.out, "walk    every timeline of up to {depth} entries\n")?;
            console.out.flush()?;
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
        let told = |law: &&'static Law| walked.tested.iter().any(|tested| tested.name == law.name);
        let laws: Vec<&'static Law> = laws.into_iter().filter(told).collect();
        Refusal::unless_unread(match self.format {
            Format::Text => print(checked, &laws, &walked, ended, console.out),
            Format::Json => json(checked, &laws, &walked, ended, console.out),
        })?;
        let held = walked.broken.is_empty() && ended != Ended::Interrupted && !laws.is_empty();
        Ok(if held { Exit::Held } else { Exit::NotHeld })
    }
}

/// Whether a walk can say anything of a law.
fn judged(law: &Law, checked: &Checked) -> bool {
    law.applies(&checked.claim) && !law.compares() && !law.is_of_what_is_logged()
}

fn print(
    checked: &Checked,
    laws: &[&'static Law],
    walked: &Walked,
    ended: Ended,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = Table::new([("law", Align::Left), ("verdict", Align::Left)]);
    for law in laws {
        let verdict = match breach(walked, law) {
            Some(_) => format!("{ERROR}BROKEN{ERROR:#}"),
            None => format!("{GOOD}holds{GOOD:#}"),
        };
        table.row([law.name.to_owned(), verdict]);
    }
    table.print(TITLE, out)?;
    for Broken { law, script, expected, got } in &walked.broken {
        writeln!(out, "\n{ERROR}BROKEN{ERROR:#} {TITLE}{law}{TITLE:#}: {}", law.statement)?;
        writeln!(out, "  expected  {expected}")?;
        writeln!(out, "  got       {got}")?;
        let largest: Vec<String> = largest(script).iter().map(ToString::to_string).collect();
        let draws = if largest.is_empty() { String::new() } else { format!(", the largest at {}", largest.join(", ")) };
        writeln!(out, "  by        {} entries, and no fewer; every draw is 0{draws}\n", script.len())?;
        for line in file(checked, law, script).map(|file| file.to_string()).unwrap_or_default().trim_end().lines() {
            if line.is_empty() { writeln!(out)? } else { writeln!(out, "  {line}")? }
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
        laws.len() - walked.broken.len(),
        walked.broken.len()
    )
}

#[derive(Serialize)]
struct LawLine<'a> {
    check: &'a str,
    law: &'static str,
    verdict: &'static str,
    expected: Option<&'a str>,
    got: Option<&'a str>,
    entries: Option<usize>,
    /// Which of the entries, from 1, have the largest draw. That of the others is 0, as in the timeline.
    largest_draws: Option<Vec<usize>>,
    timeline: Option<String>,
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
    ended: Ended,
    out: &mut dyn Write,
) -> io::Result<()> {
    let check = checked.name.as_str();
    for law in laws {
        let broken = breach(walked, law);
        let line = LawLine {
            check,
            law: law.name,
            verdict: if broken.is_some() { "broken" } else { "holds" },
            expected: broken.map(|broken| broken.expected.as_str()),
            got: broken.map(|broken| broken.got.as_str()),
            entries: broken.map(|broken| broken.script.len()),
            largest_draws: broken.map(|broken| largest(&broken.script)),
            timeline: broken.and_then(|broken| file(checked, law, &broken.script)).map(|file| file.to_string()),
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
    let held = laws.len() - broken.len();
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

/// The script as a file, in which every draw is 0.
fn file(checked: &Checked, law: &Law, script: &[Letter]) -> Option<Timeline> {
    let mut draft = Draft::new(law.statement, checked.client.clone());
    draft.client.jitter = JitterChoice::None;
    draft.script = script.iter().map(|letter| Play::Attempt(letter.entry)).collect();
    draft.expect = Some(Expect { laws: vec![law.name.to_owned()], ..Expect::default() });
    Timeline::new(draft).ok()
}
