//! What the head of an answer means: its status and its headers.

use std::error::Error;
use std::time::{Duration, SystemTime};

use http::header::{CONTENT_TYPE, ETAG, RETRY_AFTER};
use http::{HeaderMap, HeaderName, StatusCode};
use retrylab_core::Fault;
use retrylab_source::{Answer, Cause, PastDate, RetryAfter, StreamInput};

/// The header in which the server says which environment this is.
pub const ENVIRONMENT: HeaderName = HeaderName::from_static("x-ld-envid");

/// The media type of a stream: what the request asks for, and what the answer has to be.
pub const EVENT_STREAM: &str = "text/event-stream";

/// What was met in place of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// What it was.
    pub cause: Cause,
    /// The wait that an error response asked for.
    pub retry_after: Option<Duration>,
    /// The text of the error, where there is one.
    pub detail: Option<String>,
}

impl Met {
    /// A fault that has no more to tell.
    #[must_use]
    pub const fn fault(fault: Fault) -> Self {
        Self { cause: Cause::Fault(fault), retry_after: None, detail: None }
    }

    /// A fault, and the error that it showed as, with everything that caused it.
    #[must_use]
    pub fn error(fault: Fault, error: &(dyn Error + 'static)) -> Self {
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

    /// How a streaming source is told of it.
    #[must_use]
    pub fn ended(self, connection: u64) -> StreamInput {
        let Self { cause, retry_after, detail } = self;
        StreamInput::Ended { connection, cause, retry_after, detail }
    }

    /// How a polling source is told of it.
    #[must_use]
    pub fn answer(self) -> Answer {
        let Self { cause, retry_after, detail } = self;
        Answer::Failed { cause, retry_after, detail }
    }
}

/// The head of an answer that a poll can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollHead {
    /// A body follows.
    Body {
        /// The tag under which the server knows it.
        etag: Option<String>,
        /// The environment that the server says this is.
        environment: Option<String>,
    },
    /// Nothing is new.
    NotModified,
}

/// The head of the answer to a request for a stream, which arrived on the date `now`. Returns the environment that it
/// names.
///
/// # Errors
///
/// If no stream follows: the status is none of success, or is 204, or the content type is another.
pub fn stream_head(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Result<Option<String>, Met> {
    brings_data(status, headers, now)?;
    let content_type = text(headers, &CONTENT_TYPE).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case(EVENT_STREAM) {
        return Ok(environment(headers));
    }
    let detail = match media_type {
        "" => format!("no content type; {EVENT_STREAM} is allowed"),
        other => format!("the content type is {other}; {EVENT_STREAM} is allowed"),
    };
    Err(Met { detail: Some(detail), ..Met::fault(Fault::ContentType) })
}

/// The head of the answer to a poll, which arrived on the date `now`. The content type is not looked at: whether the body
/// is data, the decoder knows.
///
/// # Errors
///
/// If no data follows: the status is none of success, or is 204.
pub fn poll_head(status: StatusCode, headers: &HeaderMap, now: SystemTime) -> Result<PollHead, Met> {
    if status == StatusCode::NOT_MODIFIED {
        return Ok(PollHead::NotModified);
    }
    brings_data(status, headers, now)?;
    let etag = text(headers, &ETAG).map(str::to_owned);
    Ok(PollHead::Body { etag, environment: environment(headers) })
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

/// What is not text counts as not there.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
