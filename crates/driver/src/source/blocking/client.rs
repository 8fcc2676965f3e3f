//! The HTTP requests of a source on a thread.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::uri::Authority;
use http::{HeaderValue, Request, Response, Uri};
use retrylab_core::Fault;
use retrylab_source::Connection;
use ureq::config::Config;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, RustlsConnector};
use ureq::{Agent, BodyReader};

use super::allowance::Allowance;
use super::credential::{Credentials, placeholder};
use super::sockets::Sockets;
use crate::LONGEST_WAIT;
use crate::source::fault::fault_of;
use crate::source::head::{Met, unsendable};
use crate::source::runtime::{Incoming, Transport};

/// The maximum size of the head of a response, in bytes.
const HEAD_LIMIT: usize = 64 << 10;

/// The size of a read.
const PIECE: usize = 16 << 10;

/// Makes requests until it is cut.
pub struct UreqClient {
    agent: Agent,
    /// Whether there is a credential.
    authorized: bool,
    allowance: Allowance,
}

/// The body of a response, as it arrives.
pub struct UreqBody {
    reader: BodyReader<'static>,
    piece: Box<[u8]>,
    amount: usize,
    allowance: Allowance,
}

impl Transport for UreqClient {
    type Body = UreqBody;

    fn new(connection: &Connection) -> Result<Self, Met> {
        let credential = connection
            .credential
            .as_ref()
            .map(|credential| HeaderValue::from_str(credential.reveal()).map_err(|_| unsendable()))
            .transpose()?;
        let authorities = connection.authorities.as_deref().map(certificates).transpose()?;
        let mut tls = TlsConfig::builder();
        if let Some(authorities) = authorities {
            tls = tls.root_certs(RootCerts::Specific(Arc::new(authorities)));
        }
        let config = Config::builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .max_response_header_size(HEAD_LIMIT)
            .input_buffer_size(PIECE)
            .output_buffer_size(PIECE)
            .proxy(None)
            .timeout_connect(Some(possible(connection.connect_timeout)))
            // Together: otherwise a server that trickles its head, or repeats 100 Continue, could block a source.
            .timeout_recv_response(Some(possible(connection.read_timeout)))
            .timeout_per_read(Some(possible(connection.read_timeout)))
            .timeout_per_write(Some(possible(connection.read_timeout)))
            .tls_config(tls.build())
            .user_agent(concat!("retrylab/", env!("CARGO_PKG_VERSION")))
            .build();
        let allowance = Allowance::new();
        let secured = Sockets { allowance: allowance.clone() }.chain(RustlsConnector::default());
        let connector = secured.chain(Credentials::new(credential.as_ref()));
        let agent = Agent::with_parts(config, connector, DefaultResolver::default());
        Ok(Self { agent, authorized: credential.is_some(), allowance })
    }

    async fn send(&self, mut request: Request<()>, authorized: bool) -> Result<Response<UreqBody>, Met> {
        self.allowance.lift();
        *request.uri_mut() = without_user(request.uri());
        let credential = (authorized && self.authorized).then(|| (AUTHORIZATION, placeholder()));
        request.headers_mut().extend(credential);
        let response = self.agent.run(request).map_err(|error| met(&error))?;
        Ok(response.map(|body| UreqBody {
            reader: body.into_reader(),
            piece: vec![0; PIECE].into(),
            amount: 0,
            allowance: self.allowance.clone(),
        }))
    }

    fn cut(&self) {
        self.agent.clone().shutdown();
    }
}

impl Incoming for UreqBody {
    async fn read(&mut self) -> Result<bool, Met> {
        self.allowance.renew();
        self.amount = self.reader.read(&mut self.piece).map_err(|error| met(&ureq::Error::from(error)))?;
        Ok(self.amount > 0)
    }

    fn piece(&self) -> &[u8] {
        &self.piece[..self.amount]
    }
}

/// The address without user and password, which the client would turn into a credential.
fn without_user(uri: &Uri) -> Uri {
    let mut parts = uri.clone().into_parts();
    let server = |authority: Authority| authority.as_str().rsplit('@').next()?.parse().ok();
    parts.authority = parts.authority.and_then(server);
    Uri::from_parts(parts).unwrap_or_default()
}

/// A time that the client supports: an instant that far away exists, and zero does not mean "no limit".
fn possible(timeout: Duration) -> Duration {
    timeout.clamp(Duration::from_millis(1), LONGEST_WAIT)
}

fn certificates(pem: &[u8]) -> Result<Vec<ureq::tls::Certificate<'static>>, Met> {
    let mut certificates = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| met(&error))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        let detail = "authorities has no certificate; PEM with at least one is allowed".to_owned();
        return Err(Met { detail: Some(detail), ..Met::fault(Fault::Certificate) });
    }
    Ok(certificates)
}

fn met(error: &ureq::Error) -> Met {
    let fault = match error {
        ureq::Error::Io(error) => fault_of(error).unwrap_or(Fault::Reset),
        ureq::Error::Other(error) => fault_of(&**error).unwrap_or(Fault::Reset),
        ureq::Error::Rustls(error) => fault_of(error).unwrap_or(Fault::Tls),
        ureq::Error::Timeout(_) => Fault::Timeout,
        ureq::Error::HostNotFound => Fault::Dns,
        ureq::Error::Tls(_) | ureq::Error::TlsRequired => Fault::Tls,
        ureq::Error::Pem(_) => Fault::Certificate,
        ureq::Error::Decompress(_, error) => broken_off(error).unwrap_or(Fault::Malformed),
        // The data was not HTTP, or too large.
        _ => Fault::Reset,
    };
    Met::error(fault, error)
}

/// The error of the socket, if there was one, rather than the resulting error of decompression.
fn broken_off(error: &io::Error) -> Option<Fault> {
    fault_of(error.get_ref()?.downcast_ref::<io::Error>()?)
}

#[cfg(test)]
mod tests {
    use retrylab_source::Cause;

    use super::*;

    #[test]
    fn an_interrupted_compressed_body_is_not_malformed() {
        let met = |error| met(&ureq::Error::Decompress("gzip", error)).cause;
        let reset = io::Error::other(io::Error::from(io::ErrorKind::ConnectionReset));
        assert_eq!(met(reset), Cause::Fault(Fault::Reset));
        for kind in [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof] {
            assert_eq!(met(kind.into()), Cause::Fault(Fault::Malformed));
            assert_eq!(met(io::Error::new(kind, "corrupt")), Cause::Fault(Fault::Malformed));
        }
    }
}
