//! What must not be seen is not seen, and what is logged is logged as it is.

use std::cell::RefCell;
use std::io;

use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, PollingConfig, Secret};

use crate::journal::{Journal, end};
use crate::server::{Script, Server, status};

thread_local! {
    /// What was logged on this thread.
    static LINES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.with_borrow_mut(|lines| lines.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn secrets_are_in_no_log_and_in_no_debug_output() {
    // For all threads: what one of them knows of its own, the others would decide for it whether it is worth telling.
    tracing_subscriber::fmt()
        .with_writer(|| Lines)
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .without_time()
        .init();

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
    let host = format!("\r\nhost: 127.0.0.1:{}\r\n", server.port);
    assert!(server.requests()[0].contains(&host), "without the user's name and password");

    let log = String::from_utf8(LINES.take()).unwrap();
    let visible = format!("{log}{entries:?}{debug}");
    assert!(!visible.contains("hunter"), "{visible}");
    let rejected =
        "ERROR retrylab: Received HTTP error 401 (invalid SDK key) for polling request - will retry in 300.0s";
    assert!(log.lines().any(|line| line == rejected), "{log}");
    assert!(log.contains(" INFO retrylab: Starting to poll every 30s (http://127.0.0.1:"), "{log}");
    assert!(log.contains("credential cannot be sent; visible ASCII characters and spaces are allowed"), "{log}");
}
