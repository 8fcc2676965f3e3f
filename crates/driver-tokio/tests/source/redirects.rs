//! Redirects: three are followed, and a credential is for the one server that it was given for.

use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, PollingConfig, Secret};

use crate::journal::{Journal, end, polling, streaming};
use crate::server::{PUT, Script, Server, answer, status, whole_stream};

fn redirect(status: u16, to: &str) -> Script {
    Script::closes(format!("HTTP/1.1 {status} Elsewhere\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"))
}

#[tokio::test]
async fn up_to_three_redirects_are_followed() {
    let put = || Script::closes(whole_stream(PUT));
    for (redirects, first) in
        [(0, "success"), (1, "success"), (2, "success"), (3, "success"), (4, "failure 307 normal 1s")]
    {
        let scripts = [302, 301, 308, 307].into_iter().take(redirects).map(|status| redirect(status, "there?a=b"));
        let scripts = scripts.chain((redirects < 4).then(put));
        let server = Server::play(scripts);
        let mut journal = Journal::new();
        let handle = journal.keep(streaming(server.uri()), 0).start();
        let entries = journal.until("wait ").await;
        assert_eq!(entries[2], first, "{redirects}");
        end(handle).await;
        let paths: Vec<_> = server.requests().iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
        assert_eq!(paths[0], "GET /all HTTP/1.1");
        assert!(paths[1..].iter().all(|path| path == "GET /there?a=b HTTP/1.1"), "{paths:?}");
    }
}

#[tokio::test]
async fn where_a_redirect_leads_nowhere_its_status_counts() {
    for location in ["", "Location: \u{1}\r\n", "Location: http://\r\n"] {
        let script = Script::closes(format!("HTTP/1.1 302 Elsewhere\r\n{location}Content-Length: 0\r\n\r\n"));
        let server = Server::play([script]);
        let mut journal = Journal::new();
        let handle = journal.keep(streaming(server.uri()), 0).start();
        let entries = journal.until("failure").await;
        let expected = if location.contains('\u{1}') { "failure reset normal 1s" } else { "failure 302 normal 1s" };
        assert_eq!(entries.last().unwrap(), expected, "{location:?}");
        end(handle).await;
    }
}

#[tokio::test]
async fn a_redirect_to_what_is_not_http_is_not_followed() {
    let server = Server::play([redirect(302, "ftp://127.0.0.1/all")]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 0).start();
    assert_eq!(journal.until("failure").await.last().unwrap(), "failure 302 normal 1s");
    end(handle).await;
}

#[tokio::test]
async fn a_credential_stays_with_its_server() {
    let body = r#"{"flags": {}, "segments": {}}"#;
    let other = Server::play([Script::closes(answer("", body))]);
    let server = Server::play([redirect(302, "/here"), redirect(302, &format!("{}/there", other.uri()))]);
    let mut config = PollingConfig::new(Connection::to(server.uri()));
    config.connection.credential = Some(Secret::new("my-key"));
    let mut journal = Journal::new();
    let handle = journal.keep(Source::polling(config), 0).start();
    assert!(journal.until("wait ").await.contains(&"success".to_owned()));
    end(handle).await;
    let has_credential = |head: &String| head.contains("authorization: my-key\r\n");
    assert!(server.requests().iter().all(has_credential));
    let elsewhere = other.requests();
    assert!(!has_credential(&elsewhere[0]), "{elsewhere:?}");
    assert!(elsewhere[0].contains("accept-encoding: gzip\r\n"), "what is no secret goes along");
}

const BODY: &str = r#"{"flags": {}, "segments": {}}"#;

/// Polls there, with a credential.
fn polls(uri: String) -> Source {
    let mut config = PollingConfig::new(Connection::to(uri));
    config.connection.credential = Some(Secret::new("my-key"));
    Source::polling(config)
}

/// The value of a header in each request.
fn each<'a>(requests: &'a [String], header: &str) -> Vec<Option<&'a str>> {
    let beginning = format!("{header}: ");
    requests.iter().map(|head| head.lines().find_map(|line| line.strip_prefix(&*beginning))).collect()
}

#[tokio::test]
async fn a_poll_follows_up_to_three_redirects() {
    for redirects in 1..=3 {
        let there = [302, 301, 308].into_iter().take(redirects).map(|status| redirect(status, "there?a=b"));
        let server = Server::play(there.chain([Script::closes(answer("", BODY))]));
        let mut journal = Journal::new();
        let handle = journal.keep(polls(server.uri()), 0).start();
        assert!(journal.until("wait ").await.contains(&"success".to_owned()), "{redirects}");
        end(handle).await;
        let requests = server.requests();
        assert!(requests[1..].iter().all(|head| head.starts_with("GET /sdk/there?a=b HTTP/1.1\r\n")), "{requests:?}");
        assert_eq!(each(&requests, "authorization"), vec![Some("my-key"); redirects + 1]);
    }
}

#[tokio::test]
async fn the_fourth_redirect_of_a_poll_is_a_failure_with_its_status() {
    let server = Server::play([302, 301, 308, 307].map(|status| redirect(status, "there")));
    let mut journal = Journal::new();
    let handle = journal.keep(polling(server.uri()), 0).start();
    let entries = journal.until("wait ").await;
    let line = "error Error encountered when updating flags: status 307 without data - will retry in 30.0s";
    assert_eq!(entries[2..], ["failure 307 normal 30s", line, "status INITIALIZING UNKNOWN", "wait 30s"]);
    end(handle).await;
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn the_tag_of_a_poll_goes_along_and_its_credential_stays() {
    let other = Server::play([Script::closes(answer("ETag: \"one\"\r\n", BODY)), Script::closes(status(304))]);
    let there = format!("{}/there", other.uri());
    let server = Server::play(["/here", &there, "/here", &there].map(|to| redirect(302, to)));
    let mut journal = Journal::new();
    let handle = journal.keep(polls(server.uri()), 1).start();
    for _ in 0..2 {
        assert!(journal.until("wait ").await.contains(&"success".to_owned()));
    }
    end(handle).await;
    let (home, away) = (server.requests(), other.requests());
    let (one, key) = (Some("\"one\""), Some("my-key"));
    assert_eq!((each(&home, "authorization"), each(&away, "authorization")), (vec![key; 4], vec![None; 2]));
    let tags = (each(&home, "if-none-match"), each(&away, "if-none-match"));
    assert_eq!(tags, (vec![None, None, one, one], vec![None, one]));
}

#[tokio::test]
async fn a_credential_that_was_left_behind_is_not_taken_up_again() {
    // From home to elsewhere, and from there back home; elsewhere learns the way from the test.
    let (tell, told) = std::sync::mpsc::channel::<String>();
    let other = Server::speak(1, move |_, stream| {
        let request = crate::server::read_head(stream);
        let back = redirect(302, &format!("{}/back", told.recv().unwrap()));
        (request, back.bytes, back.end)
    });
    let home = Server::play([redirect(302, &other.uri()), redirect(302, "/again"), Script::closes(answer("", BODY))]);
    tell.send(home.uri()).unwrap();
    let mut journal = Journal::new();
    let handle = journal.keep(polls(home.uri()), 0).start();
    assert!(journal.until("wait ").await.contains(&"success".to_owned()));
    end(handle).await;
    assert_eq!(each(&other.requests(), "authorization"), [None]);
    assert_eq!(each(&home.requests(), "authorization"), [Some("my-key"), None, None]);
}
