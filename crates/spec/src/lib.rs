//! The timeline file: what a client meets, written down, and what has to hold.
//!
//! Reading map:
//!
//! * [`parse()`] reads a file into a [`Timeline`], or says with lines and suggestions all that is wrong with it
//!   ([`ParseError`]). The page about every key is [`mod@format`].
//! * [`Draft`] is the same as plain data, for generators and shrinkers; [`Timeline::new`] checks one, under the same
//!   rules.
//! * [`Cursor`] iterates over a script, attempt by attempt.
//! * [`print()`] gives a timeline its one canonical text: `parse(print(x)) = x`.
//! * [`Locations`] gives the line of each key, to show a failed expectation with its line.
//! * [`lint`]: warnings about a valid timeline.
//! * [`named`]: the built-in policies by name.
//! * [`duration`]: durations in the form that people write.
//! * [`decimal`]: seconds in JSON.
//! * [`wire`]: policies as the subject protocol and conformance vectors carry them.
//!
//! Nothing here runs a timeline.
//!
//! ```
//! use retrylab_spec::{Cursor, File, parse};
//!
//! let text = r#"
//! why = "A server that is busy twice."
//! [client]
//! kind = "polling"
//! [[timeline]]
//! play = [{ repeat = 2, play = [{ status = 503 }] }, { ok = true }]
//! "#;
//! let parsed = parse("busy.toml", text)?;
//! let File::Played(timeline) = parsed.file else { panic!("a timeline") };
//! assert_eq!(Cursor::new(&timeline.script).count(), 3);
//! # Ok::<(), retrylab_spec::ParseError>(())
//! ```
#![forbid(unsafe_code)]

mod canonical;
mod check;
pub mod decimal;
pub mod duration;
mod error;
mod found;
#[doc = include_str!("../TIMELINE.md")]
pub mod format {}
pub mod lint;
mod locations;
mod model;
pub mod named;
mod parse;
mod policy;
mod print;
mod problem;
mod script;
mod set;
mod source;
mod stack;
pub mod suggest;
mod timeline;
pub mod wire;
pub mod words;

pub use error::{Located, ParseError, SHOWN};
pub use found::MOST_PROBLEMS;
pub use locations::{Locations, Position};
pub use model::{
    CUT_END, CallOutcome, Client, ClockChange, ClockEvent, ConnectFault, Draft, Draw, End, Entry, Expect, ExpectAt,
    FirstMessage, HeaderText, JitterChoice, Limits, MAX_NESTING, Outcome, Play, Repeated, ServerWait, Then, Window,
};
pub use parse::{File, Parsed, Part, parse, parse_bytes};
pub use policy::{
    BudgetSpec, CallSpec, CallSpecError, Dialect, LadderSpec, PolicySpec, Ratio, ResetSpec, Seconds, Shape, TwoRegimes,
};
pub use print::print;
pub use problem::Problem;
pub use script::{Cursor, Scripted};
pub use set::set;
pub use stack::{Layer, Stack};
pub use timeline::Timeline;
