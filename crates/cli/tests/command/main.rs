//! The real command, run like a user's: status, output and errors, reviewed as snapshots in `snapshots/cli/`.

mod check;
mod claims;
mod classify;
mod conform;
mod corpus;
mod diff;
mod help;
mod ladder;
mod lint;
mod page;
mod probe;
mod protocol;
mod run;
mod saved;
mod session;
mod source;
