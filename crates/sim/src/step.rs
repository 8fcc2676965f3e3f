//! One step: an input goes in, a response comes out, and records show both. Every player of a policy takes this step.

use core::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Policy, Rung};

mod client;
mod stream;

pub use client::{Action, Client, Occurrence, Setup};
pub use stream::At;

/// An input of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its time on the client's clock, never before that of the previous input.
    pub at: Instant,
    /// Its content.
    pub given: Given,
}

/// The content of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A connection was made.
    Connected,
    /// An operation succeeded.
    Success,
    /// An operation failed.
    Failure {
        /// The failure.
        failure: Failure,
        /// Its draw, uniform over all of `u64`.
        draw: u64,
    },
    /// Nothing: its delay and its rung are read.
    Read,
}

impl Input {
    /// Whether it is a failure.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self.given, Given::Failure { .. })
    }

    /// The draw of a failure.
    #[must_use]
    pub const fn draw(&self) -> Option<u64> {
        match self.given {
            Given::Failure { draw, .. } => Some(draw),
            _ => None,
        }
    }

    /// The same with another draw, if it has one.
    #[must_use]
    pub const fn with_draw(mut self, other: u64) -> Self {
        if let Given::Failure { draw, .. } = &mut self.given {
            *draw = other;
        }
        self
    }
}

/// The response of a policy to an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Its decision, after a failure.
    pub decision: Option<Decision>,
    /// Its stored delay.
    pub delay: Duration,
    /// Its rung, if it explains itself.
    pub rung: Option<Rung>,
}

impl Response {
    /// The wait that follows; `None` if it gave up.
    #[inline]
    #[must_use]
    pub const fn wait(&self) -> Option<Duration> {
        match self.decision {
            Some(decision) => decision.delay(),
            None => Some(self.delay),
        }
    }

    /// Why it gave up, if it did.
    #[inline]
    #[must_use]
    pub const fn gave_up(&self) -> Option<GiveUp> {
        match self.decision {
            Some(Decision::GiveUp(why)) => Some(why),
            _ => None,
        }
    }

    /// Whether the decided wait is not the stored delay.
    #[inline]
    fn is_double(&self) -> bool {
        matches!(self.decision, Some(Decision::RetryAfter(decided)) if decided != self.delay)
    }
}

/// A policy, and the one way to give it an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Responder<P> {
    policy: P,
    /// The draw of its last failure, by which it explains itself.
    draw: u64,
    /// The first decided wait that was not the stored delay, with that delay.
    two_answers: Option<(Duration, Duration)>,
}

impl<P: Policy> Responder<P> {
    /// A policy as it stands.
    #[must_use]
    pub const fn new(policy: P) -> Self {
        Self { policy, draw: 0, two_answers: None }
    }

    /// The policy as it stands.
    #[inline]
    #[must_use]
    pub const fn policy(&self) -> &P {
        &self.policy
    }

    /// The policy, for calls that are no inputs.
    pub const fn policy_mut(&mut self) -> &mut P {
        &mut self.policy
    }

    /// The policy as it was left.
    #[must_use]
    pub fn into_policy(self) -> P {
        self.policy
    }

    /// Gives the policy an input, and reads its delay and its rung.
    #[inline]
    pub fn respond(&mut self, input: Input) -> Response {
        let decision = self.give(input);
        let response = Response { decision, delay: self.policy.next_delay(), rung: self.policy.explain(self.draw) };
        if response.is_double() && self.two_answers.is_none() {
            self.two_answers = response.wait().map(|decided| (decided, response.delay));
        }
        response
    }

    /// Gives the policy an input, and reads nothing: for a policy whose delay takes long to compute.
    #[inline]
    pub fn give(&mut self, input: Input) -> Option<Decision> {
        match input.given {
            Given::Connected => {
                self.policy.record_connected(input.at);
                None
            }
            Given::Success => {
                self.policy.record_success(input.at);
                None
            }
            Given::Failure { failure, draw } => {
                self.draw = draw;
                Some(self.policy.record_failure(failure, input.at, draw))
            }
            Given::Read => None,
        }
    }
}

/// The responses of a policy to all of these inputs, in their order.
pub fn respond(policy: &mut impl Policy, inputs: &[Input]) -> Vec<Response> {
    let mut responder = Responder::new(policy);
    let each = |&input: &Input| {
        let decision = responder.give(input);
        let Responder { policy, draw, .. } = &responder;
        Response { decision, delay: policy.next_delay(), rung: policy.explain(*draw) }
    };
    inputs.iter().map(each).collect()
}
