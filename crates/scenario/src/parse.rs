//! From the text of a file to what it says.
//!
//! The parser walks the tables by hand, so that one reading finds everything that is wrong. Values that cannot be
//! read stand in as harmless ones, and nothing is said about what depends on them.

mod client;
mod clock;
mod draft;
mod expect;
mod not_played;
mod outcome;
mod play;
mod policy;
mod stack;
mod walk;

use core::time::Duration;
use std::collections::BTreeSet;

use toml::de::DeTable;

use self::walk::{Fields, Walk};
use crate::error::ParseError;
use crate::locations::Locations;
use crate::model::ClientKind;
use crate::problem::Problem;
use crate::source::Source;
use crate::timeline::Timeline;

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What it says.
    pub file: File,
    /// Where in its text.
    pub locations: Locations,
}

/// What a file says.
#[derive(Clone, Debug, PartialEq)]
pub enum File {
    /// A timeline that is played.
    Played(Timeline),
    /// A timeline of a policy that only its owner can build: `kind = "external"`.
    External(Timeline),
    /// A timeline that cannot be written yet.
    WaitsFor {
        /// Why the file exists.
        why: String,
        /// Where the facts come from.
        cite: Vec<String>,
        /// What it needs.
        part: Part,
    },
    /// Something that no timeline can show.
    Outside {
        /// Why the file exists.
        why: String,
        /// Where the facts come from.
        cite: Vec<String>,
        /// Why no timeline can show it.
        reason: String,
    },
}

impl File {
    /// Why the file exists.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::Played(timeline) | Self::External(timeline) => &timeline.why,
            Self::WaitsFor { why, .. } | Self::Outside { why, .. } => why,
        }
    }
}

/// A part of the simulator that a file can wait for.
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

/// Reads a file; `name` stands in its error messages.
///
/// ```
/// let text = "why = \"A typo.\"\nclinet.kind = \"streaming\"\nthen = \"succeed\"\n";
/// let error = retrylab_scenario::parse("sims/typo.toml", text).unwrap_err();
/// let [unknown] = error.problems() else { panic!("one problem") };
/// assert_eq!((unknown.position.line, unknown.position.column), (2, 1));
/// assert!(unknown.problem.advice().is_some_and(|advice| advice.starts_with("did you mean `client`?")));
/// ```
///
/// # Errors
///
/// Everything that is wrong with the file, up to [`MOST_PROBLEMS`](crate::MOST_PROBLEMS). A text that is not TOML is only
/// searched for what makes it so.
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
            // One slip can be reported by several rules of the grammar.
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

/// Reads a file from bytes; `name` stands in its error messages.
///
/// # Errors
///
/// As for [`parse`]; bytes that are not UTF-8 are the only problem reported of a file that has them.
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

/// None if so much is wrong that nothing can be returned; then something has been reported.
fn file(walk: &mut Walk, root: &Fields<'_>) -> Option<File> {
    let why = walk.required(root, "why", "say in one sentence why the file exists");
    let why = why.and_then(|field| walk.text(&field, "text", "")).map(str::to_owned);
    let cite = root.get("cite").map(|field| walk.texts(&field, "sources", "such as [\"issue 7\"]")).unwrap_or_default();
    if let Some(file) = not_played::file(walk, root, why.as_deref(), &cite) {
        return file;
    }
    let timeline = Timeline::checked(draft::draft(walk, root, why.unwrap_or_default(), cite));
    Some(match timeline.client.kind {
        ClientKind::External { .. } => File::External(timeline),
        _ => File::Played(timeline),
    })
}

/// The value that stands in for a duration that could not be read.
const NO_TIME: Duration = Duration::ZERO;
