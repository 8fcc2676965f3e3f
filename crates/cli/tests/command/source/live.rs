//! Against a server on the loopback.

mod server;
mod watching;

use serde_json::{Value, json};

use crate::session::{compare, retrylab, snapshot, snapshot_each};
use server::{PUT, STREAM, Server, answer, hold, poll, status};
use watching::Watching;

const PATCH: &str = "event: patch\ndata: {\"path\":\"/flags/b\",\"data\":{\"version\":9}}\n\n";

/// A millisecond, of which at most half is taken off: the band of the first wait, in nanoseconds.
const FIRST_WAIT: std::ops::RangeInclusive<u64> = 500_000..=1_000_000;

/// Twice that.
const SECOND_WAIT: std::ops::RangeInclusive<u64> = 1_000_000..=2_000_000;

#[test]
fn a_stream_is_watched_in_text_until_ctrl_c() {
    let server =
        Server::start([answer(status("503 Service Unavailable")), answer(format!("{STREAM}{PUT}{PATCH}")), hold("")]);
    let mut watching = Watching::start(&["stream", &server.uri(), "--initial-delay", "1ms"], None);
    let mut lines = watching.until(|line| line.contains("The server closed"));
    watching.interrupt();
    let (rest, errors) = watching.finish();
    lines.extend(rest);
    let text: String = lines.iter().map(|line| redacted(line, &server) + "\n").collect();
    compare("source-stream", &text);
    assert_eq!(errors, "");
}

/// Without what differs from run to run: the time in the first column, the wait in the third, the port.
fn redacted(line: &str, server: &Server) -> String {
    let (elapsed, line) = line.split_at(14);
    let (state, line) = line.split_at(16);
    let (wait, line) = line.split_at(11);
    let same = |cell: &str, placeholder: &str| {
        if cell.ends_with('s') { format!("{placeholder:>width$}", width = cell.len()) } else { cell.to_owned() }
    };
    let line = line.replace(&server.uri(), "http://SERVER");
    format!("{}{state}{}{line}", same(elapsed, "ELAPSED"), same(wait, "WAIT"))
}

#[test]
fn a_stream_is_watched_in_json_with_waits_reasons_and_data() {
    let server =
        Server::start([answer(status("503 Service Unavailable")), answer(format!("{STREAM}{PUT}{PATCH}")), hold("")]);
    let mut watching =
        Watching::start(&["stream", &server.uri(), "--initial-delay", "0.001", "--format", "json"], None);
    let lines = values(&watching.until(|line| line.contains("The server closed")));
    let first = &lines[1];
    assert_eq!(
        (&first["state"], &first["cause"], &first["kind"], &first["error"], &first["flags"]),
        (&json!("INITIALIZING"), &json!("503"), &json!("normal"), &json!("ERROR_RESPONSE 503"), &Value::Null)
    );
    assert!(FIRST_WAIT.contains(&first["wait_ns"].as_u64().unwrap()), "{first}");
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["state"], &last["cause"], &last["level"], &last["flags"], &last["segments"], &last["version"]),
        (&json!("INTERRUPTED"), &json!("close"), &json!("warning"), &json!(2), &json!(1), &json!(9))
    );
    assert!(SECOND_WAIT.contains(&last["wait_ns"].as_u64().unwrap()), "{last}");
    let elapsed: Vec<u64> = lines.iter().map(|line| line["elapsed_ns"].as_u64().unwrap()).collect();
    assert!(elapsed.is_sorted(), "{elapsed:?}");
    watching.interrupt();
    let (rest, _) = watching.finish();
    let states: Vec<Value> = values(&rest).into_iter().map(|line| line["state"].clone()).collect();
    assert_eq!(states.last(), Some(&json!("OFF")));
}

#[test]
fn every_line_of_json_has_the_same_fields() {
    let server = Server::start([answer(status("401 Unauthorized"))]);
    let mut watching = Watching::start(&["stream", &server.uri(), "--format", "json"], None);
    let lines = watching.until(|line| line.contains("HTTP error 401"));
    let names = [
        "elapsed_ns",
        "state",
        "since_ns",
        "level",
        "message",
        "wait_ns",
        "cause",
        "kind",
        "error",
        "flags",
        "segments",
        "version",
    ];
    for line in &lines {
        let places: Vec<_> = names.iter().map(|name| line.find(&format!("\"{name}\":")).unwrap()).collect();
        assert!(places.is_sorted(), "{line}");
    }
    // Five minutes, of which at most half is taken off.
    let rejected = values(&lines).pop().unwrap();
    assert!((150_000_000_000..=300_000_000_000).contains(&rejected["wait_ns"].as_u64().unwrap()), "{rejected}");
    assert_eq!((&rejected["kind"], &rejected["level"]), (&json!("unexpected"), &json!("error")));
}

#[test]
fn polls_wait_at_least_30_seconds_with_a_warning() {
    let server = Server::start([answer(poll(r#"{"flags":{"a":{"version":3}},"segments":{}}"#))]);
    let uri = server.uri();
    let mut watching = Watching::start(&["poll", &uri, "--poll-interval", "5", "--format", "json"], None);
    let lines = values(&watching.until(|line| line.contains("Data handled")));
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["state"], &last["wait_ns"], &last["flags"], &last["version"]),
        (&json!("VALID"), &json!(30_000_000_000_u64), &json!(1), &json!(3))
    );
    watching.interrupt();
    let (_, errors) = watching.finish();
    assert_eq!(errors, "warning: --poll-interval is 5s; at least 30s is allowed, so it polls every 30s\n");
    assert!(server.heads()[0].starts_with("GET /sdk/latest-all HTTP/1.1\r\n"));
}

#[test]
fn the_credential_is_sent_and_not_printed() {
    for format in ["text", "json"] {
        let server = Server::start([answer(status("401 Unauthorized"))]);
        let arguments = ["stream", &server.uri(), "--path", "/mine", "--format", format];
        let mut watching = Watching::start(&arguments, Some("a-secret"));
        let mut lines = watching.until(|line| line.contains("HTTP error 401"));
        watching.interrupt();
        let (rest, errors) = watching.finish();
        lines.extend(rest);
        let head = &server.heads()[0];
        assert!(head.starts_with("GET /mine HTTP/1.1\r\n"), "{head}");
        assert!(head.to_ascii_lowercase().contains("\r\nauthorization: a-secret\r\n"), "{head}");
        assert!(!lines.concat().contains("a-secret") && !errors.contains("a-secret"));
    }
}

#[test]
fn an_endpoint_that_never_answers_is_no_error() {
    // Nobody accepts.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    for form in ["stream", "poll"] {
        let output = retrylab(["source", form, &uri, "--for", "1ms", "--format", "json"]).output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
        let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        let lines = values(&lines);
        assert!(lines.iter().any(|line| line["message"] == "Stopping"), "{lines:?}");
        assert_eq!(lines.last().unwrap()["state"], "OFF");
    }
}

#[test]
fn it_ends_when_its_output_is_closed() {
    let server = Server::start((0..64).map(|_| answer(status("503 Service Unavailable"))));
    let mut watching = Watching::start(&["stream", &server.uri(), "--initial-delay", "1ms"], None);
    watching.until(|line| line.contains("HTTP error 503"));
    watching.close();
    let (_, errors) = watching.finish();
    assert_eq!(errors, "");
}

#[test]
fn addresses_that_cannot_be_used_are_refused_without_their_secrets() {
    snapshot_each(
        "refused-source-address",
        [
            &["source", "stream", "example.org"],
            &["source", "poll", "ftp://example.org"],
            &["source", "stream", "http://"],
            &["source", "stream", "http://example.org/?key=secret"],
            &["source", "poll", "http://example.org:port"],
        ],
    );
    let output = retrylab(["source", "stream", "http://example.org/?key=secret"]).output().unwrap();
    assert!(!String::from_utf8(output.stderr).unwrap().contains("key=secret"));
}

#[test]
fn an_option_of_the_other_form_is_refused() {
    snapshot_each(
        "refused-source-form",
        [
            &["source", "stream", "http://localhost", "--poll-interval", "30s"],
            &["source", "poll", "http://localhost", "--initial-delay", "1s"],
        ],
    );
}

#[test]
fn authorities_that_are_none_are_refused() {
    snapshot_each(
        "refused-source-authorities",
        [
            &["source", "stream", "https://localhost", "--ca", "crates/cli/tests/data/nowhere.pem"],
            &["source", "stream", "https://localhost", "--ca", "crates/cli/tests/data/no-authority.pem"],
            &["source", "stream", "https://localhost", "--ca", "Cargo.toml"],
        ],
    );
    let trusted = ["source", "poll", "http://127.0.0.1:1", "--ca", "crates/cli/tests/data/authority.pem"];
    let output = retrylab(trusted).args(["--for", "1ms"]).output().unwrap();
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn a_credential_that_cannot_be_sent_is_refused_and_not_shown() {
    let mut command = retrylab(["source", "stream", "http://localhost"]);
    snapshot("refused-source-credential", command.env("RETRYLAB_CREDENTIAL", "two\nlines"));
}

fn values(lines: &[String]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}
