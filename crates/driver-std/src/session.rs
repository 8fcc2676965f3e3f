//! One operation under a policy, without a loop, a clock or a wait.

use std::borrow::Cow;
use std::time::Duration;

use retrylab_core::{Classified, Classify, Decision, Failure, GiveUp, Instant, Policy};

use crate::error::RetryError;
use crate::hook::{OnRetry, Retrying};

/// What a driver of any runtime does between two attempts: it is told how each attempt ended, and says what comes next.
///
/// The driver reads the clock, draws, waits and calls the operation. It calls [`Session::begins`] before each attempt; for
/// each failure [`Session::failed`], and, unless it was cancelled meanwhile, [`Session::announce`] before it waits; at the
/// end [`Session::succeeded`] or nothing.
///
/// A session that is dropped after a failure that is to be retried tells the policy that the operation was abandoned,
/// and that its retry is not made if it has not begun. So it is with a future that is dropped, and with an operation that
/// panics.
#[derive(Debug)]
pub struct Session<'a, P: Policy, K, H> {
    policy: P,
    due: Due,
    classifier: &'a K,
    hook: &'a H,
    target: Option<&'a Cow<'static, str>>,
    started: Instant,
    attempts: u32,
}

/// What a policy that is left now does not know yet.
#[derive(Debug)]
enum Due {
    /// Nothing: it knows how the last attempt ended, and decided that it was the last.
    Nothing,
    /// That the retry after this failure is not made.
    Retry(Failure),
    /// How a retry ended.
    Outcome,
}

/// A failed attempt that will be followed by another, after a wait.
#[derive(Debug)]
pub struct Pending<E> {
    /// How long to wait, as the policy has it; see [`LONGEST_WAIT`](crate::LONGEST_WAIT).
    pub delay: Duration,
    /// What the policy was told.
    pub failure: Failure,
    /// Why the attempt failed.
    pub error: E,
}

impl<'a, P: Policy, K, H> Session<'a, P, K, H> {
    /// Before the first attempt, at `now`. Errors will name `target`.
    pub const fn new(
        policy: P,
        classifier: &'a K,
        hook: &'a H,
        target: Option<&'a Cow<'static, str>>,
        now: Instant,
    ) -> Self {
        Self { policy, classifier, hook, target, started: now, attempts: 0, due: Due::Nothing }
    }

    /// An attempt begins.
    pub fn begins(&mut self) {
        if let Due::Retry(_) = self.due {
            self.due = Due::Outcome;
        }
    }

    /// The attempt succeeded at `now`.
    pub fn succeeded(mut self, now: Instant) {
        self.due = Due::Nothing;
        self.policy.record_success(now);
    }

    /// The attempt failed at `now`; `draw` is the one draw of this failure. What the classifier does
    /// not know counts as terminal.
    ///
    /// # Errors
    ///
    /// If the policy gives up.
    pub fn failed<E>(&mut self, error: E, now: Instant, draw: u64) -> Result<Pending<E>, RetryError<E>>
    where
        K: Classify<E>,
    {
        self.attempts = self.attempts.saturating_add(1);
        let Classified { failure, .. } = self.classifier.classify(&error).unwrap_or(Classified::terminal());
        let decision = self.policy.record_failure(failure, now, draw);
        self.due = if decision.delay().is_some() { Due::Retry(failure) } else { Due::Nothing };
        match decision {
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

    /// Tells the hook, and `tracing`, that the wait begins.
    pub fn announce<E>(&self, pending: &Pending<E>)
    where
        H: OnRetry<E>,
    {
        let Pending { delay, failure, ref error } = *pending;
        let attempt = self.attempts;
        tracing::warn!(target: "retrylab", attempt, ?delay, kind = %failure.kind, "attempt failed, will retry");
        self.hook.on_retry(&Retrying { attempt, delay, failure, error });
    }

    /// No further attempt begins, although the policy allows one. `last` is why the last attempt failed, if there was one.
    pub const fn cancelled<E>(&self, last: Option<E>) -> RetryError<E> {
        RetryError::Cancelled { attempts: self.attempts, last }
    }
}

impl<P: Policy, K, H> Drop for Session<'_, P, K, H> {
    fn drop(&mut self) {
        match self.due {
            Due::Nothing => return,
            Due::Retry(failure) => self.policy.record_unmade(failure),
            Due::Outcome => {}
        }
        self.policy.record_abandoned();
    }
}
