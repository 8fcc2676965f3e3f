//! The classification of I/O errors.

use std::io::{Error, ErrorKind};

use retrylab_core::{Classified, Classify, Fault};

/// Classifies the errors of the standard library's sockets and files.
///
/// | kind of error | classification | may the server have acted? |
/// |---|---|---|
/// | connection refused; name not resolved; no free local address or port | transient | no |
/// | connection reset or aborted, broken pipe, not connected, unexpected end | transient | maybe |
/// | timed out, would block (a socket with a read timeout says so on Unix) | transient | maybe |
/// | host or network unreachable, network down, interrupted, resource busy | transient | maybe |
/// | not found, permission denied, already exists, invalid input or data, unsupported, and other kinds with a name | terminal | maybe |
/// | other, and kinds without a name | unknown | |
///
/// The text of an error shows that a name was not resolved, because the standard library has no kind for it; on Windows
/// such an error is unknown. TLS libraries report a failed handshake as invalid data; to retry it, put a classifier of
/// their errors in front with [`Classify::or`].
///
/// ```
/// use std::io::{Error, ErrorKind};
/// use retrylab_core::{Classified, Classify};
/// use retrylab_driver::IoErrors;
///
/// let error = Error::from(ErrorKind::NotFound);
/// assert_eq!(IoErrors.classified(&error), Classified::terminal());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IoErrors;

impl Classify<Error> for IoErrors {
    fn classify(&self, error: &Error) -> Option<Classified> {
        Some(match error.kind() {
            ErrorKind::ConnectionRefused => Classified::for_call_fault(Fault::Refused),
            ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable => Classified::transient().not_sent(),
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected => Classified::for_call_fault(Fault::Reset),
            ErrorKind::UnexpectedEof => Classified::for_call_fault(Fault::Close),
            ErrorKind::TimedOut | ErrorKind::WouldBlock => Classified::for_call_fault(Fault::Timeout),
            ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
            | ErrorKind::NetworkDown
            | ErrorKind::Interrupted
            | ErrorKind::ResourceBusy => Classified::transient(),
            ErrorKind::InvalidData => Classified::for_call_fault(Fault::Malformed),
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::AlreadyExists
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::DirectoryNotEmpty
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::StaleNetworkFileHandle
            | ErrorKind::InvalidInput
            | ErrorKind::WriteZero
            | ErrorKind::StorageFull
            | ErrorKind::NotSeekable
            | ErrorKind::QuotaExceeded
            | ErrorKind::FileTooLarge
            | ErrorKind::ExecutableFileBusy
            | ErrorKind::Deadlock
            | ErrorKind::CrossesDevices
            | ErrorKind::TooManyLinks
            | ErrorKind::InvalidFilename
            | ErrorKind::ArgumentListTooLong
            | ErrorKind::Unsupported
            | ErrorKind::OutOfMemory => Classified::terminal(),
            _ if error.to_string().starts_with(UNRESOLVED) => Classified::for_call_fault(Fault::Dns),
            _ => return None,
        })
    }
}

/// The beginning of the text of a `getaddrinfo` error in the standard library.
const UNRESOLVED: &str = "failed to lookup address information";
