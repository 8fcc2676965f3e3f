//! The bug corpus as trials: questions that any policy can be asked, each about a bug that shipped policies really had.
//!
//! * [`Trial`] and [`TRIALS`]: a question, and how it is put. Its kind is a folder of `sims/bugs/`, where the reports are.
//! * [`Maker`]: what is asked. It makes fresh clients' policies from a setting that all have in common ([`Asked`]).
//! * [`built_in`] and [`specimen`]: makers of what is here; a library or a policy of one's own is one `impl Maker` away.
//!
//! Only kinds are here that a policy alone can show. Budgets that calls share, classification, fleets against a server
//! and sources of data need more than that, and are files.
//!
//! A trial looks at waits from outside. Of a policy whose generator cannot be seeded no two runs are equal, so its exact
//! waits are judged in bands: the longest of many clients', to a tenth.
//!
//! ```
//! use retrylab_laws::corpus::{TRIALS, Verdict, built_in, specimen};
//!
//! let at_the_ceiling = TRIALS.iter().find(|trial| trial.kind == "jitter-vanishes").expect("one of them");
//! let ours = built_in("call").expect("one of them");
//! assert_eq!(at_the_ceiling.run(&ours, 7), Verdict::Passes);
//!
//! let lost = specimen("min-after-jitter").expect("one of them");
//! let Verdict::Fails { what, .. } = at_the_ceiling.run(&lost, 7) else { panic!("it has the bug") };
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
    Asked, BuiltInMaker, Climb, Configured, Maker, Odd, SERVER_MOST, SERVER_SPREAD, SpecimenMaker, Unsayable, built_in,
    specimen,
};

/// A question about a bug.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The kind of bug: a folder of `sims/bugs/`.
    pub kind: &'static str,
    /// Its own name within the kind.
    pub name: &'static str,
    /// What is asked, in a sentence to which yes is the right answer.
    pub question: &'static str,
    put: fn(&dyn Maker, u64) -> Result<(), Verdict>,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The policy does not have the bug.
    Passes,
    /// It has.
    Fails {
        /// What was seen.
        what: String,
        /// The seed with which it shows.
        seed: u64,
        /// The first client at which it shows, from 0, where that means something.
        client: Option<u64>,
    },
    /// The policy cannot be asked.
    NotApplicable {
        /// Why not.
        why: String,
    },
}

/// Every trial, those of a kind together.
pub const TRIALS: &[Trial] = &[
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

impl Trial {
    /// Puts the question to a policy, with the jitter of this seed.
    #[must_use]
    pub fn run(&self, maker: &dyn Maker, seed: u64) -> Verdict {
        match (self.put)(maker, seed) {
            Ok(()) => Verdict::Passes,
            Err(verdict) => verdict,
        }
    }
}

/// Every kind that there are trials of, in their order.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    TRIALS.chunk_by(|a, b| a.kind == b.kind).map(|trials| trials[0].kind)
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passes => f.write_str("passes"),
            Self::Fails { what, client: None, .. } => f.write_str(what),
            Self::Fails { what, client: Some(client), .. } => write!(f, "{what} (client {client})"),
            Self::NotApplicable { why } => write!(f, "does not apply: {why}"),
        }
    }
}
