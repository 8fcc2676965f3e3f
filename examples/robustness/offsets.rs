//! An answer that breaks off at each of its bytes, in the head and in the body.

use std::io::Write;
use std::sync::Arc;

use retrylab_core::FailureKind;
use retrylab_core::Fault;
use retrylab_source::{Cause, Connection};
use tokio::runtime::Runtime;

use crate::process::Peak;
use crate::server::{BODY, LAST_CHUNK, PUT, STREAM, Server, answer, chunk, close, read_head, reset};
use crate::subject::{Driver, Form, Subject, Told};
use crate::trial::{Figures, expect, recover};

/// How much more may be in memory than before, in KiB.
const MEMORY: u64 = 16 << 10;

/// How an answer breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Reset,
    Close,
}

/// An answer that breaks off.
pub(crate) struct Cut {
    pub(crate) form: Form,
    length: Length,
    end: End,
}

/// How an answer says where its body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Chunks,
    Stated,
    /// Where the connection does.
    Unstated,
}

pub(crate) fn all() -> Vec<Cut> {
    let mut cuts = Vec::new();
    for form in Form::ALL {
        for length in [Length::Chunks, Length::Stated, Length::Unstated] {
            cuts.extend([End::Reset, End::Close].map(|end| Cut { form, length, end }));
        }
    }
    cuts
}

impl Cut {
    pub(crate) fn name(&self) -> String {
        let end = match self.end {
            End::Reset => "a reset",
            End::Close => "the end",
        };
        let length = match self.length {
            Length::Chunks => "in chunks",
            Length::Stated => "of stated length",
            Length::Unstated => "of unstated length",
        };
        format!("{end} at each byte, {length}")
    }

    /// The answer, and after how many of its bytes its head is whole, and its data.
    fn answer(&self) -> (Vec<u8>, usize, usize) {
        let data = match self.form {
            Form::Stream => PUT,
            Form::Poll => BODY,
        };
        let (whole, after_data) = match self.length {
            Length::Chunks => ([STREAM.as_bytes(), &chunk(data), LAST_CHUNK.as_bytes()].concat(), 2 + LAST_CHUNK.len()),
            Length::Stated => (answer("Content-Type: text/event-stream\r\n", data), 0),
            Length::Unstated => {
                (["HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", data].concat().into_bytes(), 0)
            }
        };
        let head = whole.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
        let with_data = whole.len() - after_data;
        (whole, head, with_data)
    }

    /// What a source is told of an answer that breaks off after so many bytes.
    fn expected(&self, driver: Driver, sent: usize) -> Vec<Told> {
        let (whole, head, with_data) = self.answer();
        let is_end = match self.length {
            // What has chunks is complete with the size of the last one (RFC 9112, section 8). The client of one driver
            // leaves it at that if nothing at all follows; that of the other misses the empty line.
            Length::Chunks if driver == Driver::Std && self.end == End::Close => {
                [whole.len() - "\r\n".len(), whole.len()].contains(&sent)
            }
            Length::Chunks | Length::Stated => sent == whole.len(),
            // Whatever came is all there is, unless the connection breaks.
            Length::Unstated => sent >= head && self.end == End::Close,
        };
        let broken = Told::Failure(Cause::Fault(Fault::Reset), FailureKind::Normal);
        match self.form {
            Form::Stream => {
                let closed = Told::Failure(Cause::Fault(Fault::Close), FailureKind::Normal);
                let data = (sent >= with_data).then_some(Told::Success);
                data.into_iter().chain([if is_end { closed } else { broken }]).collect()
            }
            Form::Poll if is_end && sent < with_data => {
                vec![Told::Failure(Cause::Fault(Fault::Malformed), FailureKind::Normal)]
            }
            Form::Poll if is_end => vec![Told::Success],
            Form::Poll => vec![broken],
        }
    }
}

/// Answers one attempt after the other with a byte more, and expects of each what it must be told.
pub(crate) fn sweep(cut: &Cut, driver: Driver, runtime: &Runtime) -> Result<Figures, String> {
    let (whole, ..) = cut.answer();
    let end = cut.end;
    let length = whole.len();
    let script = Arc::new(move |stream: &mut std::net::TcpStream, number: u64| {
        read_head(stream)?;
        let sent = usize::try_from(number).unwrap_or(length).min(length);
        stream.write_all(&whole[..sent])?;
        match end {
            End::Reset => reset(stream),
            End::Close => close(stream),
        }
    });
    let server = Server::start(cut.form, false, script).map_err(|error| error.to_string())?;
    let peak = Peak::watch()?;
    let connection = Connection::to(format!("http://{}", server.address));
    let subject = Subject::start(driver, cut.form, connection, runtime);
    let mut met: Vec<(Told, usize)> = Vec::new();
    for sent in 0..=length {
        for expected in cut.expected(driver, sent) {
            expect(&subject, expected).map_err(|problem| format!("after {sent} bytes: {problem}"))?;
            match met.iter_mut().find(|(told, _)| *told == expected) {
                Some((_, times)) => *times += 1,
                None => met.push((expected, 1)),
            }
        }
    }
    recover(&server, &subject, &cut.expected(driver, length))?;
    let attempts = server.taken();
    subject.end(runtime);
    let peak = peak.growth()?;
    if peak > MEMORY {
        return Err(format!("{peak} KiB more in memory than before; {MEMORY} are allowed"));
    }
    let taken_for = met.iter().map(|(told, times)| format!("{times} {told}")).collect::<Vec<_>>().join(", ");
    Ok(Figures { attempts, peak, taken_for })
}
