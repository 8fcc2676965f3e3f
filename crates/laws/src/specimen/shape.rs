//! Ladders of another shape than their description.

use core::time::Duration;

use retrylab_core::{HealthyFor, Retry, RetryRules};
use retrylab_scenario::{ClientKind, LadderSpec, Ratio};

use super::wait::with_spec;
use super::{Fault, Specimen};

const NANOS_A_MILLI: u64 = 1_000_000;

pub(super) const NAN_PASSES_VALIDATION: Specimen = Specimen {
    name: "nan-passes-validation",
    statement: "The check asks whether the value is too small, which not-a-number is not, and as an integer it is zero.",
    cite: "google-cloud-gax 1.15.0",
    fault: Fault::Policy(|client| {
        let ClientKind::Streaming { initial_reconnect_delay: Some(given) } = client else { return None };
        let usable = if given.as_f64() <= 0.0 { Duration::from_secs(1) } else { Duration::ZERO };
        let rules = RetryRules::builder(HealthyFor::new(Duration::from_secs(60)))
            .normal(usable, Duration::from_secs(30))
            .extended(Duration::from_secs(300), Duration::from_secs(3600));
        given.as_f64().is_nan().then(|| Box::new(Retry::new(rules.build())) as _)
    }),
};

pub(super) const NEGATIVE_MULTIPLIER_CLAMPED_TO_ZERO: Specimen = Specimen {
    name: "negative-multiplier-clamped-to-zero",
    statement: "A negative multiplier is taken, and every negative wait is clamped to zero: each second one.",
    cite: "librefang/librefang PR #8199 (review)",
    fault: Fault::Rung(|place| if place.number.is_multiple_of(2) { Some(0) } else { Some(place.rung) }),
};

pub(super) const WHOLE_SECONDS: Specimen = Specimen {
    name: "whole-seconds",
    statement: "The ladder works in whole seconds, so that the fraction of its base is lost.",
    cite: "failsafe 1.3.0",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| {
            if let LadderSpec::Exponential { base, .. } = &mut spec.ladder {
                *base = Duration::from_secs(base.as_secs());
            }
        })
    }),
};

pub(super) const BASE_TAKEN_FOR_THE_MULTIPLIER: Specimen = Specimen {
    name: "base-taken-for-the-multiplier",
    statement: "The milliseconds of the base are taken for the ratio between two rungs.",
    cite: "redis-rs/redis-rs #1556",
    fault: Fault::Parameters(|client| {
        with_spec(client, |spec| {
            if let LadderSpec::Exponential { base, ratio, .. } = &mut spec.ladder {
                let numerator = u32::try_from(base.as_millis()).unwrap_or(u32::MAX);
                *ratio = Ratio { numerator, denominator: 1 };
            }
        })
    }),
};

pub(super) const POWER_OF_THE_BASE: Specimen = Specimen {
    name: "power-of-the-base",
    statement: "Each rung is a power of the base in milliseconds, in place of the base times a power of the ratio.",
    cite: "awslabs/amazon-qldb-driver-rust PR #260",
    fault: Fault::Rung(|place| {
        let millis = (place.base / NANOS_A_MILLI).saturating_pow(place.number);
        Some(millis.saturating_mul(NANOS_A_MILLI).min(place.ceiling))
    }),
};

pub(super) const XOR_FOR_POWER: Specimen = Specimen {
    name: "xor-for-power",
    statement: "The exponent is written with the sign for exclusive or: factors of 2, 3, 0, 1, 6, 7, 4, 5.",
    cite: "bigskysoftware/htmx-extensions PR #29",
    fault: Fault::Rung(|place| Some(place.base.saturating_mul(u64::from(2 ^ (place.number - 1))).min(place.ceiling))),
};
