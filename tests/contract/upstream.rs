//! The server that the sources connect to: answers requests by a script, and counts connections.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Far more than anything here takes: what is late by so much will not come.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// What is done with one request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The connection is closed without a byte.
    Broken,
    /// This status, and nothing else.
    Status(u16),
    /// A stream that begins with this `put`, and stays open.
    Stream(String),
    /// A complete body.
    Body(String),
    /// Nothing at all, while the connection stays open.
    Silence,
}

pub(crate) struct Upstream {
    address: SocketAddr,
    arrivals: Receiver<Arrival>,
    /// Who connected, in order.
    accepted: Option<Receiver<SocketAddr>>,
}

/// A request that was answered, as far as the script goes.
pub(crate) struct Arrival {
    pub(crate) head: Vec<String>,
    socket: TcpStream,
    /// Nothing is ever sent; it is cut off when the client closes.
    open: Receiver<()>,
}

impl Upstream {
    /// Gives the n-th request the n-th reply, and every further one the last.
    pub(crate) fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (arrive, arrivals) = channel();
        let (accept, accepted) = channel();
        let mut script: Vec<Reply> = script.into_iter().collect();
        script.reverse();
        let script = Arc::new(Mutex::new(script));
        thread::spawn(move || {
            for socket in listener.incoming() {
                let socket = socket.unwrap();
                if accept.send(socket.peer_addr().unwrap()).is_err() {
                    return;
                }
                let (script, arrive) = (Arc::clone(&script), arrive.clone());
                thread::spawn(move || serve(&socket, &script, &arrive));
            }
        });
        Self { address, arrivals, accepted: Some(accepted) }
    }

    /// Where a client begins, without a slash at the end.
    pub(crate) fn base(&self) -> String {
        format!("http://{}/endpoints/1", self.address)
    }

    /// Blocks until the next request was answered.
    pub(crate) fn next(&self) -> Arrival {
        receive(&self.arrivals, LIMIT).unwrap_or_else(|error| panic!("no request: {error}"))
    }

    /// Sees that no request comes for a while.
    pub(crate) fn none_for(&self, while_: Duration) {
        if let Ok(arrival) = receive(&self.arrivals, while_) {
            panic!("one more request: {:?}", arrival.head);
        }
    }

    /// How many connections there were so far.
    pub(crate) fn connections(mut self) -> usize {
        // Connections are accepted in their order, so whatever there was comes before this one.
        let own = TcpStream::connect(self.address).unwrap();
        let own = own.local_addr().unwrap();
        let accepted = self.accepted.take().unwrap();
        accepted.iter().take_while(|peer| *peer != own).count()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        // Has the thread that accepts find out that nobody listens.
        self.accepted = None;
        let _ = TcpStream::connect(self.address);
    }
}

impl Arrival {
    /// The first line.
    pub(crate) fn request(&self) -> &str {
        &self.head[0]
    }

    /// The values of a header.
    pub(crate) fn headers(&self, name: &str) -> Vec<&str> {
        let fields = self.head[1..].iter().filter_map(|line| line.split_once(':'));
        fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).collect()
    }

    /// Sends one more event.
    pub(crate) fn push(&self, event: &str, data: &str) {
        (&self.socket).write_all(chunk(&message(event, data)).as_bytes()).unwrap();
    }

    /// Ends the stream cleanly, if the client is still there.
    pub(crate) fn close(&self) {
        // Whoever has gone need not be told.
        let _ = (&self.socket).write_all(chunk("").as_bytes());
    }

    /// Blocks until the client has closed the connection.
    pub(crate) fn gone(&self, within: Duration) {
        assert_eq!(receive(&self.open, within), Err(RecvTimeoutError::Disconnected), "{:?}", self.head);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the limit only ends a test that has failed, or a look at what must not come"
)]
pub(crate) fn receive<T>(from: &Receiver<T>, within: Duration) -> Result<T, RecvTimeoutError> {
    from.recv_timeout(within)
}

/// Answers the requests of one connection until the client closes it.
fn serve(mut socket: &TcpStream, script: &Mutex<Vec<Reply>>, arrive: &Sender<Arrival>) {
    let mut lines = BufReader::new(socket).lines().map_while(Result::ok);
    let mut open = None;
    loop {
        let head: Vec<String> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        drop(open);
        if head.is_empty() {
            return;
        }
        let reply = next(&mut script.lock().unwrap());
        // A client may leave in the middle of it.
        let _ = socket.write_all(bytes(&reply).as_bytes());
        let broken = matches!(reply, Reply::Broken);
        if broken {
            let _ = socket.shutdown(Shutdown::Both);
        }
        let (tell, told) = channel();
        let arrival = Arrival { head, socket: socket.try_clone().unwrap(), open: told };
        if arrive.send(arrival).is_err() || broken {
            return;
        }
        open = Some(tell);
    }
}

fn next(script: &mut Vec<Reply>) -> Reply {
    let last = if script.len() > 1 { script.pop() } else { script.last().cloned() };
    last.expect("a script has a reply")
}

fn bytes(reply: &Reply) -> String {
    match reply {
        Reply::Broken | Reply::Silence => String::new(),
        Reply::Status(status) => format!("HTTP/1.1 {status} Made Up\r\nContent-Length: 0\r\n\r\n"),
        Reply::Stream(put) => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n";
            format!("{head}Transfer-Encoding: chunked\r\n\r\n{}", chunk(&message("put", put)))
        }
        Reply::Body(body) => {
            let length = body.len();
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
        }
    }
}

fn message(event: &str, data: &str) -> String {
    format!("event: {event}\ndata: {data}\n\n")
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}
