//! Secrets are in no log line and no `Debug` form, and log lines are logged as they are.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use retrylab_source::{PollingConfig, Secret};

use crate::journal::{BOTH, Journal, met, polling, streaming, with};
use crate::server::{Script, Server, answer, status};

/// A part of every secret of these tests.
const SECRET: &str = "5ecret";

/// So long that sixteen bytes of it in a row, as an HTTP library logs them, contain the secret.
const CREDENTIAL: &str = "sdk-5ecret5ecret5ecret5ecret5ecret5ecret";

/// The log of all threads, since the first test here: a source has a thread or a task of its own.
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log of an HTTP library that does not use `tracing`.
impl log::Log for Lines {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let line = format!("{} {}: {}\n", record.level(), record.target(), record.args());
        LINES.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(line.as_bytes());
    }

    fn flush(&self) {}
}

fn listen() {
    static LISTENING: OnceLock<()> = OnceLock::new();
    LISTENING.get_or_init(|| {
        tracing_subscriber::fmt()
            .with_writer(|| Lines)
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .without_time()
            .init();
        log::set_logger(&Lines).expect("nobody else listens");
        log::set_max_level(log::LevelFilter::Trace);
    });
}

fn logged() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

/// No part of any secret was logged, and none is in these.
fn nothing_is_seen(of: &[String]) {
    for seen in of.iter().chain([&logged()]) {
        assert!(!seen.contains(SECRET), "{seen}");
    }
}

fn address(port: u16) -> String {
    format!("http://user:5ecret-password@127.0.0.1:{port}/base")
}

#[test]
fn the_credential_goes_into_the_request_and_nowhere_else() {
    listen();
    let away = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n";
    let data = answer("", r#"{"flags":{},"segments":{}}"#);
    for (on, config) in BOTH.into_iter().flat_map(|on| [(on, streaming(String::new())), (on, polling(String::new()))]) {
        let server = Server::play([
            Script::closes(status(401)),
            Script::closes(away),
            Script::closes(status(503)),
            Script::closes(&*data),
        ]);
        let config = with(config, |connection| {
            connection.base_uri = address(server.port);
            connection.credential = Some(Secret::new(CREDENTIAL));
        });
        let mut seen = vec![format!("{config:?}")];
        let mut journal = Journal::new();
        let source = journal.keep(on, config, 3);
        let handle = source.start();
        // Rejected, redirected to a failure, answered, and refused: the script is over.
        for _ in 0..4 {
            seen.extend(journal.until("wait "));
        }
        seen.extend([source.debug(), handle.debug()]);
        handle.end();
        nothing_is_seen(&seen);
        let host = format!("\r\nhost: 127.0.0.1:{}\r\n", server.port);
        for request in server.requests() {
            assert!(request.contains(&format!("\r\nauthorization: {CREDENTIAL}\r\n")), "{request}");
            assert!(request.contains(&host), "without the user's name and password: {request}");
        }
    }
    let log = logged();
    for line in [
        "ERROR retrylab: Received HTTP error 401 (invalid SDK key) for stream connection - will retry in 300.0s\n",
        "ERROR retrylab: Received HTTP error 401 (invalid SDK key) for polling request - will retry in 300.0s\n",
        " INFO retrylab: Starting to poll every 30s (http://",
        "DEBUG retrylab: Data handled\n",
        // Every byte, in sixteens: the credential would be in these if the library had it.
        "TRACE ureq_proto::util: ",
    ] {
        assert!(log.contains(line), "{line:?} is not in the log");
    }
}

#[test]
fn a_credential_longer_than_one_write_arrives_whole() {
    let credential = "0123456789".repeat(5000);
    for on in BOTH {
        let server = Server::play([Script::closes(status(503))]);
        met(on, with(streaming(server.uri()), |connection| connection.credential = Some(Secret::new(&*credential))));
        assert!(server.requests()[0].contains(&format!("\r\nauthorization: {credential}\r\n")));
    }
}

#[test]
fn user_and_password_of_the_address_go_nowhere() {
    listen();
    for on in BOTH {
        let server = Server::play([Script::closes(status(503))]);
        met(on, streaming(address(server.port)));
        let request = &server.requests()[0];
        assert!(request.starts_with("GET /base/all HTTP/1.1\r\n"), "{request}");
        assert!(!request.to_lowercase().contains("authorization"), "{request}");
    }
    nothing_is_seen(&[]);
}

#[test]
fn a_credential_that_no_header_can_carry_is_not_shown_either() {
    listen();
    for on in BOTH {
        let config = streaming("http://127.0.0.1:1");
        let config = with(config, |connection| connection.credential = Some(Secret::new("sdk-5ecret\r\n")));
        let mut journal = Journal::new();
        let handle = journal.keep(on, config, 1).start();
        journal.until("detail");
        for (failure, wait) in [("failure reset normal 1s", "1.0s"), ("failure reset normal 2s", "2.0s")] {
            let line = format!("warning Error on stream connection: the connection was reset - will retry in {wait}");
            let detail = "detail the credential is not a valid header; visible ASCII characters and spaces are allowed";
            assert_eq!(journal.until("wait ")[..3], [failure, &line, detail]);
        }
        handle.end();
    }
    nothing_is_seen(&[]);
}

#[test]
fn an_address_that_cannot_be_used_is_shown_without_its_secrets() {
    listen();
    for on in BOTH {
        let mut journal = Journal::new();
        let source = journal.keep(on, streaming("ftp://user:5ecret@example.org/?key=5ecret"), 0);
        let handle = source.start();
        handle.close();
        let seen = [journal.rest().concat(), source.debug(), handle.debug()];
        assert!(seen[0].contains("ftp://[secret]@example.org/?[secret]"), "{seen:?}");
        nothing_is_seen(&seen);
    }
}

#[test]
fn a_source_has_a_debug_form() {
    let config = PollingConfig::new(retrylab_source::Connection::to("http://example.org"));
    let seen = format!("{:?}", retrylab_driver::source::blocking::Source::polling(config));
    assert!(seen.starts_with("Source { config: Polling("), "{seen}");
}
