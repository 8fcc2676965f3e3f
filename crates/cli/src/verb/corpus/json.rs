//! The machine form: a line about the question, one for each policy and trial, one with the totals.

use std::io::{self, Write};

use retrylab_laws::corpus::Verdict;
use serde::Serialize;

use super::{Results, Totals};

pub(super) fn print(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let policies = results.policies.iter().map(|policy| About { name: &policy.name, repeatable: policy.repeatable });
    let corpus = policies.collect();
    line(&Header { corpus, seed: results.seed.value, seed_from: results.seed.source.name() }, out)?;
    for policy in &results.policies {
        for (trial, verdict) in results.trials.iter().zip(&policy.verdicts) {
            let mut judged = Line {
                policy: &policy.name,
                kind: trial.kind,
                trial: trial.name,
                verdict: "passes",
                what: None,
                client: None,
                replay: None,
            };
            match verdict {
                Verdict::Passes => {}
                Verdict::Fails { what, client, .. } => {
                    judged.verdict = "fails";
                    judged.what = Some(what);
                    judged.client = *client;
                    judged.replay = Some(results.replay(policy, trial));
                }
                Verdict::NotApplicable { why } => {
                    judged.verdict = "not-applicable";
                    judged.what = Some(why);
                }
            }
            line(&judged, out)?;
        }
    }
    let Totals { passed, failed, not_applicable } = results.totals();
    line(&TotalsLine { policies: results.policies.len(), passed, failed, not_applicable }, out)
}

fn line(line: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Header<'a> {
    corpus: Vec<About<'a>>,
    seed: u64,
    seed_from: &'static str,
}

#[derive(Serialize)]
struct About<'a> {
    name: &'a str,
    repeatable: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    policy: &'a str,
    kind: &'static str,
    trial: &'static str,
    verdict: &'static str,
    what: Option<&'a str>,
    client: Option<u64>,
    replay: Option<String>,
}

#[derive(Serialize)]
struct TotalsLine {
    policies: usize,
    passed: usize,
    failed: usize,
    not_applicable: usize,
}
