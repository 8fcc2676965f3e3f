//! Virtual time: the same policy that a service ships, played through a timeline by a clock that jumps from event to event.
//!
//! Reading map:
//!
//! * [`Entropy`] and [`Draws`]: the random draw for (seed, client, n), addressable and sequential.
//! * [`EventQueue`]: what happens next; ties keep the order in which they were scheduled.
//! * [`Clock`]: the client's monotonic clock as a function of true time, with steps and suspends.
//! * [`Player`]: plays a [`Timeline`](retrylab_scenario::Timeline) and yields [`Record`]s one by one.
//! * [`Trace`]: how records look as folded text; [`json_line`] as JSON lines.
//! * [`Metrics`] and [`Judge`]: what a run amounts to, and whether it is what the file expects.
//! * [`ladder`]: what a policy waits if every attempt fails, for one seed or spread over many.
//! * [`diff`](mod@diff): two policies under the same outcomes and draws.
//! * [`first_divergence`]: the run-twice check; [`examine`] does all of it in one pass.
#![forbid(unsafe_code)]

mod answers;
mod budgets;
mod client;
mod clock;
mod determinism;
mod dialect;
pub mod diff;
mod entropy;
mod examine;
mod fold;
mod json;
mod judge;
pub mod ladder;
mod metrics;
mod player;
mod queue;
mod record;
mod trace;

pub use budgets::Budgets;
pub use client::{BuiltIn, NoBuiltIn, Refused, build};
pub use clock::Clock;
pub use determinism::{Divergence, first_divergence};
pub use dialect::Spoken;
pub use entropy::{Draws, Entropy};
pub use examine::{Examination, examine, examine_policy, examine_until};
pub use fold::{Cycle, Folded, Folder, Line};
pub use json::json_line;
pub use judge::{Judge, Unmet};
pub use metrics::{Metrics, MetricsObserver};
pub use player::{Player, play};
pub use queue::EventQueue;
pub use record::{EndReason, Event, Record};
pub use retrylab_source::{Cause, ErrorKind, Level, LogMessage, Next, SourceError, State};
pub use trace::Trace;
