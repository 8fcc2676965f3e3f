//! Servers that speak TLS, each with a certificate that only those trust who are told to.

use std::io;
use std::net::TcpStream;
use std::sync::{Arc, LazyLock};

use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection};

pub(crate) struct Identity {
    /// What a client has to trust, as PEM.
    pub(crate) authority: String,
    pub(crate) config: Arc<ServerConfig>,
}

/// The server that the sources trust.
pub(crate) static TRUSTED: LazyLock<Identity> = LazyLock::new(Identity::new);

/// One that they never heard of.
pub(crate) static UNKNOWN: LazyLock<Identity> = LazyLock::new(Identity::new);

impl Identity {
    fn new() -> Self {
        let made = generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("a version of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a key that fits the certificate");
        Self { authority: made.cert.pem(), config: Arc::new(config) }
    }

    /// Shakes hands, until the client ends it.
    pub(crate) fn shake_hands(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut connection = ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            connection.complete_io(stream)?;
        }
        Ok(())
    }
}
