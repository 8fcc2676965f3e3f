//! Trusted authorities.

use std::fmt;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};

/// The configured authorities are invalid, so no server can be trusted.
#[derive(Debug)]
pub(super) enum AuthoritiesError {
    Pem(pem::Error),
    Certificate(rustls::Error),
    None,
}

impl fmt::Display for AuthoritiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("authorities ")?;
        match self {
            Self::Pem(error) => write!(f, "is not PEM: {error}"),
            Self::Certificate(error) => write!(f, "has an invalid certificate: {error}"),
            Self::None => f.write_str("has no certificate; PEM with at least one is allowed"),
        }
    }
}

impl std::error::Error for AuthoritiesError {}

/// A client that trusts these authorities, as PEM; `None`: those of Mozilla.
pub(super) fn client(authorities: Option<&[u8]>) -> Result<Arc<ClientConfig>, AuthoritiesError> {
    let roots = match authorities {
        Some(pem) => parse(pem)?,
        None => webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect(),
    };
    // Not the default provider of the process, which any other crate may have set.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(AuthoritiesError::Certificate)?;
    Ok(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

fn parse(pem: &[u8]) -> Result<RootCertStore, AuthoritiesError> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate.map_err(AuthoritiesError::Pem)?).map_err(AuthoritiesError::Certificate)?;
    }
    if roots.is_empty() { Err(AuthoritiesError::None) } else { Ok(roots) }
}
