//! A policy in another process, written in any language, as a [`Policy`](retrylab_core::Policy) here.
//!
//! Reading map:
//!
//! * [`mod@protocol`]: what the two say to each other, with a complete subject in Python and one in JavaScript.
//! * [`Subject`]: the process. It is started once; [`Subject::policy`] has it build a policy, again and again.
//! * [`ExecPolicy`]: the handle that is asked and told. One at a time: a new one replaces the one before.
//! * [`Construction`]: which policy is built, from a [`ClientKind`](retrylab_scenario::ClientKind) or by its own words.
//! * [`Built`] and [`Told`]: its answers, each read from a line.
//! * [`Fault`]: what the process did wrong, with the request that it did it at. [`StartError`]: why there is no process.
//!
//! ```no_run
//! use std::time::Duration;
//! use retrylab_core::{FailureKind, Instant, Policy};
//! use retrylab_exec::{Construction, Program, Subject};
//! use retrylab_scenario::ClientKind;
//!
//! let program: Program = "python3 my_policy.py".parse()?;
//! let subject = Subject::start(program, Duration::from_secs(5))?;
//! let streaming = Construction::of(&ClientKind::Streaming { initial_reconnect_delay: None })?;
//! let mut policy = subject.policy(&streaming, 7)?;
//! policy.record_failure(FailureKind::Normal.into(), Instant::ZERO, 0);
//! println!("waits {:?}", policy.next_delay());
//! if let Some(fault) = subject.fault() {
//!     println!("{fault}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod construction;
mod fault;
mod group;
mod pipe;
mod policy;
mod process;
mod program;
#[doc = include_str!("../PROTOCOL.md")]
pub mod protocol {}
mod request;
mod said;
mod subject;

pub use answer::{Built, Told};
pub use construction::{Bounded, Construction, NotExpressible};
pub use fault::{Begun, Fault, Request, StartError, Wrong};
pub use policy::{Draws, ExecPolicy};
pub use program::{NoProgram, Program};
pub use subject::Subject;
