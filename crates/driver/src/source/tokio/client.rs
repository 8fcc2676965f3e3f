//! The HTTP requests of a source in a task.

use std::error::Error;
use std::time::Duration;

use ::http::header::{ACCEPT_ENCODING, AUTHORIZATION, USER_AGENT};
use ::http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Either, Empty};
use hyper::body::Bytes;
use retrylab_core::Fault;
use retrylab_source::Connection;
use tower::ServiceExt;
use tower_http::decompression::{Decompression, DecompressionBody};

use super::connect::Connector;
use super::exchange::{Exchange, OneRequest, broken};
use super::tls;
use crate::source::head::{Met, unsendable};
use crate::source::runtime::{Incoming, Transport};

/// Makes requests, each over a connection of its own.
pub struct HyperClient {
    requests: OneRequest,
    credential: Option<HeaderValue>,
    read_timeout: Duration,
}

/// The body of a response, as it arrives.
pub struct HyperBody {
    body: Either<Exchange, DecompressionBody<Exchange>>,
    piece: Bytes,
    read_timeout: Duration,
}

impl Transport for HyperClient {
    type Body = HyperBody;

    fn new(connection: &Connection) -> Result<Self, Met> {
        let tls =
            tls::client(connection.authorities.as_deref()).map_err(|error| Met::error(Fault::Certificate, &error))?;
        let requests = OneRequest::new(Connector::new(tls, connection.connect_timeout));
        let credential = connection.credential.as_ref().map(|credential| {
            let mut value = HeaderValue::from_str(credential.reveal()).map_err(|_| unsendable())?;
            value.set_sensitive(true);
            Ok(value)
        });
        Ok(Self { requests, credential: credential.transpose()?, read_timeout: connection.read_timeout })
    }

    async fn send(&self, request: Request<()>, authorized: bool) -> Result<Response<HyperBody>, Met> {
        let mut request = request.map(|()| Empty::<Bytes>::new());
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("retrylab/", env!("CARGO_PKG_VERSION"))));
        headers.extend(self.credential.clone().filter(|_| authorized).map(|credential| (AUTHORIZATION, credential)));
        let requests = self.requests.clone();
        let response = async {
            if request.headers().contains_key(ACCEPT_ENCODING) {
                return Ok(requests.oneshot(request).await?.map(Either::Left));
            }
            Ok(Decompression::new(requests).oneshot(request).await?.map(Either::Right))
        };
        // The time limit of the head is that of a byte.
        let read_timeout = self.read_timeout;
        let response = tokio::time::timeout(read_timeout, response).await.map_err(|_| silence(read_timeout))??;
        Ok(response.map(|body| HyperBody { body, piece: Bytes::new(), read_timeout }))
    }
}

impl Incoming for HyperBody {
    async fn read(&mut self) -> Result<bool, Met> {
        loop {
            let frame = tokio::time::timeout(self.read_timeout, self.body.frame()).await;
            let Some(frame) = frame.map_err(|_| silence(self.read_timeout))? else { return Ok(false) };
            let frame = frame.map_err(|error| unreadable(&*error))?;
            // The frames without data are trailers, which are ignored.
            if let Ok(data) = frame.into_data() {
                self.piece = data;
                return Ok(true);
            }
        }
    }

    fn piece(&self) -> &[u8] {
        &self.piece
    }
}

/// An error that is not of the connection is of the data: decompression failed.
fn unreadable(error: &(dyn Error + 'static)) -> Met {
    if error.is::<hyper::Error>() { broken(error) } else { Met::error(Fault::Malformed, error) }
}

fn silence(read_timeout: Duration) -> Met {
    let detail = format!("no data for {read_timeout:?}");
    Met { detail: Some(detail), ..Met::fault(Fault::Timeout) }
}
