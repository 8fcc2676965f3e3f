//! A policy on the command line: a built-in name, or a timeline file (its client).

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;

use retrylab_core::Jitter;
use retrylab_sim::NoBuiltIn;
use retrylab_spec::{Client, Draft, File, JitterChoice, Locations, ParseError, PolicySpec, named, parse_bytes};

use crate::setting::Setting;
use crate::{Console, Input, Refusal};

/// A policy, as named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A built-in policy.
    Named(&'static str),
    /// A file, which means its client.
    File(Input),
}

impl From<OsString> for Subject {
    fn from(argument: OsString) -> Self {
        let known = argument.to_str().and_then(|given| named::all().find(|name| *name == given));
        known.map_or_else(|| Self::File(Input::from(argument)), Self::Named)
    }
}

/// The name as given.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::File(input) => f.write_str(&input.name()),
        }
    }
}

/// The client of a subject, and its file.
pub(crate) struct Chosen {
    pub(crate) client: Client,
    pub(crate) seed: Option<u64>,
    /// The timeline of the file, before options are applied.
    pub(crate) timeline: Option<Draft>,
    /// Where each key is in the file.
    pub(crate) locations: Option<Locations>,
}

impl Subject {
    /// The name for a command line.
    pub(crate) fn word(&self) -> Cow<'_, OsStr> {
        match self {
            Self::Named(name) => Cow::Borrowed(OsStr::new(name)),
            Self::File(input) => input.word(),
        }
    }

    /// A short description of a client: its kind, and its configuration.
    pub(crate) fn describe(&self, client: &Client) -> String {
        let mut text = client.kind.name().to_owned();
        if let (Some(option), Some(seconds)) = (client.kind.option(), client.kind.configured()) {
            text += &format!(", {option}={seconds}");
        }
        if let PolicySpec::TwoRegimes(regimes) = &client.kind {
            text += &format!(", {regimes}");
        }
        if client.jitter == JitterChoice::None || client.kind.jitter() == Some(Jitter::None) {
            text += ", jitter=none";
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

    /// Reads the client and applies the options of the command line.
    pub(crate) fn choose(&self, settings: &[Setting], console: &mut Console<'_>) -> Result<Chosen, Refusal> {
        let (mut client, timeline, locations) = match self {
            // Every name has a client.
            Self::Named(name) => (named::client(name).unwrap_or_else(default), None, None),
            Self::File(input) => {
                let (draft, locations) = read(input, console).map_err(SubjectError::refusal)?;
                (draft.client.clone(), Some(draft), Some(locations))
            }
        };
        for setting in settings {
            setting.apply(&mut client)?;
        }
        Ok(Chosen { client, seed: timeline.as_ref().and_then(|draft| draft.seed), timeline, locations })
    }
}

fn default() -> Client {
    Client::new(PolicySpec::Streaming { initial_reconnect_delay: None })
}

/// Reads the timeline of a file, with the places of its keys.
pub(crate) fn read(input: &Input, console: &mut Console<'_>) -> Result<(Draft, Locations), SubjectError> {
    let bytes = input.read(console.stdin).map_err(|error| SubjectError::Unreadable { input: input.clone(), error })?;
    let parsed = parse_bytes(&input.name(), &bytes)?;
    match parsed.file {
        File::Played(timeline) | File::External(timeline) => Ok((timeline.into_draft(), parsed.locations)),
        File::WaitsFor { .. } | File::Outside { .. } => Err(SubjectError::NoClient { input: input.clone() }),
    }
}

/// The reason why there is no such policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubjectError {
    /// Neither a built-in policy nor a readable file.
    #[error("{}", NoPolicy(input, error))]
    Unreadable {
        /// The input.
        input: Input,
        /// The system's error.
        error: io::Error,
    },
    /// The file is marked as not played.
    #[error("{input} has no [client], because it is marked as not played")]
    NoClient {
        /// The input.
        input: Input,
    },
    /// The file is invalid.
    #[error(transparent)]
    Mistakes(#[from] ParseError),
    /// The policy is external, or allows no attempt.
    #[error(transparent)]
    NoBuiltIn(NoBuiltIn),
}

impl SubjectError {
    /// File errors have titles of their own.
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Mistakes(mistakes) => Refusal::Timeline(mistakes),
            other => Refusal::Subject(other),
        }
    }
}

/// The message for an unknown policy, with a suggestion.
struct NoPolicy<'a>(&'a Input, &'a io::Error);

impl fmt::Display for NoPolicy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(input, error) = self;
        let given = input.argument();
        if error.kind() == io::ErrorKind::NotFound {
            write!(f, "there is no policy and no file {input}")?;
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
