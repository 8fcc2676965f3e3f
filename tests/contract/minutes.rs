//! Rows whose minutes decide something, on a clock that waits advance: a stream that is healthy for 75 s, and the waits
//! between polls. The service, its drivers and the sockets are real, and nothing is shortened.

use std::future::{pending, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::LONGEST_WAIT;
use retrylab_driver::blocking::{Cancel, Sleeper};
use serde_json::{Value, json};

use crate::data::{body, stream};
use crate::server::{Driver, Setting};
use crate::service::Service;
use crate::upstream::{LIMIT, Reply, Upstream, receive};
use crate::wanted::Wanted;
use crate::{Row, row};

const MINUTE: Duration = Duration::from_secs(60);

pub(crate) fn rows() -> Vec<Row> {
    vec![
        row("streaming/retries/a healthy minute brings back short waits", |driver| {
            let waits = [5 * MINUTE, Duration::from_millis(1)];
            assert_eq!(waits_around_a_healthy_stream(driver, Duration::from_secs(75)), waits);
            assert_eq!(waits_around_a_healthy_stream(driver, MINUTE), waits);
        }),
        row("streaming/retries/a nanosecond less than a healthy minute does not", |driver| {
            // The next rung: twice five minutes.
            let waits = [5 * MINUTE, 10 * MINUTE];
            assert_eq!(waits_around_a_healthy_stream(driver, MINUTE - Duration::from_nanos(1)), waits);
        }),
        row("polling/retries/two good polls bring back the interval and the first rung", |driver| {
            let interval = Duration::from_secs(30);
            assert_eq!(waits_between_polls(driver), [5 * MINUTE, interval, interval, 5 * MINUTE]);
        }),
    ]
}

/// The waits before and after a stream that is silent, and so healthy, for so long.
fn waits_around_a_healthy_stream(driver: Driver, healthy: Duration) -> [Duration; 2] {
    let upstream = Upstream::start([Reply::Status(401), stream(1), stream(2)]);
    let (steps, waits) = Steps::of(2);
    let service = Service::with(driver, steps.setting());
    let client = service.create(Wanted::streaming(&upstream).eager());
    assert_eq!(client.evaluate("flag", Value::Null), 1);
    steps.advance(healthy);
    // A wait takes no time here, so the stream may be told of before the rejection, whose connection is over anyway.
    for arrival in [(); 2].map(|()| upstream.next()) {
        arrival.close();
    }
    upstream.next();
    client.becomes("flag", json!(1), json!(2));
    client.delete();
    assert_eq!(upstream.connections(), 3);
    service.quit();
    [(); 2].map(|()| waits.recv().unwrap())
}

/// The waits after a poll that was rejected, two good ones, and one more that was rejected.
fn waits_between_polls(driver: Driver) -> [Duration; 4] {
    let upstream = Upstream::start([Reply::Status(401), body(1), body(2), Reply::Status(401)]);
    let (steps, waits) = Steps::of(3);
    let service = Service::with(driver, steps.setting());
    let client = service.create(Wanted::polling(&upstream));
    let waits = [(); 4].map(|()| receive(&waits, LIMIT).unwrap());
    assert_eq!(client.evaluate("flag", Value::Null), 2);
    client.delete();
    assert_eq!(upstream.connections(), 4);
    service.quit();
    waits
}

/// A clock, and what waits on it: some waits, which advance it, and then one that lasts until the source is stopped.
struct Steps {
    now: AtomicU64,
    left: AtomicUsize,
    tell: Sender<Duration>,
}

impl Steps {
    fn of(waits: usize) -> (Arc<Self>, Receiver<Duration>) {
        let (tell, told) = channel();
        (Arc::new(Self { now: AtomicU64::new(0), left: AtomicUsize::new(waits), tell }), told)
    }

    /// Without jitter, so that the waits are whole.
    fn setting(self: &Arc<Self>) -> Setting {
        let (thread, task) = (Arc::clone(self), Arc::clone(self));
        Setting {
            thread: Box::new(move |source| {
                let (clock, sleeper) = (Arc::clone(&thread), Blocking(Arc::clone(&thread)));
                source.clock(move || clock.now()).sleeper(sleeper).entropy(|| 0)
            }),
            task: Box::new(move |source| {
                let (clock, steps) = (Arc::clone(&task), Arc::clone(&task));
                let sleeper = move |delay| -> Pin<Box<dyn Future<Output = ()> + Send>> {
                    if steps.wait(delay) { Box::pin(ready(())) } else { Box::pin(pending()) }
                };
                source.clock(move || clock.now()).sleeper(sleeper).entropy(|| 0)
            }),
        }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now.load(Ordering::SeqCst))
    }

    fn advance(&self, by: Duration) {
        self.now.fetch_add(u64::try_from(by.as_nanos()).unwrap(), Ordering::SeqCst);
    }

    /// A wait. Returns whether it is over.
    fn wait(&self, delay: Duration) -> bool {
        let _ = self.tell.send(delay);
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() {
            self.advance(delay);
        }
        left.is_ok()
    }
}

/// On a thread.
struct Blocking(Arc<Steps>);

impl Sleeper for Blocking {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        if !self.0.wait(delay) {
            cancel.wait(LONGEST_WAIT);
        }
    }
}
