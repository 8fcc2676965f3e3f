//! Tests for any retry policy.
//!
//! * [`rules()`], [`outcomes()`] and [`histories()`]: proptest strategies for the rules of a client and for its
//!   outcomes. They favour values with common bugs: the edges of the reset window, the largest and smallest values,
//!   draw 0.
//! * [`timeline`]: strategies for timeline files, to be parsed and printed, or played.
//! * [`machine`]: the reference model as a state machine for `proptest-state-machine`.
//! * [`check()`]: the laws as a test of your own policy: a search for the shortest timeline that violates one. The policy
//!   may be an iterator of waits ([`Factory`]). With the feature `tokio`, also for an async function that retries inside
//!   (`check_async`).
//! * [`simulate()`]: an outage in a few calls, without a file.
//! * [`play()`]: a timeline file as a test of your own policy.
//! * [`search()`]: the configuration of a reproducible search.
//! * [`laws`]: the laws themselves, and the model; [`conform`]: the conformance vectors; [`faults`]: the bug corpus as trials.
//! * [`scenario`]: timelines and clients as values, for claims.
//!
//! ```
//! use proptest::prelude::*;
//! use retrylab_testkit::laws::model::{Model, Rules};
//! use retrylab_testkit::{histories, search};
//! use retrylab_core::{Policy, Retry};
//!
//! // In a test this is `proptest! { #![proptest_config(…)] #[test] fn … }`.
//! proptest!(search("target/found-by-the-example.txt"), |((spec, outcomes) in histories(0..20))| {
//!     let mut policy = Retry::new(spec.rules().expect("a preset or two regimes").0);
//!     let mut model = Model::new(Rules::of(&spec).expect("a preset or two regimes"));
//!     for outcome in outcomes {
//!         outcome.tell(&mut policy);
//!         outcome.tell(&mut model);
//!         prop_assert_eq!(Policy::next_delay(&policy), model.next_delay());
//!     }
//! });
//! ```
#![forbid(unsafe_code)]

mod check;
mod factory;
mod failed;
pub mod machine;
#[cfg(feature = "tokio")]
mod observe;
mod outcomes;
mod play;
mod rules;
mod saved;
mod search;
mod simulate;
pub mod timeline;

pub use check::{Check, all, check};
pub use factory::{Factory, OfPolicies, OfWaits};
pub use failed::{Broken, CheckFailed};
#[cfg(feature = "tokio")]
pub use observe::{Operation, OperationError, check_async};
pub use outcomes::{Gap, draws, events, gaps, histories, histories_of, outcomes};
pub use play::{Failed, PlayError, play, played};
pub use retrylab_conform as conform;
pub use retrylab_faults as faults;
pub use retrylab_laws as laws;
pub use retrylab_spec as scenario;
pub use rules::{durations, reset_rules, rules, seconds, upright_rules};
pub use saved::{RegressionsError, Replayed};
pub use search::search;
pub use simulate::{Run, Simulation, SimulationError, simulate};
