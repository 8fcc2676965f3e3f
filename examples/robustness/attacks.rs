//! What the server does, and what a source has to take it for: the classes are those of the event tables of the sources.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use retrylab_core::{FailureKind, Fault};
use retrylab_sim::Entropy;
use retrylab_source::{Cause, EVENT_LIMIT};

use crate::certificates::UNKNOWN;
use crate::server::{BODY, LAST_CHUNK, PUT, STREAM, Script, answer, chunk, close, hold, read_head, repeat, reset};
use crate::subject::{Form, Told};

const MIB: usize = 1 << 20;

/// How much is sent where it is a lot: 100 MiB.
const LOTS: usize = 100;

pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) script: Script,
    /// What the source is told in each attempt.
    pub(crate) expected: Vec<Told>,
    /// How often at least.
    pub(crate) attempts: u64,
    pub(crate) secure: bool,
    pub(crate) connect_timeout: Duration,
    pub(crate) read_timeout: Duration,
    /// Bytes.
    pub(crate) size_limit: usize,
    /// How much more may be in memory than before, in KiB.
    pub(crate) memory: u64,
}

/// No attack at all.
pub(crate) fn warm_up(form: Form) -> Attack {
    attack("nothing bad", form, status("503"), fails(Cause::Status(503)))
}

pub(crate) fn all() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for form in Form::ALL {
        attacks.extend(no_answers(form));
        attacks.extend(endless(form));
        attacks.extend(slow(form));
        attacks.extend(tls(form));
    }
    attacks.extend(bad_streams());
    attacks.extend(bad_polls());
    attacks
}

/// What is no answer, or none that brings data, whatever was asked.
fn no_answers(form: Form) -> Vec<Attack> {
    let garbage: Script = Arc::new(|stream, number| {
        read_head(stream)?;
        stream.write_all(&random(number))?;
        close(stream)
    });
    let no_chunk = says(match form {
        Form::Stream => [STREAM, "so many\r\n"].concat(),
        Form::Poll => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nso many\r\n".to_owned(),
    });
    let deaf: Script = Arc::new(|_, _| Ok(()));
    let gone: Script = Arc::new(|stream, _| reset(stream));
    let around: Script = Arc::new(|stream, _| {
        read_head(stream)?;
        stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /around\r\nContent-Length: 0\r\n\r\n")?;
        close(stream)
    });
    let mut attacks = vec![
        attack("4 KiB of garbage", form, garbage, fault(Fault::Reset)),
        attack("garbage for the size of a chunk", form, no_chunk, fault(Fault::Reset)),
        attack("hangs up without listening", form, deaf, fault(Fault::Reset)),
        attack("resets without listening", form, gone, fault(Fault::Reset)),
        attack("redirects in a circle", form, around, fails(Cause::Status(302))),
    ];
    for (name, code) in [("status 204", 204), ("status 401", 401), ("status 503", 503), ("status 999", 999)] {
        let cause = Cause::Status(code);
        attacks.push(attack(name, form, status(&code.to_string()), fails(cause)));
    }
    attacks
}

/// What does not end by itself.
fn endless(form: Form) -> Vec<Attack> {
    let filler = "x".repeat(16 << 10);
    let endless = |name, begin: &'static str, piece: String| {
        let times = LOTS * MIB / piece.len();
        let script: Script = Arc::new(move |stream, _| {
            read_head(stream)?;
            stream.write_all(begin.as_bytes())?;
            repeat(stream, piece.as_bytes(), times)?;
            close(stream)
        });
        Attack { attempts: 3, ..attack(name, form, script, fault(Fault::Reset)) }
    };
    vec![
        endless("100 MiB of headers", "HTTP/1.1 200 OK\r\n", "X-Filler: filler\r\n".repeat(500)),
        endless("a header of 100 MiB", "HTTP/1.1 200 OK\r\nX-Filler: ", filler.clone()),
        endless("a status line of 100 MiB", "HTTP/1.1 200 ", filler.clone()),
        endless("an interim answer again and again", "", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(500)),
        endless("100 MiB without a meaning", "", filler),
    ]
}

/// What takes its time.
fn slow(form: Form) -> Vec<Attack> {
    let whole = match form {
        Form::Stream => [STREAM.as_bytes(), &chunk(PUT), LAST_CHUNK.as_bytes()].concat(),
        Form::Poll => answer("", BODY),
    };
    let mut after = vec![Told::Success];
    if form == Form::Stream {
        after.extend(fault(Fault::Close));
    }
    let short = Duration::from_millis(200);
    let byte_by_byte: Script = Arc::new(move |stream, _| {
        read_head(stream)?;
        slowly(stream, &whole)?;
        close(stream)
    });
    let never_ready: Script = Arc::new(|stream, _| {
        read_head(stream)?;
        slowly(stream, b"HTTP/1.1 200 OK\r\nX-Filler: ")?;
        loop {
            slowly(stream, b"x")?;
        }
    });
    let falls_silent: Script = Arc::new(|stream, _| {
        read_head(stream)?;
        slowly(stream, b"HTTP/1.1 200 OK\r\nContent-Le")?;
        hold(stream)
    });
    let silent: Script = Arc::new(|stream, _| hold(stream));
    let patient = |name, script, expected| Attack { attempts: 3, ..attack(name, form, script, expected) };
    vec![
        patient("a byte every 2 ms", byte_by_byte, after),
        Attack {
            read_timeout: short,
            ..patient("a byte every 2 ms, no end of the head", never_ready, fault(Fault::Timeout))
        },
        Attack {
            read_timeout: short,
            ..patient("a byte every 2 ms, then silence", falls_silent, fault(Fault::Timeout))
        },
        Attack { read_timeout: short, ..patient("silence", silent, fault(Fault::Timeout)) },
    ]
}

/// What goes wrong before a request can be made.
fn tls(form: Form) -> Vec<Attack> {
    let unknown: Script = Arc::new(|stream, _| UNKNOWN.shake_hands(stream));
    let plain: Script = Arc::new(|stream, _| {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")?;
        hold(stream)
    });
    let gone: Script = Arc::new(|stream, _| reset(stream));
    let never_done: Script = Arc::new(|stream, _| {
        // A record of 16 KiB, of a message of as much.
        slowly(stream, b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")?;
        loop {
            slowly(stream, &[0])?;
        }
    });
    let secure = |name, script, fault_| Attack { secure: true, ..attack(name, form, script, fault(fault_)) };
    vec![
        secure("TLS of an unknown authority", unknown, Fault::Certificate),
        secure("no TLS where TLS is asked for", plain, Fault::Tls),
        secure("a reset in place of a handshake", gone, Fault::Reset),
        Attack {
            attempts: 3,
            connect_timeout: Duration::from_millis(500),
            ..secure("a handshake, a byte every 2 ms", never_done, Fault::Timeout)
        },
    ]
}

/// Streams that bring nothing.
fn bad_streams() -> Vec<Attack> {
    let streams = |name, data: &[u8], fault_| {
        let whole = [STREAM.as_bytes(), &chunk(data), LAST_CHUNK.as_bytes()].concat();
        attack(name, Form::Stream, says(whole), fault(fault_))
    };
    let long = |name, begin: &'static str, piece: String, fault_| {
        let times = LOTS * MIB / piece.len();
        let piece = chunk(piece);
        let script: Script = Arc::new(move |stream, _| {
            read_head(stream)?;
            stream.write_all(&[STREAM.as_bytes(), &chunk(begin)].concat())?;
            repeat(stream, &piece, times)?;
            stream.write_all(LAST_CHUNK.as_bytes())?;
            close(stream)
        });
        Attack { attempts: 3, ..attack(name, Form::Stream, script, fault(fault_)) }
    };
    let filler = "x".repeat(16 << 10);
    let mut attacks = vec![
        streams("4 KiB of garbage as a stream", &random(0), Fault::Close),
        streams("half an event, and the end", &PUT.as_bytes()[..30], Fault::Close),
        streams("half of the data of an event", b"event: put\ndata: {\"data\":{\"fl\n\n", Fault::Malformed),
        streams("an event that lacks something", b"event: put\ndata: {}\n\n", Fault::MissingKey),
        long("a line of 100 MiB", "data: ", filler.clone(), Fault::Malformed),
        long(
            "an event of 100 MiB, in lines",
            "event: put\n",
            format!("data: {}\n", &filler[..100]).repeat(150),
            Fault::Malformed,
        ),
        long("100 MiB of comments", ":\n", format!(": {}\n", &filler[..100]).repeat(150), Fault::Close),
        Attack {
            size_limit: EVENT_LIMIT.get(),
            // A reader holds a few times its limit.
            memory: 4 * (EVENT_LIMIT.get() >> 10) as u64,
            ..long("a line of 100 MiB, the default limit", "data: ", filler, Fault::Malformed)
        },
    ];
    for (name, header) in [
        ("no content type", ""),
        ("content type text/html", "Content-Type: text/html\r\n"),
        ("content type application/json", "Content-Type: application/json\r\n"),
        ("a content type that is no text", "Content-Type: \u{e9}\r\n"),
    ] {
        attacks.push(attack(name, Form::Stream, says(answer(header, PUT)), fault(Fault::ContentType)));
    }
    attacks
}

/// Polls that bring nothing.
fn bad_polls() -> Vec<Attack> {
    let polls = |name, body: &[u8], fault_| attack(name, Form::Poll, says(answer("", body)), fault(fault_));
    let html = answer("Content-Type: text/html\r\n", "<!DOCTYPE html><title>Welcome</title>");
    let long: Script = Arc::new(|stream, _| {
        read_head(stream)?;
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", LOTS * MIB)?;
        repeat(stream, &[b' '; 16 << 10], LOTS * MIB / (16 << 10))?;
        close(stream)
    });
    let bomb = answer("Content-Encoding: gzip\r\n", gzip_of_nothing());
    let no_gzip = answer("Content-Encoding: gzip\r\n", random(0));
    vec![
        polls("4 KiB of garbage as a body", &random(0), Fault::Malformed),
        polls("half a body", &BODY.as_bytes()[..20], Fault::Malformed),
        polls("a body that lacks something", b"[]", Fault::MissingKey),
        attack("content type text/html, and a page", Form::Poll, says(html), fault(Fault::Malformed)),
        attack("garbage that claims to be gzip", Form::Poll, says(no_gzip), fault(Fault::Malformed)),
        Attack { attempts: 3, ..attack("a body of 100 MiB", Form::Poll, long, fault(Fault::Malformed)) },
        Attack { attempts: 3, ..attack("100 MiB in 100 KiB of gzip", Form::Poll, says(bomb), fault(Fault::Malformed)) },
    ]
}

fn attack(name: &'static str, form: Form, script: Script, expected: Vec<Told>) -> Attack {
    Attack {
        name,
        form,
        script,
        expected,
        attempts: 20,
        secure: false,
        connect_timeout: Duration::from_secs(30),
        read_timeout: Duration::from_secs(30),
        size_limit: MIB,
        memory: 16 << 10,
    }
}

fn fault(fault: Fault) -> Vec<Told> {
    fails(Cause::Fault(fault))
}

/// Unexpected is a status of 400 to 499, but 400, 408 and 429; nothing else is.
fn fails(cause: Cause) -> Vec<Told> {
    let kind = match cause {
        Cause::Status(401) => FailureKind::Unexpected,
        _ => FailureKind::Normal,
    };
    vec![Told::Failure(cause, kind)]
}

/// Says this, and hangs up.
fn says(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Arc::new(move |stream, _| {
        read_head(stream)?;
        stream.write_all(&bytes)?;
        close(stream)
    })
}

fn status(code: &str) -> Script {
    says(format!("HTTP/1.1 {code} As It Is\r\nContent-Length: 0\r\n\r\n"))
}

fn random(number: u64) -> Vec<u8> {
    let mut draws = Entropy::new(7).client(number);
    // The high bytes: a draw leaves some of its low bits zero.
    (0..1024).flat_map(|_| draws.next_draw().to_be_bytes().into_iter().take(4)).collect()
}

#[expect(clippy::disallowed_methods, reason = "slowness takes real time")]
fn slowly(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    bytes.iter().try_for_each(|byte| {
        std::thread::sleep(Duration::from_millis(2));
        stream.write_all(&[*byte])
    })
}

fn gzip_of_nothing() -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![0; MIB];
    (0..LOTS).try_for_each(|_| gzip.write_all(&zeros)).expect("a vector takes everything");
    gzip.finish().expect("a vector takes everything")
}
