//! What a user configures about a source, and the machine that comes of it.

use core::convert::Infallible;
use core::fmt;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Failure, HealthyFor, Instant, Regime, ResetRule, Retry, RetryRules, Successes};

use crate::endpoint::{Endpoint, without_secrets};
use crate::hinted::Hinted;
use crate::options::{ServerRetry, SourceOptions};
use crate::policy::SourcePolicy;
use crate::polling::PollingSource;
use crate::streaming::StreamingSource;

/// What must not be seen: it has no `Display`, and its `Debug` does not show it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps the text.
    #[must_use]
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The text, for the request that needs it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// How to connect, for both sources.
#[derive(Clone, PartialEq)]
pub struct Connection {
    /// Where the server is; the path of the request is added to it.
    pub base_uri: String,
    /// What the request carries as `Authorization`; `None`: nothing.
    pub credential: Option<Secret>,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long nothing may come, not one byte, before the connection counts as broken.
    pub read_timeout: Duration,
    /// The certificates of authorities that are trusted, as PEM; `None`: those that the HTTP library comes with.
    pub authorities: Option<Vec<u8>>,
    /// The most bytes that one event, or the body of one poll, may have.
    pub size_limit: usize,
}

impl Connection {
    /// To this server, without a credential, with 10 s to connect, 300 s to read and 64 MiB.
    #[must_use]
    pub fn to(base_uri: impl Into<String>) -> Self {
        Self {
            base_uri: base_uri.into(),
            credential: None,
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(300),
            authorities: None,
            size_limit: crate::sse::EVENT_LIMIT.get(),
        }
    }
}

/// Without what must not be seen: the credential, and in the base URI user, password and query.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base_uri, credential, connect_timeout, read_timeout, authorities, size_limit } = self;
        f.debug_struct("Connection")
            .field("base_uri", &without_secrets(base_uri))
            .field("credential", credential)
            .field("connect_timeout", connect_timeout)
            .field("read_timeout", read_timeout)
            .field("authorities", &authorities.as_ref().map(|pem| format!("{} bytes", pem.len())))
            .field("size_limit", size_limit)
            .finish()
    }
}

/// A streaming source as its user configures it.
///
/// ```
/// use retrylab_source::{Connection, StreamingConfig};
///
/// let config = StreamingConfig { initial_reconnect_delay: 2.5, ..StreamingConfig::new(Connection::to("http://example.org")) };
/// assert_eq!(config.source().endpoint().unwrap().to_string(), "http://example.org/all");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamingConfig {
    /// How to connect.
    pub connection: Connection,
    /// The path of the stream.
    pub path: String,
    /// The wait after a first failure, in seconds; what is not positive and finite is 1, with a warning.
    pub initial_reconnect_delay: f64,
    /// The first wait after an unexpected failure, where it is not to be 5 min; below the normal one it is that. For
    /// trials: a wait that is shorter than 5 min gives the server no time to be mended.
    pub extended_initial: Option<Duration>,
    /// What else may be chosen.
    pub options: SourceOptions,
}

/// A polling source as its user configures it.
#[derive(Clone, Debug, PartialEq)]
pub struct PollingConfig {
    /// How to connect.
    pub connection: Connection,
    /// The path to ask.
    pub path: String,
    /// The wait between polls, in seconds. What is not positive and finite is 30, with a warning; what is below
    /// [`least_interval`](Self::least_interval) is that.
    pub poll_interval: f64,
    /// The shortest interval, in seconds.
    pub least_interval: f64,
    /// As for streaming.
    pub extended_initial: Option<Duration>,
    /// What else may be chosen.
    pub options: SourceOptions,
}

impl StreamingConfig {
    /// The path `/all`, 1 s, everything else as the rules have it.
    #[must_use]
    pub fn new(connection: Connection) -> Self {
        Self {
            connection,
            path: "/all".to_owned(),
            initial_reconnect_delay: 1.0,
            extended_initial: None,
            options: SourceOptions::default(),
        }
    }

    /// The machine.
    #[must_use]
    pub fn source(&self) -> StreamingSource<StreamPolicy> {
        let (rules, warning) = RetryRules::streaming(self.initial_reconnect_delay);
        let rules = with_extended_initial(rules, self.extended_initial);
        let policy = match self.options.server_retry {
            ServerRetry::Ignored => StreamPolicy::Own(Retry::new(rules)),
            ServerRetry::Honoured => StreamPolicy::Hinted(Hinted::new(rules)),
        };
        let endpoint = Endpoint::new(&self.connection.base_uri, &self.path);
        StreamingSource::new(endpoint, policy, warning, self.options)
    }
}

impl PollingConfig {
    /// The path `/sdk/latest-all`, 30 s and not less, everything else as the rules have it.
    #[must_use]
    pub fn new(connection: Connection) -> Self {
        Self {
            connection,
            path: "/sdk/latest-all".to_owned(),
            poll_interval: 30.0,
            least_interval: 30.0,
            extended_initial: None,
            options: SourceOptions::default(),
        }
    }

    /// The machine.
    #[must_use]
    pub fn source(&self) -> PollingSource<Retry<Successes>> {
        let (rules, warning) = self.rules();
        let policy = Retry::new(with_extended_initial(rules, self.extended_initial));
        let endpoint = Endpoint::new(&self.connection.base_uri, &self.path);
        PollingSource::new(endpoint, policy, self.raised(), warning, self.options)
    }

    fn rules(&self) -> (RetryRules<Successes>, Option<ConfigWarning>) {
        RetryRules::polling(self.raised())
    }

    /// The interval that takes the place of a shorter one, in the rules and in the first line of the log alike.
    fn raised(&self) -> f64 {
        // NaN is not below anything, so it reaches the constructor, which warns of it.
        if self.poll_interval < self.least_interval { self.least_interval } else { self.poll_interval }
    }
}

fn with_extended_initial<R: ResetRule + Copy>(rules: RetryRules<R>, initial: Option<Duration>) -> RetryRules<R> {
    let Some(initial) = initial else { return rules };
    let normal = rules.bounds(Regime::Normal);
    RetryRules::builder(*rules.reset_rule())
        .normal(normal.initial, normal.ceiling)
        // An unexpected failure never waits less than a normal one.
        .extended(initial.max(normal.initial), rules.bounds(Regime::Extended).ceiling)
        .cadence(rules.cadence())
        .build()
}

/// The policy of a streaming source, which never gives up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StreamPolicy {
    /// It does not ask the server.
    Own(Retry<HealthyFor>),
    /// It takes the server's hint.
    Hinted(Hinted),
}

impl SourcePolicy for StreamPolicy {
    type GiveUp = Infallible;

    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Result<Duration, Infallible> {
        match self {
            Self::Own(retry) => SourcePolicy::record_failure(retry, failure, now, draw),
            Self::Hinted(hinted) => SourcePolicy::record_failure(hinted, failure, now, draw),
        }
    }

    fn record_success(&mut self, now: Instant) {
        match self {
            Self::Own(retry) => retry.record_success(now),
            Self::Hinted(hinted) => SourcePolicy::record_success(hinted, now),
        }
    }

    fn record_connected(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        match self {
            Self::Own(retry) => retry.next_delay(),
            Self::Hinted(hinted) => SourcePolicy::next_delay(hinted),
        }
    }
}
