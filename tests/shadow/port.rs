//! A port of the loopback on which the server listens now and then.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Socket, Type};

/// A port that nobody else gets. Who connects to it while nobody listens is refused.
pub(crate) struct Port {
    address: SocketAddr,
    /// Has the port for as long as the run takes, and never listens.
    _holder: Socket,
}

impl Port {
    /// Any that is free.
    pub(crate) fn hold() -> io::Result<Self> {
        let holder = bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        let address = holder.local_addr()?.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Self { address, _holder: holder })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Listens until the listener is dropped.
    pub(crate) fn listen(&self) -> io::Result<TcpListener> {
        let socket = bind(self.address)?;
        socket.listen(1)?;
        Ok(socket.into())
    }
}

/// A socket at the address, which others may have, too, as long as they do not listen.
fn bind(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}
