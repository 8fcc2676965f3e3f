//! What tests of a retry policy need, whoever wrote the policy.
//!
//! * [`rules()`], [`outcomes()`] and [`histories()`]: proptest strategies for the rules of a client and for what happens to
//!   it. They lean towards where mistakes are: the edges of the reset window, the largest and smallest values, draw 0.
//! * [`timeline`]: strategies for timeline files, to be parsed and printed, or played.
//! * [`machine`]: the reference model as a state machine for `proptest-state-machine`.
//! * [`check()`]: the laws as a test of a policy of one's own: a search for the shortest timeline that breaks one. Also of an
//!   iterator of waits ([`check_waits`]) and, with the feature `tokio`, of an async
//!   function that retries inside (`check_async`).
//! * [`play()`]: a timeline file as a test of a policy of one's own.
//! * [`search()`]: how a search is configured, so that its failures come again.
//! * [`laws`]: the laws themselves, the model, the conformance vectors, and the bug corpus as trials.
//! * [`scenario`]: timelines and clients as values, with which a claim is made.
//!
//! ```
//! use proptest::prelude::*;
//! use retrylab_testkit::laws::model::{Model, Rules};
//! use retrylab_testkit::{histories, search};
//! use retrylab_core::{Policy, Retry};
//!
//! // In a test this is `proptest! { #![proptest_config(…)] #[test] fn … }`.
//! proptest!(search("target/found-by-the-example.txt"), |((setup, outcomes) in histories(0..20))| {
//!     let mut policy = Retry::new(setup.rules().0);
//!     let mut model = Model::new(Rules::from(setup));
//!     for outcome in outcomes {
//!         outcome.tell(&mut policy);
//!         outcome.tell(&mut model);
//!         prop_assert_eq!(Policy::next_delay(&policy), model.next_delay());
//!     }
//! });
//! ```
#![forbid(unsafe_code)]

mod check;
mod failed;
pub mod machine;
#[cfg(feature = "tokio")]
mod observe;
mod outcomes;
mod play;
mod rules;
mod search;
pub mod timeline;

pub use check::{Check, all, check, check_waits};
pub use failed::CheckFailed;
#[cfg(feature = "tokio")]
pub use observe::{Operation, OperationError, check_async};
pub use outcomes::{Gap, draws, events, gaps, histories, histories_of, outcomes};
pub use play::{Failed, PlayError, play, played, regressions};
pub use retrylab_laws as laws;
pub use retrylab_scenario as scenario;
pub use rules::{durations, reset_rules, rules, seconds, upright_rules};
pub use search::search;
