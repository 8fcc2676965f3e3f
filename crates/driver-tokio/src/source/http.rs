//! What a source asks over HTTP, and what it hears.

use std::error::Error;
use std::time::Duration;

use ::http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, IF_NONE_MATCH, USER_AGENT};
use ::http::response::Parts;
use ::http::{HeaderMap, HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Bytes};
use retrylab_core::Fault;
use retrylab_driver_std::source::{EVENT_STREAM, Met, PollHead, WallClock, poll_head, stream_head};
use retrylab_source::{Answer, Body as Data, Connection, Endpoint};
use tower::{BoxError, Service, ServiceExt};
use tower_http::decompression::Decompression;
use tower_http::follow_redirect::FollowRedirect;
use tower_http::follow_redirect::policy::{
    Action, And, Attempt, FilterCredentials, Limited, PolicyExt, RedirectFn, redirect_fn,
};

use super::connect::Connector;
use super::exchange::{Exchange, OneRequest, broken};
use super::tls;

/// How many redirects are followed; the answer to the last one counts as it is.
const REDIRECTS: usize = 3;

type Client = FollowRedirect<OneRequest, And<And<Limited, OnlyHttp>, FilterCredentials>>;

type OnlyHttp = RedirectFn<fn(&Attempt<'_>) -> Result<Action, Met>>;

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

/// The body of an answer, as it comes in.
pub(super) struct Incoming<B> {
    body: B,
    read_timeout: Duration,
}

impl Http {
    /// # Errors
    ///
    /// If no request can be made of the configuration: every attempt fails of that.
    pub(super) fn new(connection: &Connection, endpoint: &Endpoint, wall_clock: WallClock) -> Result<Self, Met> {
        let tls =
            tls::client(connection.authorities.as_deref()).map_err(|error| Met::error(Fault::Certificate, &error))?;
        let connector = Connector::new(tls, connection.connect_timeout);
        let policy = Limited::new(REDIRECTS).and::<_, Empty<Bytes>, Met>(redirect_fn(only_http as _));
        let policy = policy.and::<_, Empty<Bytes>, Met>(FilterCredentials::new());
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("retrylab/", env!("CARGO_PKG_VERSION"))));
        if let Some(credential) = &connection.credential {
            let mut value = HeaderValue::from_str(credential.reveal()).map_err(|_| unsendable())?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self {
            client: FollowRedirect::with_policy(OneRequest::new(connector), policy),
            uri: endpoint.uri().clone(),
            headers,
            read_timeout: connection.read_timeout,
            size_limit: connection.size_limit,
            wall_clock,
        })
    }

    /// Asks for a stream. Returns the environment that it names, and the stream.
    pub(super) async fn stream(&self) -> Result<(Option<String>, Incoming<Exchange>), Met> {
        let mut request = self.request();
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let (head, incoming) = self.send(self.client.clone(), request).await?;
        let environment = stream_head(head.status, &head.headers, (self.wall_clock)())?;
        Ok((environment, incoming))
    }

    /// Asks for everything, or what is new since the tag.
    pub(super) async fn poll(&self, etag: Option<&str>) -> Result<Answer, Met> {
        let mut request = self.request();
        let etag = etag.and_then(|etag| HeaderValue::from_str(etag).ok());
        request.headers_mut().extend(etag.map(|etag| (IF_NONE_MATCH, etag)));
        let (head, incoming) = self.send(Decompression::new(self.client.clone()), request).await?;
        match poll_head(head.status, &head.headers, (self.wall_clock)())? {
            PollHead::NotModified => Ok(Answer::NotModified),
            PollHead::Body { etag, environment } => {
                let bytes = incoming.collect(self.size_limit).await?.into();
                Ok(Answer::Body { body: Data { bytes, etag }, environment })
            }
        }
    }

    fn request(&self) -> Request<Empty<Bytes>> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// The head of the answer has to be there within the time in which a byte has to come.
    async fn send<C, B>(&self, client: C, request: Request<Empty<Bytes>>) -> Result<(Parts, Incoming<B>), Met>
    where
        C: Service<Request<Empty<Bytes>>, Response = Response<B>, Error = Met>,
    {
        let answer = tokio::time::timeout(self.read_timeout, client.oneshot(request)).await;
        let (head, body) = answer.map_err(|_| silence(self.read_timeout))??.into_parts();
        Ok((head, Incoming { body, read_timeout: self.read_timeout }))
    }
}

impl<B> Incoming<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    /// The next bytes; `None`: the end.
    pub(super) async fn read(&mut self) -> Result<Option<Bytes>, Met> {
        loop {
            let frame = tokio::time::timeout(self.read_timeout, self.body.frame()).await;
            let Some(frame) = frame.map_err(|_| silence(self.read_timeout))? else { return Ok(None) };
            let frame = frame.map_err(|error| unreadable(&*error.into()))?;
            // What is no data are trailers, which nobody here asked for.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
    }

    async fn collect(mut self, limit: usize) -> Result<Vec<u8>, Met> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.read().await? {
            if piece.len() > limit - bytes.len() {
                let detail = format!("the body is larger than the {limit} bytes that are allowed");
                return Err(Met { detail: Some(detail), ..Met::fault(Fault::Malformed) });
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// A redirect to anything else is an answer of its status.
fn only_http(attempt: &Attempt<'_>) -> Result<Action, Met> {
    Ok(match attempt.location().scheme_str() {
        Some("http" | "https") => Action::Follow,
        _ => Action::Stop,
    })
}

/// What the connection has no part in is wrong with the data: it cannot be unpacked.
fn unreadable(error: &(dyn Error + 'static)) -> Met {
    if error.is::<hyper::Error>() { broken(error) } else { Met::error(Fault::Malformed, error) }
}

fn silence(read_timeout: Duration) -> Met {
    let detail = format!("nothing came for {read_timeout:?}");
    Met { detail: Some(detail), ..Met::fault(Fault::Timeout) }
}

/// Without the credential, and without what is wrong with it, which would be a part of it.
fn unsendable() -> Met {
    let detail = "credential cannot be sent; visible ASCII characters and spaces are allowed".to_owned();
    Met { detail: Some(detail), ..Met::fault(Fault::Reset) }
}
