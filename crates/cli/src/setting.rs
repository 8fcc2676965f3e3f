//! `--set KEY=VALUE`: a client option, written as in a file.

use std::fmt;
use std::str::FromStr;

use retrylab_core::ConfigOption;
use retrylab_scenario::duration::{self, DurationError};
use retrylab_scenario::{Client, ClientKind, JitterChoice, Seconds, Shape};

/// A client option from the command line. It replaces what the file says.
///
/// ```
/// use retrylab::setting::Setting;
/// use retrylab_scenario::{Client, ClientKind, JitterChoice, Seconds};
///
/// let polling = ClientKind::Polling { poll_interval: None };
/// let mut client = Client { kind: polling, jitter: JitterChoice::Own };
/// "poll_interval=1m".parse::<Setting>()?.apply(&mut client)?;
/// let minute = Seconds::Text(std::time::Duration::from_secs(60));
/// assert_eq!(client.kind, ClientKind::Polling { poll_interval: Some(minute) });
/// # Ok::<(), retrylab::setting::SettingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// `initial_reconnect_delay`, of streaming clients.
    InitialReconnectDelay(Seconds),
    /// `poll_interval`, of polling clients.
    PollInterval(Seconds),
    /// `jitter`: `own` or `none`.
    Jitter(JitterChoice),
}

impl Setting {
    /// Sets the option.
    ///
    /// # Errors
    ///
    /// If the client has no such option.
    pub fn apply(self, client: &mut Client) -> Result<(), SettingError> {
        match (self, &mut client.kind) {
            (Self::Jitter(jitter), _) => client.jitter = jitter,
            (Self::InitialReconnectDelay(delay), ClientKind::Streaming { initial_reconnect_delay }) => {
                *initial_reconnect_delay = Some(delay);
            }
            (Self::PollInterval(interval), ClientKind::Polling { poll_interval }) => *poll_interval = Some(interval),
            (Self::InitialReconnectDelay(given), ClientKind::Dialect { dialect, seconds })
                if dialect.shape() == Shape::Streaming =>
            {
                *seconds = Some(given);
            }
            (Self::PollInterval(given), ClientKind::Dialect { dialect, seconds })
                if dialect.shape() == Shape::Polling =>
            {
                *seconds = Some(given);
            }
            (_, kind) => {
                let (client, allowed) = options(kind);
                return Err(SettingError::NotOfClient { key: self.key(), client, allowed });
            }
        }
        Ok(())
    }

    /// The option's name.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::InitialReconnectDelay(_) => INITIAL_RECONNECT_DELAY,
            Self::PollInterval(_) => POLL_INTERVAL,
            Self::Jitter(_) => JITTER,
        }
    }
}

/// As it is given: `KEY=VALUE`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=", self.key())?;
        match self {
            Self::InitialReconnectDelay(Seconds::Text(span)) | Self::PollInterval(Seconds::Text(span)) => {
                write!(f, "{}", duration::Text(*span))
            }
            Self::InitialReconnectDelay(Seconds::Number(number)) | Self::PollInterval(Seconds::Number(number)) => {
                write!(f, "{number}")
            }
            Self::Jitter(JitterChoice::None) => f.write_str("none"),
            Self::Jitter(JitterChoice::Own) => f.write_str("own"),
            Self::Jitter(JitterChoice::Coarse) => f.write_str("coarse"),
        }
    }
}

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let (key, value) = text.split_once('=').ok_or(SettingError::NoEquals)?;
        match key.trim() {
            INITIAL_RECONNECT_DELAY => seconds(INITIAL_RECONNECT_DELAY, value).map(Self::InitialReconnectDelay),
            POLL_INTERVAL => seconds(POLL_INTERVAL, value).map(Self::PollInterval),
            JITTER => match value.trim() {
                "none" => Ok(Self::Jitter(JitterChoice::None)),
                "own" => Ok(Self::Jitter(JitterChoice::Own)),
                other => Err(SettingError::Jitter { given: other.to_owned() }),
            },
            other => Err(SettingError::UnknownKey { key: other.to_owned() }),
        }
    }
}

/// Why a text is no setting, or not one of this client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// Not of the form `KEY=VALUE`.
    #[error("write KEY=VALUE, such as initial_reconnect_delay=5s")]
    NoEquals,
    /// No client has such an option.
    #[error("unknown option `{key}`; allowed are {INITIAL_RECONNECT_DELAY}, {POLL_INTERVAL}, {JITTER}")]
    UnknownKey {
        /// What was given.
        key: String,
    },
    /// Neither a number nor a duration.
    #[error("{key} is `{given}`, which is {error}; allowed is a duration such as 1m 30s, or a number of seconds")]
    NotSeconds {
        /// Which option.
        key: &'static str,
        /// What was given.
        given: String,
        /// What is wrong with it as a duration.
        error: DurationError,
    },
    /// No such choice of jitter.
    #[error("jitter is `{given}`; allowed are own, none")]
    Jitter {
        /// What was given.
        given: String,
    },
    /// An option of another kind of client.
    #[error("{client} client has no option `{key}`; it has {allowed}")]
    NotOfClient {
        /// Which option.
        key: &'static str,
        /// The client, with its article.
        client: &'static str,
        /// The options that it has.
        allowed: &'static str,
    },
}

const INITIAL_RECONNECT_DELAY: &str = ConfigOption::InitialReconnectDelay.name();
const POLL_INTERVAL: &str = ConfigOption::PollInterval.name();
const JITTER: &str = "jitter";

const fn options(kind: &ClientKind) -> (&'static str, &'static str) {
    match kind {
        ClientKind::Streaming { .. } => ("a streaming", "initial_reconnect_delay, jitter"),
        ClientKind::Polling { .. } => ("a polling", "poll_interval, jitter"),
        ClientKind::External { .. } => ("an external", "jitter"),
        ClientKind::Call(_) => ("a calling", "jitter"),
        ClientKind::Reconnect { .. } => ("a reconnecting", "jitter"),
        ClientKind::Dialect { dialect, .. } => match dialect.shape() {
            Shape::Polling => ("a polling", "poll_interval, jitter"),
            Shape::Streaming | Shape::Call => ("a streaming", "initial_reconnect_delay, jitter"),
        },
    }
}

/// As in a file: text is a duration, a number is seconds; `nan`, `inf` and negative numbers are there to be refused by
/// the policy, with its warning.
fn seconds(key: &'static str, value: &str) -> Result<Seconds, SettingError> {
    let value = value.trim();
    if let Ok(number) = value.parse() {
        return Ok(Seconds::Number(number));
    }
    duration::parse(value).map(Seconds::Text).map_err(|error| SettingError::NotSeconds {
        key,
        given: value.to_owned(),
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_value_is_a_duration_or_a_number_of_seconds() {
        let read = |value: &str| format!("poll_interval={value}").parse();
        let interval = |seconds| Ok(Setting::PollInterval(seconds));
        assert_eq!(read("1m 30s"), interval(Seconds::Text(Duration::from_secs(90))));
        assert_eq!(read("90"), interval(Seconds::Number(90.0)));
        assert_eq!(read("-1"), interval(Seconds::Number(-1.0)));
        assert_eq!(read("inf"), interval(Seconds::Number(f64::INFINITY)));
        assert!(matches!(read("nan"), Ok(Setting::PollInterval(Seconds::Number(number))) if number.is_nan()));
    }

    #[test]
    fn jitter_is_set_on_every_client() {
        let mut client =
            Client { kind: ClientKind::Streaming { initial_reconnect_delay: None }, jitter: JitterChoice::Own };
        "jitter=none".parse::<Setting>().unwrap().apply(&mut client).unwrap();
        assert_eq!(client.jitter, JitterChoice::None);
        "jitter=own".parse::<Setting>().unwrap().apply(&mut client).unwrap();
        assert_eq!(client.jitter, JitterChoice::Own);
    }

    #[test]
    fn a_dialect_has_the_option_of_what_it_is_a_dialect_of() {
        let set = |name: &str, setting: &str| {
            let mut client = retrylab_scenario::named::client(name).unwrap();
            setting.parse::<Setting>().unwrap().apply(&mut client).map(|()| client.kind)
        };
        let kind = |name: &str, seconds| match retrylab_scenario::named::client(name).unwrap().kind {
            ClientKind::Dialect { dialect, .. } => ClientKind::Dialect { dialect, seconds: Some(seconds) },
            other => other,
        };
        let (stream, poller) = ("streaming:clamp-initial", "polling:cadence-not-restored");
        assert_eq!(set(stream, "initial_reconnect_delay=45"), Ok(kind(stream, Seconds::Number(45.0))));
        assert_eq!(set(poller, "poll_interval=45"), Ok(kind(poller, Seconds::Number(45.0))));
        let refused = set(stream, "poll_interval=45").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a streaming client has no option `poll_interval`; it has initial_reconnect_delay, jitter"
        );
    }

    #[test]
    fn every_refusal_names_the_option_what_was_given_and_what_is_allowed() {
        let refused = |text: &str| text.parse::<Setting>().map_err(|error| error.to_string());
        let because = |text: &str| Err(text.to_owned());
        assert_eq!(refused("jitter"), because("write KEY=VALUE, such as initial_reconnect_delay=5s"));
        assert_eq!(
            refused("interval=5s"),
            because("unknown option `interval`; allowed are initial_reconnect_delay, poll_interval, jitter")
        );
        assert_eq!(refused("jitter=full"), because("jitter is `full`; allowed are own, none"));
        assert_eq!(
            refused("poll_interval=1 month"),
            because(
                "poll_interval is `1 month`, which is a duration in years or months; \
                 allowed is a duration such as 1m 30s, or a number of seconds"
            )
        );
        let mut client = Client { kind: ClientKind::Polling { poll_interval: None }, jitter: JitterChoice::Own };
        let error = "initial_reconnect_delay=5s".parse::<Setting>().unwrap().apply(&mut client).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a polling client has no option `initial_reconnect_delay`; it has poll_interval, jitter"
        );
    }
}
