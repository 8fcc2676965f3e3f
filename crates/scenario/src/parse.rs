//! From the text of a file to what it says.
//!
//! The parser walks the tables by hand, so that one reading finds everything that is wrong. Values that cannot be
//! read stand in as harmless ones, and nothing is said about what depends on them.

mod client;
mod clock;
mod expect;
mod outcome;
mod play;
mod walk;

use core::time::Duration;

use toml::de::DeTable;

use self::walk::{Fields, Walk};
use crate::check::check;
use crate::error::ParseError;
use crate::locations::Locations;
use crate::model::{Client, ClientKind, Draft, JitterChoice, Limits, Then};
use crate::problem::Problem;
use crate::source::Source;
use crate::suggest::choices;
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
/// Everything that is wrong with the file. A text that is not TOML is only searched for what makes it so.
pub fn parse(name: &str, text: &str) -> Result<Parsed, ParseError> {
    let source = Source::new(name, text);
    let mut walk = Walk::default();
    let (document, errors) = DeTable::parse_recoverable(text);
    let file = if errors.is_empty() {
        let root = walk.root(document.get_ref());
        file(&mut walk, &root)
    } else {
        for error in errors {
            let span = error.span().unwrap_or_default();
            // One slip can be reported by several rules of the grammar.
            if walk.found.iter().all(|(other, _)| other.start != span.start) {
                walk.found.push((span, Problem::new("", error.message())));
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
            Err(ParseError::new(Source::new(name, &text), &Default::default(), vec![(at..at + 1, problem)]))
        }
    }
}

/// None if so much is wrong that nothing can be returned; then something has been reported.
fn file(walk: &mut Walk, root: &Fields<'_>) -> Option<File> {
    let why = walk.required(root, "why", "say in one sentence why the file exists");
    let why = why.and_then(|field| walk.text(&field, "")).map(str::to_owned);
    let cite = root.get("cite").map(|field| walk.texts(&field, "sources")).unwrap_or_default();
    let not_played = ["waits_for", "outside"].map(|key| root.get(key).map(|field| (key, field)));
    if let Some((reason, field)) = not_played.into_iter().flatten().next() {
        let others = root.in_order().into_iter().filter(|(key, ..)| walk::TOP.contains(key));
        for (key, span, other) in others.filter(|(key, ..)| !["why", "cite", reason].contains(key)) {
            let problem = Problem::new(other.path, format!("a file with `{reason}` is not played"));
            walk.report(span, problem.help(format!("leave `{key}` out: only `why` and `cite` go with `{reason}`")));
        }
        return if reason == "waits_for" {
            let part = walk.word(&field, "what a file waits for", &Part::ALL)?;
            Some(File::WaitsFor { why: said(walk, root, "why", why?), cite, part })
        } else {
            let reason = walk.text(&field, "say why no timeline can show it")?.to_owned();
            let reason = said(walk, root, "outside", reason);
            Some(File::Outside { why: said(walk, root, "why", why?), cite, reason })
        };
    }
    let timeline = timeline(walk, root, why, cite);
    Some(match timeline.client.kind {
        ClientKind::External { .. } => File::External(timeline),
        _ => File::Played(timeline),
    })
}

/// A text that has to say something.
fn said(walk: &mut Walk, root: &Fields<'_>, key: &str, text: String) -> String {
    if text.trim().is_empty()
        && let Some(field) = root.get(key)
    {
        walk.refuse(&field, Problem::new(key, format!("{text:?} says nothing")));
    }
    text
}

/// The timeline as far as it could be read. It has been checked only if nothing was reported.
fn timeline(walk: &mut Walk, root: &Fields<'_>, why: Option<String>, cite: Vec<String>) -> Timeline {
    let help = format!("add a [client] with a `kind`: {}", choices('"', client::KINDS.iter().map(|(_, name)| *name)));
    let client = walk.required(root, "client", &help).and_then(|field| client::client(walk, &field));
    if client.is_none() {
        walk.unread("client");
    }
    let (script, names) = play::timelines(walk, root);
    let draft = Draft {
        why: why.unwrap_or_default(),
        cite,
        seed: root.get("seed").and_then(|field| walk.whole(&field, 0, u64::MAX)),
        // Stands in for a client about which a problem has been reported.
        client: client.unwrap_or(Client { kind: client::STAND_IN, jitter: JitterChoice::Own }),
        script,
        then: root
            .get("then")
            .and_then(|field| walk.word(&field, "what follows the script", &Then::ALL))
            .unwrap_or_default(),
        windows: play::windows(walk, root),
        clock: clock::events(walk, root),
        wall: root
            .get("wall")
            .and_then(|field| walk.text(&field, "put the date in quotes, as in \"2026-08-20T09:00:00Z\""))
            .map(str::to_owned),
        until: root.get("until").and_then(|field| walk.duration(&field)),
        limits: limits(walk, root),
        expect: root.get("expect").and_then(|field| expect::expect(walk, &field)),
    };
    walk.take_over(check(&draft, &names));
    Timeline::checked(draft)
}

fn limits(walk: &mut Walk, root: &Fields<'_>) -> Limits {
    let mut limits = Limits::default();
    if let Some(fields) = root.get("limits").and_then(|field| walk.table(&field, &["events", "time"])) {
        if let Some(events) = fields.get("events").and_then(|field| walk.whole(&field, 1, u64::MAX)) {
            limits.events = events;
        }
        if let Some(time) = fields.get("time").and_then(|field| walk.duration(&field)) {
            limits.time = time;
        }
    }
    limits
}

/// The value that stands in for a duration that could not be read.
const NO_TIME: Duration = Duration::ZERO;
