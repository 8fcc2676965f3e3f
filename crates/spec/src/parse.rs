//! The parser of a file.
//!
//! The parser walks the tables by hand, so that one pass finds every error. Unreadable values are replaced by harmless
//! ones, and errors that depend on them are suppressed.

mod client;
mod clock;
mod draft;
mod expect;
mod not_played;
mod outcome;
mod play;
mod policy;
mod regimes;
mod stack;
mod walk;

use core::time::Duration;
use std::collections::BTreeSet;

use toml::de::DeTable;

use self::walk::{Fields, Walk};
use crate::check;
use crate::error::ParseError;
use crate::locations::Locations;
use crate::model::Client;
use crate::policy::PolicySpec;
use crate::problem::Problem;
use crate::source::Source;
use crate::timeline::Timeline;

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The content.
    pub file: File,
    /// The places in the text.
    pub locations: Locations,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum File {
    /// A timeline that is played.
    Played(Timeline),
    /// A timeline of an external policy: `kind = "external"`.
    External(Timeline),
    /// A timeline that waits for a part of the simulator.
    WaitsFor {
        /// The purpose of the file.
        why: String,
        /// The sources.
        cite: Vec<String>,
        /// The missing part.
        part: Part,
    },
    /// A behaviour that no timeline can show.
    Outside {
        /// The purpose of the file.
        why: String,
        /// The sources.
        cite: Vec<String>,
        /// The reason why no timeline can show it.
        reason: String,
    },
}

impl File {
    /// The purpose of the file.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::Played(timeline) | Self::External(timeline) => &timeline.why,
            Self::WaitsFor { why, .. } | Self::Outside { why, .. } => why,
        }
    }
}

/// A missing part of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The streaming and polling data sources.
    Source,
    /// Many clients before one server.
    Fleet,
}

impl Part {
    /// Every part with its name in files.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Source, "source"), (Self::Fleet, "fleet")];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// Parses a file; `name` is its name in error messages.
///
/// ```
/// let text = "why = \"A typo.\"\nclinet.kind = \"streaming\"\nthen = \"succeed\"\n";
/// let error = retrylab_spec::parse("sims/typo.toml", text).unwrap_err();
/// let [unknown] = error.problems() else { panic!("one problem") };
/// assert_eq!((unknown.position.line, unknown.position.column), (2, 1));
/// assert!(unknown.problem.advice().is_some_and(|advice| advice.starts_with("did you mean `client`?")));
/// ```
///
/// # Errors
///
/// All errors of the file, up to [`MOST_PROBLEMS`](crate::MOST_PROBLEMS). For a text that is not TOML, only its syntax
/// errors.
pub fn parse(name: &str, text: &str) -> Result<Parsed, ParseError> {
    let source = Source::new(name, text);
    let mut walk = Walk::default();
    let (document, errors) = DeTable::parse_recoverable(text);
    let file = if errors.is_empty() {
        let root = walk.root(document.get_ref());
        file(&mut walk, &root)
    } else {
        let mut places = BTreeSet::new();
        for error in errors {
            let span = error.span().unwrap_or_default();
            // Several rules of the grammar can report one mistake.
            if places.insert(span.start) {
                let subject = text.get(span.clone()).filter(|_| error.message() == "duplicate key");
                let message = error.message().to_owned() + &subject.map(|key| format!(" `{key}`")).unwrap_or_default();
                walk.found.add(span, Problem::new("", message));
            }
        }
        None
    };
    match file {
        Some(file) if walk.found.is_empty() => {
            Ok(Parsed { file, locations: Locations::new(source, walk.places, walk.entries) })
        }
        _ => Err(ParseError::new(source, &walk.places, walk.found)),
    }
}

/// Parses a file from bytes; `name` is its name in error messages.
///
/// # Errors
///
/// See [`parse`]; of bytes that are not UTF-8, that is the only error.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Parsed, ParseError> {
    match str::from_utf8(bytes) {
        Ok(text) => parse(name, text),
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let at = valid.len();
            let text = String::from_utf8_lossy(bytes);
            let problem = Problem::new("", "not UTF-8").help("a timeline file is UTF-8 text");
            Err(ParseError::new(Source::new(name, &text), &Default::default(), (at..at + 1, problem).into()))
        }
    }
}

/// None if there are too many errors for a result; then something has been reported.
fn file(walk: &mut Walk, root: &Fields<'_>) -> Option<File> {
    let why = walk.required(root, "why", "write one sentence about the purpose of the file");
    let why = why.and_then(|field| walk.text(&field, "text", "")).map(str::to_owned);
    let cite = root.get("cite").map(|field| walk.texts(&field, "sources", "such as [\"issue 7\"]")).unwrap_or_default();
    if let Some(file) = not_played::file(walk, root, why.as_deref(), &cite) {
        return file;
    }
    let timeline = Timeline::checked(draft::draft(walk, root, why.unwrap_or_default(), cite));
    Some(match timeline.client.kind {
        PolicySpec::External { .. } => File::External(timeline),
        _ => File::Played(timeline),
    })
}

/// The replacement for an unreadable duration.
const NO_TIME: Duration = Duration::ZERO;

/// The client of a document that has nothing else.
///
/// # Errors
///
/// The first thing that is wrong with it.
pub(crate) fn client_of(document: &DeTable<'_>) -> Result<Client, Problem> {
    let mut walk = Walk::default();
    let root = walk.open(String::new(), 0..0, document, &["client"], &[]);
    let client = root.get("client").and_then(|field| client::client(&mut walk, &field));
    walk.take_over(client.as_ref().map(check::client).unwrap_or_default());
    match (client, walk.found.into_parts().0.into_iter().next()) {
        (Some(client), None) => Ok(client),
        (_, Some((_, problem))) => Err(problem),
        (None, None) => Err(Problem::new("client", "missing")),
    }
}
