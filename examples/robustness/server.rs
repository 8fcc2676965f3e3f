//! The server: it takes one connection after the other and does to each what it is told, until it is told to be well.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::{ServerConnection, StreamOwned};
use socket2::SockRef;

use crate::certificates::TRUSTED;
use crate::subject::Form;

/// What is done to a connection; the number counts those that came before.
pub(crate) type Script = Arc<dyn Fn(&mut TcpStream, u64) -> io::Result<()> + Send + Sync>;

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    taken: AtomicU64,
    answered_well: AtomicU64,
    is_well: AtomicBool,
    is_over: AtomicBool,
}

impl Server {
    /// When it is well, it speaks TLS if it is to be `secure`.
    pub(crate) fn start(form: Form, secure: bool, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let of_thread = Arc::clone(&state);
        let thread = thread::spawn(move || of_thread.serve(&listener, form, secure, &script));
        Ok(Self { address, state, thread: Some(thread) })
    }

    /// From now on it answers as it should.
    pub(crate) fn be_well(&self) {
        self.state.is_well.store(true, Ordering::SeqCst);
    }

    /// How many connections it has taken.
    pub(crate) fn taken(&self) -> u64 {
        self.state.taken.load(Ordering::SeqCst)
    }

    /// How many of them it has begun to answer as it should.
    pub(crate) fn answered_well(&self) -> u64 {
        self.state.answered_well.load(Ordering::SeqCst)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes it from its wait for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn serve(&self, listener: &TcpListener, form: Form, secure: bool, script: &Script) {
        for stream in listener.incoming() {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let Ok(mut stream) = stream else { continue };
            let _ = stream.set_nodelay(true);
            let number = self.taken.fetch_add(1, Ordering::SeqCst);
            // The source may hang up whenever it likes.
            let _ = match self.is_well.load(Ordering::SeqCst) {
                true if secure => {
                    let connection = ServerConnection::new(Arc::clone(&TRUSTED.config));
                    connection
                        .map_err(io::Error::other)
                        .and_then(|connection| self.answer_well(&mut StreamOwned::new(connection, stream), form))
                }
                true => self.answer_well(&mut stream, form),
                false => script(&mut stream, number),
            };
        }
    }

    fn answer_well(&self, stream: &mut (impl Read + Write), form: Form) -> io::Result<()> {
        read_head(stream)?;
        self.answered_well.fetch_add(1, Ordering::SeqCst);
        match form {
            Form::Stream => stream.write_all(&[STREAM.as_bytes(), &chunk(PUT)].concat())?,
            Form::Poll => stream.write_all(&answer("", BODY))?,
        }
        stream.flush()?;
        hold(stream)
    }
}

pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

pub(crate) const LAST_CHUNK: &str = "0\r\n\r\n";

pub(crate) const PUT: &str = "event: put\ndata: {\"data\":{\"flags\":{\"f\":{\"version\":1}},\"segments\":{}}}\n\n";

pub(crate) const BODY: &str = "{\"flags\":{\"f\":{\"version\":1}},\"segments\":{}}";

/// An answer with this body, whose length it states.
pub(crate) fn answer(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn chunk(data: impl AsRef<[u8]>) -> Vec<u8> {
    let data = data.as_ref();
    [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat()
}

/// Reads everything up to the empty line.
pub(crate) fn read_head(stream: &mut impl Read) -> io::Result<()> {
    let mut end = [0; 4];
    while end != *b"\r\n\r\n" {
        end.rotate_left(1);
        stream.read_exact(&mut end[3..])?;
    }
    Ok(())
}

/// Sends the same piece until it was sent `times`, or the source hangs up.
pub(crate) fn repeat(stream: &mut TcpStream, piece: &[u8], times: usize) -> io::Result<()> {
    (0..times).try_for_each(|_| stream.write_all(piece))
}

/// Sends nothing more, and blocks until the source has hung up.
pub(crate) fn close(stream: &mut TcpStream) -> io::Result<()> {
    // Not the whole of it at once: what was not read would turn it into a reset.
    stream.shutdown(Shutdown::Write)?;
    hold(stream)
}

/// Keeps the connection open until the source hangs up.
pub(crate) fn hold(stream: &mut impl Read) -> io::Result<()> {
    io::copy(stream, &mut io::sink()).map(drop)
}

/// Ends the connection as if the machine had gone.
pub(crate) fn reset(stream: &TcpStream) -> io::Result<()> {
    SockRef::from(stream).set_linger(Some(Duration::ZERO))
}
