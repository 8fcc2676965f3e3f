//! A server that says when to come back, from the header to the wait.

use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retrylab_core::{Call, Classified, GiveUp, ServerDelay};
use retrylab_driver::RetryError;
use retrylab_driver::blocking::Driver;
use retrylab_source::{PastDate, RetryAfter};

use crate::script::{exact, ms, s};

/// An answer that is a failure: its status, and its header `Retry-After`.
#[derive(Debug, PartialEq)]
struct Answer(i64, &'static str);

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {}", self.0)
    }
}

/// Sun, 06 Nov 1994 08:49:37 GMT is 784,111,777 s after 1970 (RFC 9110 has the date, 9,075 days and 31,777 s).
fn now() -> SystemTime {
    UNIX_EPOCH + s(784_111_777)
}

fn classify(answer: &Answer) -> Classified {
    let asked = RetryAfter::parse(answer.1).and_then(|asked| asked.delay(now(), PastDate::UseLadder));
    Classified::for_call_status(answer.0).retry_after(asked)
}

/// The waits of five attempts whose answers have these headers, at draw 0, and how they end.
fn waits(listens: ServerDelay, headers: [&'static str; 5]) -> (Vec<Duration>, RetryError<Answer>) {
    let waits = RefCell::new(Vec::new());
    let driver = Driver::new().sleeper(|delay| waits.borrow_mut().push(delay)).entropy(|| 0).classify(classify);
    let mut headers = headers.into_iter();
    let call = Call::new(exact(5).server_delay(listens).build().expect("attempts"));
    let error = driver.retry(call, || Err::<(), _>(Answer(503, headers.next().expect("a header"))));
    let error = error.expect_err("no success");
    (waits.take(), error)
}

#[test]
fn both_forms_of_the_header_are_waited_and_the_ladder_for_the_rest() {
    let clamp = ServerDelay::clamp(s(60));
    // A date 23 s after the one above, a date that has passed, and what is no value: by then, the ladder stands on its
    // third and fourth rung.
    let headers = ["7", "Sun, 06 Nov 1994 08:50:00 GMT", "Sun, 06 Nov 1994 08:00:00 GMT", "1.5", "7"];
    assert_eq!(waits(clamp, headers).0, [s(7), s(23), s(2), s(4)]);
    assert_eq!(waits(ServerDelay::Ignore, headers).0, [ms(500), s(1), s(2), s(4)]);
}

#[test]
fn a_long_wait_is_clamped_and_spread_upwards() {
    let clamp = ServerDelay::clamp(s(60)).spread(s(6));
    // Draw 0 is the longest: all of the spread.
    assert_eq!(waits(clamp, ["3600", "60", "10", "0", ""]).0, [s(66), s(66), s(16), s(6)]);
}

#[test]
fn a_refused_wait_ends_the_call_at_once_and_is_in_the_error() {
    let refuse = ServerDelay::refuse(s(60));
    let (waits, error) = waits(refuse, ["60", "61", "", "", ""]);
    assert_eq!(waits, [s(60)]);
    assert_eq!(error.to_string(), "giving up after 2 attempts: the server's retry_after of 61s is above the maximum");
    let RetryError::Exhausted { attempts, why, last, .. } = error else { panic!("{error:?}") };
    assert_eq!((attempts, why, last), (2, GiveUp::RetryAfter(s(61)), Answer(503, "61")));
}
