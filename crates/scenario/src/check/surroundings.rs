//! What happens around the script: windows, and the clocks.

use core::time::Duration;

use super::Check;
use crate::duration::Text;
use crate::model::{ClockChange, Shape};
use crate::problem::{Problem, join};

impl Check<'_> {
    pub(super) fn windows(&mut self) {
        let draft = self.draft;
        let mut spans = Vec::new();
        for (index, window) in draft.windows.iter().enumerate() {
            let path = format!("window[{index}]");
            let (from, until) = (join(&path, "from"), join(&path, "until"));
            self.entry(&window.entry, &path);
            self.fits(&*from, window.from);
            self.fits(&*until, window.until);
            self.not_beyond_until(&from, window.from);
            if window.until <= window.from {
                self.report(
                    Problem::new(&*until, format!("{} is not after {}", Text(window.until), Text(window.from)))
                        .help("a window is [from, until), and `until` is true time from the start, not a length")
                        .with(from, "the window begins here"),
                );
            } else {
                spans.push((window.from, window.until, path.clone()));
            }
            if let Some(cut) = window.cut {
                if draft.client.kind.shape() != Shape::Streaming {
                    self.report(
                        Problem::new(join(&path, "cut"), "`cut` is for streams")
                            .help("leave it out: a poll has nothing to cut")
                            .with(self.shape_key(), "this client polls"),
                    );
                }
                self.one_end(&path, &window.entry, cut);
            }
        }
        self.apart(spans, "from", "this window overlaps another", "an attempt would have two answers");
    }

    pub(super) fn clock(&mut self) {
        let draft = self.draft;
        let mut suspends = Vec::new();
        for (index, event) in draft.clock.iter().enumerate() {
            let path = format!("clock[{index}]");
            let at = join(&path, "at");
            self.fits(&*at, event.at);
            self.not_beyond_until(&at, event.at);
            match event.change {
                ClockChange::Step(length) => self.moves(join(&path, "step"), length),
                ClockChange::Suspend(length) => {
                    self.moves(join(&path, "suspend"), length);
                    suspends.push((event.at, event.at.saturating_add(length), path));
                }
                ClockChange::WallStep(nanos) => {
                    let path = join(&path, "wall_step");
                    self.moves(&*path, Duration::from_nanos(nanos.unsigned_abs()));
                    if nanos == i64::MIN {
                        self.report(
                            Problem::new(&*path, "a step that is too long")
                                .help("at most \"106751d 23h 47m 16.854775807s\" either way"),
                        );
                    }
                    if draft.wall.is_none() {
                        self.report(
                            Problem::new(path, "there is no date to move")
                                .help("give the date at the start, such as `wall = \"2026-08-20T09:00:00Z\"`")
                                .depends_on("wall"),
                        );
                    }
                }
            }
        }
        self.apart(suspends, "at", "this suspend overlaps another", "a client can be asleep only once");
        if let Some(wall) = &draft.wall
            && wall.parse::<jiff::Timestamp>().is_err()
        {
            self.report(
                Problem::new("wall", format!("{wall:?} is not a date as of RFC 3339"))
                    .help("write it as in \"2026-08-20T09:00:00Z\""),
            );
        }
    }

    fn moves(&mut self, path: impl Into<String>, length: Duration) {
        let path = path.into();
        if length.is_zero() {
            self.report(Problem::new(&*path, "\"0s\" changes nothing").help("leave it out, or make it longer"));
        }
        self.fits(path, length);
    }

    /// Spans [begin, end) with the tables that they come from; no two may share an instant.
    fn apart(&mut self, mut spans: Vec<(Duration, Duration, String)>, key: &str, what: &str, why: &str) {
        spans.sort();
        let mut longest: Option<(Duration, String)> = None;
        for (begin, end, path) in spans {
            if let Some((until, other)) = longest.as_ref().filter(|(until, _)| begin < *until) {
                self.report(
                    Problem::new(join(&path, key), what)
                        .help(why)
                        .with(other.clone(), format!("the other lasts until {}", Text(*until))),
                );
            }
            if longest.as_ref().is_none_or(|(until, _)| end > *until) {
                longest = Some((end, path));
            }
        }
    }
}
