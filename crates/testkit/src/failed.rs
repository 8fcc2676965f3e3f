//! What a check that fails has to say, and to keep.

use core::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use retrylab_laws::search::{Excerpt, Faulted, Found, Regression, Searched, events};
use retrylab_laws::{Claim, Subject};
use retrylab_scenario::Timeline;

use crate::check::Unclaimed;

/// What a check found.
#[derive(Debug)]
pub struct CheckFailed {
    heading: Heading,
    /// What the search amounts to.
    pub searched: Searched,
    /// In the order of the verdicts.
    shown: Vec<Shown>,
    folder: PathBuf,
}

/// Who was checked, and how.
#[derive(Debug)]
pub(crate) struct Heading {
    pub(crate) name: String,
    pub(crate) seed: u64,
    /// How many timelines were given, and come first.
    pub(crate) given: u64,
    /// Whether timelines are made up, too.
    pub(crate) searching: bool,
    pub(crate) unclaimed: Option<Unclaimed>,
}

/// A timeline that breaks laws, each told once.
#[derive(Debug)]
struct Shown {
    /// Laws that are broken at the same place, and the trace around it.
    places: Vec<(Vec<Found>, String)>,
    file: Option<Regression>,
    saved: Option<Saved>,
}

/// What became of a file that was to be saved.
#[derive(Debug)]
enum Saved {
    Kept(PathBuf),
    /// There is one of this name that says something else.
    Other(PathBuf),
    Failed(PathBuf, io::Error),
}

impl CheckFailed {
    pub(crate) fn new(
        heading: Heading,
        searched: Searched,
        claim: &Claim,
        subject: &dyn Subject,
        saving: Option<PathBuf>,
    ) -> Self {
        let found_by = format!("retrylab_testkit::check of {}, seed {}", heading.name, heading.seed);
        let mut shown: Vec<Shown> = Vec::new();
        for found in searched.broken() {
            let excerpt = Excerpt::of(found, claim, subject).to_string();
            match shown.iter_mut().find(|shown| shown.first().is_some_and(|first| first.timeline == found.timeline)) {
                Some(same) => same.add(found.clone(), excerpt),
                None => shown.push(Shown { places: vec![(vec![found.clone()], excerpt)], file: None, saved: None }),
            }
        }
        for shown in &mut shown {
            shown.file = shown.regression(claim, &found_by);
            shown.saved = saving.as_deref().zip(shown.file.as_ref()).map(|(folder, file)| save(folder, file));
        }
        let folder = saving.unwrap_or_else(|| PathBuf::from("tests/regressions"));
        Self { heading, searched, shown, folder }
    }

    /// The files that keep what was found, one for each timeline, in the order of the verdicts.
    pub fn regressions(&self) -> impl Iterator<Item = &Regression> {
        self.shown.iter().filter_map(|shown| shown.file.as_ref())
    }

    /// Where to save what is not saved yet, and the line that plays it from then on.
    fn next_step(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What was given is kept already.
        let is_new = |shown: &&Shown| shown.first().is_some_and(|first| first.case >= self.heading.given);
        let mut new = self.shown.iter().filter(is_new).filter(|shown| shown.file.is_some()).peekable();
        if new.peek().is_none() {
            return Ok(());
        }
        let unsaved: Vec<String> = new
            .filter(|shown| shown.saved.is_none())
            .filter_map(|shown| Some(format!("\n  {}", self.folder.join(shown.file.as_ref()?.name()).display())))
            .collect();
        let folder = self.folder.display().to_string();
        if unsaved.is_empty() {
            write!(f, "\n\nWhat is kept is a test from then on, with")?;
        } else {
            let what = if unsaved.len() == 1 { "the file above" } else { "the files above, in their order," };
            write!(f, "\n\nTo keep it as a test, save {what} as{}", unsaved.concat())?;
            write!(f, "\nor have that done by `.saving({folder:?})`, and from then on play it first, with")?;
        }
        let name = &self.heading.name;
        write!(f, "\n  .beginning_with(regressions({folder:?}, {name:?}).expect(\"files that can be read\"))")
    }
}

impl Shown {
    fn first(&self) -> Option<&Found> {
        self.places.first().and_then(|(found, _)| found.first())
    }

    fn add(&mut self, found: Found, excerpt: String) {
        match self.places.iter_mut().find(|(_, same)| *same == excerpt) {
            Some((laws, _)) => laws.push(found),
            None => self.places.push((vec![found], excerpt)),
        }
    }

    /// One file that expects all its laws.
    fn regression(&self, claim: &Claim, found_by: &str) -> Option<Regression> {
        let file = self.first()?.regression(claim, found_by)?;
        let others = self.places.iter().flat_map(|(found, _)| found).skip(1);
        let others: Vec<&str> = others.map(|found| found.law.name).collect();
        let Some((last, before)) = others.split_last() else { return Some(file) };
        let mut draft = file.timeline.clone().into_draft();
        let list = if before.is_empty() { (*last).to_owned() } else { format!("{} and {last}", before.join(", ")) };
        draft.why = format!("{} It breaks {list}, too.", draft.why);
        if let Some(expect) = &mut draft.expect {
            expect.laws.extend(others.iter().map(|&name| name.to_owned()));
        }
        Some(match Timeline::new(draft) {
            Ok(timeline) => Regression { timeline, ..file },
            Err(_) => file,
        })
    }
}

/// Writes the file unless there is one of its name.
fn save(folder: &Path, file: &Regression) -> Saved {
    let path = folder.join(file.name());
    let text = file.to_string();
    let write = || {
        fs::create_dir_all(folder)?;
        match fs::File::create_new(&path) {
            Ok(mut created) => created.write_all(text.as_bytes()).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(fs::read(&path)? == text.as_bytes()),
            Err(error) => Err(error),
        }
    };
    match write() {
        Ok(true) => Saved::Kept(path),
        Ok(false) => Saved::Other(path),
        Err(error) => Saved::Failed(path, error),
    }
}

impl fmt::Display for CheckFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heading: Heading { name, seed, searching, unclaimed, .. }, searched, shown, .. } = self;
        write!(f, "{name} does not keep the laws ({}, seed {seed})", plural(searched.cases, "timeline"))?;
        if let Some(fault) = &searched.fault {
            tell_fault(f, fault)?;
        }
        for Shown { places, file, saved } in shown {
            for (laws, excerpt) in places {
                for Found { law, breach, .. } in laws {
                    write!(f, "\n\n{law}\n  {}\n  expected {}, got {}", law.statement, breach.expected, breach.got)?;
                }
                write!(f, "\n\n{}", excerpt.trim_end())?;
            }
            let found = places.first().and_then(|(found, _)| found.first());
            let timeline = || found.map(|found| found.timeline.to_string()).unwrap_or_default();
            let text = file.as_ref().map_or_else(timeline, ToString::to_string);
            write!(f, "\n\n{}", text.trim_end())?;
            match saved {
                Some(Saved::Kept(path)) => write!(f, "\n\nkept in {}", path.display())?,
                Some(Saved::Other(path)) => {
                    write!(f, "\n\n{} is there, says something else, and was left as it is", path.display())?;
                }
                Some(Saved::Failed(path, error)) => {
                    write!(f, "\n\nnot kept: cannot write {}: {error}", path.display())?;
                }
                None => {}
            }
        }
        // A fault ends the search, so what was not tested until then says nothing.
        if *searching && searched.fault.is_none() {
            for verdict in searched.verdicts.iter().filter(|verdict| verdict.applies && verdict.tested == 0) {
                write!(f, "\n\n{} was never put to the test", verdict.law)?;
            }
        }
        if !searched.verdicts.iter().any(|verdict| verdict.applies) {
            write!(f, "\n\nno law says anything about what it claims to be")?;
        } else if searched.cases == 0 {
            write!(f, "\n\nno timeline was played: none was given, and with `.cases(0)` none is made up")?;
        }
        for mark in &searched.missed {
            write!(f, "\n\nnever reached: {mark}, which the policy claims to have")?;
        }
        self.next_step(f)?;
        match unclaimed {
            Some(unclaimed) => write!(f, "\n\n{unclaimed}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CheckFailed {}

fn tell_fault(f: &mut fmt::Formatter<'_>, faulted: &Faulted) -> fmt::Result {
    let Faulted { case, timeline, fault, again, events_found, .. } = faulted;
    write!(f, "\n\n{fault}\n  in case {case}, of {}", plural(*events_found, "event"))?;
    if *again {
        write!(f, "; shortened to {}", events(timeline))?;
    } else {
        write!(f, "; not again when it was started anew")?;
    }
    write!(f, "\n\n{}", timeline.to_string().trim_end())
}

/// So many of these.
pub(crate) fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
