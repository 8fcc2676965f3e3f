//! Built-in policies by name, for the command line.

use core::time::Duration;

use crate::model::Client;
use crate::policy::{CallSpec, Dialect, PolicySpec, ResetSpec};
use crate::suggest::nearest;

/// The names other than dialects.
const PLAIN: [&str; 4] = ["streaming", "polling", "call", "reconnect"];

/// The client of this `kind` without options. For a reconnecting loop, which needs a reset rule, it is 60 s of unbroken
/// health.
///
/// ```
/// use retrylab_spec::{Client, PolicySpec, named};
///
/// let polling = named::client("polling");
/// assert_eq!(polling, Some(Client::new(PolicySpec::Polling { poll_interval: None })));
/// assert_eq!(named::client("poling"), None);
/// assert_eq!(named::nearest_to("poling"), Some("polling"));
/// ```
#[must_use]
pub fn client(name: &str) -> Option<Client> {
    let dialect = || Dialect::ALL.into_iter().find(|(_, dialect)| *dialect == name);
    let kind = match name {
        "streaming" => PolicySpec::Streaming { initial_reconnect_delay: None },
        "polling" => PolicySpec::Polling { poll_interval: None },
        "call" => PolicySpec::Call(CallSpec::default()),
        "reconnect" => PolicySpec::Reconnect { outage: CallSpec::reconnect(), reset: HEALTHY_MINUTE },
        _ => PolicySpec::Dialect { dialect: dialect()?.0, seconds: None },
    };
    Some(Client::new(kind))
}

const HEALTHY_MINUTE: ResetSpec = ResetSpec::HealthyFor(Duration::from_secs(60));

/// Every name, in the order of lists.
pub fn all() -> impl Iterator<Item = &'static str> {
    PLAIN.into_iter().chain(Dialect::ALL.map(|(_, name)| name))
}

/// The nearest name, if it is near enough to be a typing mistake.
#[must_use]
pub fn nearest_to(name: &str) -> Option<&'static str> {
    nearest(name, all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_its_client() {
        for each in all() {
            let found = client(each).map(|client| client.kind.name());
            assert_eq!(found, Some(each));
        }
    }
}
