//! Checks of the script and its end.

use super::{At, Check, Names};
use crate::model::{End, Entry, HeaderText, MAX_NESTING, Outcome, Play, ServerWait, Then};
use crate::policy::{PolicySpec, Shape};
use crate::problem::Problem;

impl Check<'_> {
    pub(super) fn script(&mut self) {
        let draft = self.draft;
        for (nth, part) in draft.script.iter().enumerate() {
            self.part(part, At::Part(self.names, nth), 1);
        }
    }

    fn part(&mut self, part: &Play, path: At<'_>, depth: usize) {
        match part {
            Play::Attempt(entry) => self.entry(entry, path),
            Play::Repeat { times, play } => {
                if *times == 0 {
                    self.report(
                        Problem::new(path.key("repeat"), "0 is not allowed")
                            .help("repeat at least once, or omit the part"),
                    );
                }
                let inner = path.key("play");
                if play.is_empty() {
                    self.report(Problem::new(inner, "nothing to repeat").help("write at least one attempt"));
                } else if depth > MAX_NESTING {
                    self.report(Problem::new(inner, format!("repeats nest more than {MAX_NESTING} deep")));
                } else {
                    for (index, part) in play.iter().enumerate() {
                        self.part(part, At::Nth(&inner, index), depth + 1);
                    }
                }
            }
        }
    }

    pub(super) fn entry(&mut self, entry: &Entry, path: At<'_>) {
        self.fits(path.key("latency"), entry.latency);
        match entry.outcome {
            Outcome::Up { lasts, .. } => {
                self.only_for(Shape::Streaming, path, "up", "a poll that succeeds is `ok = true`");
                if let Some((lasts, _)) = lasts {
                    self.fits(path.key("up"), lasts);
                }
            }
            Outcome::Idle { lasts, .. } => {
                self.only_for(Shape::Streaming, path, "idle", "a poll without a response is `hang = \"30s\"`");
                self.fits(path.key("idle"), lasts);
            }
            Outcome::Ok => {
                self.only_for(
                    Shape::Polling,
                    path,
                    "ok",
                    "a stream that succeeds is `up = true`, or `up = \"5s\", end = \"close\"`",
                );
            }
            Outcome::Malformed => {
                self.only_for(
                    Shape::Polling,
                    path,
                    "malformed",
                    "the same end of a stream is `up = \"5s\", end = \"malformed\"`",
                );
            }
            Outcome::Status { status, retry_after } => {
                self.status(path.key("status"), status);
                match retry_after {
                    Some(ServerWait::Delay(wait)) => self.fits(path.key("retry_after"), wait),
                    Some(ServerWait::Header(text)) => self.dated(path.key("retry_after"), text),
                    None => {}
                }
            }
            Outcome::Fault(_) => {}
            Outcome::Hang(lasts) => {
                self.fits(path.key("hang"), lasts);
                if !entry.latency.is_zero() {
                    self.report(
                        Problem::new(path.key("latency"), "`hang` already sets the time of the outcome")
                            .help("leave `latency` out"),
                    );
                }
            }
        }
    }

    /// A date in a header needs the present date.
    fn dated(&mut self, path: At<'_>, text: HeaderText) {
        if text.may_be_a_date() && self.draft.wall.is_none() {
            self.report(
                Problem::new(path.key("header"), "a date in a header needs the present date")
                    .help("add the date at the start, such as `wall = \"2026-08-20T09:00:00Z\"`")
                    .depends_on("wall"),
            );
        }
    }

    /// An outcome for streams only, or for anything but streams.
    fn only_for(&mut self, shape: Shape, path: At<'_>, key: &'static str, instead: &str) {
        let own = self.draft.client.kind.shape();
        let (wants, client) = match (shape, own) {
            (Shape::Streaming, Shape::Call) => ("streams", "this client makes calls"),
            (Shape::Streaming, _) => ("streams", "this client polls"),
            _ => ("polls and calls", "this client streams"),
        };
        if (own == Shape::Streaming) != (shape == Shape::Streaming) {
            self.report(
                Problem::new(path.key(key), format!("`{key}` is for {wants}"))
                    .help(instead)
                    .with(self.shape_key(), client),
            );
        }
    }

    /// The key that decides the kind of client.
    pub(super) fn shape_key(&self) -> &'static str {
        match self.draft.client.kind {
            PolicySpec::External { .. } => "client.as",
            _ => "client.kind",
        }
    }

    fn status(&mut self, path: At<'_>, status: u16) {
        match status {
            200 => {
                let instead = match self.draft.client.kind.shape() {
                    Shape::Streaming => "write `up = true`, or `up = \"5s\", end = \"close\"`",
                    Shape::Polling | Shape::Call => "write `ok = true`",
                };
                self.report(Problem::new(path, "status 200 is a success").help(instead).depends_on(self.shape_key()));
            }
            100..=399 if self.draft.client.kind.shape() == Shape::Call => {
                let help =
                    "a call fails with 400 to 599, a fault, `malformed` or `hang`, and succeeds with `ok = true`";
                self.report(
                    Problem::new(path, format!("status {status} is not a failure of a call"))
                        .help(help)
                        .depends_on(self.shape_key()),
                );
            }
            100..=599 => {}
            _ => self
                .report(Problem::new(path, format!("{status} is not an HTTP status")).help("a status is 100 to 599")),
        }
    }

    /// Whether there is anything to play, and whether it ends.
    pub(super) fn ending(&mut self) {
        let draft = self.draft;
        for (path, duration) in [("until", draft.until), ("stop", draft.stop), ("limits.time", Some(draft.limits.time))]
        {
            if let Some(duration) = duration {
                self.fits(path, duration);
            }
        }
        if let Some(stop) = draft.stop {
            self.not_beyond_until("stop", stop);
            if draft.client.kind.shape() == Shape::Call {
                self.report(
                    Problem::new("stop", "a call ends by itself")
                        .with(self.shape_key(), "only a streaming or polling client can be stopped"),
                );
            }
        }
        if draft.limits.events == 0 {
            self.report(Problem::new("limits.events", "0 is not allowed; at least 1 event"));
        }
        if draft.limits.time.is_zero() {
            self.report(Problem::new("limits.time", "it must be more than \"0s\""));
        }
        let endless = match draft.then {
            Then::Stop | Then::RepeatLast if draft.script.is_empty() => {
                self.report(
                    Problem::new("timeline", "nothing to play")
                        .help("add a [[timeline]] with `play = […]`, or `then = \"succeed\"`")
                        .depends_on("then"),
                );
                return;
            }
            Then::Stop => return,
            Then::Succeed if draft.client.kind.shape() == Shape::Streaming => return,
            Then::Succeed => Problem::new("then", "a client that keeps succeeding never ends the run")
                .with(self.shape_key(), "this client polls or makes calls"),
            Then::RepeatLast => {
                let Some((last, path)) = last_entry(&draft.script, self.names) else { return };
                if matches!(last.outcome, Outcome::Up { lasts: None, .. }) {
                    return;
                }
                Problem::new("then", "repeating the last entry never ends the run")
                    .with(path, "this entry ends, and is followed by the next attempt")
            }
        };
        if draft.until.or(draft.stop).is_none() {
            self.report(endless.help("add the end of the run, such as `until = \"365d\"`").depends_on("until"));
        }
    }

    /// In a file, one `end` of a window is that of its outcome and of its cut.
    pub(super) fn one_end(&mut self, path: At<'_>, entry: &Entry, cut: End) {
        let own = match entry.outcome {
            Outcome::Up { lasts: Some((_, end)), .. } | Outcome::Idle { end, .. } => end,
            _ => return,
        };
        if own != cut {
            self.report(
                Problem::new(
                    path.key("end"),
                    format!("the outcome ends by {:?}, the cut by {:?}", own.name(), cut.name()),
                )
                .help("one `end` serves both"),
            );
        }
    }
}

/// The last entry, and its key path.
fn last_entry<'a>(script: &'a [Play], names: Names<'_>) -> Option<(&'a Entry, String)> {
    let (mut part, mut path) = (script.last()?, names(script.len() - 1));
    loop {
        match part {
            Play::Attempt(entry) => return Some((entry, path)),
            Play::Repeat { play, .. } => {
                part = play.last()?;
                path = format!("{path}.play[{}]", play.len() - 1);
            }
        }
    }
}
