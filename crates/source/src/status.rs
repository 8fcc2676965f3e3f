//! The status of a source, and which changes listeners receive.

use core::fmt;

use retrylab_core::Instant;

/// The state of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It has never had data.
    Initializing,
    /// Its data is up to date.
    Valid,
    /// Its data is out of date, and the server cannot be reached.
    Interrupted,
    /// It was stopped, or could never start. Final.
    Off,
}

impl State {
    /// The upper-case name that logs and traces use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initializing => "INITIALIZING",
            Self::Valid => "VALID",
            Self::Interrupted => "INTERRUPTED",
            Self::Off => "OFF",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// None of the others: the transport, the content type, missing data.
    Unknown,
    /// The server closed the stream.
    NetworkError,
    /// The server answered with an error status.
    ErrorResponse,
    /// The data cannot be parsed.
    InvalidData,
    /// The local store refused the data.
    StoreError,
}

impl ErrorKind {
    /// The upper-case name that logs and traces use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::NetworkError => "NETWORK_ERROR",
            Self::ErrorResponse => "ERROR_RESPONSE",
            Self::InvalidData => "INVALID_DATA",
            Self::StoreError => "STORE_ERROR",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The last error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SourceError {
    /// Its kind.
    pub kind: ErrorKind,
    /// The HTTP status of an [`ErrorKind::ErrorResponse`]; 0 for every other kind.
    pub status: u16,
}

impl SourceError {
    /// An error without a status.
    #[inline]
    #[must_use]
    pub const fn new(kind: ErrorKind) -> Self {
        Self { kind, status: 0 }
    }

    /// The server answered with `status`.
    #[inline]
    #[must_use]
    pub const fn response(status: u16) -> Self {
        Self { kind: ErrorKind::ErrorResponse, status }
    }
}

/// The form in traces: `ERROR_RESPONSE 503`, `UNKNOWN`.
impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::ErrorResponse => write!(f, "{} {}", self.kind, self.status),
            kind => write!(f, "{kind}"),
        }
    }
}

/// A source's state, when it changed, and its last error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The state.
    pub state: State,
    /// When the state last changed.
    pub since: Instant,
    /// The last error, kept after recovery.
    pub error: Option<SourceError>,
}

impl Status {
    /// The status of a source that begins at `now`.
    #[inline]
    #[must_use]
    pub const fn new(now: Instant) -> Self {
        Self { state: State::Initializing, since: now, error: None }
    }

    /// Records a report of the source. Returns whether to notify listeners.
    ///
    /// A source that was never valid stays initializing when it is interrupted. A report of the present state is
    /// notified only with an error. Without a new error the last one stays. Nothing follows [`State::Off`].
    ///
    /// ```
    /// use retrylab_core::Instant;
    /// use retrylab_source::{SourceError, State, Status};
    ///
    /// let mut status = Status::new(Instant::ZERO);
    /// assert!(status.update(State::Interrupted, Some(SourceError::response(503)), Instant::from_secs(1)));
    /// assert_eq!((status.state, status.since), (State::Initializing, Instant::ZERO));
    /// assert!(status.update(State::Valid, None, Instant::from_secs(2)));
    /// assert_eq!(status.error, Some(SourceError::response(503)));
    /// assert!(!status.update(State::Valid, None, Instant::from_secs(3)));
    /// ```
    #[inline]
    pub fn update(&mut self, state: State, error: Option<SourceError>, now: Instant) -> bool {
        if self.state == State::Off {
            return false;
        }
        let state = match (self.state, state) {
            (State::Initializing, State::Interrupted) => State::Initializing,
            (_, state) => state,
        };
        let changed = state != self.state;
        if changed {
            *self = Self { state, since: now, ..*self };
        }
        self.error = error.or(self.error);
        changed || error.is_some()
    }
}
