//! What no setting can be.

use std::time::Duration;

use retrylab_adapters::{LONGEST, Setting, SettingError};

use crate::{ms, s, setting};

#[test]
fn a_setting_is_read_back_as_it_was_given() {
    let plain = Setting::new(ms(500), 1.5, s(30)).expect("a sound setting");
    assert_eq!((plain.base(), plain.factor(), plain.ceiling()), (ms(500), 1.5, s(30)));
    assert_eq!((plain.attempts(), plain.elapsed(), plain.jitter()), (None, None, true));
    let limited = plain.with_attempts(4).and_then(|plain| plain.with_elapsed(s(60))).expect("sound limits");
    assert_eq!((limited.attempts(), limited.elapsed()), (Some(4), Some(s(60))));
    assert!(!limited.without_jitter().jitter());
}

#[test]
fn the_edges_of_what_is_allowed_are_allowed() {
    let least = Setting::new(Duration::from_nanos(1), 1.0, Duration::from_nanos(1)).expect("a constant nanosecond");
    assert!(least.with_attempts(1).is_ok() && least.with_elapsed(Duration::ZERO).is_ok());
    let most = Setting::new(LONGEST, f64::MAX, LONGEST).expect("100 years");
    assert!(most.with_attempts(u32::MAX).is_ok() && most.with_elapsed(LONGEST).is_ok());
}

#[test]
fn each_error_names_the_field_what_was_given_and_what_is_allowed() {
    let text = |error: Result<Setting, SettingError>| error.expect_err("an unsound setting").to_string();
    assert_eq!(text(Setting::new(s(0), 2.0, s(30))), "base is 0s; it has to be longer");
    for (factor, shown) in [(0.5, "0.5"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let expected = format!("factor is {shown}; it has to be a number from 1");
        assert_eq!(text(Setting::new(s(1), factor, s(30))), expected);
    }
    assert_eq!(text(Setting::new(s(2), 2.0, s(1))), "ceiling is 1s; it has to be at least the base, 2s");
    let too_long = LONGEST + Duration::from_nanos(1);
    assert_eq!(
        text(Setting::new(s(1), 2.0, too_long)),
        "ceiling is 3153600000.000000001s; at most 3153600000s (100 years) is allowed"
    );
    assert_eq!(
        text(setting().with_elapsed(too_long)),
        "elapsed is 3153600000.000000001s; at most 3153600000s (100 years) is allowed"
    );
    assert_eq!(text(setting().with_attempts(0)), "attempts is 0; at least 1 is allowed");
}
