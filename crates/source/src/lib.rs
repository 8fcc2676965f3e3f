//! Streaming and polling data sources as machines without a socket, a clock or a thread: told what happened and when, they
//! say what to do. Nothing the network does stops them.
//!
//! This crate never opens a socket, never spawns, never sleeps and never reads a clock.
//!
//! Reading map:
//!
//! * [`StreamingSource`] and [`PollingSource`]: the machines. [`SourceOptions`]: what a user may choose about them.
//! * [`StreamingConfig`] and [`PollingConfig`]: what a user configures, and the machine that comes of it.
//! * [`SourcePolicy`]: what they ask how long to wait; [`Hinted`] listens to the server.
//! * [`StreamShell`] and [`PollShell`]: the machines with store, status and log around them, ready for a driver.
//! * [`RepeatingTask`]: a callback, again and again, over any [`DelaySource`].
//! * [`Decode`] and [`FlagData`]: from bytes to data. [`Store`] and [`MemoryStore`]: where it goes. [`apply_message`] and
//!   [`apply_body`]: both together, which no panic of theirs gets out of.
//! * [`Status`] and [`StatusSink`]: how a source is doing, and who is told.
//! * [`LogRecord`]: the lines that a source logs, with their levels.
//! * [`Endpoint`]: where it asks. [`StartWait`]: how long a user waits for the first data.
//! * [`EventReader`]: from the bytes of an event stream to its messages.
//! * [`retry_after`]: when the server says to come back, from the header `Retry-After`.
#![forbid(unsafe_code)]

mod apply;
mod cause;
mod config;
mod data;
mod decode;
mod endpoint;
mod hinted;
mod log;
mod options;
mod outcome;
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
mod streaming;
mod turn;

pub use apply::{Applied, Rejected, apply_body, apply_message, guarded, is_initialized};
pub use cause::Cause;
pub use config::{Connection, PollingConfig, Secret, StreamPolicy, StreamingConfig};
pub use data::{Change, DataSet, Item, Kind, Message};
pub use decode::{Decode, DecodeError, FlagData};
pub use endpoint::{Endpoint, EndpointError};
pub use hinted::Hinted;
pub use log::{Level, LogMessage, LogRecord, Next, Request};
pub use options::{HttpLevel, MalformedBody, PollTiming, ServerRetry, SourceOptions, ValidAfter};
pub use outcome::{Recorded, StatusUpdate, StreamInit};
pub use policy::{MayGiveUp, SourcePolicy};
pub use polling::{Answer, Body, PollInput, PollOutput, PollingSource};
pub use repeating::{DelaySource, Every, RepeatingTask, TaskInput, TaskOutput};
pub use retry_after::{PastDate, RetryAfter};
pub use shell::{Observer, PollNeed, PollShell, StreamNeed, StreamShell, Surroundings, Wiring};
pub use sink::{ListenerId, StatusSink};
pub use sse::{EVENT_LIMIT, EventReader, EventTooLarge, Heard};
pub use start_wait::StartWait;
pub use status::{ErrorKind, SourceError, State, Status};
pub use store::{MemoryStore, Store, StoreError};
pub use streaming::{StreamInput, StreamOutput, StreamingSource};
