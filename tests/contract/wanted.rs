//! A client as a harness asks for it: every member is there, `null` where nothing was chosen.

use serde_json::{Value, json};

use crate::upstream::Upstream;

pub(crate) struct Wanted {
    request: Value,
    mode: &'static str,
}

impl Wanted {
    pub(crate) fn streaming(upstream: &Upstream) -> Self {
        Self::at("streaming", &upstream.base())
    }

    pub(crate) fn polling(upstream: &Upstream) -> Self {
        Self::at("polling", &upstream.base())
    }

    /// The other mode's part is absent.
    pub(crate) fn at(mode: &'static str, base: &str) -> Self {
        let mut request = json!({
            "tag": "made up",
            "configuration": {
                "credential": "test-sdk-key", "startWaitTimeMs": null, "streaming": null, "polling": null,
                "serviceEndpoints": null, "events": null, "tls": null, "proxy": null, "tags": null, "wrapper": null,
                "hooks": null, "bigSegments": null, "clientSide": null, "persistentDataStore": null, "unheardOf": [1],
            },
        });
        request["configuration"][mode] =
            json!({ "baseUri": base, "initialRetryDelayMs": null, "pollIntervalMs": null, "filter": null });
        Self { request, mode }
    }

    /// Sets a member of the configuration.
    pub(crate) fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.request["configuration"][member] = value.into();
        self
    }

    /// Sets a member of the mode's part of the configuration.
    pub(crate) fn with_own(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.request["configuration"][self.mode][member] = value.into();
        self
    }

    /// Whoever creates it waits no longer than that, and it is alive then, with data or without.
    pub(crate) fn uninitialized_after(self, ms: u64) -> Self {
        self.with("startWaitTimeMs", ms).with("initCanFail", true)
    }

    /// Retries as soon as it may.
    pub(crate) fn eager(self) -> Self {
        self.with_own("initialRetryDelayMs", 1)
    }
}

impl From<Wanted> for Value {
    fn from(wanted: Wanted) -> Self {
        wanted.request
    }
}
