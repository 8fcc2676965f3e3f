//! A server that plays a script, one connection after the other, and records the requests.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::SockRef;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// What becomes of one connection, once the head of its request was read.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Nothing more is sent, and nothing more is taken.
    Close,
    /// As if the machine had gone.
    Reset,
    /// The client has to close.
    Hold,
}

impl Script {
    pub(crate) fn closes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), end: End::Close }
    }

    pub(crate) fn resets(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), end: End::Reset }
    }

    pub(crate) fn holds(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), end: End::Hold }
    }
}

/// After the last script nobody listens any more.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// A value for each request that was read, before anything is sent.
    pub(crate) asked: UnboundedReceiver<()>,
    requests: mpsc::Receiver<String>,
    thread: JoinHandle<()>,
}

impl Server {
    pub(crate) fn play(scripts: impl IntoIterator<Item = Script>) -> Self {
        let scripts: Vec<Script> = scripts.into_iter().collect();
        Self::speak(scripts.len(), move |connection, stream| {
            let request = read_head(stream);
            let Script { bytes, end } = scripts[connection].clone();
            (request, bytes, end)
        })
    }

    /// Takes so many connections. What is said in each comes from `script`, which has read the request.
    pub(crate) fn speak(
        connections: usize,
        script: impl Fn(usize, &mut TcpStream) -> (String, Vec<u8>, End) + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (tell, requests) = mpsc::channel();
        let (ask, asked) = unbounded_channel();
        let thread = thread::spawn(move || {
            for connection in 0..connections {
                let (mut stream, _) = listener.accept().expect("a client");
                let (request, bytes, end) = script(connection, &mut stream);
                tell.send(request).expect("the server is there");
                let _ = ask.send(());
                // A client that hangs up early is a client's right.
                if stream.write_all(&bytes).is_ok() {
                    finish(stream, end);
                }
            }
        });
        Self { port, asked, requests, thread }
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Blocks until a request was read.
    pub(crate) fn hears(&mut self) {
        self.asked.blocking_recv().expect("the server listens");
    }

    /// Waits until the last connection is over. Returns the heads of all requests.
    pub(crate) fn requests(self) -> Vec<String> {
        self.thread.join().expect("the script was played");
        self.requests.try_iter().collect()
    }
}

pub(crate) fn finish(mut stream: TcpStream, end: End) {
    match end {
        End::Close => {
            // Not at once, because what was not read would turn it into a reset.
            let _ = stream.shutdown(Shutdown::Write);
            wait_for_the_end(&mut stream);
        }
        End::Reset => SockRef::from(&stream).set_linger(Some(Duration::ZERO)).expect("a socket"),
        End::Hold => wait_for_the_end(&mut stream),
    }
}

fn wait_for_the_end(stream: &mut TcpStream) {
    let mut rest = [0; 1024];
    while !matches!(stream.read(&mut rest), Ok(0) | Err(_)) {}
}

/// Everything up to the empty line.
pub(crate) fn read_head(stream: &mut impl Read) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    String::from_utf8(head).expect("text")
}

/// A port on which nobody listens.
pub(crate) fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// An answer of this status without a body.
pub(crate) fn status(status: u16) -> Vec<u8> {
    format!("HTTP/1.1 {status} As It Is\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

/// An answer with this body, whose length it states.
pub(crate) fn answer(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

pub(crate) const LAST_CHUNK: &str = "0\r\n\r\n";

pub(crate) const PUT: &str =
    "event: put\ndata: {\"data\": {\"flags\": {\"f\": {\"version\": 1}}, \"segments\": {}}}\n\n";

pub(crate) fn chunk(data: impl AsRef<[u8]>) -> Vec<u8> {
    let data = data.as_ref();
    [format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat()
}

/// The beginning of a stream with these data in one chunk.
pub(crate) fn stream(data: impl AsRef<[u8]>) -> Vec<u8> {
    [STREAM.as_bytes(), &chunk(data)].concat()
}

/// A whole stream, which ends cleanly.
pub(crate) fn whole_stream(data: impl AsRef<[u8]>) -> Vec<u8> {
    [&stream(data)[..], LAST_CHUNK.as_bytes()].concat()
}
