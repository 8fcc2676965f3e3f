//! `retrylab source`: a data source at a real endpoint, watched while it runs.

#[cfg(feature = "live")]
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use retrylab_scenario::{Seconds, duration};
#[cfg(feature = "live")]
use retrylab_source::EndpointError;

use crate::{Console, Exit, Format, Refusal};

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

/// The environment variable that holds the credential. An argument would be seen by whoever lists the processes.
pub(crate) const CREDENTIAL: &str = "RETRYLAB_CREDENTIAL";

/// Attach to a real endpoint and watch it, until Ctrl-C (needs the feature `live`)
///
/// A streaming or a polling source runs as a service would run it, and each thing that happens is a line: the time since
/// the start, the status, the wait that follows and its reason, what was logged, and how much data there is when that
/// changes. On a terminal, one more line counts down to the next attempt. Nothing the server does ends it: Ctrl-C does,
/// or `--for`, or a reader of the output that goes away.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples (in a build with the feature; otherwise cargo run --release -p retrylab --features live -- source …):
  retrylab source stream https://stream.example.org
  RETRYLAB_CREDENTIAL=my-sdk-key retrylab source poll https://sdk.example.org --for 5m
  retrylab source stream https://localhost:8443 --ca ca.pem --format json

The credential is that of the environment variable RETRYLAB_CREDENTIAL, so that no list of processes shows it. It is sent as \
the header Authorization, and never printed.

JSON: a line has elapsed_ns, state (INITIALIZING, VALID, INTERRUPTED, OFF), since_ns (when that began), level (debug, info, \
warning, error), message; wait_ns until the next attempt, where one is decided; cause (an HTTP status or the name of a \
fault) and kind (normal, unexpected) of a failure; error, the last one of the status; flags, segments and version (the \
highest of any item) of the data. Times and waits are whole nanoseconds; what there is not is null.

Exit status: 0 whatever the server did, 2 for an argument, an address or a file that cannot be used.")]
pub(crate) struct Source {
    /// How to get the data
    #[arg(value_name = "FORM")]
    form: Form,
    /// The base URI, to which the path is added
    #[arg(value_name = "URL")]
    url: String,
    /// The path of the request [default: /all for stream, /sdk/latest-all for poll]
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// End after this much real time, such as 90s
    #[arg(long = "for", value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    limit: Option<Duration>,
    /// Of a stream: the wait after the first failure, a duration or a number of seconds [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = seconds, allow_hyphen_values = true)]
    initial_delay: Option<Seconds>,
    /// Of polls: the wait between them, a duration or a number of seconds, never below 30s [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = seconds, allow_hyphen_values = true)]
    poll_interval: Option<Seconds>,
    /// The certificates of the authorities to trust, as PEM, instead of the usual ones
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// The two forms of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// A stream of events that is kept open
    Stream,
    /// A request for everything, again and again
    Poll,
}

impl Source {
    #[cfg(feature = "live")]
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        live::watch(self, console)
    }

    #[cfg(not(feature = "live"))]
    pub(crate) fn run(&self, _: &mut Console<'_>) -> Result<Exit, Refusal> {
        // An address may hold a password, which is not for a screen.
        let url = if self.url.contains(['@', '?']) { "URL" } else { &self.url };
        let form = self.form.to_possible_value().map(|form| form.get_name().to_owned()).unwrap_or_default();
        let again = shlex::try_join(["source", &form, url]).unwrap_or_else(|_| format!("source {form} URL"));
        Err(WatchError::NotBuilt { again }.into())
    }
}

fn time(text: &str) -> Result<Duration, String> {
    duration::parse(text).map_err(|error| format!("{error}; {}", error.help()))
}

/// As in a file, but that text and numbers look alike here. What is no sensible number is replaced by the source, with a
/// warning.
fn seconds(text: &str) -> Result<Seconds, String> {
    text.parse().map(Seconds::Number).or_else(|_| time(text).map(Seconds::Text))
}

/// Why nothing was watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// This build opens no sockets.
    #[cfg(not(feature = "live"))]
    #[error(
        "this build has no sources, which the feature `live` brings; \
         cargo run --release -p retrylab --features live -- {again}"
    )]
    NotBuilt {
        /// The verb again, without its options.
        again: String,
    },
    /// An option of the other form.
    #[cfg(feature = "live")]
    #[error("a {form} source has no --{option}; it has --{allowed}")]
    NotOfForm {
        /// The form, as an adjective.
        form: &'static str,
        /// The option that was given.
        option: &'static str,
        /// The one that it has instead.
        allowed: &'static str,
    },
    /// Nothing can be asked at this address.
    #[cfg(feature = "live")]
    #[error(transparent)]
    Address(#[from] EndpointError),
    /// The credential is no header. Which part of it is wrong would be a part of it.
    #[cfg(feature = "live")]
    #[error("{CREDENTIAL} cannot be sent; visible ASCII characters and spaces are allowed")]
    Credential,
    /// The file of authorities cannot be read.
    #[cfg(feature = "live")]
    #[error("--ca `{}` cannot be read: {error}", path.display())]
    Unreadable {
        /// As given.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file of authorities is none.
    #[cfg(feature = "live")]
    #[error("--ca `{}` {problem}; PEM with at least one certificate is allowed", path.display())]
    NoAuthorities {
        /// As given.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Ctrl-C would end it in the middle of a line.
    #[cfg(feature = "live")]
    #[error("cannot listen for Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
    /// The source never began.
    #[cfg(feature = "live")]
    #[error("the source did not start: the system has no thread to give")]
    NoThread,
}
