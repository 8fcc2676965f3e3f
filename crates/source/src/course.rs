//! The course of a source, which both machines share: idle, then one attempt or one wait at a time, then stopped.

use core::fmt::Display;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Instant};

use crate::apply::Rejected;
use crate::cause::Cause;
use crate::log::{Detail, LogMessage};
use crate::options::SourceOptions;
use crate::outcome::{Recorded, StatusUpdate};
use crate::outputs::Outputs;
use crate::status::{ErrorKind, SourceError, State};

/// The state that the machines share. `S` is the progress of an attempt, which is a connection or a poll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Course<S> {
    pub(crate) options: SourceOptions,
    pub(crate) phase: Phase<S>,
    /// The number of the last attempt.
    pub(crate) attempt: u64,
    /// The warning of the policy's constructor, logged at the start.
    warning: Option<ConfigWarning>,
    initialized: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase<S> {
    Idle,
    Attempt(S),
    Waiting { until: Instant },
    Stopped,
}

impl<S: Copy + PartialEq> Course<S> {
    pub(crate) const fn new(warning: Option<ConfigWarning>, options: SourceOptions) -> Self {
        Self { options, phase: Phase::Idle, attempt: 0, warning, initialized: false }
    }

    /// The user starts the source. Returns whether its first attempt begins.
    pub(crate) fn start<G>(&mut self, starting: LogMessage, first: S, out: &mut impl Outputs<G>) -> bool {
        match self.phase {
            Phase::Idle => {
                self.warn(out);
                self.log(starting, None, out);
                self.begin(first, out);
                true
            }
            Phase::Attempt(_) | Phase::Waiting { .. } => {
                self.log(LogMessage::AlreadyStarted, None, out);
                false
            }
            Phase::Stopped => false,
        }
    }

    /// The user starts a source whose address cannot be used.
    pub(crate) fn refuse<G>(&mut self, error: &impl Display, out: &mut impl Outputs<G>) {
        if self.phase != Phase::Idle {
            return;
        }
        self.warn(out);
        self.log(LogMessage::UnusableAddress, Some(Detail::Text(error.to_string())), out);
        self.end(out);
    }

    /// The wait is over. Returns whether there was one, after which the next attempt begins.
    #[inline]
    pub(crate) fn timer<G>(&mut self, first: S, out: &mut impl Outputs<G>) -> bool {
        let waited = matches!(self.phase, Phase::Waiting { .. });
        if waited {
            self.begin(first, out);
        }
        waited
    }

    /// Whether this attempt is under way, and at this step.
    #[inline]
    pub(crate) fn is_at(&self, attempt: u64, step: S) -> bool {
        self.phase == Phase::Attempt(step) && self.attempt == attempt
    }

    /// There is data.
    #[inline]
    pub(crate) fn initialize<G>(&mut self, out: &mut impl Outputs<G>) {
        if !self.initialized {
            self.initialized = true;
            out.ready();
            self.log(LogMessage::Initialized, None, out);
        }
    }

    /// Data was rejected. Returns the kind of the error and its text.
    pub(crate) fn reject<G>(&self, rejected: Rejected, out: &mut impl Outputs<G>) -> (ErrorKind, String) {
        match rejected {
            Rejected::NotJson(detail) => (ErrorKind::InvalidData, detail),
            Rejected::WrongShape(detail) => (ErrorKind::Unknown, detail),
            Rejected::Store(detail) => {
                self.report(State::Interrupted, Some(SourceError::new(ErrorKind::StoreError)), out);
                (ErrorKind::Unknown, detail)
            }
        }
    }

    /// The attempt failed. `decision` is the policy's; the row is the line of the log and the error of the status.
    #[inline]
    pub(crate) fn fail<G: Copy>(
        &mut self,
        cause: Cause,
        decision: Result<Duration, G>,
        row: (LogMessage, SourceError),
        detail: Option<Detail>,
        now: Instant,
        out: &mut impl Outputs<G>,
    ) {
        let (message, error) = row;
        out.recorded(Recorded::Failure { cause, kind: cause.kind(), decision });
        self.log(message, detail, out);
        self.report(State::Interrupted, Some(error), out);
        match decision {
            Ok(delay) => self.wait(now + delay, out),
            Err(_) => {
                self.phase = Phase::Stopped;
                out.stopped();
            }
        }
    }

    // No `RepeatingTask` does this waiting: one has a single wait for good calls and bad, while a cadence without debt is for
    // good polls only; it never gives up; and it leaves a call that runs when it is stopped to finish, where an attempt is
    // dropped. What would be left to share, the state, is needed here anyway, for the steps of a poll.
    #[inline]
    pub(crate) fn wait<G>(&mut self, until: Instant, out: &mut impl Outputs<G>) {
        self.phase = Phase::Waiting { until };
        out.wait(until);
    }

    /// The user stops the source.
    pub(crate) fn stop<G>(&mut self, out: &mut impl Outputs<G>) {
        if self.phase == Phase::Stopped {
            return;
        }
        self.log(LogMessage::Stopping, None, out);
        if matches!(self.phase, Phase::Attempt(_)) {
            out.drop_attempt(self.attempt);
        }
        self.end(out);
    }

    #[inline]
    pub(crate) fn report<G>(&self, state: State, error: Option<SourceError>, out: &mut impl Outputs<G>) {
        out.status(StatusUpdate { state, error });
    }

    #[inline]
    pub(crate) fn log<G>(&self, message: LogMessage, detail: Option<Detail>, out: &mut impl Outputs<G>) {
        let level = self.options.level(&message);
        out.log(level, message, detail);
    }

    #[inline]
    fn begin<G>(&mut self, first: S, out: &mut impl Outputs<G>) {
        self.phase = Phase::Attempt(first);
        self.attempt += 1;
        out.attempt(self.attempt);
    }

    fn warn<G>(&self, out: &mut impl Outputs<G>) {
        if let Some(warning) = self.warning {
            self.log(LogMessage::Configuration(warning), None, out);
        }
    }

    fn end<G>(&mut self, out: &mut impl Outputs<G>) {
        self.phase = Phase::Stopped;
        self.report(State::Off, None, out);
        out.stopped();
    }
}
