//! `retrylab corpus`.
