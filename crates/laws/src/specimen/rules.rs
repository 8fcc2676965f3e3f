//! The two-regime rules with a point that is a fault and not a choice. The dialects that play them have others beside.

use retrylab_scenario::{ClientKind, Dialect};

use super::{Fault, Specimen};

pub(super) const CADENCE_NOT_RESTORED: Specimen = Specimen {
    name: "cadence-not-restored",
    statement: "After a good poll in the extended regime the last failure's wait is waited once more.",
    cite: "the rule that a success restores the cadence",
    fault: Fault::Parameters(|client| match client {
        ClientKind::Polling { poll_interval } => {
            Some(ClientKind::Dialect { dialect: Dialect::CadenceNotRestored, seconds: *poll_interval })
        }
        _ => None,
    }),
};

pub(super) const TLS_UNEXPECTED: Specimen = Specimen {
    name: "tls-unexpected",
    statement: "A TLS failure counts as a rejection, so that a link which flaps climbs to an hour and stays there.",
    cite: "the rule that transport faults are normal",
    fault: Fault::Parameters(|client| match client {
        ClientKind::Streaming { initial_reconnect_delay } => {
            Some(ClientKind::Dialect { dialect: Dialect::TlsUnexpected, seconds: *initial_reconnect_delay })
        }
        _ => None,
    }),
};
