//! The server that flaps: what it does to a connection is drawn from a seed and the connection's number.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use retrylab_sim::Entropy;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::Notify;

use crate::server::{LAST_CHUNK, PUT, STREAM, chunk};

const SEED: u64 = 4;

/// The longest that a connection lives, while the server flaps.
pub(super) const LONGEST_LIFE: Duration = Duration::from_secs(2);

pub(super) struct FlappingServer {
    address: SocketAddr,
    state: Arc<State>,
    thread: JoinHandle<io::Result<()>>,
}

/// How many connections it did this to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) unavailable: u64,
    pub(super) reset: u64,
    pub(super) closed: u64,
    pub(super) held: u64,
}

#[derive(Default)]
struct State {
    is_well: AtomicBool,
    is_over: Notify,
    connections: AtomicU64,
    unavailable: AtomicU64,
    reset: AtomicU64,
    closed: AtomicU64,
    held: AtomicU64,
    holds: AtomicUsize,
}

impl FlappingServer {
    /// On a thread and a runtime of its own, so that the tasks of the sources can be counted.
    pub(super) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        // Room for all sources at once.
        SockRef::from(&listener).listen(4096)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let of_thread = Arc::clone(&state);
        let thread = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::select! {
                    () = of_thread.is_over.notified() => Ok(()),
                    failed = of_thread.accept(&listener) => failed,
                }
            })
        });
        Ok(Self { address, state, thread })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on it brings data and keeps the connection open.
    pub(super) fn be_well(&self) {
        self.state.is_well.store(true, Ordering::SeqCst);
    }

    /// How many connections it keeps open, being well.
    pub(super) fn holds(&self) -> usize {
        self.state.holds.load(Ordering::SeqCst)
    }

    pub(super) fn played(&self) -> Played {
        let State { unavailable, reset, closed, held, .. } = &*self.state;
        let [unavailable, reset, closed, held] =
            [unavailable, reset, closed, held].map(|count| count.load(Ordering::SeqCst));
        Played { unavailable, reset, closed, held }
    }

    pub(super) fn end(self) {
        self.state.is_over.notify_one();
        let _ = self.thread.join();
    }
}

impl State {
    async fn accept(self: &Arc<Self>, listener: &tokio::net::TcpListener) -> io::Result<()> {
        loop {
            let (stream, _) = listener.accept().await?;
            let number = self.connections.fetch_add(1, Ordering::SeqCst);
            let state = Arc::clone(self);
            tokio::spawn(async move {
                // The source may hang up whenever it likes.
                let _ = state.play(stream, number).await;
            });
        }
    }

    async fn play(&self, stream: TcpStream, number: u64) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut draws = Entropy::new(SEED).client(number);
        if self.is_well.load(Ordering::SeqCst) {
            self.held.fetch_add(1, Ordering::SeqCst);
            read_head(&stream).await?;
            write(&stream, &data()).await?;
            self.holds.fetch_add(1, Ordering::SeqCst);
            return hold(&stream).await;
        }
        let lives = LONGEST_LIFE / 1000 * u32::try_from((draws.next_draw() >> 32) % 1000).unwrap_or(0);
        match draws.next_draw() >> 61 {
            0 | 1 => {
                self.unavailable.fetch_add(1, Ordering::SeqCst);
                read_head(&stream).await?;
                write(&stream, b"HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n").await?;
                close(&stream).await
            }
            2 => {
                self.reset.fetch_add(1, Ordering::SeqCst);
                reset(&stream)
            }
            3 | 4 => {
                self.reset.fetch_add(1, Ordering::SeqCst);
                read_head(&stream).await?;
                write(&stream, &data()).await?;
                tokio::time::sleep(lives).await;
                reset(&stream)
            }
            _ => {
                self.closed.fetch_add(1, Ordering::SeqCst);
                read_head(&stream).await?;
                write(&stream, &data()).await?;
                tokio::time::sleep(lives).await;
                write(&stream, LAST_CHUNK.as_bytes()).await?;
                close(&stream).await
            }
        }
    }
}

fn data() -> Vec<u8> {
    [STREAM.as_bytes(), &chunk(PUT)].concat()
}

async fn read_head(stream: &TcpStream) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut piece = [0; 1024];
        let amount = read(stream, &mut piece).await?;
        if amount == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&piece[..amount]);
    }
    Ok(())
}

/// Ends what was sent, and waits for the source to hang up.
async fn close(stream: &TcpStream) -> io::Result<()> {
    SockRef::from(stream).shutdown(Shutdown::Write)?;
    hold(stream).await
}

/// Keeps the connection open until the source hangs up.
async fn hold(stream: &TcpStream) -> io::Result<()> {
    while read(stream, &mut [0; 1024]).await? > 0 {}
    Ok(())
}

fn reset(stream: &TcpStream) -> io::Result<()> {
    SockRef::from(stream).set_linger(Some(Duration::ZERO))
}

async fn read(stream: &TcpStream, piece: &mut [u8]) -> io::Result<usize> {
    loop {
        stream.readable().await?;
        match stream.try_read(piece) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}

async fn write(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            written => bytes = &bytes[written?..],
        }
    }
    Ok(())
}
