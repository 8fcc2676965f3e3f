//! One request and its response, on a connection of their own.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use crate::source::fault::fault_of;
use crate::source::head::Met;
use ::http::header::HOST;
use ::http::uri::PathAndQuery;
use ::http::{HeaderValue, Request, Response, Uri};
use http_body_util::Empty;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use retrylab_core::Fault;
use tower::Service;

use super::connect::{Connector, Socket};

type Nothing = Empty<Bytes>;

type Wire = Connection<TokioIo<Socket>, Nothing>;

/// Sends each request over a new connection. It needs no task: the connection is driven by the future of the response
/// and by reads of its body, and is closed when that is dropped.
#[derive(Clone)]
pub(super) struct OneRequest {
    connector: Connector,
}

/// The body of a response, with its connection.
pub(super) struct Exchange {
    body: Incoming,
    connection: Driven,
    /// Without it the connection would close after the request.
    _sender: SendRequest<Nothing>,
}

/// A connection that may have ended.
struct Driven(Option<Pin<Box<Wire>>>);

impl OneRequest {
    pub(super) const fn new(connector: Connector) -> Self {
        Self { connector }
    }

    async fn send(self, request: Request<Nothing>) -> Result<Response<Exchange>, Met> {
        let socket = self.connector.connect(request.uri()).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await.map_err(|error| broken(&error))?;
        let mut connection = Driven(Some(Box::pin(connection)));
        let head = {
            let mut head = pin!(sender.send_request(for_the_wire(request)));
            poll_fn(|cx| {
                connection.drive(cx);
                head.as_mut().poll(cx)
            })
            .await
            .map_err(|error| broken(&error))?
        };
        Ok(head.map(|body| Exchange { body, connection, _sender: sender }))
    }
}

impl Service<Request<Nothing>> for OneRequest {
    type Response = Response<Exchange>;
    type Error = Met;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Exchange>, Met>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Met>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Nothing>) -> Self::Future {
        Box::pin(self.clone().send(request))
    }
}

impl Body for Exchange {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.connection.drive(cx);
        Pin::new(&mut self.body).poll_frame(cx)
    }
}

impl Driven {
    /// Reads and writes what is available. The head or the body reports an error.
    fn drive(&mut self, cx: &mut Context<'_>) {
        if let Some(connection) = &mut self.0
            && connection.as_mut().poll(cx).is_ready()
        {
            self.0 = None;
        }
    }
}

/// The fault of a connection's error: a reset, unless a better one is known.
pub(super) fn broken(error: &(dyn std::error::Error + 'static)) -> Met {
    Met::error(fault_of(error).unwrap_or(Fault::Reset), error)
}

/// The request in the form for a server: only the path in its first line, and the host in a header.
fn for_the_wire(mut request: Request<Nothing>) -> Request<Nothing> {
    let uri = request.uri();
    let host = uri.authority().map(|authority| {
        // Without user and password.
        let host = authority.as_str().rsplit('@').next().unwrap_or_default();
        HeaderValue::from_str(host).ok()
    });
    let path = uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
    request.headers_mut().extend(host.flatten().map(|host| (HOST, host)));
    *request.uri_mut() = Uri::from(path);
    request
}
