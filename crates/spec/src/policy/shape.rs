//! The kind of a client's operations.

/// The kind of operation that a client repeats, which decides the possible outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Connections that stay open: `up`, `idle`.
    Streaming,
    /// Requests at an interval: `ok`, `malformed`.
    Polling,
    /// Requests one after the other, each with its own attempts: `ok`, `malformed`.
    Call,
}

impl Shape {
    /// Every shape with its name in files.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Streaming, "streaming"), (Self::Polling, "polling"), (Self::Call, "call")];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}
