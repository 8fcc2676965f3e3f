//! Canonical forms: a draft can express some things in several ways, a file in one.

use retrylab_core::Jitter;

use crate::model::{Client, Draft, JitterChoice};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, PolicySpec, Ratio};

/// Brings a draft into the form of a file, so that a timeline equals the parsed text of its print.
pub(crate) fn canonical(draft: &mut Draft) {
    canonical_client(&mut draft.client);
}

pub(crate) fn canonical_client(client: &mut Client) {
    let Client { kind, jitter } = client;
    if let PolicySpec::External { claims: Some(claims), .. } = kind
        && let Some(call) = claims.call_mut()
    {
        canonical_call(call);
    }
    let Some(call) = kind.call_mut() else { return };
    // Such a client describes its own jitter, and `jitter = "none"` is a part of the description.
    if *jitter == JitterChoice::None {
        call.jitter = Jitter::None;
    }
    *jitter = JitterChoice::Own;
    canonical_call(call);
}

fn canonical_call(call: &mut CallSpec) {
    // As the rules write "no limit".
    call.attempts = call.attempts.filter(|&attempts| attempts != u32::MAX);
    if let LadderSpec::Exponential { ratio, .. } = &mut call.ladder {
        lowest_terms(ratio);
    }
    for budget in &mut call.budgets {
        if let BudgetSpec::Ratio { ratio, .. } = budget {
            lowest_terms(ratio);
        }
    }
}

/// An invalid ratio stays, for the checks to refuse.
fn lowest_terms(ratio: &mut Ratio) {
    *ratio = ratio.lowest_terms().unwrap_or(*ratio);
}
