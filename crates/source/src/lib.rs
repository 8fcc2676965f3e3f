//! Streaming and polling data sources as machines without a socket, a clock or a thread: inputs with a time go in,
//! outputs come out. No network event stops them.
//!
//! This crate never opens a socket, never spawns, never sleeps and never reads a clock.
//!
//! Reading map:
//!
//! * [`StreamingSource`] and [`PollingSource`]: the machines; [`StreamMachine`] and [`PollMachine`] are the same
//!   without address, policy and queue, for a simulator; [`Outputs`] receives theirs.
//!   [`SourceOptions`]: their options.
//! * [`StreamingConfig`] and [`PollingConfig`]: the configuration, and the machine built from it.
//! * [`SourcePolicy`]: decides their waits; [`StreamPolicy`] may adopt the server's hint.
//! * [`StreamShell`] and [`PollShell`]: the machines with store, status and log around them, ready for a driver.
//! * [`RepeatingTask`]: repeats a callback with the delays of any [`DelaySource`].
//! * [`Decode`] and [`FlagData`]: decode bytes into data. [`Store`] and [`MemoryStore`]: keep the data.
//!   [`apply_message`] and [`apply_body`] do both, and contain their panics.
//! * [`Status`] and [`StatusSink`]: the state of a source, and its listeners.
//! * [`LogRecord`]: the lines of a source's log, with their levels.
//! * [`Endpoint`]: the address of its requests. [`StartWait`]: the wait for the first data.
//! * [`EventReader`]: parses the bytes of an event stream into messages.
//! * [`retry_after`]: parses the header `Retry-After`.
#![forbid(unsafe_code)]

mod apply;
mod cause;
mod config;
mod course;
mod data;
mod decode;
mod endpoint;
mod log;
mod options;
mod outcome;
mod outputs;
mod policy;
mod polling;
mod repeating;
pub mod retry_after;
mod shell;
mod sink;
mod sse;
mod start_wait;
mod status;
mod store;
mod stream_policy;
mod streaming;
mod turn;

pub use apply::{Applied, Rejected, apply_body, apply_message, guarded, is_initialized};
pub use cause::Cause;
pub use config::{Connection, PollingConfig, Secret, StreamingConfig};
pub use data::{Change, DataSet, Item, Kind, Message};
pub use decode::{Decode, DecodeError, FlagData};
pub use endpoint::{Endpoint, EndpointError};
pub use log::{Detail, Level, LogMessage, LogRecord, Next, Request};
pub use options::{HttpLevel, MalformedBody, PollTiming, ServerRetry, SourceOptions, ValidAfter};
pub use outcome::{Recorded, StatusUpdate, StreamInit};
pub use outputs::{Outputs, SourceOutput};
pub use policy::{MayGiveUp, SourcePolicy};
pub use polling::{Body, PollInput, PollMachine, PollOutput, PollResponse, PollingSource};
pub use repeating::{DelaySource, Every, RepeatingTask, TaskInput, TaskOutput};
pub use retry_after::{PastDate, RetryAfter};
pub use shell::{Observer, PollNeed, PollShell, Shell, StreamNeed, StreamShell, Surroundings, Wiring};
pub use sink::{ListenerId, StatusSink};
pub use sse::{EVENT_LIMIT, EventReader, EventTooLarge, StreamEvent};
pub use start_wait::StartWait;
pub use status::{ErrorKind, SourceError, State, Status};
pub use store::{MemoryStore, Store, StoreError};
pub use stream_policy::StreamPolicy;
pub use streaming::{StreamInput, StreamMachine, StreamOutput, StreamingSource};
