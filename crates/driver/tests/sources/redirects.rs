//! Redirects: three are followed, and a credential is for the one server that it was given for.

use std::io::Write;
use std::sync::mpsc::channel;

use retrylab_source::{Kind, Secret};

use crate::journal::{BOTH, Config, Journal, On, met, played, polling, streaming, with};
use crate::server::{End, PUT, Script, Server, answer, read_head, status, whole_stream};

const BODY: &str = r#"{"flags": {"a": {"version": 1}}, "segments": {}}"#;

fn redirect(status: u16, to: &str) -> Script {
    Script::closes(format!("HTTP/1.1 {status} Elsewhere\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
}

/// From the address of a server to the configuration of a source.
type Configure = fn(String) -> Config;

/// Streams and polls with a credential, and the data of each.
fn with_credential() -> [(Configure, Vec<u8>); 2] {
    fn credential(config: Config) -> Config {
        with(config, |connection| connection.credential = Some(Secret::new("my-key")))
    }
    [(|uri| credential(streaming(uri)), whole_stream(PUT)), (|uri| credential(polling(uri)), answer("", BODY))]
}

/// A source that has its data at its first wait.
fn succeeds(on: On, config: Config) {
    let mut journal = Journal::new();
    let handle = journal.keep(on, config, 0).start();
    let entries = journal.until("wait ");
    assert!(entries.contains(&"success".to_owned()), "{on:?} {entries:?}");
    handle.end();
}

/// The value of a header in each request.
fn each<'a>(requests: &'a [String], header: &str) -> Vec<Option<&'a str>> {
    let beginning = format!("{header}: ");
    requests.iter().map(|head| head.lines().find_map(|line| line.strip_prefix(&*beginning))).collect()
}

#[test]
fn up_to_three_redirects_are_followed_with_the_credential() {
    for on in BOTH {
        for (config, data) in with_credential() {
            for redirects in 0..=3 {
                let there = [302, 301, 308].into_iter().take(redirects).map(|status| redirect(status, "there?a=b"));
                let server = Server::play(there.chain([Script::closes(&*data)]));
                succeeds(on, config(server.uri()));
                let requests = server.requests();
                let is_there = |head: &String| head.split("?a=b HTTP/1.1\r\n").next().unwrap().ends_with("/there");
                assert!(requests[1..].iter().all(is_there), "{requests:?}");
                assert_eq!(each(&requests, "authorization"), vec![Some("my-key"); redirects + 1]);
            }
        }
    }
}

#[test]
fn the_fourth_redirect_is_a_failure_with_its_status() {
    let poll = "error Error encountered when updating flags: status 307 without data - will retry in 30.0s";
    for on in BOTH {
        let redirects = || Server::play([302, 301, 308, 307].map(|status| redirect(status, "there")));
        let server = redirects();
        assert_eq!(met(on, streaming(server.uri()))[0], "failure 307 normal 1s");
        assert_eq!(server.requests().len(), 4);
        let server = redirects();
        let entries = met(on, polling(server.uri()));
        assert_eq!(entries, ["failure 307 normal 30s", poll, "status INITIALIZING UNKNOWN", "wait 30s"]);
        assert_eq!(server.requests().len(), 4);
    }
}

#[test]
fn the_status_of_a_redirect_without_a_valid_target_counts() {
    for (location, expected) in [
        ("", "failure 302 normal 1s"),
        ("Location: http://\r\n", "failure 302 normal 1s"),
        ("Location: ftp://127.0.0.1/all\r\n", "failure 302 normal 1s"),
        ("Location: \u{1}\r\n", "failure reset normal 1s"),
    ] {
        let script = Script::closes(format!("HTTP/1.1 302 Elsewhere\r\n{location}Content-Length: 0\r\n\r\n"));
        assert_eq!(played(streaming, &script)[0], expected, "{location:?}");
    }
}

#[test]
fn the_status_of_the_target_counts() {
    for on in BOTH {
        let server = Server::play([redirect(302, "/there"), Script::closes(status(403))]);
        assert_eq!(met(on, streaming(server.uri()))[0], "failure 403 unexpected 300s");
        server.requests();
    }
}

#[test]
fn a_redirect_with_an_endless_body_is_followed_all_the_same() {
    for on in BOTH {
        let server = Server::speak(2, |connection, stream| {
            let request = read_head(stream);
            if connection == 1 {
                return (request, whole_stream(PUT), End::Close);
            }
            let head = b"HTTP/1.1 301 Moved\r\nLocation: /there\r\nTransfer-Encoding: chunked\r\n\r\n";
            stream.write_all(head).expect("a reader");
            while stream.write_all(b"1\r\na\r\n").is_ok() {}
            (request, Vec::new(), End::Close)
        });
        succeeds(on, streaming(server.uri()));
        server.requests();
    }
}

#[test]
fn a_credential_stays_with_its_server_and_the_tag_goes_along() {
    for on in BOTH {
        let other = Server::play([Script::closes(answer("ETag: \"one\"\r\n", BODY)), Script::closes(status(304))]);
        let there = format!("{}/there", other.uri());
        let server = Server::play(["/here", &there, "/here", &there].map(|to| redirect(302, to)));
        let [_, (config, _)] = with_credential();
        let mut journal = Journal::new();
        let handle = journal.keep(on, config(server.uri()), 1).start();
        for _ in 0..2 {
            assert!(journal.until("wait ").contains(&"success".to_owned()));
        }
        assert!(journal.store.get(Kind::Flag, "a").is_some());
        handle.end();
        let (home, away) = (server.requests(), other.requests());
        let (one, key) = (Some("\"one\""), Some("my-key"));
        assert_eq!((each(&home, "authorization"), each(&away, "authorization")), (vec![key; 4], vec![None; 2]));
        let tags = (each(&home, "if-none-match"), each(&away, "if-none-match"));
        assert_eq!(tags, (vec![None, None, one, one], vec![None, one]));
        assert_eq!(each(&away, "accept-encoding"), [Some("gzip"), Some("gzip")], "no secret");
    }
}

#[test]
fn a_credential_that_was_left_behind_is_not_taken_up_again() {
    for on in BOTH {
        for (config, data) in with_credential() {
            // From home to elsewhere, and from there back home; elsewhere learns the way from the test.
            let (tell, told) = channel::<String>();
            let other = Server::speak(1, move |_, stream| {
                let request = read_head(stream);
                let back = redirect(302, &format!("{}/back", told.recv().unwrap()));
                (request, back.bytes, back.end)
            });
            let home = Server::play([redirect(302, &other.uri()), redirect(302, "/again"), Script::closes(data)]);
            tell.send(home.uri()).unwrap();
            succeeds(on, config(home.uri()));
            assert_eq!(each(&other.requests(), "authorization"), [None]);
            let requests = home.requests();
            assert_eq!(each(&requests, "authorization"), [Some("my-key"), None, None]);
            assert!(requests[1].starts_with("GET /back ") && requests[2].starts_with("GET /again "));
        }
    }
}
