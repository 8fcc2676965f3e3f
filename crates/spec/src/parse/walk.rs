//! The walk over a file's tables: it records places and errors, and continues.

use core::ops::Range;
use core::time::Duration;
use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::duration;
use crate::found::Found;
use crate::locations::Places;
use crate::problem::{Problem, join, written};
use crate::suggest::{choices, nearest};

/// The state of the walk.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) found: Found,
    pub(super) places: Places,
    pub(super) entries: Vec<Range<usize>>,
    /// Paths with an unreadable value, or meant for another name: errors about them would be noise.
    unread: BTreeSet<String>,
}

/// A key with its value.
#[derive(Clone)]
pub(super) struct Field<'a> {
    pub(super) path: String,
    pub(super) value: &'a Spanned<DeValue<'a>>,
}

/// A table whose keys were checked.
pub(super) struct Fields<'a> {
    pub(super) path: String,
    pub(super) span: Range<usize>,
    table: &'a DeTable<'a>,
}

/// The keys of a file outside of its tables.
pub(super) const TOP: &[&str] = &[
    "why",
    "cite",
    "waits_for",
    "outside",
    "found_by",
    "seed",
    "then",
    "wall",
    "until",
    "stop",
    "client",
    "timeline",
    "window",
    "clock",
    "limits",
    "stack",
    "catches",
    "expect",
];

impl<'a> Fields<'a> {
    /// All keys of a table.
    pub(super) fn any(field: &Field<'a>, table: &'a DeTable<'a>) -> Self {
        Self { path: field.path.clone(), span: field.value.span(), table }
    }

    pub(super) fn get(&self, key: &str) -> Option<Field<'a>> {
        let value = self.table.get(key)?;
        Some(Field { path: join(&self.path, key), value })
    }

    /// Key texts with their spans and fields, in the order of the file.
    pub(super) fn in_order(&self) -> Vec<(&'a str, Range<usize>, Field<'a>)> {
        let mut all: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                let text: &'a str = key.get_ref();
                (text, key.span(), Field { path: join(&self.path, &written(text)), value })
            })
            .collect();
        all.sort_by_key(|(_, span, _)| span.start);
        all
    }

    /// The span of a key's name.
    pub(super) fn key(&self, name: &str) -> Range<usize> {
        self.table.get_key_value(name).map_or_else(|| self.span.clone(), |(key, _)| key.span())
    }
}

impl Walk {
    /// Reports an error that makes its value unusable.
    pub(super) fn report(&mut self, span: Range<usize>, problem: Problem) {
        self.unread(problem.path());
        // A key that serves two others is read for both, and reported once.
        self.found.add(span, problem);
    }

    /// Suppresses errors about anything that depends on `path`.
    pub(super) fn unread(&mut self, path: &str) {
        // At the limit nothing is kept, so nothing needs to be suppressed.
        if !self.found.is_full() {
            self.unread.insert(path.to_owned());
        }
    }

    /// Adds the errors of the values themselves, where they were readable.
    pub(super) fn take_over(&mut self, problems: Vec<Problem>) {
        for problem in problems {
            if self.found.is_full() {
                return;
            }
            if !self.unread.iter().any(|path| problem.concerns(path)) {
                let span = self.places.find(problem.path()).unwrap_or_default();
                self.found.add(span, problem);
            }
        }
    }

    /// The file as a table.
    pub(super) fn root<'a>(&mut self, table: &'a DeTable<'a>) -> Fields<'a> {
        self.open(String::new(), 0..0, table, TOP, &[])
    }

    /// A table with its keys; reports a value that is not a table, and keys that are not `allowed`.
    pub(super) fn table<'a>(&mut self, field: &Field<'a>, allowed: &[&'static str]) -> Option<Fields<'a>> {
        let table = self.any_table(field)?;
        Some(self.open(field.path.clone(), field.value.span(), table, allowed, &[]))
    }

    pub(super) fn any_table<'a>(&mut self, field: &Field<'a>) -> Option<&'a DeTable<'a>> {
        let table = field.value.get_ref().as_table();
        if table.is_none() {
            self.mismatch(field, "a table", "");
        }
        table
    }

    /// A table with its keys; reports keys that are not `allowed`. Those that are `misplaced` have their own message.
    pub(super) fn open<'a>(
        &mut self,
        path: String,
        span: Range<usize>,
        table: &'a DeTable<'a>,
        allowed: &[&'static str],
        misplaced: &[(&str, &str)],
    ) -> Fields<'a> {
        let fields = Fields { path, span, table };
        for (key, span, field) in fields.in_order() {
            if allowed.contains(&key) {
                self.places.insert(field.path, field.value.span());
            } else {
                self.unknown(&fields, key, span, allowed, misplaced);
            }
        }
        fields
    }

    fn unknown(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        span: Range<usize>,
        allowed: &[&'static str],
        misplaced: &[(&str, &str)],
    ) {
        let path = join(&fields.path, &written(key));
        let mut help = format!("allowed here: {}", choices('`', allowed.iter().copied()).replace(" or ", ", "));
        let message = if let Some((_, message)) = misplaced.iter().find(|(name, _)| *name == key) {
            message
        } else if TOP.contains(&key) {
            self.unread(key);
            "this key belongs at the top of the file, above the first [table]"
        } else {
            if let Some(meant) = nearest(key, allowed.iter().copied()) {
                self.unread(&join(&fields.path, meant));
                help = format!("did you mean `{meant}`? {help}");
            }
            "unknown key"
        };
        self.report(span, Problem::new(path, message).help(help));
    }

    /// Records the place of a key that `open` has not seen.
    pub(super) fn note(&mut self, field: &Field<'_>, key: &Range<usize>) {
        self.places.insert(field.path.clone(), shown(key, field.value));
    }

    /// The elements of a list.
    pub(super) fn elements<'a>(&mut self, field: &Field<'a>, of: &str, help: &str) -> Vec<Field<'a>> {
        let Some(array) = field.value.get_ref().as_array() else {
            self.mismatch(field, &format!("a list of {of}"), help);
            return Vec::new();
        };
        array
            .iter()
            .enumerate()
            .map(|(index, value)| {
                let path = format!("{}[{index}]", field.path);
                self.places.insert(path.clone(), value.span());
                Field { path, value }
            })
            .collect()
    }

    /// Whether a key was meant, though misspelled or unreadable.
    pub(super) fn is_unread(&self, path: &str) -> bool {
        self.unread.contains(path)
    }

    /// A required key.
    pub(super) fn required<'a>(&mut self, fields: &Fields<'a>, key: &str, help: &str) -> Option<Field<'a>> {
        let field = fields.get(key);
        let path = join(&fields.path, key);
        if field.is_none() && !self.is_unread(&path) {
            self.report(fields.span.clone(), Problem::new(path, "missing").help(help));
        }
        field
    }

    /// A text; `what` is its meaning in messages.
    pub(super) fn text<'a>(&mut self, field: &Field<'a>, what: &str, help: &str) -> Option<&'a str> {
        let text = field.value.get_ref().as_str();
        if text.is_none() {
            self.mismatch(field, what, help);
        }
        text
    }

    pub(super) fn texts(&mut self, field: &Field<'_>, of: &str, help: &str) -> Vec<String> {
        let elements = self.elements(field, of, help);
        elements.iter().filter_map(|element| Some(self.text(element, "text", help)?.to_owned())).collect()
    }

    /// One of several words.
    pub(super) fn word<T: Copy>(&mut self, field: &Field<'_>, what: &str, all: &[(T, &'static str)]) -> Option<T> {
        let words = || all.iter().map(|(_, name)| *name);
        let help = format!("{what} is {}", choices('"', words()));
        let given = self.text(field, "text", &help)?;
        let known = all.iter().find(|(_, name)| *name == given);
        if known.is_none() {
            let help = match nearest(given, words()) {
                Some(meant) => format!("did you mean \"{meant}\"? {help}"),
                None => help,
            };
            self.refuse(field, Problem::new(&*field.path, format!("{given:?} is not {what}")).help(help));
        }
        known.map(|(value, _)| *value)
    }

    /// A key whose only value is `true`.
    pub(super) fn yes(&mut self, field: &Field<'_>) -> Option<()> {
        match field.value.get_ref() {
            DeValue::Boolean(true) => Some(()),
            DeValue::Boolean(false) => {
                let problem = Problem::new(&*field.path, "false has no effect").help("write `true`, or omit the key");
                self.refuse(field, problem);
                None
            }
            _ => {
                self.mismatch(field, "`true`", "");
                None
            }
        }
    }

    /// A duration in text.
    pub(super) fn duration(&mut self, field: &Field<'_>) -> Option<Duration> {
        let text = self.text(field, "a duration in text", "such as \"1m 30s\"")?;
        match duration::parse(text) {
            Ok(duration) => Some(duration),
            Err(error) => {
                let problem = Problem::new(&*field.path, format!("{text:?} is {error}")).help(error.help());
                self.refuse(field, problem);
                None
            }
        }
    }

    /// An integer from `least` to `most`.
    pub(super) fn whole(&mut self, field: &Field<'_>, least: u64, most: u64) -> Option<u64> {
        let DeValue::Integer(integer) = field.value.get_ref() else {
            self.mismatch(field, "an integer", "");
            return None;
        };
        let known = number(integer).and_then(|number| u64::try_from(number).ok());
        let number = known.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let problem = Problem::new(&*field.path, format!("{integer} is out of range"))
                .help(format!("an integer from {least} to {most}"));
            self.refuse(field, problem);
        }
        number
    }

    /// A value of the wrong type.
    pub(super) fn mismatch(&mut self, field: &Field<'_>, wanted: &str, help: &str) {
        let given = match field.value.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a number with a decimal point",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date without quotes",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let mut problem = Problem::new(&*field.path, format!("expected {wanted}, found {given}"));
        if !help.is_empty() {
            problem = problem.help(help);
        }
        self.refuse(field, problem);
    }

    /// A problem with a value.
    pub(super) fn refuse(&mut self, field: &Field<'_>, problem: Problem) {
        let span = self.places.find(&field.path).unwrap_or_else(|| field.value.span());
        self.report(span, problem);
    }
}

/// The value of an integer of any base.
pub(super) fn number(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// The shown span of a key: its value, but the name of a dotted key, whose value has no text of its own.
fn shown(key: &Range<usize>, value: &Spanned<DeValue<'_>>) -> Range<usize> {
    let span = value.span();
    if span.is_empty() { key.clone() } else { span }
}
