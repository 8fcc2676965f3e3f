//! The bug corpus: trials for any policy, each about a bug of shipped policies.
//!
//! * [`BugTrial`] and [`TRIALS`]: a question with its test. Its kind is a folder of `sims/bugs/`, with the reports.
//! * [`Maker`]: the subject of trials. It makes policies of fresh clients from a setting that all share
//!   ([`SharedSetting`]).
//! * [`built_in`] and [`fault`]: makers of the policies here; for a library or your own policy implement [`Maker`].
//!
//! Only bugs that a policy alone can show have trials. Shared budgets, classification, fleets against a server and data
//! sources need more, and are files.
//!
//! A trial observes waits from outside. A policy with an unseeded generator has no two equal runs, so its waits are
//! compared with bounds: the longest of many clients', to a tenth.
//!
//! ```
//! use retrylab_faults::corpus::{TRIALS, BugVerdict, built_in, fault};
//!
//! let at_the_ceiling = TRIALS.iter().find(|trial| trial.kind == "jitter-vanishes").expect("one of them");
//! let ours = built_in("call").expect("one of them");
//! assert_eq!(at_the_ceiling.run(&ours, 7), BugVerdict::Passes);
//!
//! let lost = fault("min-after-jitter").expect("one of them");
//! let BugVerdict::Fails { what, .. } = at_the_ceiling.run(&lost, 7) else { panic!("it has the bug") };
//! assert_eq!(what, "2000 of 2000 waits are exactly 30s");
//! ```

mod drive;
mod health;
mod jitter;
mod ladder;
mod limits;
mod maker;
mod server;

use core::fmt;

pub use self::maker::{
    BuiltInMaker, Climb, Configured, FaultMaker, Maker, Odd, SERVER_MOST, SERVER_SPREAD, SharedSetting, Unsayable,
    built_in, fault,
};

/// A trial for a bug.
#[derive(Clone, Copy, Debug)]
pub struct BugTrial {
    /// The kind of bug: a folder of `sims/bugs/`.
    pub kind: &'static str,
    /// Its own name within the kind.
    pub name: &'static str,
    /// The question, whose right answer is yes.
    pub question: &'static str,
    put: fn(&dyn Maker, u64) -> Result<(), BugVerdict>,
}

/// The result of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BugVerdict {
    /// The policy does not have the bug.
    Passes,
    /// The policy has the bug.
    Fails {
        /// The observation.
        what: String,
        /// The seed that shows it.
        seed: u64,
        /// The first client that shows it, from 0, where that has a meaning.
        client: Option<u64>,
    },
    /// The trial is not applicable to the policy.
    NotApplicable {
        /// The reason.
        why: String,
    },
}

/// Every trial, grouped by kind.
pub const TRIALS: &[BugTrial] = &[
    jitter::NEVER_ABOVE_THE_CEILING,
    jitter::SPREAD_AT_THE_CEILING,
    jitter::SPREAD_AT_THE_FIRST_RUNG,
    jitter::NEVER_NOTHING,
    jitter::CLIENTS_DIFFER,
    jitter::CALLS_DIFFER,
    ladder::HALF_A_SECOND_IS_DOUBLED,
    ladder::FRACTIONS_ARE_KEPT,
    ladder::STAYS_AT_THE_CEILING,
    ladder::ODD_NUMBERS_ARE_REFUSED,
    limits::ATTEMPTS_ARE_CALLS,
    limits::LAST_WAIT_FITS,
    limits::ATTEMPTS_TAKE_TIME,
    limits::OUTAGES_COUNT_FOR_THEMSELVES,
    limits::ELAPSED_BINDS_THE_SERVER,
    server::ATTEMPTS_BIND_THE_SERVER,
    server::BOUNDED,
    server::NEVER_BEFORE,
    server::SPREAD,
    server::FORGOTTEN,
    health::STARTS_OVER,
    health::CLOCK_ZERO,
    health::CHATTY_STREAMS,
    health::SHORT_SESSIONS,
    health::SILENT_CONNECTIONS,
    health::USED_UP,
    health::EXACTLY_THE_WINDOW,
    health::CADENCE_RESTORED,
    health::TLS_FLAPS,
];

impl BugTrial {
    /// Runs the trial on a policy, with the jitter of this seed.
    #[must_use]
    pub fn run(&self, maker: &dyn Maker, seed: u64) -> BugVerdict {
        match (self.put)(maker, seed) {
            Ok(()) => BugVerdict::Passes,
            Err(verdict) => verdict,
        }
    }
}

/// Every kind with trials, in order.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    TRIALS.chunk_by(|a, b| a.kind == b.kind).map(|trials| trials[0].kind)
}

impl fmt::Display for BugVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passes => f.write_str("passes"),
            Self::Fails { what, client: None, .. } => f.write_str(what),
            Self::Fails { what, client: Some(client), .. } => write!(f, "{what} (client {client})"),
            Self::NotApplicable { why } => write!(f, "not applicable: {why}"),
        }
    }
}
