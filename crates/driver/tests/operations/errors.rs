//! Each error's text, source and last failure.

use std::cell::Cell;
use std::error::Error;
use std::fmt;

use retrylab_core::{Call, CallRules, GiveUp, Instant, TokenBucket};
use retrylab_driver::RetryError;
use retrylab_driver::blocking::Driver;

use crate::script::Entry::Transient;
use crate::script::{CallError, exact, ms, play, s};

#[test]
fn exhausted_names_its_target_only_if_it_has_one() {
    let call = || Call::new(exact(2).build().unwrap());
    let driver = Driver::new().sleeper(|_| {});
    let error = driver.retry(call(), || Err::<(), _>("cut")).unwrap_err();
    assert_eq!(error.to_string(), "giving up after 2 attempts");
    let error = driver.target(String::from("the door")).retry(call(), || Err::<(), _>("cut")).unwrap_err();
    assert_eq!(error.to_string(), "giving up on the door after 2 attempts");
    assert_eq!(error.last(), Some(&"cut"));
    assert_eq!(error.into_last(), Some("cut"));
}

#[test]
fn exhausted_names_its_limit_unless_it_is_the_attempts() {
    // Waits of 0.5 and 1 s fit into 3 s; 2 s more would be 3.5 s.
    let played = play(exact(9).elapsed(s(3)), &[Transient]);
    assert_eq!((played.calls, played.waits), (3, vec![ms(500), s(1)]));
    assert_eq!(
        played.answer.unwrap_err().to_string(),
        "giving up on https://example.org/flags after 3 attempts: the next wait would pass the time limit"
    );

    let bucket = TokenBucket::new(2);
    let call = Call::with_budget(exact(9).build().unwrap(), &bucket);
    let error = Driver::new().sleeper(|_| {}).retry(call, || Err::<(), _>("cut")).unwrap_err();
    assert_eq!(error.to_string(), "giving up after 3 attempts: the budget allows no further retry");
    assert!(matches!(error, RetryError::Exhausted { attempts: 3, why: GiveUp::Budget, .. }), "{error:?}");
}

#[test]
fn a_refused_wait_of_the_server_is_in_the_text() {
    let error = |asked| RetryError::Exhausted {
        target: None,
        attempts: 1,
        elapsed: s(0),
        why: GiveUp::RetryAfter(asked),
        last: CallError::Reset(1),
    };
    let text = "giving up after 1 attempts: the server's retry_after of 3600s is above the maximum";
    assert_eq!(error(s(3600)).to_string(), text);
    let text = "giving up after 1 attempts: the server's retry_after of 18446744073709551615s is above the maximum";
    assert_eq!(error(s(u64::MAX)).to_string(), text);
}

#[derive(Debug)]
struct Outer(CallError);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("outer")
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn a_terminal_failure_keeps_its_own_source_and_an_exhausted_one_is_the_source() {
    let text = |error: &dyn Error| error.to_string();
    let terminal = RetryError::Terminal(Outer(CallError::NotFound(3)));
    assert_eq!(text(&terminal), "outer");
    assert_eq!(format!("{terminal:>7}"), "  outer", "the error formats itself");
    assert_eq!(terminal.source().map(text).as_deref(), Some("404 on call 3"));

    let call = Call::new(exact(1).build().unwrap());
    let exhausted = Driver::new().retry(call, || Err::<(), _>(Outer(CallError::Reset(1)))).unwrap_err();
    let source = exhausted.source().unwrap();
    assert_eq!(text(source), "outer");
    assert_eq!(source.source().map(text).as_deref(), Some("connection reset on call 1"));
}

#[test]
fn cancelled_and_refused_have_their_parts() {
    let cancelled = RetryError::Cancelled { attempts: 2, last: Some(CallError::Reset(2)) };
    assert_eq!(cancelled.to_string(), "cancelled after 2 attempts");
    assert_eq!(cancelled.source().unwrap().to_string(), "connection reset on call 2");
    assert_eq!(cancelled.last(), Some(&CallError::Reset(2)));

    let early: RetryError<CallError> = RetryError::Cancelled { attempts: 0, last: None };
    assert_eq!(early.to_string(), "cancelled after 0 attempts");
    assert!(early.source().is_none());
    assert_eq!(early.into_last(), None);

    let refused = RetryError::<CallError>::from(CallRules::builder().attempts(0).build().unwrap_err());
    assert!(refused.source().is_none());
    assert_eq!((refused.last(), refused.clone().into_last()), (None, None));
}

#[test]
fn elapsed_counts_from_the_first_attempt_and_includes_the_attempts() {
    let now = Cell::new(Instant::from_secs(100));
    let driver = Driver::new().clock(|| now.get()).sleeper(|delay| now.set(now.get() + delay));
    let call = Call::new(exact(3).build().unwrap());
    // Three attempts of 10 s, and waits of 0.5 and 1 s between them.
    let error = driver.retry(call, || {
        now.set(now.get() + s(10));
        Err::<(), _>("cut")
    });
    let elapsed = match error {
        Err(RetryError::Exhausted { elapsed, .. }) => Some(elapsed),
        _ => None,
    };
    assert_eq!(elapsed, Some(ms(31_500)));
}
