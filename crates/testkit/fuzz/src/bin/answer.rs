//! Any line as the answer of a policy in another process, and any text as a number of seconds.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use retrylab_exec::{Built, SubjectResponse};
use retrylab_spec::decimal::{NoSeconds, Seconds, parse};
use serde_json::value::RawValue;

fuzz_target!(|line: &[u8]| {
    match Built::parse(line) {
        Ok(built) => drop(built),
        Err(wrong) => is_one_line(&wrong.to_string()),
    }
    let after_failure = SubjectResponse::after_failure(line);
    match &after_failure {
        Ok(response) => {
            if let Ok(delay) = response.next {
                can_be_written(delay);
            }
        }
        Err(wrong) => is_one_line(&wrong.to_string()),
    }
    // Only after a failure can it give up; that is all that differs.
    match SubjectResponse::otherwise(line) {
        Ok(response) => assert_eq!(after_failure, Ok(response)),
        Err(wrong) => {
            is_one_line(&wrong.to_string());
            assert!(after_failure.is_err() || after_failure.is_ok_and(|response| response.next.is_err()), "{wrong}");
        }
    }
    if let Ok(text) = str::from_utf8(line) {
        number(text);
    }
});

/// A message about the answer never takes over a terminal, whatever was answered.
fn is_one_line(message: &str) {
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// What was read can be written and read again.
fn can_be_written(delay: Duration) {
    assert!(delay <= Duration::from_nanos(u64::MAX), "{delay:?} is longer than any delay");
    assert_eq!(parse(&Seconds(delay).to_string()), Ok(delay));
    let line = format!("{{\"delay_s\":{}}}", Seconds(delay));
    assert_eq!(SubjectResponse::otherwise(line.as_bytes()).map(|response| response.next), Ok(Ok(delay)));
}

/// A number of seconds is one for a reader of JSON too, and the nearest double of both is the same as far as one can tell.
fn number(text: &str) {
    let is_number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.trim_ascii_end() == text
        && serde_json::from_str::<&RawValue>(text).is_ok();
    let read = parse(text);
    assert_eq!(is_number, read != Err(NoSeconds::NoNumber), "{text:?} is {read:?}");
    if !is_number {
        return;
    }
    let double: f64 = text.parse().expect("a number of JSON is one of Rust");
    match read {
        Ok(delay) => {
            can_be_written(delay);
            assert!(double >= 0.0 && double.is_finite(), "{text:?} is {delay:?}");
            // Half a nanosecond, and what a double of that size cannot tell.
            let off = (delay.as_secs_f64() - double.min(18_446_744_073.709_553)).abs();
            assert!(off <= 0.51e-9 + double * f64::EPSILON, "{text:?} is {delay:?}");
        }
        Err(NoSeconds::Negative) => assert!(double.is_sign_negative(), "{text:?} is not below zero"),
        Err(NoSeconds::TooLarge) => assert!(double == f64::INFINITY, "{text:?} is not too large"),
        Err(problem) => panic!("{text:?} is {problem}"),
    }
}
