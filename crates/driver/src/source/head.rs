//! The meaning of a response's head: its status and headers.

use std::error::Error;
use std::time::{Duration, SystemTime};

use http::header::{CONTENT_TYPE, ETAG, RETRY_AFTER};
use http::{HeaderMap, HeaderName, StatusCode};
use retrylab_core::Fault;
use retrylab_source::{Cause, PastDate, PollResponse, RetryAfter, StreamInput};

/// The header that names the server's environment.
pub(crate) const ENVIRONMENT: HeaderName = HeaderName::from_static("x-ld-envid");

/// The media type of a stream, in the request and in the response.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// The failure of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// The cause.
    pub cause: Cause,
    /// The `retry_after` of an error response.
    pub retry_after: Option<Duration>,
    /// The text of the error, if there is one.
    pub detail: Option<String>,
}

impl Met {
    /// A fault without a text.
    #[must_use]
    pub(crate) const fn fault(fault: Fault) -> Self {
        Self { cause: Cause::Fault(fault), retry_after: None, detail: None }
    }

    /// A fault with its error and all causes of it.
    #[must_use]
    pub(crate) fn error(fault: Fault, error: &(dyn Error + 'static)) -> Self {
        let mut detail = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // Many errors repeat the text of their cause.
            if !detail.ends_with(&text) {
                detail = format!("{detail}: {text}");
            }
            cause = error.source();
        }
        Self { detail: Some(detail), ..Self::fault(fault) }
    }

    /// The input for a streaming source.
    #[must_use]
    pub(crate) fn ended(self, connection: u64) -> StreamInput {
        let Self { cause, retry_after, detail } = self;
        StreamInput::Ended { connection, cause, retry_after, detail }
    }

    /// The input for a polling source.
    #[must_use]
    pub(crate) fn response(self) -> PollResponse {
        let Self { cause, retry_after, detail } = self;
        PollResponse::Failed { cause, retry_after, detail }
    }
}

/// The head of a usable response to a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PollHead {
    /// A body follows.
    Body {
        /// The server's tag for it.
        etag: Option<String>,
        /// The environment that the server names.
        environment: Option<String>,
    },
    /// Nothing is new.
    NotModified,
}

/// Checks the head of a stream's response, which arrived on the date `now`. Returns the environment that it names.
///
/// # Errors
///
/// If no stream follows: the status is not a success, or is 204, or the content type is wrong.
pub(crate) fn stream_head(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Result<Option<String>, Met> {
    brings_data(status, headers, now)?;
    let content_type = text(headers, &CONTENT_TYPE).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case(EVENT_STREAM) {
        return Ok(environment(headers));
    }
    let detail = match media_type {
        "" => format!("no content type; expected {EVENT_STREAM}"),
        other => format!("the content type is {other}; expected {EVENT_STREAM}"),
    };
    Err(Met { detail: Some(detail), ..Met::fault(Fault::ContentType) })
}

/// Checks the head of a poll's response, which arrived on the date `now`. The content type is ignored: the decoder
/// decides whether the body is data.
///
/// # Errors
///
/// If no data follows: the status is not a success, or is 204.
pub(crate) fn poll_head(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Result<PollHead, Met> {
    if status == StatusCode::NOT_MODIFIED {
        return Ok(PollHead::NotModified);
    }
    brings_data(status, headers, now)?;
    let etag = text(headers, &ETAG).map(str::to_owned);
    Ok(PollHead::Body { etag, environment: environment(headers) })
}

/// An invalid credential; the text quotes no part of it.
pub(crate) fn unsendable() -> Met {
    let detail = "the credential is not a valid header; visible ASCII characters and spaces are allowed".to_owned();
    Met { detail: Some(detail), ..Met::fault(Fault::Reset) }
}

fn brings_data(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Result<(), Met> {
    if status.is_success() && status != StatusCode::NO_CONTENT {
        return Ok(());
    }
    let asked = text(headers, &RETRY_AFTER).and_then(RetryAfter::parse);
    let retry_after = asked.and_then(|asked| asked.delay(now, PastDate::UseLadder));
    Err(Met { cause: Cause::Status(status.as_u16()), retry_after, detail: None })
}

fn environment(headers: &HeaderMap) -> Option<String> {
    text(headers, &ENVIRONMENT).filter(|environment| !environment.is_empty()).map(str::to_owned)
}

/// An invalid text counts as absent.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
