//! What holds of every client, whatever happens to it: made-up calls and made-up timelines against the reference model, and
//! each law with a test of its name.
//!
//! A search starts from the same seed every time. `PROPTEST_RNG_SEED=1 PROPTEST_CASES=100000 cargo test --test machine`
//! looks elsewhere and for longer. What it finds is kept in `sims/regressions/`.

mod calls;
mod laws;
mod timelines;

use retrylab_core::RetryRules;
use retrylab_spec::PolicySpec;

/// The rules of a made-up policy.
fn rules_of(spec: &PolicySpec) -> RetryRules {
    spec.rules().expect("a preset or two regimes").0
}

/// Where counter-examples are kept.
const FOUND: &str = "tests/machine/found.txt";
