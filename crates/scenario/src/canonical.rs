//! What a draft can say in several ways and a file in one.

use retrylab_core::Jitter;

use crate::model::{Client, ClientKind, Draft, JitterChoice};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, Ratio};

/// Says the same in the way in which a file says it, so that a timeline equals what is read back from its print.
pub(crate) fn canonical(draft: &mut Draft) {
    canonical_client(&mut draft.client);
}

pub(crate) fn canonical_client(client: &mut Client) {
    let Client { kind, jitter } = client;
    let (ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. }) = kind else { return };
    // Such a client describes its own jitter, and `jitter = "none"` is a part of that.
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

/// What is no ratio stays as it is, to be refused.
fn lowest_terms(ratio: &mut Ratio) {
    *ratio = ratio.lowest_terms().unwrap_or(*ratio);
}
