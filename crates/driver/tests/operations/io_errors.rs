//! What I/O errors are: transient or terminal, and whether the server may have acted.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Read};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};

use retrylab_core::{Call, Classified, Classify, FailureKind, Fault, Idempotency, Sent};
use retrylab_driver::blocking::Driver;
use retrylab_driver::{IoErrors, RetryError};

use crate::script::exact;

fn kind_and_sent(error: &Error) -> Option<(FailureKind, Option<Fault>, Sent)> {
    IoErrors.classify(error).map(|Classified { failure, sent }| (failure.kind, failure.fault, sent))
}

#[test]
fn every_kind_is_in_its_row() {
    use ErrorKind::*;
    use FailureKind::{Normal, Unexpected};
    use Sent::{Maybe, No};
    let rows: [(&[ErrorKind], _); 8] = [
        (&[ConnectionRefused], Some((Normal, Some(Fault::Refused), No))),
        (&[AddrInUse, AddrNotAvailable], Some((Normal, None, No))),
        (&[ConnectionReset, ConnectionAborted, BrokenPipe, NotConnected], Some((Normal, Some(Fault::Reset), Maybe))),
        (&[UnexpectedEof], Some((Normal, Some(Fault::Close), Maybe))),
        (&[TimedOut, WouldBlock], Some((Normal, Some(Fault::Timeout), Maybe))),
        (&[HostUnreachable, NetworkUnreachable, NetworkDown, Interrupted, ResourceBusy], Some((Normal, None, Maybe))),
        (&[InvalidData], Some((Unexpected, Some(Fault::Malformed), Maybe))),
        (&[Other], None),
    ];
    for (kinds, expected) in rows {
        for kind in kinds {
            assert_eq!(kind_and_sent(&Error::from(*kind)), expected, "{kind}");
            assert_eq!(kind_and_sent(&Error::new(*kind, "a text of its own")), expected, "{kind}");
        }
    }
    let terminal = [
        NotFound,
        PermissionDenied,
        AlreadyExists,
        NotADirectory,
        IsADirectory,
        DirectoryNotEmpty,
        ReadOnlyFilesystem,
        StaleNetworkFileHandle,
        InvalidInput,
        WriteZero,
        StorageFull,
        NotSeekable,
        QuotaExceeded,
        FileTooLarge,
        ExecutableFileBusy,
        Deadlock,
        CrossesDevices,
        TooManyLinks,
        InvalidFilename,
        ArgumentListTooLong,
        Unsupported,
        OutOfMemory,
    ];
    for kind in terminal {
        assert_eq!(kind_and_sent(&Error::from(kind)), Some((Unexpected, None, Maybe)), "{kind}");
    }
}

#[test]
fn a_real_refusal_and_a_real_end_are_distinguished() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    drop(listener.accept().unwrap());
    let ended = stream.read_exact(&mut [0]).unwrap_err();
    assert_eq!(kind_and_sent(&ended), Some((FailureKind::Normal, Some(Fault::Close), Sent::Maybe)));

    // The first port of all, where nobody listens.
    let refused = TcpStream::connect("127.0.0.1:1").unwrap_err();
    assert_eq!(kind_and_sent(&refused), Some((FailureKind::Normal, Some(Fault::Refused), Sent::No)));
}

#[cfg(not(windows))]
#[test]
fn a_name_that_is_not_resolved_is_a_fault_of_dns() {
    // An empty label is no name, which the resolver sees without asking anybody.
    let unresolved = ("no..name", 80).to_socket_addrs().unwrap_err();
    assert_eq!(kind_and_sent(&unresolved), Some((FailureKind::Normal, Some(Fault::Dns), Sent::No)), "{unresolved:?}");
}

#[test]
fn a_request_that_may_have_been_sent_is_retried_only_if_idempotent() {
    let calls = |kind: ErrorKind, method| {
        let driver = Driver::new().sleeper(|_| {}).classify(IoErrors.idempotency(Idempotency::from_method(method)));
        let calls = Cell::new(0);
        let answer = driver.retry(Call::new(exact(3).build().unwrap()), || {
            calls.set(calls.get() + 1);
            Err::<(), _>(Error::from(kind))
        });
        (calls.get(), matches!(answer, Err(RetryError::Terminal(_))))
    };
    assert_eq!(calls(ErrorKind::ConnectionRefused, "POST"), (3, false));
    assert_eq!(calls(ErrorKind::ConnectionReset, "POST"), (1, true));
    assert_eq!(calls(ErrorKind::TimedOut, "POST"), (1, true));
    assert_eq!(calls(ErrorKind::ConnectionReset, "PUT"), (3, false));
    assert_eq!(calls(ErrorKind::PermissionDenied, "GET"), (1, true));
}

#[test]
fn another_classifier_handles_unknown_errors() {
    let other = Error::other("the proxy is starting");
    assert_eq!(IoErrors.classify(&other), None);
    let proxy = |error: &Error| error.to_string().contains("proxy").then(Classified::transient);
    assert_eq!(IoErrors.or(proxy).classify(&other), Some(Classified::transient()));
    // The first that knows an error decides.
    let everything = |_: &Error| FailureKind::Unexpected;
    let refused = Error::from(ErrorKind::ConnectionRefused);
    assert_eq!(IoErrors.or(everything).classify(&refused), IoErrors.classify(&refused));
    assert_eq!(everything.or(IoErrors).classify(&refused), Some(Classified::terminal()));
}
