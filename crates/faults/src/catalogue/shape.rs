//! Ladders that differ from their description.

use core::time::Duration;

use retrylab_core::{HealthyFor, Retry, RetryRules};
use retrylab_spec::{LadderSpec, PolicySpec, Ratio};

use super::formula::with_spec;
use super::{Category, KnownFault, Making, reported};

const NANOS_A_MILLI: u64 = 1_000_000;

pub(super) const NAN_PASSES_VALIDATION: KnownFault = reported(
    Category::Configuration,
    "nan-passes-validation",
    "google-cloud-gax 1.15.0",
    "The check rejects values that are too small, which NaN passes, and NaN becomes zero as an integer.",
    Making::Policy(|client| {
        let PolicySpec::Streaming { initial_reconnect_delay: Some(given) } = client else { return None };
        let usable = if given.as_f64() <= 0.0 { Duration::from_secs(1) } else { Duration::ZERO };
        let rules = RetryRules::builder(HealthyFor::new(Duration::from_secs(60)))
            .normal(usable, Duration::from_secs(30))
            .extended(Duration::from_secs(300), Duration::from_secs(3600));
        given.as_f64().is_nan().then(|| Box::new(Retry::new(rules.build())) as _)
    }),
);

pub(super) const NEGATIVE_MULTIPLIER_CLAMPED_TO_ZERO: KnownFault = reported(
    Category::Ladder,
    "negative-multiplier-clamped-to-zero",
    "librefang/librefang PR #8199 (review)",
    "A negative multiplier is accepted, and every second wait, which is negative, is clamped to zero.",
    Making::Rung(|place| if place.number.is_multiple_of(2) { Some(0) } else { Some(place.rung) }),
);

pub(super) const WHOLE_SECONDS: KnownFault = reported(
    Category::Ladder,
    "whole-seconds",
    "failsafe 1.3.0",
    "The ladder uses whole seconds, so that the fraction of its base is lost.",
    Making::Parameters(|client| {
        with_spec(client, |spec| {
            if let LadderSpec::Exponential { base, .. } = &mut spec.ladder {
                *base = Duration::from_secs(base.as_secs());
            }
        })
    }),
);

pub(super) const BASE_TAKEN_FOR_THE_MULTIPLIER: KnownFault = reported(
    Category::Ladder,
    "base-taken-for-the-multiplier",
    "redis-rs/redis-rs #1556",
    "The milliseconds of the base are used as the ratio between two rungs.",
    Making::Parameters(|client| {
        with_spec(client, |spec| {
            if let LadderSpec::Exponential { base, ratio, .. } = &mut spec.ladder {
                let numerator = u32::try_from(base.as_millis()).unwrap_or(u32::MAX);
                *ratio = Ratio { numerator, denominator: 1 };
            }
        })
    }),
);

pub(super) const POWER_OF_THE_BASE: KnownFault = reported(
    Category::Ladder,
    "power-of-the-base",
    "awslabs/amazon-qldb-driver-rust PR #260",
    "Each rung is a power of the base in milliseconds, instead of the base times a power of the ratio.",
    Making::Rung(|place| {
        let millis = (place.base / NANOS_A_MILLI).saturating_pow(place.number);
        Some(millis.saturating_mul(NANOS_A_MILLI).min(place.ceiling))
    }),
);

pub(super) const XOR_FOR_POWER: KnownFault = reported(
    Category::Ladder,
    "xor-for-power",
    "bigskysoftware/htmx-extensions PR #29",
    "The power is written with the operator of exclusive or: factors of 2, 3, 0, 1, 6, 7, 4, 5.",
    Making::Rung(|place| Some(place.base.saturating_mul(u64::from(2 ^ (place.number - 1))).min(place.ceiling))),
);
