//! TLS, with authorities that are known and unknown.

use std::io::Write;
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use retrylab_core::Fault;
use retrylab_source::{Cause, Connection, Secret, StreamingConfig};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::server::{PUT, STREAM, Script, Server, read_head};
use crate::stage::{Stage, Told, connection};

fn certificate(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed([name.to_owned()]).expect("works")
}

/// A stream with one message, behind this certificate, for who has the credential.
fn stream_behind(certified: &CertifiedKey<KeyPair>) -> Script {
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der()).into();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("works")
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .expect("works");
    Box::new(move |exchange| {
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).expect("works"), exchange.socket);
        if read_head(&mut stream).contains("\r\nauthorization: my-sdk-key\r\n") {
            stream.write_all(format!("{STREAM}{PUT}").as_bytes()).expect("works");
            stream.conn.send_close_notify();
            stream.flush().expect("works");
        }
    })
}

fn told(script: Script, host: &str, authorities: Option<Vec<u8>>) -> Vec<Told> {
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let uri = format!("https://{host}:{}", server.address.port());
    let credential = Some(Secret::new("my-sdk-key"));
    let connection = Connection { authorities, credential, ..connection(uri) };
    let _handle = stage.streaming(StreamingConfig::new(connection)).start();
    let told = stage.until_wait();
    server.finish();
    told
}

fn fault(told: &[Told]) -> Option<Fault> {
    told.iter().find_map(|told| match told {
        Told::Failure(Cause::Fault(fault), _) => Some(*fault),
        _ => None,
    })
}

#[test]
fn a_certificate_of_an_authority_of_ones_own_is_accepted() {
    let own = certificate("127.0.0.1");
    let told = told(stream_behind(&own), "127.0.0.1", Some(own.cert.pem().into_bytes()));
    assert!(told.contains(&Told::Ready), "{told:?}");
    assert_eq!(fault(&told), Some(Fault::Close));
}

#[test]
fn a_certificate_that_is_not_trusted_is_not_accepted() {
    let own = certificate("127.0.0.1");
    let other = certificate("127.0.0.1");
    let elsewhere = certificate("example.org");
    for (script, authorities) in [
        (stream_behind(&own), None),
        // One's own authorities replace those that are built in, and one another.
        (stream_behind(&own), Some(other.cert.pem().into_bytes())),
        // The right authority, and the wrong name.
        (stream_behind(&elsewhere), Some(elsewhere.cert.pem().into_bytes())),
    ] {
        let told = told(script, "127.0.0.1", authorities);
        assert_eq!(fault(&told), Some(Fault::Certificate), "{told:?}");
    }
}

#[test]
fn what_speaks_no_tls_is_a_failed_handshake() {
    let plain: Script = Box::new(|mut exchange| {
        exchange.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        exchange.wait_for_close();
    });
    assert_eq!(fault(&told(plain, "127.0.0.1", None)), Some(Fault::Tls));
}

#[test]
fn a_server_that_closes_in_the_handshake_has_broken_off() {
    let closes: Script = Box::new(|mut exchange| {
        // The beginning of what the client says, so that nothing is left unread that would make this a reset.
        std::io::Read::read(&mut exchange.socket, &mut [0; 4096]).unwrap();
    });
    assert_eq!(fault(&told(closes, "127.0.0.1", None)), Some(Fault::Reset));
}

#[test]
fn authorities_without_a_certificate_make_every_attempt_fail() {
    for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA"] {
        // Nobody is asked, so nobody has to answer.
        let stage = Stage::with_waits(1);
        let authorities = Some(pem.as_bytes().to_vec());
        let connection = Connection { authorities, ..connection("https://127.0.0.1:1".to_owned()) };
        let handle = stage.streaming(StreamingConfig::new(connection)).start();
        for _ in 0..2 {
            assert_eq!(fault(&stage.until_wait()), Some(Fault::Certificate), "{pem:?}");
        }
        handle.stop();
        handle.join();
    }
}
