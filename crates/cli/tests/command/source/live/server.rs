//! A server that plays a script, one entry a connection, and then accepts no more.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What is done with one connection whose request was read.
pub(crate) type Script = Box<dyn FnOnce(TcpStream) + Send>;

/// The head of a stream, of which everything that follows is the body until the connection is closed.
pub(crate) const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// A message that brings everything.
pub(crate) const PUT: &str =
    concat!("event: put\n", r#"data: {"data":{"flags":{"a":{"version":7}},"segments":{"s":{"version":2}}}}"#, "\n\n");

pub(crate) struct Server {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("works");
        let address = listener.local_addr().expect("works");
        let heads = Arc::new(Mutex::new(Vec::new()));
        let read = Arc::clone(&heads);
        let scripts: Vec<Script> = scripts.into_iter().collect();
        thread::spawn(move || {
            for script in scripts {
                let (mut socket, _) = listener.accept().expect("works");
                read.lock().expect("works").push(head(&mut socket));
                script(socket);
            }
        });
        Self { address, heads }
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("works").clone()
    }
}

/// Sends this and closes.
pub(crate) fn answer(text: impl Into<String>) -> Script {
    let text = text.into();
    // The command may be at its end already.
    Box::new(move |mut socket| drop(socket.write_all(text.as_bytes())))
}

/// Sends this and waits for the other side to close.
pub(crate) fn hold(text: impl Into<String>) -> Script {
    let text = text.into();
    Box::new(move |mut socket| {
        let _ = socket.write_all(text.as_bytes());
        let _ = socket.read_to_end(&mut Vec::new());
    })
}

/// An answer without a body.
pub(crate) fn status(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")
}

/// A good answer with this body.
pub(crate) fn poll(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// The bytes until the empty line.
fn head(from: &mut impl Read) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && from.read(&mut byte).is_ok_and(|amount| amount > 0) {
        head.push(byte[0]);
    }
    String::from_utf8(head).expect("works")
}
