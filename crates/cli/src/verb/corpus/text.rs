//! The table for people, and below it each failure.

use std::io::{self, Write};

use retrylab_faults::corpus::{BugTrial, BugVerdict};

use super::{Results, Totals};
use crate::count::counted;
use crate::style::{ERROR, GOOD, QUIET, TITLE};

pub(super) fn print(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "seed {}", results.seed)?;
    let own: Vec<&str> =
        results.policies.iter().filter(|policy| !policy.repeatable).map(|policy| &*policy.name).collect();
    if !own.is_empty() {
        let own = own.join(", ");
        writeln!(out, "unseeded draws, compared with bounds, no two runs equal: {own}")?;
    }
    writeln!(out)?;
    table(results, out)?;
    writeln!(out)?;
    questions(results, out)?;
    for policy in &results.policies {
        for (trial, verdict) in results.trials.iter().zip(&policy.verdicts) {
            if let BugVerdict::Fails { .. } = verdict {
                writeln!(out, "\n{ERROR}{}{ERROR:#}, {}: {verdict}", policy.name, trial.kind)?;
                writeln!(out, "  {QUIET}{}{QUIET:#}", results.replay(policy, trial))?;
            }
        }
    }
    let Totals { passed, failed, not_applicable } = results.totals();
    let policies = counted(results.policies.len(), "policy");
    writeln!(out, "\n{policies}: {passed} passed, {failed} failed, {not_applicable} not applicable")
}

/// A row per policy, a column per kind, which is numbered.
fn table(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let names = results.policies.iter().map(|policy| policy.name.chars().count());
    let width = names.chain(["policy".len()]).max().unwrap_or(0);
    let numbers: String = (1..=by_kind(&results.trials).count()).map(|number| format!("  {number:>2}")).collect();
    writeln!(out, "{TITLE}{:<width$}{numbers}{TITLE:#}", "policy")?;
    for policy in &results.policies {
        write!(out, "{:<width$}", policy.name)?;
        let mut verdicts = &policy.verdicts[..];
        for trials in by_kind(&results.trials) {
            let (of_kind, rest) = verdicts.split_at(trials.len());
            verdicts = rest;
            let (style, mark) = match mark(of_kind) {
                Mark::Passes => (GOOD, '✓'),
                Mark::Fails => (ERROR, '✗'),
                Mark::NotApplicable => (QUIET, '–'),
            };
            write!(out, "   {style}{mark}{style:#}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{QUIET}✓ passes  ✗ fails  – not applicable{QUIET:#}")
}

/// The question of each column.
fn questions(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let width = results.trials.iter().map(|trial| trial.kind.len()).max().unwrap_or(0);
    for (trials, number) in by_kind(&results.trials).zip(1..) {
        for (trial, place) in trials.iter().zip(0..) {
            let (number, kind) = if place == 0 { (number.to_string(), trial.kind) } else { (String::new(), "") };
            writeln!(out, "{number:>2}  {TITLE}{kind:<width$}{TITLE:#}  {}", trial.question)?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Passes,
    Fails,
    NotApplicable,
}

/// One failure is a failure; a trial that is not applicable does not count.
fn mark(verdicts: &[BugVerdict]) -> Mark {
    if verdicts.iter().any(|verdict| matches!(verdict, BugVerdict::Fails { .. })) {
        Mark::Fails
    } else if verdicts.contains(&BugVerdict::Passes) {
        Mark::Passes
    } else {
        Mark::NotApplicable
    }
}

fn by_kind<'a>(trials: &'a [&'static BugTrial]) -> impl Iterator<Item = &'a [&'static BugTrial]> {
    trials.chunk_by(|a, b| a.kind == b.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_fails_with_one_of_its_trials_and_passes_if_all_applicable_ones_pass() {
        let fails = || BugVerdict::Fails { what: String::new(), seed: 0, client: None };
        let not = || BugVerdict::NotApplicable { why: String::new() };
        assert_eq!(mark(&[BugVerdict::Passes, fails(), not()]), Mark::Fails);
        assert_eq!(mark(&[not(), BugVerdict::Passes]), Mark::Passes);
        assert_eq!(mark(&[not(), not()]), Mark::NotApplicable);
    }
}
