//! A layer that retries, for every client that is a tower service: tonic, hyper, reqwest. It is a policy for
//! [`tower::retry::Retry`], too.
//!
//! ```
//! use std::time::Duration;
//! use retrylab_core::{Classified, Exponential};
//! use retrylab_driver::tower::TowerRetry;
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules = Exponential::new(Duration::from_millis(200), Duration::from_secs(10)).attempts(5);
//! // A response may be a failure, too: by its status, here.
//! let retry = TowerRetry::new(rules)?
//!     .responses(|status: &u16| (*status >= 400).then(|| Classified::for_call_status((*status).into())));
//!
//! let mut statuses = [503, 503, 200].into_iter();
//! let server = service_fn(move |_: &'static str| std::future::ready(statuses.next().ok_or("no response")));
//! let client = ServiceBuilder::new().layer(retry).service(server);
//! assert_eq!(client.oneshot("GET /").await?, 200);
//! # Ok(())
//! # }
//! ```

use std::fmt;

use retrylab_core::{
    AllTransient, Budget, CallRulesError, Classified, Classify, Decision, IntoPolicy, Limited, Unlimited,
};
use tokio::time::Sleep;
use tower::Layer;
use tower::retry::Retry;

use crate::clock::Clock;
use crate::entropy::{Entropy, SystemEntropy};
use crate::session::{LONGEST_WAIT, Running};
use crate::tokio::TokioClock;

/// Retries the requests of a tower service by rules of retrylab, on tokio's time. Each request is an operation of its own.
///
/// Every error of the service is worth another attempt, and no response is a failure, unless
/// [`errors`](TowerRetry::errors) and [`responses`](TowerRetry::responses) say otherwise. An error that a classifier does not
/// know is transient, as everywhere ([`Classify`]). A request that is dropped while it waits gives its price back.
///
/// As a [`Layer`] it wraps a service in tower's [`Retry`](tower::retry::Retry), which `ServiceBuilder::layer` and the
/// `layer` of a client take; as a [`Policy`](tower::retry::Policy) it goes into `ServiceBuilder::retry`.
pub struct TowerRetry<
    R: IntoPolicy,
    B: Budget = Unlimited,
    K = AllTransient,
    O = AllSuccess,
    Q = ByClone,
    N = SystemEntropy,
> {
    rules: R,
    budget: B,
    errors: K,
    responses: O,
    requests: Q,
    entropy: N,
    /// The present request, from its first failure on.
    request: Option<Running<Limited<R::Policy, B>>>,
}

/// No response is a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllSuccess;

impl<T: ?Sized> Classify<T> for AllSuccess {
    fn classify(&self, _: &T) -> Option<Classified> {
        None
    }
}

/// How a request is copied for its next attempt. A closure from `&Req` to an `Option<Req>` copies; `None` sends a request
/// once only.
///
/// tower does not pass the result of an attempt without a copy to its policy. If a copier refuses a retry that it has
/// copied before, the budget does not receive the success of that last attempt.
pub trait CopyRequest<Req> {
    /// The copy.
    fn copy(&self, request: &Req) -> Option<Req>;
}

/// Copies a request by [`Clone`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByClone;

impl<Req: Clone> CopyRequest<Req> for ByClone {
    fn copy(&self, request: &Req) -> Option<Req> {
        Some(request.clone())
    }
}

impl<Req, F: Fn(&Req) -> Option<Req>> CopyRequest<Req> for F {
    fn copy(&self, request: &Req) -> Option<Req> {
        self(request)
    }
}

impl<R: IntoPolicy + Clone> TowerRetry<R> {
    /// Retries by these rules.
    ///
    /// # Errors
    ///
    /// If they allow no attempt.
    pub fn new(rules: R) -> Result<Self, CallRulesError> {
        rules.clone().into_policy()?;
        Ok(Self {
            rules,
            budget: Unlimited,
            errors: AllTransient,
            responses: AllSuccess,
            requests: ByClone,
            entropy: SystemEntropy,
            request: None,
        })
    }
}

impl<R: IntoPolicy, B: Budget, K, O, Q, N> TowerRetry<R, B, K, O, Q, N> {
    /// The budget that has to pay for each retry, shared by all requests: an `Arc` or a `&'static` of one.
    pub fn budget<T: Budget + Clone>(self, budget: T) -> TowerRetry<R, T, K, O, Q, N> {
        let Self { rules, errors, responses, requests, entropy, .. } = self;
        TowerRetry { rules, budget, errors, responses, requests, entropy, request: None }
    }

    /// The classifier of the service's errors.
    pub fn errors<T>(self, errors: T) -> TowerRetry<R, B, T, O, Q, N> {
        let Self { rules, budget, responses, requests, entropy, .. } = self;
        TowerRetry { rules, budget, errors, responses, requests, entropy, request: None }
    }

    /// The classifier of the service's responses. One that it does not know is a success.
    pub fn responses<T>(self, responses: T) -> TowerRetry<R, B, K, T, Q, N> {
        let Self { rules, budget, errors, requests, entropy, .. } = self;
        TowerRetry { rules, budget, errors, responses, requests, entropy, request: None }
    }

    /// How requests are copied, where they are not [`Clone`] or some are sent once only.
    pub fn requests<T>(self, requests: T) -> TowerRetry<R, B, K, O, T, N> {
        let Self { rules, budget, errors, responses, entropy, .. } = self;
        TowerRetry { rules, budget, errors, responses, requests, entropy, request: None }
    }

    /// Another source of draws, for a test.
    pub fn entropy<T: Entropy>(self, entropy: T) -> TowerRetry<R, B, K, O, Q, T> {
        let Self { rules, budget, errors, responses, requests, .. } = self;
        TowerRetry { rules, budget, errors, responses, requests, entropy, request: None }
    }
}

/// A copy serves another request: tower makes one for each.
impl<R, B, K, O, Q, N> Clone for TowerRetry<R, B, K, O, Q, N>
where
    R: IntoPolicy + Clone,
    B: Budget + Clone,
    K: Clone,
    O: Clone,
    Q: Clone,
    N: Clone,
{
    fn clone(&self) -> Self {
        Self {
            rules: self.rules.clone(),
            budget: self.budget.clone(),
            errors: self.errors.clone(),
            responses: self.responses.clone(),
            requests: self.requests.clone(),
            entropy: self.entropy.clone(),
            request: None,
        }
    }
}

impl<R, B, K, O, Q, N, S> Layer<S> for TowerRetry<R, B, K, O, Q, N>
where
    Self: Clone,
    R: IntoPolicy,
    B: Budget,
{
    type Service = Retry<Self, S>;

    fn layer(&self, service: S) -> Retry<Self, S> {
        Retry::new(self.clone(), service)
    }
}

impl<R, B, K, O, Q, N, Req, Res, E> tower::retry::Policy<Req, Res, E> for TowerRetry<R, B, K, O, Q, N>
where
    R: IntoPolicy + Clone,
    B: Budget + Clone,
    K: Classify<E>,
    O: Classify<Res>,
    Q: CopyRequest<Req>,
    N: Entropy,
{
    type Future = Sleep;

    #[expect(clippy::disallowed_methods, reason = "the wait that tower waits")]
    fn retry(&mut self, _: &mut Req, result: &mut Result<Res, E>) -> Option<Sleep> {
        let failed = match result {
            Ok(response) => self.responses.classify(response),
            Err(error) => Some(self.errors.classified(error)),
        };
        let now = TokioClock.now();
        let Some(Classified { failure, .. }) = failed else {
            // Without a failure before it there is nothing that the rules remember, but a budget counts it.
            if let Some(mut request) = self.begun() {
                request.succeeded(now);
            }
            return None;
        };
        let mut request = self.begun()?;
        match request.failed(failure, now, self.entropy.draw()) {
            Decision::RetryAfter(delay) => {
                tracing::warn!(target: "retrylab", ?delay, kind = %failure.kind, "attempt failed, will retry");
                self.request = Some(request);
                Some(tokio::time::sleep(delay.min(LONGEST_WAIT)))
            }
            Decision::GiveUp(_) => None,
        }
    }

    fn clone_request(&mut self, request: &Req) -> Option<Req> {
        // tower copies the request for the attempt after the next, just before the next begins.
        if let Some(running) = &mut self.request {
            running.begins();
        }
        self.requests.copy(request)
    }
}

impl<R: IntoPolicy + Clone, B: Budget + Clone, K, O, Q, N> TowerRetry<R, B, K, O, Q, N> {
    /// The present request, with what its policy remembers; `None` if the rules allow no attempt, which none here do.
    fn begun(&mut self) -> Option<Running<Limited<R::Policy, B>>> {
        if let Some(request) = self.request.take() {
            return Some(request);
        }
        let policy = self.rules.clone().into_policy().ok()?;
        Some(Running::new(Limited::new(policy).budget(self.budget.clone())))
    }
}

impl<R, B, K, O, Q, N> fmt::Debug for TowerRetry<R, B, K, O, Q, N>
where
    R: IntoPolicy + fmt::Debug,
    B: Budget + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, budget, .. } = self;
        f.debug_struct("TowerRetry").field("rules", rules).field("budget", budget).finish_non_exhaustive()
    }
}
