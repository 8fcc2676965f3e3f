//! A server on the loopback that plays a script, one entry a connection, and then refuses.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What is done with one connection.
pub(crate) type Script = Box<dyn FnOnce(Exchange) + Send>;

/// One connection.
pub(crate) struct Exchange {
    pub(crate) socket: TcpStream,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Exchange {
    /// Reads the head of the request.
    pub(crate) fn request(&mut self) -> String {
        let head = read_head(&mut self.socket);
        self.requests.lock().expect("no panic").push(head.clone());
        head
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.socket.write_all(bytes.as_ref()).expect("works");
    }

    /// Blocks until the client has closed the connection.
    pub(crate) fn wait_for_close(&mut self) {
        let mut piece = [0; 1024];
        while self.socket.read(&mut piece).is_ok_and(|amount| amount > 0) {}
    }

    /// Has the connection end with a reset.
    pub(crate) fn reset(self) {
        let socket = socket2::Socket::from(self.socket);
        socket.set_linger(Some(std::time::Duration::ZERO)).expect("works");
    }
}

/// The bytes until the empty line.
pub(crate) fn read_head(from: &mut impl Read) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && from.read(&mut byte).is_ok_and(|amount| amount > 0) {
        head.push(byte[0]);
    }
    String::from_utf8(head).expect("works")
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(scripts: impl IntoIterator<Item = Script> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("works");
        let address = listener.local_addr().expect("works");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let heads = Arc::clone(&requests);
        let scripts: Vec<Script> = scripts.into_iter().collect();
        let thread = thread::spawn(move || {
            for script in scripts {
                let (socket, _) = listener.accept().expect("works");
                script(Exchange { socket, requests: Arc::clone(&heads) });
            }
        });
        Self { address, requests, thread: Some(thread) }
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Blocks until the whole script was played. Returns the heads of the requests.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        self.thread.take().expect("works").join().expect("works");
        self.requests.lock().expect("no panic").clone()
    }
}

/// Reads the request, sends this, closes.
pub(crate) fn answer(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Box::new(move |mut exchange| {
        exchange.request();
        exchange.send(bytes);
    })
}

/// Reads the request, sends this, and waits for the client to close.
pub(crate) fn hold(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Box::new(move |mut exchange| {
        exchange.request();
        exchange.send(bytes);
        exchange.wait_for_close();
    })
}

/// As [`hold`], and tells when the request was read and when the client has closed.
pub(crate) fn watched(bytes: impl Into<Vec<u8>>) -> (Script, Receiver<&'static str>) {
    let bytes = bytes.into();
    let (tell, told): (Sender<&'static str>, _) = channel();
    let script: Script = Box::new(move |mut exchange| {
        exchange.request();
        exchange.send(bytes);
        tell.send("asked").expect("works");
        exchange.wait_for_close();
        tell.send("closed").expect("works");
    });
    (script, told)
}

/// The head of a stream, of which everything that follows is the body until the connection is closed.
pub(crate) const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// A message that brings everything: one flag.
pub(crate) const PUT: &str = "event: put\ndata: {\"data\":{\"flags\":{\"a\":{\"version\":1}},\"segments\":{}}}\n\n";

pub(crate) fn status(status: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n")
}

/// A complete answer with a body.
pub(crate) fn body(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}
