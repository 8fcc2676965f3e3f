//! google-cloud-gax, and a factor of NaN.

use std::panic::catch_unwind;

use google_cloud_gax::backoff_policy::BackoffPolicy as _;
use google_cloud_gax::exponential_backoff::ExponentialBackoffBuilder;
use google_cloud_gax::retry_state::RetryState;

use crate::s;

/// The library checks that the factor is not below 1, which NaN passes.
#[test]
fn a_factor_of_nan_passes_validation_and_panics_at_the_second_failure() {
    let backoff = ExponentialBackoffBuilder::new().with_scaling(f64::NAN).build().expect("it is let through");
    let wait = |failures: u32| {
        let state = RetryState::new(true).set_attempt_count(failures);
        catch_unwind(|| backoff.on_failure(&state))
    };
    assert!(wait(1).is_ok_and(|wait| wait <= s(1)));
    assert!(wait(2).is_err());
    assert!(ExponentialBackoffBuilder::new().with_scaling(0.5).build().is_err());
}
