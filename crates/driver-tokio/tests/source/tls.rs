//! TLS: whom a source trusts, and what it makes of whom it does not.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use retrylab_driver_tokio::source::Source;
use retrylab_source::{Connection, StreamingConfig};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::journal::{Journal, end};
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

/// Speaks TLS, and sends a stream to whoever gets so far.
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

async fn first_words(uri: String, authorities: Option<&str>) -> (String, String) {
    let mut config = StreamingConfig::new(Connection::to(uri));
    config.connection.authorities = authorities.map(|pem| pem.as_bytes().to_vec());
    let mut journal = Journal::new();
    let handle = journal.keep(Source::streaming(config), 0).start();
    let entries = journal.until("wait ").await;
    end(handle).await;
    let detail = entries.iter().rfind(|entry| entry.starts_with("detail ")).cloned();
    (entries[2].clone(), detail.unwrap_or_default())
}

#[tokio::test]
async fn a_server_of_an_authority_of_its_own_is_trusted_where_that_is_configured() {
    let authority = authority("127.0.0.1");
    let server = serve(authority.server.clone());
    let uri = format!("https://127.0.0.1:{}", server.port);
    assert_eq!(first_words(uri, Some(&authority.pem)).await.0, "success");
    assert!(server.requests()[0].starts_with("GET /all HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_gets_no_request() {
    let ours = authority("127.0.0.1");
    let theirs = authority("127.0.0.1");
    let elsewhere = authority("example.org");
    for (server, authorities) in [(&ours, None), (&ours, Some(&theirs.pem)), (&elsewhere, Some(&elsewhere.pem))] {
        let server = serve(server.server.clone());
        let uri = format!("https://127.0.0.1:{}", server.port);
        let (failure, detail) = first_words(uri, authorities.map(String::as_str)).await;
        assert_eq!(failure, "failure certificate normal 1s");
        assert!(detail.contains("invalid peer certificate"), "{detail}");
        assert_eq!(server.requests(), [""]);
    }
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_fails_the_handshake() {
    for (bytes, expected) in [(status(200), "failure tls normal 1s"), (Vec::new(), "failure reset normal 1s")] {
        // It does not read what the client says first.
        let server = Server::speak(1, move |_, _| (String::new(), bytes.clone(), End::Close));
        let (failure, detail) = first_words(format!("https://127.0.0.1:{}", server.port), None).await;
        assert_eq!(failure, expected, "{detail}");
        server.requests();
    }
}

#[tokio::test]
async fn authorities_that_cannot_be_used_trust_nobody() {
    for (pem, words) in [
        ("", "detail authorities has no certificate; PEM with at least one is allowed"),
        ("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n", "detail authorities is not PEM: "),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "detail authorities has a certificate that"),
    ] {
        let (failure, detail) = first_words("https://127.0.0.1:1".to_owned(), Some(pem)).await;
        assert_eq!(failure, "failure certificate normal 1s");
        assert!(detail.starts_with(words), "{detail}");
    }
}
