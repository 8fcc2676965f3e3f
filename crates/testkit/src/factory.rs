//! The function that makes the policy under test.

use core::time::Duration;
use std::rc::Rc;

use retrylab_adapters::{CallWaits, Client};
use retrylab_core::{GiveUp, Instant, IntoPolicy, Policy};
use retrylab_laws::Claim;
use retrylab_spec::Shape;

/// A function that makes the subject of a test, a fresh one for each run: a policy, rules that become one ([`IntoPolicy`]),
/// or an iterator of waits. `M` is the sort of subject, which the compiler infers.
///
/// An iterator is a call with these waits, and may claim to be one. Each call has an iterator of its own, and gives up at
/// its end. A terminal failure ends the call at once, and a server's `retry_after` has no effect.
///
/// ```
/// use std::time::Duration;
/// use retrylab_core::Exponential;
/// use retrylab_testkit::check;
///
/// let rules = Exponential::new(Duration::from_secs(1), Duration::from_secs(16)).attempts(6);
/// check(|| rules).claims(rules).run();
///
/// let waits = || (0..5).map(|retry| Duration::from_secs(1 << retry));
/// check(waits).claims(rules.without_jitter()).run();
/// ```
pub trait Factory<M> {
    /// The policy of the subject.
    type Policy: Policy;

    /// Converts the function into one that makes policies.
    fn into_policies(self) -> impl Fn() -> Self::Policy;

    /// The claim of the subject, unless a test has another.
    fn claim() -> Claim;

    /// Whether its jitter may come from draws of its own, and its reason to give up is unknown.
    const OPAQUE: bool;
}

/// Marks a [`Factory`] of policies.
#[derive(Clone, Copy, Debug)]
pub enum OfPolicies {}

/// Marks a [`Factory`] of iterators.
#[derive(Clone, Copy, Debug)]
pub enum OfWaits {}

impl<P: IntoPolicy, F: Fn() -> P> Factory<OfPolicies> for F {
    type Policy = P::Policy;

    #[expect(clippy::panic, reason = "this is how a test fails")]
    fn into_policies(self) -> impl Fn() -> P::Policy {
        move || match self().into_policy() {
            Ok(policy) => policy,
            Err(refused) => panic!("{refused}"),
        }
    }

    fn claim() -> Claim {
        Claim::anything(Shape::Call)
    }

    const OPAQUE: bool = false;
}

impl<I: Iterator<Item = Duration>, F: Fn() -> I> Factory<OfWaits> for F {
    type Policy = Client<Each<F, I>>;

    fn into_policies(self) -> impl Fn() -> Self::Policy {
        let make = Rc::new(self);
        move || Client::new(Each { make: Rc::clone(&make), waits: None })
    }

    fn claim() -> Claim {
        Claim::ladder()
    }

    const OPAQUE: bool = true;
}

/// The waits of one call after the other, from a function that clients share.
#[derive(Debug)]
pub struct Each<F, I> {
    make: Rc<F>,
    waits: Option<I>,
}

impl<F: Fn() -> I, I: Iterator<Item = Duration>> CallWaits for Each<F, I> {
    fn begin(&mut self, _: Instant, _: u64) {
        self.waits = Some((self.make)());
    }

    fn next_wait(&mut self, _: Option<Duration>, _: Instant) -> Result<Duration, GiveUp> {
        self.waits.as_mut().and_then(Iterator::next).ok_or(GiveUp::Attempts)
    }
}
