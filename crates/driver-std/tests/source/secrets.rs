//! What must not be seen is not.

use retrylab_driver_std::source::Source;
use retrylab_source::{Connection, PollingConfig, Secret, StreamingConfig};

use crate::server::{Server, answer, status};
use crate::stage::{Stage, connection};

const SECRET: &str = "sdk-5ecret";

fn secret(uri: String, credential: &str) -> StreamingConfig {
    StreamingConfig::new(Connection { credential: Some(Secret::new(credential)), ..connection(uri) })
}

#[test]
fn the_credential_goes_into_the_request_and_nowhere_else() {
    let mut server = Server::start([answer(status("401 Unauthorized"))]);
    let stage = Stage::new();
    let source = stage.streaming(secret(server.uri(), SECRET));
    let handle = source.start();
    let told = stage.until_wait();
    assert!(server.finish()[0].contains(&format!("\r\nauthorization: {SECRET}\r\n")));
    for seen in [format!("{told:?}"), format!("{source:?}"), format!("{handle:?}"), format!("{:?}", handle.sink())] {
        assert!(!seen.contains("5ecret"), "{seen}");
    }
}

#[test]
fn a_credential_that_no_header_can_carry_is_not_shown_either() {
    let stage = Stage::with_waits(1);
    let _handle = stage.streaming(secret("http://127.0.0.1:1".to_owned(), "sdk-5ecret\r\n")).start();
    for delay in ["1.0s", "2.0s"] {
        let (_, line) = stage.failure();
        let detail = "credential cannot be sent; visible ASCII characters and spaces are allowed";
        let expected = "Error on stream connection: the connection broke off";
        assert_eq!(line, format!("{expected} ({detail}) - will retry in {delay}"));
    }
}

#[test]
fn a_source_can_be_looked_at() {
    let config = PollingConfig::new(Connection::to("http://example.org"));
    let seen = format!("{:?}", Source::polling(config));
    assert!(seen.starts_with("Source { config: Polling("), "{seen}");
}
