//! What must not be seen is not seen, and what is logged is logged as it is.

use std::io;
use std::sync::{Arc, Mutex};

use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, PollingConfig, Secret};
use tracing_subscriber::fmt::MakeWriter;

use crate::journal::{Journal, end};
use crate::server::{Script, Server, status};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn secrets_are_in_no_log_and_in_no_debug_output() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(lines.clone())
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .without_time()
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);

    let server = Server::play([Script::closes(status(401))]);
    let uri = format!("http://user:hunter2@127.0.0.1:{}", server.port);
    let mut config = PollingConfig::new(Connection::to(uri));
    config.connection.credential = Some(Secret::new("hunter3"));
    let mut journal = Journal::new();
    let source = journal.keep(Source::polling(config.clone()), 1);
    let handle = source.start();
    // The second attempt is refused.
    let mut entries = [journal.until("wait ").await, journal.until("wait ").await].concat();
    end(handle).await;
    config.connection.credential = Some(Secret::new("hunter4\n"));
    let source = journal.keep(Source::polling(config), 0);
    let handle = source.start();
    entries.extend(journal.until("wait ").await);
    let debug = format!("{handle:?}");
    end(handle).await;
    drop(guard);
    server.requests();

    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let visible = format!("{log}{entries:?}{debug}");
    assert!(!visible.contains("hunter"), "{visible}");
    let rejected =
        "ERROR retrylab: Received HTTP error 401 (invalid SDK key) for polling request - will retry in 300.0s";
    assert!(log.lines().any(|line| line == rejected), "{log}");
    assert!(log.contains(" INFO retrylab: Starting to poll every 30s (http://127.0.0.1:"), "{log}");
    assert!(log.contains("credential cannot be sent; visible ASCII characters and spaces are allowed"), "{log}");
}
