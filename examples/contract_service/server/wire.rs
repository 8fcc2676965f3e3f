//! What comes in. What is `null` is absent; what is not known is not looked at.

use retrylab_source::StartWait;
use serde::Deserialize;
use serde_json::Value;

/// The wait for the first data, where none is named.
const START_WAIT_MS: u64 = 5000;

/// A client is wanted.
#[derive(Debug, Deserialize)]
pub(super) struct Create {
    pub(super) configuration: Configuration,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Configuration {
    pub(super) credential: Option<String>,
    start_wait_time_ms: Option<u64>,
    #[serde(default, deserialize_with = "null_is_default")]
    pub(super) init_can_fail: bool,
    pub(super) streaming: Option<Streaming>,
    pub(super) polling: Option<Polling>,
    #[serde(default, deserialize_with = "null_is_default")]
    pub(super) service_endpoints: Endpoints,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Streaming {
    pub(super) base_uri: Option<String>,
    pub(super) initial_retry_delay_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Polling {
    pub(super) base_uri: Option<String>,
    pub(super) poll_interval_ms: Option<u64>,
}

/// Base URIs for sources that name none themselves.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Endpoints {
    pub(super) streaming: Option<String>,
    pub(super) polling: Option<String>,
}

impl Configuration {
    /// How long to wait for the first data. 0 stands for no choice, too.
    pub(super) fn start_wait(&self) -> StartWait {
        let ms = self.start_wait_time_ms.filter(|ms| *ms > 0).unwrap_or(START_WAIT_MS);
        StartWait::seconds(std::time::Duration::from_millis(ms).as_secs_f64())
    }
}

/// Something is wanted of a client.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command {
    command: String,
    evaluate: Option<Evaluate>,
    evaluate_all: Option<EvaluateAll>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluate {
    pub(super) flag_key: String,
    pub(super) context: Context,
    #[serde(default)]
    pub(super) default_value: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct EvaluateAll {
    pub(super) context: Context,
}

#[derive(Debug, Deserialize)]
pub(super) struct Context {
    pub(super) key: String,
}

/// A command that can be carried out.
#[derive(Debug)]
pub(super) enum Request {
    Evaluate(Evaluate),
    EvaluateAll(EvaluateAll),
    /// One about events, which this client does not send.
    Event,
}

impl Command {
    /// # Errors
    ///
    /// If the command is none, or its parameters are missing.
    pub(super) fn request(self) -> Result<Request, String> {
        let missing = |name| move || format!("the command `{name}` needs a member `{name}`");
        match self.command.as_str() {
            "evaluate" => self.evaluate.map(Request::Evaluate).ok_or_else(missing("evaluate")),
            "evaluateAll" => self.evaluate_all.map(Request::EvaluateAll).ok_or_else(missing("evaluateAll")),
            "customEvent" | "flush" | "flushEvents" | "identifyEvent" => Ok(Request::Event),
            other => Err(format!(
                "the command `{other}` is unknown; evaluate, evaluateAll, customEvent, flush, flushEvents or identifyEvent is allowed"
            )),
        }
    }
}

fn null_is_default<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}
