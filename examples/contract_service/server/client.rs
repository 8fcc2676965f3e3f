//! One client: a source, its data, and what is asked of both.

use std::sync::Arc;
use std::time::Duration;

use retrylab_source::{Connection, MemoryStore, PollingConfig, Secret, StartWait, StreamingConfig};
use serde_json::Value;

use super::driver::{Driver, Running, Setting};
use super::evaluate;
use super::wire::{Configuration, Evaluate, EvaluateAll, Streaming};

/// What is shorter than in production, for a trial that takes less time; by default nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trial {
    /// The first wait after an unexpected failure.
    pub(crate) extended_initial: Option<Duration>,
    /// The wait between polls where a client names none, and the shortest that it may name.
    pub(crate) poll_interval: Option<Duration>,
}

/// The source that a client asks for.
#[derive(Debug)]
pub(super) enum Plan {
    Streaming(StreamingConfig),
    Polling(PollingConfig),
}

impl Configuration {
    /// # Errors
    ///
    /// If there is no base URI, or it is none.
    pub(super) fn plan(&self, trial: &Trial) -> Result<Plan, String> {
        match (&self.streaming, &self.polling) {
            (None, Some(polling)) => {
                let base = base_uri("polling", polling.base_uri.as_ref(), self.service_endpoints.polling.as_ref())?;
                let mut config = PollingConfig::new(self.connection(base));
                config.extended_initial = trial.extended_initial;
                if let Some(interval) = trial.poll_interval {
                    config.least_interval = interval.as_secs_f64();
                    config.poll_interval = interval.as_secs_f64();
                }
                if let Some(ms) = polling.poll_interval_ms {
                    config.poll_interval = seconds(ms);
                }
                config.source().endpoint().map_err(|error| error.to_string())?;
                Ok(Plan::Polling(config))
            }
            (streaming, _) => {
                let default = Streaming::default();
                let streaming = streaming.as_ref().unwrap_or(&default);
                let endpoint = self.service_endpoints.streaming.as_ref();
                let base = base_uri("streaming", streaming.base_uri.as_ref(), endpoint)?;
                let mut config = StreamingConfig::new(self.connection(base));
                config.extended_initial = trial.extended_initial;
                if let Some(ms) = streaming.initial_retry_delay_ms {
                    config.initial_reconnect_delay = seconds(ms);
                }
                config.source().endpoint().map_err(|error| error.to_string())?;
                Ok(Plan::Streaming(config))
            }
        }
    }

    fn connection(&self, base: &str) -> Connection {
        let credential = self.credential.as_ref().filter(|credential| !credential.is_empty()).map(Secret::new);
        Connection { credential, ..Connection::to(base) }
    }
}

fn base_uri<'a>(mode: &str, own: Option<&'a String>, shared: Option<&'a String>) -> Result<&'a str, String> {
    let given = [own, shared].into_iter().flatten().find(|uri| !uri.is_empty());
    given.map(String::as_str).ok_or_else(|| {
        format!("there is no base URI: `{mode}.baseUri` or `serviceEndpoints.{mode}` has to be an http or https URI")
    })
}

fn seconds(ms: u64) -> f64 {
    Duration::from_millis(ms).as_secs_f64()
}

/// A client that was started.
pub(super) struct Client {
    store: Arc<MemoryStore>,
    running: Running,
}

impl Client {
    pub(super) fn start(driver: Driver, plan: &Plan, setting: &Setting) -> Self {
        let store = Arc::new(MemoryStore::new());
        let running = Running::start(driver, plan, setting, Arc::clone(&store));
        Self { store, running }
    }

    /// Waits for the first data, not longer than that. Returns whether there is some.
    pub(super) async fn start_wait(&self, wait: StartWait) -> bool {
        self.running.start_wait(wait).await
    }

    /// Stops its source, and does not wait until that has ended.
    pub(super) fn stop(&self) {
        self.running.stop();
    }

    /// Stops its source, and waits until nothing is left of it.
    pub(super) async fn shut_down(&self) {
        self.stop();
        self.running.ended().await;
    }

    pub(super) fn evaluate(&self, request: &Evaluate) -> Value {
        evaluate::one(&self.store, request)
    }

    pub(super) fn evaluate_all(&self, request: &EvaluateAll) -> Value {
        evaluate::all(&self.store, request)
    }
}
