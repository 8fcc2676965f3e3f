//! A connection as the server holds it, with TLS or without.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use socket2::SockRef;

/// How a server is talked to.
pub(crate) enum Security {
    /// In the clear.
    None,
    /// With this certificate, as PEM, which its clients trust.
    Tls { authority: String, config: Arc<ServerConfig> },
}

pub(crate) enum Wire {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Security {
    /// TLS with one certificate for all runs.
    pub(crate) fn tls() -> Self {
        static IDENTITY: LazyLock<(String, Arc<ServerConfig>)> = LazyLock::new(|| {
            let made = generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
            let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
            let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .expect("a version of TLS")
                .with_no_client_auth()
                .with_single_cert(vec![made.cert.der().clone()], key)
                .expect("a key that fits the certificate");
            (made.cert.pem(), Arc::new(config))
        });
        let (authority, config) = IDENTITY.clone();
        Self::Tls { authority, config }
    }
}

impl Wire {
    /// A connection that was accepted.
    pub(crate) fn open(socket: TcpStream, security: &Security) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        Ok(match security {
            Security::None => Self::Plain(socket),
            Security::Tls { config, .. } => {
                let connection = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
                Self::Tls(Box::new(StreamOwned::new(connection, socket)))
            }
        })
    }

    /// A connection whose client begins a handshake, and is not going to be understood.
    pub(crate) fn no_tls(mut socket: TcpStream) -> io::Result<Self> {
        let mut record = [0; 5];
        socket.read_exact(&mut record)?;
        let mut hello = vec![0; usize::from(u16::from_be_bytes([record[3], record[4]]))];
        socket.read_exact(&mut hello)?;
        Ok(Self::Plain(socket))
    }

    /// Reads the head of the request, which has no body.
    pub(crate) fn read_head(&mut self) -> io::Result<()> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            self.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        Ok(())
    }

    /// Sends what claims to be encrypted and is not.
    pub(crate) fn garble(&mut self) -> io::Result<()> {
        const APPLICATION_DATA: [u8; 5] = [23, 3, 3, 0, 32];
        self.flush()?;
        let mut socket = self.socket();
        socket.write_all(&APPLICATION_DATA)?;
        socket.write_all(&[0; 32])
    }

    /// Ends the connection with a reset.
    pub(crate) fn reset(self) -> io::Result<()> {
        SockRef::from(self.socket()).set_linger(Some(Duration::ZERO))
    }

    /// Ends the connection where what was sent ends, and blocks until the client has closed it, too.
    pub(crate) fn close(mut self) {
        if let Self::Tls(stream) = &mut self {
            stream.conn.send_close_notify();
        }
        // What the client no longer wants to hear it may have refused.
        let _ = self.flush();
        let mut socket = self.socket();
        let _ = socket.shutdown(Shutdown::Write);
        let _ = io::copy(&mut socket, &mut io::sink());
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(stream) => &stream.sock,
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
