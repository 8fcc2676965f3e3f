//! The HTTP requests of a source, and the meaning of their responses. No request is repeated.

use ::http::header::{ACCEPT, ACCEPT_ENCODING, IF_NONE_MATCH};
use ::http::response::Parts;
use ::http::{HeaderName, HeaderValue, Request, Uri};
use retrylab_core::Fault;
use retrylab_source::{Body, Connection, Endpoint, PollResponse};

use super::head::{EVENT_STREAM, Met, PollHead, poll_head, stream_head};
use super::redirect;
use super::runtime::{Incoming, Transport};
use super::start::WallClock;

/// An address that is requested again and again.
pub(crate) struct Http<T> {
    transport: T,
    uri: Uri,
    size_limit: usize,
    wall_clock: WallClock,
}

impl<T: Transport> Http<T> {
    /// A client without a connection.
    ///
    /// # Errors
    ///
    /// If the configuration allows no request: every attempt then fails with this.
    pub(crate) fn new(connection: &Connection, endpoint: &Endpoint, wall_clock: WallClock) -> Result<Self, Met> {
        let transport = T::new(connection)?;
        Ok(Self { transport, uri: endpoint.uri().clone(), size_limit: connection.size_limit, wall_clock })
    }

    /// Ends every request, and prevents new ones. Any thread may call it.
    pub(crate) fn cut(&self) {
        self.transport.cut();
    }

    /// Requests a stream. Returns its environment and the stream.
    pub(crate) async fn stream(&self) -> Result<(Option<String>, T::Body), Met> {
        let headers =
            [(ACCEPT, HeaderValue::from_static(EVENT_STREAM)), (ACCEPT_ENCODING, HeaderValue::from_static("identity"))];
        let (head, body) = self.get(&headers).await?;
        let environment = stream_head(head.status, &head.headers, (self.wall_clock)())?;
        Ok((environment, body))
    }

    /// Requests all data, or the changes since the tag.
    pub(crate) async fn poll(&self, etag: Option<&str>) -> Result<PollResponse, Met> {
        let etag = etag.and_then(|etag| HeaderValue::from_str(etag).ok()).map(|etag| (IF_NONE_MATCH, etag));
        let (head, body) = self.get(etag.as_slice()).await?;
        match poll_head(head.status, &head.headers, (self.wall_clock)())? {
            PollHead::NotModified => Ok(PollResponse::NotModified),
            PollHead::Body { etag, environment } => {
                let bytes = collect(body, self.size_limit).await?.into();
                Ok(PollResponse::Body { body: Body { bytes, etag }, environment })
            }
        }
    }

    /// Makes one request and follows its redirects.
    async fn get(&self, headers: &[(HeaderName, HeaderValue)]) -> Result<(Parts, T::Body), Met> {
        let mut uri = self.uri.clone();
        let mut authorized = true;
        let mut redirects = 0;
        loop {
            let mut request = Request::new(());
            *request.uri_mut() = uri.clone();
            request.headers_mut().extend(headers.iter().cloned());
            let (head, body) = self.transport.send(request, authorized).await?.into_parts();
            match redirect::target(&uri, head.status, &head.headers) {
                Some(target) if redirects < redirect::MOST => {
                    redirects += 1;
                    authorized &= redirect::same_server(&uri, &target);
                    uri = target;
                }
                _ => return Ok((head, body)),
            }
        }
    }
}

async fn collect(mut body: impl Incoming, limit: usize) -> Result<Vec<u8>, Met> {
    let mut bytes = Vec::new();
    while body.read().await? {
        let piece = body.piece();
        if piece.len() > limit - bytes.len() {
            let detail = format!("the body is larger than the {limit} bytes that are allowed");
            return Err(Met { detail: Some(detail), ..Met::fault(Fault::Malformed) });
        }
        bytes.extend_from_slice(piece);
    }
    Ok(bytes)
}
