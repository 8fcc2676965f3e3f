//! `retrylab source`: a data source at a real endpoint, watched while it runs.

#[cfg(feature = "live")]
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
#[cfg(feature = "live")]
use retrylab_source::EndpointError;
use retrylab_spec::Seconds;

use crate::options::{Output, time};
use crate::{Console, Exit, Refusal};

#[cfg(feature = "live")]
mod connection;
#[cfg(feature = "live")]
mod countdown;
#[cfg(feature = "live")]
mod line;
#[cfg(feature = "live")]
mod live;
#[cfg(feature = "live")]
mod reporter;

/// The environment variable of the credential. Other users could see an argument in a list of processes.
pub(crate) const CREDENTIAL: &str = "RETRYLAB_CREDENTIAL";

/// Run a data source against a real endpoint until Ctrl-C (needs the feature `live`)
///
/// A streaming or polling source runs as in a service. Each event is a line: the time since the start, the status, the
/// next wait and its reason, the log line, and the amount of data when it changes. On a terminal, one more line counts
/// down to the next attempt. Nothing the server does ends the command; Ctrl-C, `--for` or a closed output does.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples (in a build with the feature; otherwise cargo run --release -p retrylab-cli --features live -- source …):
  retrylab source stream https://stream.example.org
  RETRYLAB_CREDENTIAL=my-sdk-key retrylab source poll https://sdk.example.org --for 5m
  retrylab source stream https://localhost:8443 --ca ca.pem --format json

The credential comes from the environment variable RETRYLAB_CREDENTIAL, so that lists of processes do not show it. It is sent \
in the header Authorization, and never printed.

JSON: a line has elapsed_ns, state (INITIALIZING, VALID, INTERRUPTED, OFF), since_ns (the start of that state), level (debug, \
info, warning, error), message; wait_ns until the next attempt, if one is due; cause (an HTTP status or the name of a fault) and \
kind (normal, unexpected) of a failure; error, the last one of the status; flags, segments and version (the highest of any item) \
of the data. Times and waits are in integer nanoseconds; a missing value is null.

Exit status: 0 whatever the server did; 2 an invalid argument, address or file.")]
pub(crate) struct Source {
    /// The form of the source
    #[arg(value_name = "FORM")]
    form: Form,
    /// The base URI; the path is appended
    #[arg(value_name = "URL")]
    url: String,
    /// The path of the request [default: /all for stream, /sdk/latest-all for poll]
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// End after this much real time, such as 90s
    #[arg(long = "for", value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    limit: Option<Duration>,
    /// For a stream: the wait after the first failure, a duration or a number of seconds [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = seconds, allow_hyphen_values = true)]
    initial_delay: Option<Seconds>,
    /// For polls: the wait between them, a duration or a number of seconds, at least 30s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = seconds, allow_hyphen_values = true)]
    poll_interval: Option<Seconds>,
    /// The certificates of trusted authorities, as PEM, instead of the usual ones
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// The two forms of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A stream of events that is kept open
    Stream,
    /// A repeated request for all data
    Poll,
}

impl Source {
    #[cfg(feature = "live")]
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        live::watch(self, console)
    }

    #[cfg(not(feature = "live"))]
    pub(crate) fn run(&self, _: &mut Console<'_>) -> Result<Exit, Refusal> {
        // The address may contain a password, which must not be printed.
        let url = if self.url.contains(['@', '?']) { "URL" } else { &self.url };
        let form = self.form.to_possible_value().map(|form| form.get_name().to_owned()).unwrap_or_default();
        let again = shlex::try_join(["source", &form, url]).unwrap_or_else(|_| format!("source {form} URL"));
        Err(WatchError::NotBuilt { again }.into())
    }
}

/// As in a file, except that text and numbers look alike here. The source replaces an unusable number, with a warning.
/// warning.
fn seconds(text: &str) -> Result<Seconds, String> {
    text.parse().map(Seconds::Number).or_else(|_| time(text).map(Seconds::Text))
}

/// The reason why no source was run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// This build opens no sockets.
    #[cfg(not(feature = "live"))]
    #[error(
        "this build has no sources, which the feature `live` brings; \
         cargo run --release -p retrylab-cli --features live -- {again}"
    )]
    NotBuilt {
        /// The verb, without its options.
        again: String,
    },
    /// An option of the other form.
    #[cfg(feature = "live")]
    #[error("a {form} source has no --{option}; it has --{allowed}")]
    NotOfForm {
        /// The form, as an adjective.
        form: &'static str,
        /// The option given.
        option: &'static str,
        /// The option of this form.
        allowed: &'static str,
    },
    /// The address is invalid.
    #[cfg(feature = "live")]
    #[error(transparent)]
    Address(#[from] EndpointError),
    /// The credential is not a valid header. The message must not quote a part of it.
    #[cfg(feature = "live")]
    #[error("{CREDENTIAL} is not a valid header; visible ASCII characters and spaces are allowed")]
    Credential,
    /// The file of authorities cannot be read.
    #[cfg(feature = "live")]
    #[error("--ca `{}` cannot be read: {error}", path.display())]
    Unreadable {
        /// The path given.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file of authorities is invalid.
    #[cfg(feature = "live")]
    #[error("--ca `{}` {problem}; PEM with at least one certificate is allowed", path.display())]
    NoAuthorities {
        /// The path given.
        path: PathBuf,
        /// The error in it.
        problem: String,
    },
    /// Ctrl-C would end the command in the middle of a line.
    #[cfg(feature = "live")]
    #[error("cannot handle Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
    /// The source did not start.
    #[cfg(feature = "live")]
    #[error("the source did not start: the system cannot create a thread")]
    NoThread,
}
