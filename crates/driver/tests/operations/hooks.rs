//! Who is told of retries, of what, and when.

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex};

use retrylab_core::{Call, Failure, FailureKind, Fault};
use retrylab_driver::blocking::Driver;

use crate::script::{CallError, classify, exact, ms, s};

#[test]
fn the_hook_receives_each_retry_before_its_wait_and_nothing_else() {
    let told = RefCell::new(Vec::new());
    let driver = Driver::new()
        .sleeper(|delay| told.borrow_mut().push(format!("waits {delay:?}")))
        .classify(classify)
        .on_retry(|retrying| {
            let reset = Failure { kind: FailureKind::Normal, retry_after: None, fault: Some(Fault::Reset) };
            assert_eq!((retrying.failure, retrying.kind()), (reset, FailureKind::Normal));
            told.borrow_mut().push(format!("attempt {}: {}, {:?}", retrying.attempt, retrying.error, retrying.delay));
        });
    let mut call = 0;
    let answer = driver.retry(Call::new(exact(3).build().unwrap()), || {
        call += 1;
        Err::<(), _>(CallError::Reset(call))
    });
    assert!(answer.is_err());
    assert_eq!(
        told.take(),
        [
            "attempt 1: connection reset on call 1, 500ms",
            "waits 500ms",
            "attempt 2: connection reset on call 2, 1s",
            "waits 1s",
        ]
    );
}

#[test]
fn the_hook_receives_the_policy_s_delay_even_if_the_wait_is_cut() {
    let (told, waited) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let driver = Driver::new()
        .sleeper(|delay| waited.borrow_mut().push(delay))
        .on_retry(|retrying| told.borrow_mut().push(retrying.delay));
    driver.retry(Call::new(exact(37).build().unwrap()), || Err::<(), _>(())).unwrap_err();
    // The 36th wait is 0.5 s · 2^35.
    assert_eq!(told.borrow()[35], s(17_179_869_184));
    assert_eq!(waited.borrow()[35], s(9_223_372_036));
    assert_eq!(told.borrow()[..35], waited.borrow()[..35]);
    assert_eq!(told.borrow()[0], ms(500));
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn tracing_gets_the_attempt_the_delay_and_the_kind() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber =
        tracing_subscriber::fmt().without_time().with_ansi(false).with_writer(move || writer.clone()).finish();
    let mut statuses = [503, 429, 404].into_iter();
    tracing::subscriber::with_default(subscriber, || {
        let driver = Driver::new().sleeper(|_| {}).classify(|status: &i64| FailureKind::for_call_status(*status));
        let answer = driver.retry(Call::new(exact(9).build().unwrap()), || Err::<(), _>(statuses.next().unwrap()));
        assert!(answer.is_err());
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    // The terminal failure is the caller's to tell.
    assert_eq!(
        text,
        " WARN retrylab: attempt failed, will retry attempt=1 delay=500ms kind=normal\n \
         WARN retrylab: attempt failed, will retry attempt=2 delay=1s kind=normal\n"
    );
}
