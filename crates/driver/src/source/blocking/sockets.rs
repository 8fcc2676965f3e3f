//! The sockets of a source, which another thread can cut, also while they connect.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, ShutdownHandle, Transport,
};

use super::allowance::Allowance;

/// Opens sockets. Those of the HTTP client could be cut only once connected.
#[derive(Debug)]
pub(super) struct Sockets {
    pub(super) allowance: Allowance,
}

/// A connected socket.
pub(super) struct Connected {
    cuttable: Arc<Cuttable>,
    allowance: Allowance,
    buffers: LazyBuffers,
}

struct Cuttable {
    socket: Socket,
    cut: AtomicBool,
    connecting: AtomicBool,
}

impl Connector for Sockets {
    type Out = Connected;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Connected>, Error> {
        let addresses = &details.addrs;
        // Each address gets a share, so that one without a response leaves time for the others.
        let parts = u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
        let limit = *details.timeout.after / parts;
        let mut error = Error::HostNotFound;
        for address in addresses.iter() {
            match open(*address, limit, details) {
                Ok(cuttable) => {
                    let buffers =
                        LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
                    let allowance = self.allowance.clone();
                    return Ok(Some(Connected { cuttable, allowance, buffers }));
                }
                Err(Error::Io(failed)) if failed.kind() == io::ErrorKind::TimedOut => {
                    error = Error::Timeout(details.timeout.reason);
                }
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }
}

fn open(address: SocketAddr, limit: Duration, details: &ConnectionDetails<'_>) -> Result<Arc<Cuttable>, Error> {
    let cuttable = Arc::new(Cuttable {
        socket: Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?,
        cut: AtomicBool::new(false),
        connecting: AtomicBool::new(true),
    });
    let handle: Weak<Cuttable> = Arc::downgrade(&cuttable);
    (details.register_shutdown)(handle)?;
    let connected = cuttable.connect(&address.into(), limit);
    cuttable.connecting.store(false, Ordering::SeqCst);
    connected?;
    cuttable.socket.set_tcp_nodelay(true)?;
    Ok(cuttable)
}

impl Cuttable {
    fn connect(&self, address: &SockAddr, limit: Duration) -> io::Result<()> {
        if !self.cut.load(Ordering::SeqCst) {
            self.socket.connect_timeout(address, limit)?;
        }
        if self.cut.load(Ordering::SeqCst) { Err(io::ErrorKind::NotConnected.into()) } else { Ok(()) }
    }
}

impl ShutdownHandle for Cuttable {
    fn shutdown(&self) {
        self.cut.store(true, Ordering::SeqCst);
        // A socket just before its connect cannot be cut, and does not check again. That lasts a system call at most;
        // where a connecting socket can never be cut, checking again would not help.
        for _ in 0..1000 {
            let cut = self.socket.shutdown(std::net::Shutdown::Both);
            if cut.is_ok() || !self.connecting.load(Ordering::SeqCst) {
                break;
            }
            thread::yield_now();
        }
    }
}

impl Transport for Connected {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let timeout = in_time(timeout.for_write())?;
        let mut socket = &self.cuttable.socket;
        socket.set_write_timeout(timeout.not_zero().map(|timeout| *timeout))?;
        let written = socket.write_all(&self.buffers.output()[..amount]);
        written.map_err(|error| error_of(error, timeout))
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let timeout = in_time(timeout.for_read())?;
        let mut socket = &self.cuttable.socket;
        socket.set_read_timeout(timeout.not_zero().map(|timeout| *timeout))?;
        let input = self.buffers.input_append_buf();
        let read = loop {
            match socket.read(input) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let amount = read.map_err(|error| error_of(error, timeout))?;
        self.allowance.spend(amount)?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        // The client checks this before it keeps a connection for another request, which never happens.
        false
    }
}

/// A socket takes a timeout of zero as no limit, and data may always be available.
fn in_time(timeout: NextTimeout) -> Result<NextTimeout, Error> {
    if timeout.after.is_zero() { Err(Error::Timeout(timeout.reason)) } else { Ok(timeout) }
}

fn error_of(error: io::Error, timeout: NextTimeout) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Error::Timeout(timeout.reason),
        // The client takes these errors as the end of a body of unknown length. Wrapped, they remain errors.
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => Error::Io(io::Error::other(error)),
        _ => Error::Io(error),
    }
}

impl fmt::Debug for Connected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connected").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_passed_time_limit_counts_even_with_data_to_read() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap();
        socket.connect(&listener.local_addr().unwrap().into()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        server.write_all(b"x").unwrap();
        let cuttable = Cuttable { socket, cut: AtomicBool::new(false), connecting: AtomicBool::new(false) };
        let mut connected =
            Connected { cuttable: Arc::new(cuttable), allowance: Allowance::new(), buffers: LazyBuffers::new(16, 16) };
        let over = NextTimeout { after: Duration::ZERO.into(), ..NextTimeout::default() };
        assert!(matches!(connected.await_input(over), Err(Error::Timeout(_))));
        assert!(matches!(connected.transmit_output(1, over), Err(Error::Timeout(_))));
        assert!(connected.await_input(NextTimeout::default()).unwrap(), "it was there");
    }
}
