//! Conversion into a policy: of a policy, or of rules.

use crate::call::{Call, CallRules, CallRulesError};
use crate::calls::{Constant, Exponential, Fibonacci, Linear};
use crate::policy::Policy;
use crate::reset::ResetRule;
use crate::retry::Retry;
use crate::rules::RetryRules;

/// Anything that becomes a policy for one client: rules, a builder of rules, or a policy itself. A borrowed policy
/// (`&mut policy`) keeps its state.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Exponential, IntoPolicy, Policy, RetryRules};
///
/// let second = Duration::from_secs(1);
/// let mut call = Exponential::new(second, 30 * second).into_policy()?;
/// let mut stream = RetryRules::streaming(second).into_policy()?;
/// assert_eq!((call.next_delay(), stream.next_delay()), (Duration::ZERO, Duration::ZERO));
///
/// assert!(Exponential::new(second, second).attempts(0).into_policy().is_err());
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
pub trait IntoPolicy {
    /// The policy.
    type Policy: Policy;

    /// Makes the policy, before its first outcome.
    ///
    /// # Errors
    ///
    /// If the rules allow no attempt.
    fn into_policy(self) -> Result<Self::Policy, CallRulesError>;
}

impl<P: Policy> IntoPolicy for P {
    type Policy = P;

    fn into_policy(self) -> Result<P, CallRulesError> {
        Ok(self)
    }
}

impl IntoPolicy for CallRules {
    type Policy = Call;

    fn into_policy(self) -> Result<Call, CallRulesError> {
        Ok(Call::new(self))
    }
}

impl<R: ResetRule> IntoPolicy for RetryRules<R> {
    type Policy = Retry<R>;

    fn into_policy(self) -> Result<Retry<R>, CallRulesError> {
        Ok(Retry::new(self))
    }
}

macro_rules! calls {
    ($($builder:ident)*) => {$(
        impl IntoPolicy for $builder {
            type Policy = Call;

            fn into_policy(self) -> Result<Call, CallRulesError> {
                self.rules().map(Call::new)
            }
        }
    )*};
}

calls!(Exponential Constant Linear Fibonacci);
