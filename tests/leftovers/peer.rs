//! The server's side, played by the test itself so that it has no thread.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// Only a failure takes this long.
const LIMIT: Duration = Duration::from_secs(60);

const STREAM: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

const PUT: &str = "event: put\ndata: {\"data\":{\"flags\":{},\"segments\":{}}}\n\n";

const REJECTION: &str = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";

pub(crate) struct Peers {
    listener: TcpListener,
}

/// One connection, whose request was read.
pub(crate) struct Peer {
    socket: TcpStream,
}

impl Peers {
    pub(crate) fn listen() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").expect("a free port") }
    }

    pub(crate) fn uri(&self) -> String {
        format!("http://{}", self.listener.local_addr().expect("it is bound"))
    }

    /// The next to connect, who has asked for something.
    pub(crate) fn next(&self) -> Peer {
        let (mut socket, _) = self.listener.accept().expect("somebody connects");
        socket.set_read_timeout(Some(LIMIT)).expect("a socket");
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            socket.read_exact(&mut byte).expect("a whole request");
            head.push(byte[0]);
        }
        Peer { socket }
    }
}

impl Peer {
    /// The beginning of a stream, with all data.
    pub(crate) fn send_data(&mut self) {
        self.socket.write_all([STREAM, PUT].concat().as_bytes()).expect("somebody reads");
    }

    pub(crate) fn send_rejection(&mut self) {
        self.socket.write_all(REJECTION.as_bytes()).expect("somebody reads");
    }

    /// Waits until the other side is gone, and goes, too.
    pub(crate) fn sees_the_end(mut self) {
        // A reset is as good as an end.
        match self.socket.read(&mut [0]) {
            Ok(amount) => assert_eq!(amount, 0, "there is nothing more to say"),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}"),
        }
    }
}
