//! The verbs, one module each.

pub(crate) mod classify;
