//! TLS, with authorities that are known and unknown.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use retrylab_source::Secret;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::journal::{BOTH, Journal, On, streaming, with};
use crate::server::{End, PUT, Server, read_head, status, whole_stream};

/// An authority, and a server with a certificate from it.
struct Authority {
    pem: String,
    server: Arc<ServerConfig>,
}

fn authority(host: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
    let key = KeyPair::generate().expect("a key");
    let certificate =
        CertificateParams::new([host.to_owned()]).expect("a name").signed_by(&key, &issuer).expect("a certificate");
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let server = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).expect("a pair"));
    Authority { pem: issuer.pem(), server }
}

/// Speaks TLS, and sends a stream to a client that trusts it.
fn serve(config: Arc<ServerConfig>) -> Server {
    Server::speak(1, move |_, stream| {
        let tls = ServerConnection::new(config.clone()).expect("a connection");
        let socket: TcpStream = stream.try_clone().expect("a socket");
        let mut tls = StreamOwned::new(tls, socket);
        let request = read_head(&mut tls);
        if !request.is_empty() {
            tls.write_all(&whole_stream(PUT)).expect("a reader");
            tls.conn.send_close_notify();
            tls.flush().expect("a reader");
        }
        (request, Vec::new(), End::Close)
    })
}

/// The first outcome of a source, and the detail of its failure.
fn first_outcome(on: On, uri: String, authorities: Option<&str>) -> (String, String) {
    let config = with(streaming(uri), |connection| {
        connection.authorities = authorities.map(|pem| pem.as_bytes().to_vec());
        connection.credential = Some(Secret::new("my-key"));
    });
    let mut journal = Journal::new();
    let handle = journal.keep(on, config, 0).start();
    let entries = journal.until("wait ");
    handle.end();
    let detail = entries.iter().rfind(|entry| entry.starts_with("detail ")).cloned();
    (entries[2].clone(), detail.unwrap_or_default())
}

#[test]
fn a_server_of_a_configured_authority_is_trusted_and_gets_the_credential() {
    let authority = authority("127.0.0.1");
    for on in BOTH {
        let server = serve(authority.server.clone());
        let uri = format!("https://127.0.0.1:{}", server.port);
        assert_eq!(first_outcome(on, uri, Some(&authority.pem)).0, "success");
        let request = &server.requests()[0];
        assert!(request.starts_with("GET /all HTTP/1.1\r\n"), "{request}");
        assert!(request.contains("\r\nauthorization: my-key\r\n"), "{request}");
    }
}

#[test]
fn a_server_with_an_untrusted_certificate_gets_no_request() {
    let ours = authority("127.0.0.1");
    let theirs = authority("127.0.0.1");
    let elsewhere = authority("example.org");
    for on in BOTH {
        for (server, authorities) in [
            (&ours, None),
            // Configured authorities replace the built-in ones, and one another.
            (&ours, Some(&theirs.pem)),
            // The right authority, and the wrong name.
            (&elsewhere, Some(&elsewhere.pem)),
        ] {
            let server = serve(server.server.clone());
            let uri = format!("https://127.0.0.1:{}", server.port);
            let (failure, detail) = first_outcome(on, uri, authorities.map(String::as_str));
            assert_eq!(failure, "failure certificate normal 1s");
            assert!(detail.contains("invalid peer certificate"), "{detail}");
            assert_eq!(server.requests(), [""]);
        }
    }
}

#[test]
fn a_server_that_does_not_speak_tls_fails_the_handshake() {
    for on in BOTH {
        for (bytes, expected) in [(status(400), "failure tls normal 1s"), (Vec::new(), "failure reset normal 1s")] {
            let server = Server::speak(1, move |_, stream| {
                // The beginning of the client's greeting, so that nothing is left unread that would cause a reset.
                assert!(stream.read(&mut [0; 4096]).expect("a greeting") > 0);
                (String::new(), bytes.clone(), End::Close)
            });
            let (failure, detail) = first_outcome(on, format!("https://127.0.0.1:{}", server.port), None);
            assert_eq!(failure, expected, "{on:?} {detail}");
            server.requests();
        }
    }
}

#[test]
fn invalid_authorities_trust_no_server() {
    let none = "detail authorities has no certificate; PEM with at least one is allowed";
    for (on, pem, words) in [
        (On::Thread, "", none),
        (On::Task, "", none),
        (On::Thread, "no certificate", none),
        (On::Task, "no certificate", none),
        (On::Thread, "-----BEGIN CERTIFICATE-----\nAAAA", "detail "),
        (On::Task, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "detail authorities is not PEM: "),
        (
            On::Task,
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "detail authorities has an invalid certificate: ",
        ),
    ] {
        let (failure, detail) = first_outcome(on, "https://127.0.0.1:1".to_owned(), Some(pem));
        assert_eq!(failure, "failure certificate normal 1s");
        assert!(detail.starts_with(words), "{detail}");
    }
}
