//! `quickcheck::Arbitrary` for the public types. Times lean towards zero, powers of two and the largest values.

use core::time::Duration;

use quickcheck::{Arbitrary, Gen};

use crate::{Backoff, Failure, FailureKind, Fault, HealthyFor, Instant, Jitter, Ladder, Regime, RetryRules, Successes};

fn any_nanos(g: &mut Gen) -> u64 {
    match u8::arbitrary(g) % 8 {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << (u32::arbitrary(g) % u64::BITS),
        3 => u64::from(u32::arbitrary(g)).saturating_mul(1_000_000_000),
        _ => u64::arbitrary(g) >> (u32::arbitrary(g) % u64::BITS),
    }
}

fn any_duration(g: &mut Gen) -> Duration {
    Duration::from_nanos(any_nanos(g))
}

fn one_of<T: Copy>(g: &mut Gen, all: &[T]) -> T {
    all[usize::arbitrary(g) % all.len()]
}

impl Arbitrary for Instant {
    fn arbitrary(g: &mut Gen) -> Self {
        Self::from_nanos(any_nanos(g))
    }
}

impl Arbitrary for FailureKind {
    fn arbitrary(g: &mut Gen) -> Self {
        one_of(g, &[Self::Normal, Self::Unexpected])
    }
}

impl Arbitrary for Regime {
    fn arbitrary(g: &mut Gen) -> Self {
        one_of(g, &[Self::Normal, Self::Extended])
    }
}

impl Arbitrary for Fault {
    fn arbitrary(g: &mut Gen) -> Self {
        one_of(g, &Self::ALL)
    }
}

impl Arbitrary for Failure {
    fn arbitrary(g: &mut Gen) -> Self {
        Self {
            kind: FailureKind::arbitrary(g),
            retry_after: bool::arbitrary(g).then(|| any_duration(g)),
            fault: Option::arbitrary(g),
        }
    }
}

impl Arbitrary for Jitter {
    fn arbitrary(g: &mut Gen) -> Self {
        one_of(g, &Self::ALL)
    }
}

impl Arbitrary for Ladder {
    fn arbitrary(g: &mut Gen) -> Self {
        let (base, ceiling) = (any_duration(g), any_duration(g));
        match u8::arbitrary(g) % 5 {
            0 => {
                let denominator = u32::arbitrary(g).max(1);
                let numerator = u32::arbitrary(g).max(denominator);
                Self::exponential(base, numerator, denominator, ceiling).unwrap_or(Self::constant(base))
            }
            1 => Self::constant(base),
            2 => Self::linear(base, any_duration(g), ceiling),
            3 => Self::fibonacci(base, ceiling),
            _ => Self::list(&[base, any_duration(g), ceiling]).unwrap_or(Self::constant(base)),
        }
    }
}

impl Arbitrary for Backoff {
    fn arbitrary(g: &mut Gen) -> Self {
        Self::new(Ladder::arbitrary(g), Jitter::arbitrary(g))
    }
}

impl Arbitrary for HealthyFor {
    fn arbitrary(g: &mut Gen) -> Self {
        Self::new(any_duration(g))
    }
}

impl Arbitrary for Successes {
    fn arbitrary(g: &mut Gen) -> Self {
        Self::new(u32::arbitrary(g) % 5)
    }
}

impl Arbitrary for RetryRules<HealthyFor> {
    fn arbitrary(g: &mut Gen) -> Self {
        let reset = HealthyFor::arbitrary(g);
        any_rules(g, reset)
    }
}

impl Arbitrary for RetryRules<Successes> {
    fn arbitrary(g: &mut Gen) -> Self {
        let reset = Successes::arbitrary(g);
        any_rules(g, reset)
    }
}

fn any_rules<R: crate::ResetRule>(g: &mut Gen, reset: R) -> RetryRules<R> {
    RetryRules::builder(reset)
        .normal(any_duration(g), any_duration(g))
        .extended(any_duration(g), any_duration(g))
        .cadence(any_duration(g))
        .build()
}
