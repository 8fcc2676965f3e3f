//! Everything that a source does, in one order.

use std::convert::Infallible;
use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver_tokio::Sleeper;
use retrylab_driver_tokio::source::{Handle, Source};
use retrylab_source::{Connection, LogRecord, Observer, PollingConfig, Recorded, Status, StreamingConfig};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A source whose clock stands still, that draws no jitter, and whose waits end at once, but for the one after these many:
/// that never ends.
pub(crate) struct Journal {
    entries: UnboundedReceiver<String>,
    scribe: Scribe,
}

/// Writes the journal.
#[derive(Clone)]
pub(crate) struct Scribe(pub(crate) UnboundedSender<String>);

struct Waits {
    left: AtomicUsize,
    scribe: Scribe,
}

impl Scribe {
    pub(crate) fn note(&self, entry: String) {
        let _ = self.0.send(entry);
    }
}

impl Observer for Scribe {
    fn log(&self, record: &LogRecord) {
        self.note(format!("{} {}", record.level, record.message));
        if let Some(detail) = &record.detail {
            self.note(format!("detail {detail}"));
        }
    }

    fn recorded(&self, outcome: Recorded<Infallible>, _: Instant) {
        self.note(match outcome {
            Recorded::Success => "success".to_owned(),
            Recorded::Failure { cause, kind, decision } => format!("failure {cause} {kind} {:?}", decision.unwrap()),
        });
    }

    fn ready(&self) {
        self.note("ready".to_owned());
    }

    fn environment(&self, environment: &str) {
        self.note(format!("environment {environment}"));
    }
}

impl Sleeper for Waits {
    fn sleep(&self, delay: Duration) -> impl Future<Output = ()> + Send {
        self.scribe.note(format!("wait {delay:?}"));
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        async move {
            match left {
                Ok(_) => ready(()).await,
                Err(_) => pending().await,
            }
        }
    }
}

impl Journal {
    pub(crate) fn new() -> Self {
        let (tell, entries) = unbounded_channel();
        Self { entries, scribe: Scribe(tell) }
    }

    pub(crate) fn scribe(&self) -> Scribe {
        self.scribe.clone()
    }

    /// The source, kept in the journal.
    pub(crate) fn keep(&self, source: Source, waits: usize) -> Source {
        let listener = self.scribe();
        source
            .observer(Arc::new(self.scribe()))
            .listen(move |status| listener.note(describe(status)))
            .clock(|| Instant::ZERO)
            .entropy(|| 0)
            .sleeper(Waits { left: AtomicUsize::new(waits), scribe: self.scribe() })
    }

    /// The next entry.
    pub(crate) async fn next(&mut self) -> String {
        self.entries.recv().await.expect("the journal itself can write")
    }

    /// Everything up to the first entry that begins so, which is the last one.
    pub(crate) async fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut entries = Vec::new();
        while !entries.last().is_some_and(|entry: &String| entry.starts_with(beginning)) {
            entries.push(self.next().await);
        }
        entries
    }

    /// What there is by now.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.entries.try_recv().ok()).collect()
    }
}

pub(crate) fn describe(status: &Status) -> String {
    match status.error {
        Some(error) => format!("status {} {error}", status.state),
        None => format!("status {}", status.state),
    }
}

pub(crate) fn streaming(uri: impl Into<String>) -> Source {
    Source::streaming(StreamingConfig::new(Connection::to(uri)))
}

pub(crate) fn polling(uri: impl Into<String>) -> Source {
    Source::polling(PollingConfig::new(Connection::to(uri)))
}

/// Ends a source, and shows that nothing of it is left.
pub(crate) async fn end(handle: Handle) {
    handle.stop();
    handle.closed().await;
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}

/// Without what only this machine and this run say.
pub(crate) fn without_details(entries: Vec<String>) -> Vec<String> {
    entries.into_iter().filter(|entry| !entry.starts_with("detail ")).collect()
}
