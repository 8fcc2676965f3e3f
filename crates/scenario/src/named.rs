//! Built-in policies by name, as a command line names them.

use core::time::Duration;

use crate::model::{Client, ClientKind};
use crate::policy::{CallSpec, Dialect, ResetSpec};
use crate::suggest::nearest;

/// The names that are no dialect's.
const PLAIN: [&str; 4] = ["streaming", "polling", "call", "reconnect"];

/// The client that a file describes by this `kind` alone. A reconnecting loop, whose reset rule a file has to name, is
/// cleared by 60 s of unbroken health.
///
/// ```
/// use retrylab_scenario::{Client, ClientKind, named};
///
/// let polling = named::client("polling");
/// assert_eq!(polling, Some(Client::new(ClientKind::Polling { poll_interval: None })));
/// assert_eq!(named::client("poling"), None);
/// assert_eq!(named::nearest_to("poling"), Some("polling"));
/// ```
#[must_use]
pub fn client(name: &str) -> Option<Client> {
    let dialect = || Dialect::ALL.into_iter().find(|(_, dialect)| *dialect == name);
    let kind = match name {
        "streaming" => ClientKind::Streaming { initial_reconnect_delay: None },
        "polling" => ClientKind::Polling { poll_interval: None },
        "call" => ClientKind::Call(CallSpec::default()),
        "reconnect" => ClientKind::Reconnect { outage: CallSpec::reconnect(), reset: HEALTHY_MINUTE },
        _ => ClientKind::Dialect { dialect: dialect()?.0, seconds: None },
    };
    Some(Client::new(kind))
}

const HEALTHY_MINUTE: ResetSpec = ResetSpec::HealthyFor(Duration::from_secs(60));

/// Every name, in the order in which to list them.
pub fn all() -> impl Iterator<Item = &'static str> {
    PLAIN.into_iter().chain(Dialect::ALL.map(|(_, name)| name))
}

/// The name that somebody meant who wrote another, if it is near enough to be a slip.
#[must_use]
pub fn nearest_to(name: &str) -> Option<&'static str> {
    nearest(name, all())
}

/// The `kind` of a client, as a file writes it.
#[must_use]
pub const fn name(kind: &ClientKind) -> &'static str {
    match kind {
        ClientKind::Streaming { .. } => "streaming",
        ClientKind::Polling { .. } => "polling",
        ClientKind::Call(_) => "call",
        ClientKind::Reconnect { .. } => "reconnect",
        ClientKind::Dialect { dialect, .. } => dialect.name(),
        ClientKind::External { .. } => "external",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_its_client() {
        for each in all() {
            let found = client(each).map(|client| name(&client.kind));
            assert_eq!(found, Some(each));
        }
    }
}
