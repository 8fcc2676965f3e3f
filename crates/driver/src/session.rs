//! One operation under a policy, without a loop, a clock or a wait.

use std::borrow::Cow;
use std::time::Duration;

use retrylab_core::{Classified, Classify, Decision, Failure, GiveUp, Instant, Policy};

use crate::error::RetryError;
use crate::hook::{OnRetry, Retrying};

/// The steps of any driver between two attempts: the result of an attempt goes in, the next step comes out.
///
/// The driver reads the clock, draws, waits and calls the operation. It calls [`Session::begins`] before each attempt;
/// for each failure [`Session::failed`] and, unless it was cancelled meanwhile, [`Session::announce`] before it waits;
/// at the end [`Session::succeeded`] or nothing.
///
/// A session that is dropped before the next attempt is over passes to the policy that the operation was abandoned, and
/// that the retry was cancelled if it has not begun. This covers dropped futures and panics of the operation.
#[derive(Debug)]
pub struct Session<'a, P: Policy, K, H> {
    running: Running<P>,
    classifier: &'a K,
    hook: &'a H,
    target: Option<&'a Cow<'static, str>>,
    started: Instant,
    attempts: u32,
}

/// The longest wait of a sleeper, `i64::MAX` nanoseconds in whole seconds, about 292 years: the limit of platforms. A
/// policy may decide a longer wait; only the actual wait is cut, not the stored or reported one.
pub const LONGEST_WAIT: Duration = Duration::from_secs(9_223_372_036);

/// A failed attempt that will be retried after a wait.
#[derive(Debug)]
pub struct Pending<E> {
    /// The wait, as the policy decided it; see [`LONGEST_WAIT`].
    pub delay: Duration,
    /// The failure, as the policy received it.
    pub failure: Failure,
    /// The error of the attempt.
    pub error: E,
}

impl<'a, P: Policy, K, H> Session<'a, P, K, H> {
    /// A session before the first attempt, at `now`. Errors will name `target`.
    pub const fn new(
        policy: P,
        classifier: &'a K,
        hook: &'a H,
        target: Option<&'a Cow<'static, str>>,
        now: Instant,
    ) -> Self {
        Self { running: Running::new(policy), classifier, hook, target, started: now, attempts: 0 }
    }

    /// Begins an attempt.
    pub fn begins(&mut self) {
        self.running.begins();
    }

    /// Records that the attempt succeeded at `now`.
    pub fn succeeded(mut self, now: Instant) {
        self.running.succeeded(now);
    }

    /// Records that the attempt failed at `now`; `draw` is the one draw of this failure. An unknown error is transient.
    ///
    /// # Errors
    ///
    /// If the policy gives up.
    pub fn failed<E>(&mut self, error: E, now: Instant, draw: u64) -> Result<Pending<E>, RetryError<E>>
    where
        K: Classify<E>,
    {
        self.attempts = self.attempts.saturating_add(1);
        let Classified { failure, .. } = self.classifier.classified(&error);
        match self.running.failed(failure, now, draw) {
            Decision::RetryAfter(delay) => Ok(Pending { delay, failure, error }),
            Decision::GiveUp(GiveUp::Terminal) => Err(RetryError::Terminal(error)),
            Decision::GiveUp(why) => Err(RetryError::Exhausted {
                target: self.target.cloned(),
                attempts: self.attempts,
                elapsed: now.since(self.started),
                why,
                last: error,
            }),
        }
    }

    /// Announces the wait to the hook and to `tracing`.
    pub fn announce<E>(&self, pending: &Pending<E>)
    where
        H: OnRetry<E>,
    {
        let Pending { delay, failure, ref error } = *pending;
        let attempt = self.attempts;
        tracing::warn!(target: "retrylab", attempt, ?delay, kind = %failure.kind, "attempt failed, will retry");
        self.hook.on_retry(&Retrying { attempt, delay, failure, error });
    }

    /// Ends the operation by cancellation. `last` is the error of the last attempt, if there was one.
    pub const fn cancelled<E>(&self, last: Option<E>) -> RetryError<E> {
        RetryError::Cancelled { attempts: self.attempts, last }
    }
}

/// A policy with one operation. Dropped before the operation is over, it passes that to the policy.
#[derive(Debug)]
pub(crate) struct Running<P: Policy> {
    policy: P,
    due: Due,
}

/// The input that the policy still needs if it is left now.
#[derive(Debug)]
enum Due {
    /// None: it received the result of the last attempt, and gave up or succeeded.
    Nothing,
    /// The retry after this failure is cancelled.
    Retry(Failure),
    /// The result of the running retry.
    Outcome,
}

impl<P: Policy> Running<P> {
    /// Before the first attempt.
    pub(crate) const fn new(policy: P) -> Self {
        Self { policy, due: Due::Nothing }
    }

    /// An attempt begins.
    pub(crate) fn begins(&mut self) {
        if let Due::Retry(_) = self.due {
            self.due = Due::Outcome;
        }
    }

    /// The attempt succeeded at `now`.
    pub(crate) fn succeeded(&mut self, now: Instant) {
        self.due = Due::Nothing;
        self.policy.record_success(now);
    }

    /// The attempt failed at `now`, with this draw.
    pub(crate) fn failed(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let decision = self.policy.record_failure(failure, now, draw);
        self.due = if decision.delay().is_some() { Due::Retry(failure) } else { Due::Nothing };
        decision
    }
}

impl<P: Policy> Drop for Running<P> {
    fn drop(&mut self) {
        match self.due {
            Due::Nothing => return,
            Due::Retry(failure) => self.policy.record_cancelled_retry(failure),
            Due::Outcome => {}
        }
        self.policy.record_abandoned();
    }
}
