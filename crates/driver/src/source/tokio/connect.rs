//! The way from an address to a connection.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::source::fault::fault_of;
use crate::source::head::Met;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use retrylab_core::Fault;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;
use tower::util::MapErr;
use tower::{Service, ServiceExt};

/// A connection, with TLS or without.
pub(super) type Socket = Either<TcpStream, TlsStream<TcpStream>>;

type Resolver = MapErr<GaiResolver, fn(io::Error) -> Unresolved>;

/// Connects within a time limit, TLS included.
#[derive(Clone)]
pub(super) struct Connector {
    tcp: HttpConnector<Resolver>,
    tls: Arc<ClientConfig>,
    timeout: Duration,
}

/// An error of a name lookup. Its text differs from system to system, so it has no further meaning.
#[derive(Debug)]
struct Unresolved(io::Error);

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unresolved {}

impl Connector {
    pub(super) fn new(tls: Arc<ClientConfig>, timeout: Duration) -> Self {
        let resolver = ServiceExt::<Name>::map_err(GaiResolver::new(), Unresolved as fn(io::Error) -> Unresolved);
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // With several addresses for a name, none may use up the time of the others.
        tcp.set_connect_timeout(Some(timeout));
        Self { tcp, tls, timeout }
    }

    /// Connects to the host of an `http` or `https` URI.
    pub(super) async fn connect(self, uri: &::http::Uri) -> Result<Socket, Met> {
        let timeout = self.timeout;
        match tokio::time::timeout(timeout, self.connect_in_any_time(uri)).await {
            Ok(connected) => connected,
            Err(_) => {
                let detail = format!("no connection within {timeout:?}");
                Err(Met { detail: Some(detail), ..Met::fault(Fault::Timeout) })
            }
        }
    }

    async fn connect_in_any_time(mut self, uri: &::http::Uri) -> Result<Socket, Met> {
        let tcp = self.tcp.call(uri.clone()).await.map_err(|error| {
            let unresolved = std::error::Error::source(&error).is_some_and(|cause| cause.is::<Unresolved>());
            let fault = if unresolved { Fault::Dns } else { fault_of(&error).unwrap_or(Fault::Reset) };
            Met::error(fault, &error)
        })?;
        let tcp = tcp.into_inner();
        if uri.scheme_str() != Some("https") {
            return Ok(Either::Left(tcp));
        }
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|error| Met::error(Fault::Tls, &error))?;
        let tls = TlsConnector::from(self.tls).connect(name, tcp).await;
        let tls = tls.map_err(|error| Met::error(fault_of(&error).unwrap_or(Fault::Tls), &error))?;
        Ok(Either::Right(tls))
    }
}
