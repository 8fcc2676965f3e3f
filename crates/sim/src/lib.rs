//! Virtual time: the same policy that a service ships, played through a timeline by a clock that jumps from event to event.
//!
//! Reading map:
//!
//! * [`Entropy`] and [`Draws`]: the random draw for (seed, client, n), addressable and sequential.
//! * [`EventQueue`]: events by time; ties keep the order in which they were scheduled.
//! * [`Clock`]: the client's monotonic clock as a function of true time, with steps and suspends.
//! * [`Client`]: one client, which takes a [step](Client::step) at each outcome and hands out [`Record`]s; its policy is given
//!   every [`Input`] by a [`Responder`].
//! * [`Player`]: plays a [`Timeline`](retrylab_spec::Timeline) and yields [`Record`]s one by one.
//! * [`Trace`]: records as folded text; [`json_line`] as JSON lines.
//! * [`Metrics`] and [`Judge`]: the figures of a run, and its [`Finding`]s against the file's expectations.
//! * [`ladder`]: the waits of a policy if every attempt fails, for one seed or spread over many.
//! * [`diff`](mod@diff): two policies under the same outcomes and draws.
//! * [`first_divergence`]: the run-twice check; [`examine`] does all of it in one pass.
#![forbid(unsafe_code)]

mod around;
mod budgets;
mod client;
mod clock;
mod determinism;
mod dialect;
pub mod diff;
mod entropy;
mod examine;
mod fields;
mod finding;
mod fold;
mod json;
mod judge;
pub mod ladder;
mod metrics;
mod player;
mod queue;
mod record;
pub mod step;
mod trace;

pub use around::Around;
pub use budgets::Budgets;
pub use client::{BuiltIn, NoBuiltIn, Refused, build};
pub use clock::Clock;
pub use determinism::{Divergence, first_divergence};
pub use dialect::Spoken;
pub use entropy::{Draws, Entropy};
pub use examine::{Report, examine, examine_policy, examine_policy_until, examine_until};
pub use finding::{Finding, Requirement};
pub use fold::{Cycle, Folded, Folder, Line};
pub use json::json_line;
pub use judge::Judge;
pub use metrics::{Metrics, MetricsObserver};
pub use player::{Player, play, runs_begun};
pub use queue::EventQueue;
pub use record::{EndReason, Event, Record, Sink};
pub use retrylab_source::{Cause, ErrorKind, Level, LogMessage, Next, SourceError, State};
pub use step::{Action, At, Client, Given, Input, Occurrence, Responder, Response, Setup, respond};
pub use trace::Trace;
