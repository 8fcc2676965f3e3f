//! The timeline file: what a client meets, written down.
#![forbid(unsafe_code)]

mod check;
pub mod duration;
mod error;
mod locations;
mod model;
mod parse;
mod policy;
mod print;
mod problem;
mod script;
mod source;
mod suggest;
mod timeline;

pub use error::{Located, ParseError, SHOWN};
pub use locations::{Locations, Position};
pub use model::*;
pub use parse::{File, Parsed, Part, parse, parse_bytes};
pub use policy::{BudgetSpec, CallSpec, CallSpecError, Dialect, LadderSpec, Ratio, ResetSpec};
pub use print::print;
pub use problem::Problem;
pub use script::{Cursor, Scripted};
pub use timeline::Timeline;
