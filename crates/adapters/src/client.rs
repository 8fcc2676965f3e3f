//! A policy made of a library: calls, one after the other, each with its own session.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Policy};

/// The waits of one call, as a library returns them.
pub trait CallWaits {
    /// Records the first failure of a call, at `now`, with this draw. A library that counts from the start of a call
    /// counts from here. A library that is seeded for each call takes the draw as its seed.
    fn begin(&mut self, now: Instant, draw: u64);

    /// The wait after one more transient failure of the call, or the reason to give up. `retry_after` is the server's
    /// wait, which a library may honour.
    ///
    /// # Errors
    ///
    /// The reason, at a limit of the library.
    fn next_wait(&mut self, retry_after: Option<Duration>, now: Instant) -> Result<Duration, GiveUp>;
}

/// A client that makes calls, one after the other, and retries each with the waits of a [`CallWaits`].
///
/// A success ends the call, and so does a terminal failure ([`FailureKind::Unexpected`]), with [`GiveUp::Terminal`]: in
/// every library here, the caller decides which failures to retry. The next call follows at once with a new session,
/// also after an abandoned call.
#[derive(Debug)]
pub struct Client<S> {
    session: S,
    in_call: bool,
    next_delay: Duration,
}

impl<S> Client<S> {
    /// A client before its first call.
    #[must_use]
    pub const fn new(session: S) -> Self {
        Self { session, in_call: false, next_delay: Duration::ZERO }
    }

    fn end_call(&mut self) {
        self.in_call = false;
        self.next_delay = Duration::ZERO;
    }
}

impl<S: CallWaits> Policy for Client<S> {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let wait = match failure.kind {
            FailureKind::Unexpected => Err(GiveUp::Terminal),
            FailureKind::Normal => {
                if !self.in_call {
                    self.in_call = true;
                    self.session.begin(now, draw);
                }
                self.session.next_wait(failure.retry_after, now)
            }
        };
        match wait {
            Ok(wait) => {
                self.next_delay = wait;
                Decision::RetryAfter(wait)
            }
            Err(why) => {
                self.end_call();
                Decision::GiveUp(why)
            }
        }
    }

    fn record_success(&mut self, _: Instant) {
        self.end_call();
    }

    fn record_abandoned(&mut self) {
        self.end_call();
    }

    fn next_delay(&self) -> Duration {
        self.next_delay
    }
}
