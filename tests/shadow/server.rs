//! The server's part in an attempt, as bytes on a socket.

use std::io::{self, Write};
use std::net::TcpListener;
use std::time::Duration;

use retrylab_spec::{ConnectFault, End, Entry, FirstMessage, Outcome, ServerWait};

use crate::stage::{Ended, Stage};
use crate::wire::{Security, Wire};

const STREAM: &str = "HTTP/1.1 200 Scripted\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n";
/// What a source tells its observer of as soon as it is connected.
const ENVIRONMENT: &str = "X-LD-EnvID: scripted\r\n";
const PUT: &str = "event: put\ndata: {\"data\":{\"flags\":{\"a\":{\"version\":1}},\"segments\":{}}}\n\n";
const PATCH: &str = "event: patch\ndata: {\"path\":\"/flags/a\",\"data\":{\"version\":1}}\n\n";
const HEARTBEAT: &str = ":\n\n";
const HALF: &str = "event: put\ndata: {\"data\":\n\n";
const LAST_CHUNK: &str = "0\r\n\r\n";

/// A run that ended in the middle of an attempt, and the connection, which is still there.
pub(crate) type Cut = (Ended, Wire);

/// Answers the one connection that comes over the listener, unless the run ends before.
pub(crate) fn answer(
    stage: &Stage,
    listener: TcpListener,
    entry: &Entry,
    security: &Security,
) -> io::Result<Option<Cut>> {
    let (socket, _) = listener.accept()?;
    drop(listener);
    let mut wire = match entry.outcome {
        Outcome::Fault(ConnectFault::Tls) => Wire::no_tls(socket)?,
        _ => {
            let mut wire = Wire::open(socket, security)?;
            wire.read_head()?;
            wire
        }
    };
    if !entry.latency.is_zero()
        && let Err(ended) = stage.let_pass(entry.latency)
    {
        return Ok(Some((ended, wire)));
    }
    match entry.outcome {
        Outcome::Up { lasts, first } => {
            let (message, is_done): (_, fn(&Stage) -> bool) = match first {
                FirstMessage::Put => (PUT, Stage::await_put),
                FirstMessage::Patch => (PATCH, Stage::await_patch),
            };
            write!(wire, "{STREAM}\r\n{}", chunk(message))?;
            if is_done(stage) {
                return live(stage, wire, lasts);
            }
        }
        Outcome::Idle { lasts, end } => {
            write!(wire, "{STREAM}{ENVIRONMENT}\r\n{}", chunk(HEARTBEAT))?;
            if stage.await_connected() {
                return live(stage, wire, Some((lasts, end)));
            }
        }
        Outcome::Ok => body(&mut wire, "{\"flags\":{\"a\":{\"version\":1}},\"segments\":{}}")?,
        Outcome::Malformed => body(&mut wire, "{\"flags\":")?,
        Outcome::Status { status, retry_after } => {
            write!(wire, "HTTP/1.1 {status} Scripted\r\n")?;
            if let Some(retry_after) = retry_after {
                match retry_after {
                    ServerWait::Delay(delay) => write!(wire, "Retry-After: {}\r\n", delay.as_secs())?,
                    ServerWait::Header(text) => write!(wire, "Retry-After: {}\r\n", text.as_str())?,
                }
            }
            let length = if matches!(status, 204 | 304) { "" } else { "Content-Length: 0\r\n" };
            write!(wire, "{length}\r\n")?;
        }
        Outcome::Fault(ConnectFault::Tls) => write!(wire, "HTTP/1.1 400 Scripted\r\nContent-Length: 0\r\n\r\n")?,
        Outcome::Fault(ConnectFault::Reset) => return wire.reset().map(|()| None),
        Outcome::Fault(ConnectFault::Refused | ConnectFault::Dns | ConnectFault::Timeout) | Outcome::Hang(_) => {
            unreachable!("nobody connects to that")
        }
    }
    wire.close();
    Ok(None)
}

/// A stream that the source knows of, until it ends.
fn live(stage: &Stage, mut wire: Wire, lasts: Option<(Duration, End)>) -> io::Result<Option<Cut>> {
    let end = match stage.live(lasts) {
        Ok(end) => end,
        Err(ended) => return Ok(Some((ended, wire))),
    };
    write!(wire, "{}", chunk(HEARTBEAT))?;
    match end {
        End::Close => write!(wire, "{LAST_CHUNK}")?,
        End::Malformed => write!(wire, "{}", chunk(HALF))?,
        End::Reset => return wire.reset().map(|()| None),
        End::Tls => wire.garble()?,
        End::Timeout => unreachable!("no byte is missed for five minutes"),
    }
    wire.close();
    Ok(None)
}

fn body(wire: &mut Wire, body: &str) -> io::Result<()> {
    write!(wire, "HTTP/1.1 200 Scripted\r\nETag: \"scripted\"\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn chunk(content: &str) -> String {
    format!("{:x}\r\n{content}\r\n", content.len())
}
