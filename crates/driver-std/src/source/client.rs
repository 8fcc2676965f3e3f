//! The HTTP requests of a source. None is ever repeated.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, IF_NONE_MATCH};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use retrylab_core::Fault;
use retrylab_source::{Answer, Body, Connection};
use ureq::config::Config;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, RustlsConnector};
use ureq::{Agent, BodyReader};

use super::allowance::Allowance;
use super::credential::{Credentials, placeholder};
use super::fault::fault_of;
use super::head::{EVENT_STREAM, Met, PollHead, poll_head, stream_head};
use super::redirect;
use super::settings::WallClock;
use super::sockets::Sockets;
use crate::LONGEST_WAIT;

/// The most bytes that the head of an answer may have.
const HEAD_LIMIT: usize = 64 << 10;

/// How much is read at once.
const PIECE: usize = 16 << 10;

/// Makes requests until it is cut.
pub(super) struct Client {
    agent: Agent,
    /// Whether there is a credential.
    authorized: bool,
    size_limit: usize,
    wall_clock: WallClock,
    allowance: Allowance,
}

/// The body of an answer, as it comes in.
pub(super) struct Incoming {
    reader: BodyReader<'static>,
    piece: Box<[u8]>,
    allowance: Allowance,
}

struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: ureq::Body,
}

impl Client {
    /// A client without a connection.
    ///
    /// # Errors
    ///
    /// If no request can ever be made so: with such a credential, or such authorities.
    pub(super) fn new(connection: &Connection, wall_clock: WallClock) -> Result<Self, Met> {
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
            // Together: else a server that trickles its head, or only ever says that it will answer, would hold a source.
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
        let authorized = credential.is_some();
        Ok(Self { agent, authorized, size_limit: connection.size_limit, wall_clock, allowance })
    }

    /// Ends every request, and lets none begin. Any thread may call it.
    pub(super) fn cut(&self) {
        self.agent.clone().shutdown();
    }

    /// Asks for a stream. Returns the environment that it names, and the stream.
    pub(super) fn stream(&self, uri: &Uri) -> Result<(Option<String>, Incoming), Met> {
        let headers =
            [(ACCEPT, HeaderValue::from_static(EVENT_STREAM)), (ACCEPT_ENCODING, HeaderValue::from_static("identity"))];
        let answered = self.get(uri, &headers)?;
        let environment = stream_head(answered.status, &answered.headers, (self.wall_clock)())?;
        Ok((environment, self.incoming(answered.body)))
    }

    /// Asks for everything, or what is new since the tag.
    pub(super) fn poll(&self, uri: &Uri, etag: Option<&str>) -> Answer {
        self.try_poll(uri, etag).unwrap_or_else(Met::answer)
    }

    fn try_poll(&self, uri: &Uri, etag: Option<&str>) -> Result<Answer, Met> {
        let etag = etag.and_then(|etag| HeaderValue::from_str(etag).ok()).map(|etag| (IF_NONE_MATCH, etag));
        let answered = self.get(uri, etag.as_slice())?;
        match poll_head(answered.status, &answered.headers, (self.wall_clock)())? {
            PollHead::NotModified => Ok(Answer::NotModified),
            PollHead::Body { etag, environment } => {
                let bytes = self.incoming(answered.body).collect(self.size_limit)?.into();
                Ok(Answer::Body { body: Body { bytes, etag }, environment })
            }
        }
    }

    fn incoming(&self, body: ureq::Body) -> Incoming {
        Incoming { reader: body.into_reader(), piece: vec![0; PIECE].into(), allowance: self.allowance.clone() }
    }

    /// One request, and those that its answer redirects to.
    fn get(&self, uri: &Uri, headers: &[(HeaderName, HeaderValue)]) -> Result<Answered, Met> {
        let mut uri = uri.clone();
        let mut authorized = self.authorized;
        let mut redirects = 0;
        loop {
            self.allowance.lift();
            let mut request = self.agent.get(without_user(&uri));
            for (name, value) in headers {
                request = request.header(name, value);
            }
            if authorized {
                request = request.header(AUTHORIZATION, placeholder());
            }
            let (head, body) = request.call().map_err(|error| met(&error))?.into_parts();
            match redirect::target(&uri, head.status, &head.headers) {
                Some(target) if redirects < redirect::MOST => {
                    redirects += 1;
                    authorized &= redirect::same_server(&uri, &target);
                    uri = target;
                }
                _ => return Ok(Answered { status: head.status, headers: head.headers, body }),
            }
        }
    }
}

impl Incoming {
    /// The next bytes; none: the end.
    pub(super) fn read(&mut self) -> Result<&[u8], Met> {
        self.allowance.renew();
        match self.reader.read(&mut self.piece) {
            Ok(amount) => Ok(&self.piece[..amount]),
            Err(error) => Err(met(&ureq::Error::from(error))),
        }
    }

    fn collect(mut self, limit: usize) -> Result<Vec<u8>, Met> {
        let mut bytes = Vec::new();
        loop {
            let piece = self.read()?;
            if piece.is_empty() {
                return Ok(bytes);
            }
            if piece.len() > limit - bytes.len() {
                let detail = format!("the body is larger than the {limit} bytes that are allowed");
                return Err(Met { detail: Some(detail), ..Met::fault(Fault::Malformed) });
            }
            bytes.extend_from_slice(piece);
        }
    }
}

/// The address without user and password, which the client would make a credential of.
fn without_user(uri: &Uri) -> Uri {
    let mut parts = uri.clone().into_parts();
    let server = |authority: Authority| authority.as_str().rsplit('@').next()?.parse().ok();
    parts.authority = parts.authority.and_then(server);
    Uri::from_parts(parts).unwrap_or_default()
}

/// What the client can work with: an instant that far away exists, and nothing is not "without limit".
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

/// Without the credential, and without what is wrong with it, which would be a part of it.
fn unsendable() -> Met {
    let detail = "credential cannot be sent; visible ASCII characters and spaces are allowed".to_owned();
    Met { detail: Some(detail), ..Met::fault(Fault::Reset) }
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
        // What came is no HTTP, or too much of it.
        _ => Fault::Reset,
    };
    Met::error(fault, error)
}

/// What the socket met, if it was that, and not what it brought, which kept a body from being unpacked.
fn broken_off(error: &io::Error) -> Option<Fault> {
    fault_of(error.get_ref()?.downcast_ref::<io::Error>()?)
}

#[cfg(test)]
mod tests {
    use retrylab_source::Cause;

    use super::*;

    #[test]
    fn a_packed_body_that_is_broken_off_is_no_malformed_one() {
        let met = |error| met(&ureq::Error::Decompress("gzip", error)).cause;
        let reset = io::Error::other(io::Error::from(io::ErrorKind::ConnectionReset));
        assert_eq!(met(reset), Cause::Fault(Fault::Reset));
        for kind in [io::ErrorKind::InvalidInput, io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof] {
            assert_eq!(met(kind.into()), Cause::Fault(Fault::Malformed));
            assert_eq!(met(io::Error::new(kind, "corrupt")), Cause::Fault(Fault::Malformed));
        }
    }
}
