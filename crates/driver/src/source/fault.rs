//! The fault behind a transport error.

use std::error::Error;
use std::io;

use retrylab_core::{Classify, Fault};

use crate::IoErrors;

/// The fault behind an error: the first known one in its chain of causes, which may be an error of rustls or of a
/// socket. `None`: none is known.
#[must_use]
pub(crate) fn fault_of(error: &(dyn Error + 'static)) -> Option<Fault> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return Some(match error {
                rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => Fault::Certificate,
                _ => Fault::Tls,
            });
        }
        next = match error.downcast_ref::<io::Error>() {
            // Such an error reports the causes of the error it wraps, and omits that error.
            Some(error) => match error.get_ref() {
                Some(wrapped) if fault_of(wrapped).is_some() => Some(wrapped),
                _ => return socket_fault(error),
            },
            None => error.source(),
        };
    }
    None
}

fn socket_fault(error: &io::Error) -> Option<Fault> {
    match IoErrors.classify(error)?.failure.fault? {
        // An end of data reported as an error is one in the middle of a message.
        Fault::Close => Some(Fault::Reset),
        fault => Some(fault),
    }
}
