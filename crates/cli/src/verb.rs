//! The verbs, one module each.

pub(crate) mod check;
pub(crate) mod classify;
pub(crate) mod conform;
pub(crate) mod corpus;
pub(crate) mod diff;
pub(crate) mod ladder;
pub(crate) mod lint;
pub(crate) mod probe;
pub(crate) mod run;
pub(crate) mod source;
