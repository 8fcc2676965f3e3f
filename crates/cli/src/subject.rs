//! A policy on the command line: a built-in one by name, or the client of a timeline file.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;

use retrylab_core::Jitter;
use retrylab_scenario::{
    Client, ClientKind, Draft, File, JitterChoice, ParseError, Seconds, Shape, named, parse_bytes,
};
use retrylab_sim::NoBuiltIn;

use crate::setting::Setting;
use crate::{Console, Input, Refusal};

/// A policy as it is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A built-in policy.
    Named(&'static str),
    /// Anything else: a file, whose client is taken.
    File(Input),
}

impl From<OsString> for Subject {
    fn from(argument: OsString) -> Self {
        let known = argument.to_str().and_then(|given| named::all().find(|name| *name == given));
        known.map_or_else(|| Self::File(Input::from(argument)), Self::Named)
    }
}

/// As it is given.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(input) => f.write_str(&input.name()),
        }
    }
}

/// The client of a subject, and the file that it comes from.
pub(crate) struct Chosen {
    pub(crate) client: Client,
    pub(crate) seed: Option<u64>,
    /// The timeline of the file, before options were set.
    pub(crate) timeline: Option<Draft>,
}

impl Subject {
    /// As a command line has to name it.
    pub(crate) fn word(&self) -> Cow<'_, OsStr> {
        match self {
            Self::Named(name) => Cow::Borrowed(OsStr::new(name)),
            Self::File(input) => input.word(),
        }
    }

    /// A client in a few words: its kind, and what is configured.
    pub(crate) fn describe(&self, client: &Client) -> String {
        let mut text = named::name(&client.kind).to_owned();
        let given = match client.kind {
            ClientKind::Streaming { initial_reconnect_delay: given } => given.map(Setting::InitialReconnectDelay),
            ClientKind::Polling { poll_interval: given } => given.map(Setting::PollInterval),
            ClientKind::Dialect { dialect, seconds } => seconds.map(|given| match dialect.shape() {
                Shape::Polling => Setting::PollInterval(given),
                Shape::Streaming | Shape::Call => Setting::InitialReconnectDelay(given),
            }),
            ClientKind::Call(_) | ClientKind::Reconnect { .. } | ClientKind::External { .. } => None,
        };
        let unjittered = client.jitter == JitterChoice::None
            || match &client.kind {
                ClientKind::Call(call) | ClientKind::Reconnect { outage: call, .. } => call.jitter == Jitter::None,
                _ => false,
            };
        let jitter = unjittered.then_some(Setting::Jitter(JitterChoice::None));
        for setting in given.into_iter().chain(jitter) {
            text += &format!(", {setting}");
        }
        match self.file() {
            Some(input) => text + &format!(" (client of {input})"),
            None => text,
        }
    }

    /// The file, if it is one.
    pub(crate) const fn file(&self) -> Option<&Input> {
        match self {
            Self::Named(_) => None,
            Self::File(input) => Some(input),
        }
    }

    /// Reads the client, with the options of the command line.
    pub(crate) fn choose(&self, settings: &[Setting], console: &mut Console<'_>) -> Result<Chosen, Refusal> {
        let (mut client, timeline) = match self {
            // Every name has its client.
            Self::Named(name) => (named::client(name).unwrap_or_else(default), None),
            Self::File(input) => {
                let draft = read(input, console).map_err(SubjectError::refusal)?;
                (draft.client.clone(), Some(draft))
            }
        };
        for setting in settings {
            setting.apply(&mut client)?;
        }
        Ok(Chosen { client, seed: timeline.as_ref().and_then(|draft| draft.seed), timeline })
    }
}

fn default() -> Client {
    Client::new(ClientKind::Streaming { initial_reconnect_delay: None })
}

/// The configured seconds of a client, for kinds that have them.
pub(crate) const fn seconds(kind: &mut ClientKind) -> Option<&mut Option<Seconds>> {
    match kind {
        ClientKind::Streaming { initial_reconnect_delay: seconds }
        | ClientKind::Polling { poll_interval: seconds }
        | ClientKind::Dialect { seconds, .. } => Some(seconds),
        ClientKind::Call(_) | ClientKind::Reconnect { .. } | ClientKind::External { .. } => None,
    }
}

/// Reads the timeline of a file.
pub(crate) fn read(input: &Input, console: &mut Console<'_>) -> Result<Draft, SubjectError> {
    let bytes = input.read(console.stdin).map_err(|error| SubjectError::Unreadable { input: input.clone(), error })?;
    match parse_bytes(&input.name(), &bytes)?.file {
        File::Played(timeline) | File::External(timeline) => Ok(timeline.into_draft()),
        File::WaitsFor { .. } | File::Outside { .. } => Err(SubjectError::NoClient { input: input.clone() }),
    }
}

/// Why there is no such policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// Not a built-in policy, and no readable file either.
    #[error("{}", NoPolicy(input, error))]
    Unreadable {
        /// Which input.
        input: Input,
        /// What the system says.
        error: io::Error,
    },
    /// The file says itself that it is not played.
    #[error("{input} has no [client], since it is not played")]
    NoClient {
        /// Which input.
        input: Input,
    },
    /// The file has mistakes.
    #[error(transparent)]
    Mistakes(#[from] ParseError),
    /// The client's policy is its owner's, or allows no attempt.
    #[error(transparent)]
    NoBuiltIn(NoBuiltIn),
}

impl SubjectError {
    /// Mistakes have titles of their own.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Mistakes(mistakes) => Refusal::Timeline(mistakes),
            other => Refusal::Subject(other),
        }
    }
}

/// What is no policy, and what may have been meant.
struct NoPolicy<'a>(&'a Input, &'a io::Error);

impl fmt::Display for NoPolicy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(input, error) = self;
        let given = input.argument();
        if error.kind() == io::ErrorKind::NotFound {
            write!(f, "there is no policy {input}, and no file")?;
        } else {
            write!(f, "cannot read {input}: {error}")?;
        }
        if let Some(meant) = named::nearest_to(&given) {
            return write!(f, "; did you mean the policy {meant}?");
        }
        let alike: Vec<&str> = named::all().filter(|name| given.len() > 2 && name.contains(&*given)).collect();
        match alike[..] {
            [] => write!(f, "; a policy is a timeline file or one of {}", named::all().collect::<Vec<_>>().join(", ")),
            _ => write!(f, "; did you mean the policy {}?", alike.join(" or ")),
        }
    }
}
