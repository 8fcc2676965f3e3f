//! What makes a policy of a library: calls, one after the other, each with a session of its own.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Policy};

/// The waits of one call after the other, as a library hands them out.
pub trait Session {
    /// A call has had its first failure, at `now`, and with this draw. What a library counts from the start of a call,
    /// it counts from here. A library that is seeded anew for each call takes the draw as its seed.
    fn begin(&mut self, now: Instant, draw: u64);

    /// The wait after one more transient failure of the call, or why there is no further attempt. `retry_after` is what
    /// the server asked for, which a library may have a way to honour.
    ///
    /// # Errors
    ///
    /// The reason, once a limit of the library is reached.
    fn next_wait(&mut self, retry_after: Option<Duration>, now: Instant) -> Result<Duration, GiveUp>;
}

/// A client that makes calls, one after the other, and retries each as a [`Session`] says.
///
/// A success ends the call, and so does a failure that is terminal ([`FailureKind::Unexpected`]), with
/// [`GiveUp::Terminal`]: every library here leaves it to its caller to say which failures are worth another attempt.
/// The next call follows at once and begins a new session. So it does after a call that nobody waits for any more.
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

impl<S: Session> Policy for Client<S> {
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
