//! The configuration of a source, from arguments and environment.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use retrylab_driver::source::blocking::Source as Driver;
use retrylab_source::{Connection, Endpoint, PollingConfig, Secret, StreamingConfig};
use retrylab_spec::Seconds;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::{Form, Source, WatchError};

/// A configured source.
pub(super) struct Attached {
    pub(super) driver: Driver,
    /// The wait after a poll with data; a stream has none.
    pub(super) cadence: Option<Duration>,
    /// The configured interval, if it is below the minimum.
    pub(super) raised: Option<Raised>,
}

/// An interval that was raised.
pub(super) struct Raised {
    /// In seconds, as given.
    pub(super) given: f64,
    /// In seconds.
    pub(super) least: f64,
}

impl Attached {
    /// # Errors
    ///
    /// If the source could never work.
    pub(super) fn new(arguments: &Source, credential: Option<&OsStr>) -> Result<Self, WatchError> {
        let connection = Connection {
            credential: credential.map(secret).transpose()?.flatten(),
            authorities: arguments.ca.as_deref().map(authorities).transpose()?,
            ..Connection::to(&arguments.url)
        };
        match arguments.form {
            Form::Stream => {
                if arguments.poll_interval.is_some() {
                    return Err(WatchError::NotOfForm {
                        form: "streaming",
                        option: "poll-interval",
                        allowed: "initial-delay",
                    });
                }
                let mut config = StreamingConfig::new(connection);
                config.path = arguments.path.clone().unwrap_or(config.path);
                config.initial_reconnect_delay =
                    arguments.initial_delay.map_or(config.initial_reconnect_delay, Seconds::as_f64);
                Endpoint::new(&config.connection.base_uri, &config.path)?;
                Ok(Self { driver: Driver::streaming(config), cadence: None, raised: None })
            }
            Form::Poll => {
                if arguments.initial_delay.is_some() {
                    return Err(WatchError::NotOfForm {
                        form: "polling",
                        option: "initial-delay",
                        allowed: "poll-interval",
                    });
                }
                let mut config = PollingConfig::new(connection);
                config.path = arguments.path.clone().unwrap_or(config.path);
                config.poll_interval = arguments.poll_interval.map_or(config.poll_interval, Seconds::as_f64);
                Endpoint::new(&config.connection.base_uri, &config.path)?;
                let PollingConfig { poll_interval: given, least_interval: least, .. } = config;
                // The source replaces an unusable interval, with a line of its own.
                let raised = (given > 0.0 && given < least).then_some(Raised { given, least });
                let cadence = config.source().policy().next_delay();
                Ok(Self { driver: Driver::polling(config), cadence: Some(cadence), raised })
            }
        }
    }

    /// Wires the source with a store and its receivers.
    pub(super) fn wire(self, reporter: &Arc<super::reporter::Reporter>) -> Driver {
        let listener = Arc::clone(reporter);
        self.driver.store(reporter.clone()).observer(reporter.clone()).listen(move |status| listener.status(status))
    }
}

/// An empty variable counts as not set.
fn secret(text: &OsStr) -> Result<Option<Secret>, WatchError> {
    let text = text.to_str().ok_or(WatchError::Credential)?;
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(WatchError::Credential);
    }
    Ok((!text.is_empty()).then(|| Secret::new(text)))
}

fn authorities(path: &Path) -> Result<Vec<u8>, WatchError> {
    let bytes = fs::read(path).map_err(|error| WatchError::Unreadable { path: path.to_owned(), error })?;
    let refused = |problem| WatchError::NoAuthorities { path: path.to_owned(), problem };
    let mut certificates = 0;
    for certificate in CertificateDer::pem_slice_iter(&bytes) {
        certificate.map_err(|error| refused(format!("is not PEM: {error}")))?;
        certificates += 1;
    }
    if certificates == 0 { Err(refused("has no certificate".to_owned())) } else { Ok(bytes) }
}
