//! The credential's way into a request, past the HTTP client, which logs the bytes that it sends.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// The placeholder's line, as the client writes it: as a whole line, possibly late.
const PLACEHOLDER: &[u8] = b"authorization: [secret]\r\n";

/// The placeholder, which the client sends as the credential.
pub(super) const fn placeholder() -> HeaderValue {
    HeaderValue::from_static("[secret]")
}

/// The last part of a connector: replaces the placeholder by the credential.
pub(super) struct Credentials {
    /// Without a credential there is no placeholder.
    line: Arc<[u8]>,
}

/// A connection: the client writes the placeholder, the server receives the credential.
pub(super) struct Revealing<T> {
    inner: T,
    line: Arc<[u8]>,
}

impl Credentials {
    pub(super) fn new(credential: Option<&HeaderValue>) -> Self {
        let value = credential.map_or(&[][..], HeaderValue::as_bytes);
        Self { line: [b"authorization: ", value, b"\r\n"].concat().into() }
    }
}

impl<In: Transport> Connector<In> for Credentials {
    type Out = Revealing<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Revealing<In>>, Error> {
        Ok(chained.map(|inner| Revealing { inner, line: Arc::clone(&self.line) }))
    }
}

/// The bytes to send for these lines; `None`: unchanged. Only a whole line is a placeholder: text that a server
/// influences, such as a tag, cannot be one.
fn revealed(written: &[u8], line: &[u8]) -> Option<Vec<u8>> {
    let lines = || written.split_inclusive(|byte| *byte == b'\n');
    let reveal = |written| if written == PLACEHOLDER { line } else { written };
    lines().any(|line| line == PLACEHOLDER).then(|| lines().flat_map(reveal).copied().collect())
}

impl<T: Transport> Transport for Revealing<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let output = self.inner.buffers().output();
        let room = output.len().max(1);
        let Some(revealed) = revealed(&output[..amount], &self.line) else {
            return self.inner.transmit_output(amount, timeout);
        };
        for piece in revealed.chunks(room) {
            self.inner.buffers().output()[..piece.len()].copy_from_slice(piece);
            self.inner.transmit_output(piece.len(), timeout)?;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

impl<T: fmt::Debug> fmt::Debug for Revealing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Revealing").field("inner", &self.inner).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_line_is_a_placeholder() {
        let line = b"authorization: my-key\r\n";
        let sent = |written: &str| revealed(written.as_bytes(), line).map(|sent| String::from_utf8(sent).unwrap());
        let head = "GET / HTTP/1.1\r\nhost: a\r\n";
        let expected = format!("{head}authorization: my-key\r\n\r\n");
        assert_eq!(sent(&format!("{head}authorization: [secret]\r\n\r\n")).as_deref(), Some(&*expected));
        // A client that writes a head in two parts may send a line first.
        assert_eq!(sent("authorization: [secret]\r\n\r\n").as_deref(), Some("authorization: my-key\r\n\r\n"));
        for other in [
            format!("{head}\r\n"),
            format!("{head}if-none-match: authorization: [secret]\r\n\r\n"),
            format!("{head}authorization: [secret] \r\n\r\n"),
            "GET /authorization:%20[secret] HTTP/1.1\r\n\r\n".to_owned(),
            String::new(),
        ] {
            assert_eq!(sent(&other), None, "{other}");
        }
    }
}
