//! A source's configuration, and the machine built from it.

use core::fmt;
use core::time::Duration;

use retrylab_core::{ConfigWarning, Regime, ResetRule, Retry, RetryRules, Successes};

use crate::endpoint::{Endpoint, without_secrets};
use crate::options::{ServerRetry, SourceOptions};
use crate::polling::PollingSource;
use crate::stream_policy::StreamPolicy;
use crate::streaming::StreamingSource;

/// A secret text: it has no `Display`, and its `Debug` hides it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps the text.
    #[must_use]
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// The text, for the request.
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

/// Connection settings, for both sources.
#[derive(Clone, PartialEq)]
pub struct Connection {
    /// The base URI of the server; the path of the request is appended.
    pub base_uri: String,
    /// The value of the `Authorization` header; `None`: no header.
    pub credential: Option<Secret>,
    /// The time limit of connecting.
    pub connect_timeout: Duration,
    /// The time without a byte after which the connection counts as broken.
    pub read_timeout: Duration,
    /// Trusted certificate authorities, as PEM; `None`: those of the HTTP library.
    pub authorities: Option<Vec<u8>>,
    /// The maximum size of one event, or of the body of one poll, in bytes.
    pub size_limit: usize,
}

impl Connection {
    /// Settings for this server: no credential, 10 s to connect, 300 s to read, 64 MiB.
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

/// Hides secrets: the credential, and the user, password and query of the base URI.
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

/// The configuration of a streaming source.
///
/// ```
/// use retrylab_source::{Connection, StreamingConfig};
///
/// let config = StreamingConfig { initial_reconnect_delay: 2.5, ..StreamingConfig::new(Connection::to("http://example.org")) };
/// assert_eq!(config.source().endpoint().unwrap().to_string(), "http://example.org/all");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct StreamingConfig {
    /// Connection settings.
    pub connection: Connection,
    /// The path of the stream.
    pub path: String,
    /// The wait after a first failure, in seconds. A value that is not positive and finite is replaced by 1, with a
    /// warning.
    pub initial_reconnect_delay: f64,
    /// The first wait after an unexpected failure, instead of 5 min, but at least the normal one. For trials only: a
    /// wait below 5 min gives nobody time to repair the server.
    pub extended_initial: Option<Duration>,
    /// Options.
    pub options: SourceOptions,
}

/// The configuration of a polling source.
#[derive(Clone, Debug, PartialEq)]
pub struct PollingConfig {
    /// Connection settings.
    pub connection: Connection,
    /// The path of the poll.
    pub path: String,
    /// The wait between polls, in seconds. A value that is not positive and finite is replaced by 30, with a warning; a
    /// value below [`least_interval`](Self::least_interval) is raised to it.
    pub poll_interval: f64,
    /// The minimum interval, in seconds.
    pub least_interval: f64,
    /// As for streaming.
    pub extended_initial: Option<Duration>,
    /// Options.
    pub options: SourceOptions,
}

impl StreamingConfig {
    /// The path `/all`, 1 s, and the defaults of the rules.
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

    /// Builds the machine.
    #[must_use]
    pub fn source(&self) -> StreamingSource<StreamPolicy> {
        let (rules, warning) = RetryRules::streaming_from_secs_f64(self.initial_reconnect_delay);
        let rules = with_extended_initial(rules, self.extended_initial);
        let policy = StreamPolicy::new(rules);
        let policy = match self.options.server_retry {
            ServerRetry::Ignored => policy,
            ServerRetry::Honoured => policy.adopting_hints(),
        };
        let endpoint = Endpoint::new(&self.connection.base_uri, &self.path);
        StreamingSource::new(endpoint, policy, warning, self.options)
    }
}

impl PollingConfig {
    /// The path `/sdk/latest-all`, an interval and minimum of 30 s, and the defaults of the rules.
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

    /// Builds the machine.
    #[must_use]
    pub fn source(&self) -> PollingSource<Retry<Successes>> {
        let (rules, warning) = self.rules();
        let policy = Retry::new(with_extended_initial(rules, self.extended_initial));
        let endpoint = Endpoint::new(&self.connection.base_uri, &self.path);
        PollingSource::new(endpoint, policy, self.raised(), warning, self.options)
    }

    fn rules(&self) -> (RetryRules<Successes>, Option<ConfigWarning>) {
        RetryRules::polling_from_secs_f64(self.raised())
    }

    /// The interval after the minimum is applied, both in the rules and in the first line of the log.
    fn raised(&self) -> f64 {
        // NaN is below nothing, so it reaches the constructor, which warns about it.
        if self.poll_interval < self.least_interval { self.least_interval } else { self.poll_interval }
    }
}

fn with_extended_initial<R: ResetRule + Copy>(rules: RetryRules<R>, initial: Option<Duration>) -> RetryRules<R> {
    let Some(initial) = initial else { return rules };
    let normal = rules.bounds(Regime::Normal);
    RetryRules::builder(*rules.reset_rule())
        .normal(normal.initial, normal.ceiling)
        // The wait after an unexpected failure is never below that after a normal one.
        .extended(initial.max(normal.initial), rules.bounds(Regime::Extended).ceiling)
        .cadence(rules.cadence())
        .build()
}
