//! What a source asks over HTTP, and what it hears.

use std::time::Duration;

use ::http::header::{ACCEPT, AUTHORIZATION, IF_NONE_MATCH};
use ::http::{HeaderMap, HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Bytes};
use retrylab_core::Fault;
use retrylab_driver_std::source::{EVENT_STREAM, Met, PollHead, WallClock, poll_head, stream_head};
use retrylab_source::{Answer, Body as Data, Connection, Endpoint};
use tower::{BoxError, Service, ServiceExt};
use tower_http::decompression::Decompression;
use tower_http::follow_redirect::FollowRedirect;
use tower_http::follow_redirect::policy::{And, FilterCredentials, Limited, PolicyExt};

use super::connect::Connector;
use super::exchange::{Exchange, OneRequest, broken};
use super::tls;

/// How many redirects are followed; the answer to the last one counts as it is.
const REDIRECTS: usize = 3;

type Client = FollowRedirect<OneRequest, And<Limited, FilterCredentials>>;

/// One address, asked again and again, each time over a connection of its own. It never asks twice by itself.
#[derive(Clone)]
pub(super) struct Http {
    client: Client,
    uri: Uri,
    headers: HeaderMap,
    read_timeout: Duration,
    size_limit: usize,
    wall_clock: WallClock,
}

/// A stream that was opened, before anything came over it.
pub(super) struct Opened {
    pub(super) environment: Option<String>,
    body: Exchange,
    read_timeout: Duration,
}

impl Http {
    /// # Errors
    ///
    /// If no request can be made of the configuration: every attempt fails of that.
    pub(super) fn new(connection: &Connection, endpoint: &Endpoint, wall_clock: WallClock) -> Result<Self, Met> {
        let tls = tls::client(connection.authorities.as_deref()).map_err(|error| Met::error(Fault::Certificate, &error))?;
        let policy = Limited::new(REDIRECTS).and::<_, Empty<Bytes>, Met>(FilterCredentials::new());
        let mut headers = HeaderMap::new();
        if let Some(credential) = &connection.credential {
            let mut value =
                HeaderValue::from_str(credential.reveal()).map_err(|error| Met::error(Fault::Malformed, &error))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self {
            client: FollowRedirect::with_policy(OneRequest::new(Connector::new(tls, connection.connect_timeout)), policy),
            uri: endpoint.uri().clone(),
            headers,
            read_timeout: connection.read_timeout,
            size_limit: connection.size_limit,
            wall_clock,
        })
    }

    /// Opens a stream.
    pub(super) async fn open(&self) -> Result<Opened, Met> {
        let request = self.request(ACCEPT, Some(HeaderValue::from_static(EVENT_STREAM)));
        let (head, body) = self.send(self.client.clone(), request).await?.into_parts();
        let environment = stream_head(head.status, &head.headers, (self.wall_clock)())?;
        Ok(Opened { environment, body, read_timeout: self.read_timeout })
    }

    /// Asks what there is, unless it is what this tag stands for.
    pub(super) async fn poll(&self, etag: Option<&str>) -> Result<Answer, Met> {
        let request = self.request(IF_NONE_MATCH, etag.and_then(|etag| HeaderValue::from_str(etag).ok()));
        let client = Decompression::new(self.client.clone());
        let (head, mut body) = self.send(client, request).await?.into_parts();
        let (etag, environment) = match poll_head(head.status, &head.headers, (self.wall_clock)())? {
            PollHead::NotModified => return Ok(Answer::NotModified),
            PollHead::Body { etag, environment } => (etag, environment),
        };
        let mut bytes = Vec::new();
        while let Some(chunk) = chunk(&mut body, self.read_timeout).await? {
            if chunk.len() > self.size_limit - bytes.len() {
                let detail = format!("the body is larger than the {} bytes that are allowed", self.size_limit);
                return Err(Met { detail: Some(detail), ..Met::fault(Fault::Malformed) });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Answer::Body { body: Data { bytes: bytes.into(), etag }, environment })
    }

    fn request(&self, name: ::http::HeaderName, value: Option<HeaderValue>) -> Request<Empty<Bytes>> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().extend(value.map(|value| (name, value)));
        request
    }

    /// The head of the answer has to be there within the time in which a byte has to come.
    async fn send<C, B>(&self, client: C, request: Request<Empty<Bytes>>) -> Result<Response<B>, Met>
    where
        C: Service<Request<Empty<Bytes>>, Response = Response<B>, Error = Met>,
    {
        let answer = tokio::time::timeout(self.read_timeout, client.oneshot(request)).await;
        answer.unwrap_or_else(|_| Err(silence(self.read_timeout)))
    }
}

impl Opened {
    /// The next bytes; `None`: the server closed the stream.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Met> {
        chunk(&mut self.body, self.read_timeout).await
    }
}

async fn chunk<B>(body: &mut B, read_timeout: Duration) -> Result<Option<Bytes>, Met>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    loop {
        let Ok(frame) = tokio::time::timeout(read_timeout, body.frame()).await else {
            return Err(silence(read_timeout));
        };
        match frame {
            None => return Ok(None),
            // What is no data are trailers, which nobody here asked for.
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => return Ok(Some(data)),
                Err(_) => {}
            },
            Some(Err(error)) => {
                let error: BoxError = error.into();
                return Err(broken(&*error));
            }
        }
    }
}

fn silence(read_timeout: Duration) -> Met {
    let detail = format!("nothing came for {read_timeout:?}");
    Met { detail: Some(detail), ..Met::fault(Fault::Timeout) }
}
