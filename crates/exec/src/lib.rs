//! A policy in another process, written in any language, as a [`Policy`](retrylab_core::Policy) here.
//!
//! Reading map:
//!
//! * [`mod@protocol`]: the requests and responses, with a complete subject in Python and one in JavaScript.
//! * [`Subject`]: the process. It is started once; [`Subject::policy`] builds one policy after the other.
//! * [`ExecPolicy`]: the handle of the present policy. A new one replaces it.
//! * [`Construction`]: the policy to build, from a [`PolicySpec`](retrylab_spec::PolicySpec).
//! * [`Built`] and [`SubjectResponse`]: the responses, each parsed from a line.
//! * [`SubjectFault`]: a fault of the process, with its request. [`StartError`]: the reason why it could not be started.
//!
//! ```no_run
//! use std::time::Duration;
//! use retrylab_core::{FailureKind, Instant, Policy};
//! use retrylab_exec::{Construction, Program, Subject};
//! use retrylab_spec::PolicySpec;
//!
//! let program: Program = "python3 my_policy.py".parse()?;
//! let subject = Subject::start(program, Duration::from_secs(5))?;
//! let streaming = Construction::of(&PolicySpec::Streaming { initial_reconnect_delay: None })?;
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
mod fault;
mod group;
mod output;
mod pipe;
mod policy;
mod process;
mod program;
#[doc = include_str!("../PROTOCOL.md")]
pub mod protocol {}
mod request;
mod subject;

pub use answer::{Built, SubjectResponse};
pub use fault::{SentRequest, StartError, SubjectFault, UnfinishedResponse, Wrong};
pub use policy::ExecPolicy;
pub use program::{NoProgram, Program};
pub use retrylab_spec::wire::{Construction, NotExpressible};
pub use subject::Subject;
