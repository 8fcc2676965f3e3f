//! google-cloud-gax, and the factor that is no number.

use std::panic::catch_unwind;

use google_cloud_gax::backoff_policy::BackoffPolicy as _;
use google_cloud_gax::exponential_backoff::ExponentialBackoffBuilder;
use google_cloud_gax::retry_state::RetryState;
use retrylab_adapters::{Setting, SettingError};

use crate::s;

/// It asks whether the factor is below 1, which no comparison with NaN is.
#[test]
fn a_factor_that_is_no_number_passes_its_validation_and_panics_at_the_second_failure() {
    let backoff = ExponentialBackoffBuilder::new().with_scaling(f64::NAN).build().expect("it is let through");
    let wait = |failures: u32| {
        let state = RetryState::new(true).set_attempt_count(failures);
        catch_unwind(|| backoff.on_failure(&state))
    };
    assert!(wait(1).is_ok_and(|wait| wait <= s(1)));
    assert!(wait(2).is_err());
    assert!(ExponentialBackoffBuilder::new().with_scaling(0.5).build().is_err());
}

#[test]
fn a_setting_has_no_such_factor() {
    assert!(matches!(Setting::new(s(1), f64::NAN, s(30)), Err(SettingError::Factor { given }) if given.is_nan()));
}
