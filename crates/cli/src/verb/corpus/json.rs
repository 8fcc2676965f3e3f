//! JSON output: a line about the request, one for each policy and trial, one with the totals.

use std::io::{self, Write};

use retrylab_faults::corpus::BugVerdict;
use serde::Serialize;

use super::{Judged, Results, Totals};
use crate::json::line;
use crate::seed::Seed;

pub(super) fn print(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    line(&Header { corpus: &results.policies, seed: results.seed }, out)?;
    for policy in &results.policies {
        for (trial, verdict) in results.trials.iter().zip(&policy.verdicts) {
            let (verdict, what, client) = match verdict {
                BugVerdict::Passes => ("passes", None, None),
                BugVerdict::Fails { what, client, .. } => ("fails", Some(&**what), *client),
                BugVerdict::NotApplicable { why } => ("not-applicable", Some(&**why), None),
            };
            let replay = (verdict == "fails").then(|| results.replay(policy, trial));
            let (kind, trial) = (trial.kind, trial.name);
            line(&Line { policy: &policy.name, kind, trial, verdict, what, client, replay }, out)?;
        }
    }
    line(&TotalsLine { policies: results.policies.len(), totals: results.totals() }, out)
}

#[derive(Serialize)]
struct Header<'a> {
    corpus: &'a [Judged],
    #[serde(flatten)]
    seed: Seed,
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
    #[serde(flatten)]
    totals: Totals,
}
