//! The builders of calls as descriptions.

use retrylab_core::{CallOptions, Constant, Exponential, Fibonacci, Linear};

use super::{CallSpec, LadderSpec, PolicySpec, Ratio};

impl CallSpec {
    /// Calls with this ladder and these options.
    fn with(ladder: LadderSpec, options: CallOptions) -> Self {
        let CallOptions { jitter, attempts, elapsed, retry_after, .. } = options;
        let attempts = (attempts < u32::MAX).then_some(attempts);
        Self { ladder, jitter, attempts, elapsed, retry_after, ..Self::default() }
    }
}

macro_rules! described {
    ($($builder:ident: |$calls:ident| $ladder:expr;)*) => {$(
        impl From<$builder> for CallSpec {
            fn from($calls: $builder) -> Self {
                Self::with($ladder, $calls.options())
            }
        }

        impl From<$builder> for PolicySpec {
            fn from(calls: $builder) -> Self {
                CallSpec::from(calls).into()
            }
        }
    )*};
}

described! {
    Exponential: |calls| {
        let (numerator, denominator) = calls.ratio();
        LadderSpec::Exponential {
            base: calls.base(),
            ratio: Ratio { numerator, denominator },
            ceiling: calls.ceiling(),
        }
    };
    Constant: |calls| LadderSpec::Constant(calls.delay());
    Linear: |calls| LadderSpec::Linear { base: calls.base(), step: calls.step(), ceiling: calls.ceiling() };
    Fibonacci: |calls| LadderSpec::Fibonacci { base: calls.base(), ceiling: calls.ceiling() };
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use retrylab_core::{Jitter, ServerDelay};

    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn a_builder_and_its_description_give_the_same_rules() {
        let exponential = Exponential::new(2 * S, 30 * S).growing_by(3, 2).attempts(6).elapsed(90 * S);
        let exponential = exponential.retry_after(ServerDelay::clamp(S).spread(S));
        assert_eq!(CallSpec::from(exponential).rules().ok(), exponential.rules().ok());
        let constant = Constant::new(S).jitter(Jitter::SubtractHalf).attempts(u32::MAX);
        assert_eq!(CallSpec::from(constant).rules().ok(), constant.rules().ok());
        assert_eq!(CallSpec::from(constant).attempts, None);
        let linear = Linear::new(S, 2 * S, 9 * S);
        assert_eq!(CallSpec::from(linear).rules().ok(), linear.rules().ok());
        let fibonacci = Fibonacci::new(S, 9 * S).without_jitter();
        assert_eq!(CallSpec::from(fibonacci).rules().ok(), fibonacci.rules().ok());
    }

    #[test]
    fn no_attempt_is_described_and_refused_as_rules() {
        let none = Constant::new(S).attempts(0);
        assert_eq!(CallSpec::from(none).attempts, Some(0));
        assert!(CallSpec::from(none).rules().is_err());
    }
}
