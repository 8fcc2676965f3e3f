//! What must not be seen is not, and what is logged is logged as it is.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use retrylab_driver_std::source::Source;
use retrylab_source::{Connection, PollingConfig, Secret, StreamingConfig};

use crate::server::{Server, answer, body, status};
use crate::stage::{Stage, connection};

/// What every secret of these tests has in it.
const SECRET: &str = "5ecret";

/// So long that sixteen bytes of it in a row, as the HTTP library writes them down, have the secret in them.
const CREDENTIAL: &str = "sdk-5ecret5ecret5ecret5ecret5ecret5ecret";

/// What was logged by whatever ran since this is listened to.
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

/// What the HTTP library logs, which does not do so through `tracing`.
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

/// Listens to all threads: a source has one of its own.
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
    String::from_utf8(LINES.lock().unwrap_or_else(PoisonError::into_inner).clone()).expect("text")
}

/// Nothing of any secret was logged, and nothing of it can be seen here.
fn nothing_is_seen(of: &[String]) {
    for seen in of.iter().chain([&logged()]) {
        assert!(!seen.contains(SECRET), "{seen}");
    }
}

fn with_secrets(server: &Server, credential: &str) -> Connection {
    let uri = format!("http://user:5ecret-password@{}/base", server.address);
    Connection { credential: Some(Secret::new(credential)), ..connection(uri) }
}

#[test]
fn the_credential_goes_into_the_request_and_nowhere_else() {
    listen();
    for polling in [false, true] {
        let away = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n";
        let data = body("", r#"{"flags":{},"segments":{}}"#);
        let mut server = Server::start([
            answer(status("401 Unauthorized")),
            answer(away),
            answer(status("503 Service Unavailable")),
            answer(data),
        ]);
        let stage = Stage::with_waits(3);
        let connection = with_secrets(&server, CREDENTIAL);
        let config = format!("{connection:?}");
        let (configs, source) = if polling {
            let config = PollingConfig::new(connection);
            (format!("{config:?}"), stage.polling(config))
        } else {
            let config = StreamingConfig::new(connection);
            (format!("{config:?}"), stage.streaming(config))
        };
        let handle = source.start();
        let mut told = Vec::new();
        // Rejected, led elsewhere to a failure, answered, and refused: the script is over.
        for _ in 0..4 {
            told.extend(stage.until_wait());
        }
        let seen = [format!("{told:?}"), config, configs];
        let looked_at = [format!("{source:?}"), format!("{handle:?}"), format!("{:?}", handle.sink())];
        handle.stop();
        handle.join();
        nothing_is_seen(&[&seen[..], &looked_at].concat());
        let authorization = format!("\r\nauthorization: {CREDENTIAL}\r\n");
        let host = format!("\r\nhost: {}\r\n", server.address);
        for request in server.finish() {
            assert!(request.contains(&authorization), "{request}");
            assert!(request.contains(&host), "without the user's name and password: {request}");
        }
    }
    let log = logged();
    for line in [
        "ERROR retrylab: Received HTTP error 401 (invalid SDK key) for stream connection - will retry in 300.0s\n",
        "ERROR retrylab: Received HTTP error 401 (invalid SDK key) for polling request - will retry in 300.0s\n",
        " INFO retrylab: Starting to poll every 30s (http://",
        "DEBUG retrylab: Data handled\n",
        // Every byte, in sixteens: what the credential had been if the library knew it.
        "TRACE ureq_proto::util: ",
    ] {
        assert!(log.contains(line), "{line:?} is not in {log}");
    }
}

#[test]
fn a_credential_that_is_longer_than_what_is_sent_at_once_arrives_whole() {
    let mut server = Server::start([answer(status("503 Service Unavailable"))]);
    let stage = Stage::new();
    let credential = "0123456789".repeat(5000);
    let connection = Connection { credential: Some(Secret::new(&*credential)), ..connection(server.uri()) };
    let _handle = stage.streaming(StreamingConfig::new(connection)).start();
    stage.until_wait();
    assert!(server.finish()[0].contains(&format!("\r\nauthorization: {credential}\r\n")));
}

#[test]
fn user_and_password_of_the_address_go_nowhere() {
    listen();
    let mut server = Server::start([answer(status("503 Service Unavailable"))]);
    let stage = Stage::new();
    let connection = Connection { credential: None, ..with_secrets(&server, "") };
    let _handle = stage.streaming(StreamingConfig::new(connection)).start();
    stage.until_wait();
    let request = &server.finish()[0];
    assert!(request.starts_with("GET /base/all HTTP/1.1\r\n"), "{request}");
    assert!(!request.to_lowercase().contains("authorization"), "{request}");
    nothing_is_seen(&[]);
}

#[test]
fn a_credential_that_no_header_can_carry_is_not_shown_either() {
    listen();
    let stage = Stage::with_waits(1);
    let credential = Some(Secret::new("sdk-5ecret\r\n"));
    let config = StreamingConfig::new(Connection { credential, ..connection("http://127.0.0.1:1".to_owned()) });
    let _handle = stage.streaming(config).start();
    for delay in ["1.0s", "2.0s"] {
        let (_, line) = stage.failure();
        let detail = "credential cannot be sent; visible ASCII characters and spaces are allowed";
        let expected = "Error on stream connection: the connection broke off";
        assert_eq!(line, format!("{expected} ({detail}) - will retry in {delay}"));
    }
    nothing_is_seen(&[]);
}

#[test]
fn an_address_that_cannot_be_used_is_shown_without_its_secrets() {
    listen();
    let stage = Stage::new();
    let source = stage.stream_from("ftp://user:5ecret@example.org/?key=5ecret".to_owned());
    let handle = source.start();
    handle.join();
    nothing_is_seen(&[format!("{:?}", stage.rest()), format!("{source:?}"), format!("{handle:?}")]);
}

#[test]
fn a_source_can_be_looked_at() {
    let config = PollingConfig::new(Connection::to("http://example.org"));
    let seen = format!("{:?}", Source::polling(config));
    assert!(seen.starts_with("Source { config: Polling("), "{seen}");
}
