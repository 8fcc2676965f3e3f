//! Rows whose minutes decide something, on a clock that waits advance: a stream that is healthy for 75 s, and the waits
//! between polls. The drivers are those of the service and the sockets are real; the service itself is not between them,
//! since it has no clock but the real one.

use std::future::{pending, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver_std::source as threads;
use retrylab_driver_std::{Cancel, LONGEST_WAIT, Sleeper};
use retrylab_driver_tokio::source as tasks;
use retrylab_source::{Connection, PollingConfig, StartWait, StreamingConfig};
use tokio::runtime::Runtime;

use crate::data::{body, stream};
use crate::server::Driver;
use crate::upstream::{LIMIT, Reply, Upstream};
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
    let connection = Connection::to(upstream.base());
    let config = StreamingConfig { initial_reconnect_delay: 0.001, ..StreamingConfig::new(connection) };
    let (steps, waits) = Steps::of(2);
    let source = Source::start(driver, Config::Streaming(config), &steps);
    assert!(source.has_data());
    steps.advance(healthy);
    let [_, second] = [(); 2].map(|()| upstream.next());
    second.close();
    upstream.next();
    source.end();
    assert_eq!(upstream.connections(), 3);
    [(); 2].map(|()| waits.recv().unwrap())
}

/// The waits after a poll that was rejected, two good ones, and one more that was rejected.
fn waits_between_polls(driver: Driver) -> [Duration; 4] {
    let upstream = Upstream::start([Reply::Status(401), body(1), body(2), Reply::Status(401)]);
    let config = PollingConfig::new(Connection::to(upstream.base()));
    let (steps, waits) = Steps::of(3);
    let source = Source::start(driver, Config::Polling(config), &steps);
    let waits = [(); 4].map(|()| waits.recv().unwrap());
    source.end();
    assert_eq!(upstream.connections(), 4);
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

enum Config {
    Streaming(StreamingConfig),
    Polling(PollingConfig),
}

enum Source {
    Thread(threads::Handle),
    Task(tasks::Handle, Runtime),
}

impl Source {
    /// Without jitter, so that the waits are whole.
    fn start(driver: Driver, config: Config, steps: &Arc<Steps>) -> Self {
        let clock = Arc::clone(steps);
        let clock = move || clock.now();
        let steps = Arc::clone(steps);
        match driver {
            Driver::Std => {
                let source = match config {
                    Config::Streaming(config) => threads::Source::streaming(config),
                    Config::Polling(config) => threads::Source::polling(config),
                };
                Self::Thread(source.clock(clock).sleeper(Blocking(steps)).entropy(|| 0).start())
            }
            Driver::Tokio => {
                let source = match config {
                    Config::Streaming(config) => tasks::Source::streaming(config),
                    Config::Polling(config) => tasks::Source::polling(config),
                };
                let sleeper = move |delay| -> Pin<Box<dyn Future<Output = ()> + Send>> {
                    if steps.wait(delay) { Box::pin(ready(())) } else { Box::pin(pending()) }
                };
                let runtime = Runtime::new().unwrap();
                let entered = runtime.enter();
                let handle = source.clock(clock).sleeper(sleeper).entropy(|| 0).start();
                drop(entered);
                Self::Task(handle, runtime)
            }
        }
    }

    /// Waits for the first data.
    fn has_data(&self) -> bool {
        let wait = StartWait::seconds(LIMIT.as_secs_f64());
        match self {
            Self::Thread(handle) => handle.start_wait(wait),
            Self::Task(handle, runtime) => runtime.block_on(handle.start_wait(wait)),
        }
    }

    fn end(self) {
        match self {
            Self::Thread(handle) => {
                handle.stop();
                handle.join();
            }
            Self::Task(handle, runtime) => {
                handle.stop();
                runtime.block_on(handle.closed());
            }
        }
    }
}
