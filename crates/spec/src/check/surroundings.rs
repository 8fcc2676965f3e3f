//! Checks of windows and clocks.

use core::time::Duration;

use super::{At, Check};
use crate::duration::Text;
use crate::model::ClockChange;
use crate::policy::Shape;
use crate::problem::Problem;

impl Check<'_> {
    pub(super) fn windows(&mut self) {
        let draft = self.draft;
        let mut spans = Vec::new();
        for (index, window) in draft.windows.iter().enumerate() {
            let path = At::Table("window", index);
            let (from, until) = (path.key("from"), path.key("until"));
            self.entry(&window.entry, path);
            self.fits(from, window.from);
            self.fits(until, window.until);
            self.not_beyond_until(from, window.from);
            if window.until <= window.from {
                self.report(
                    Problem::new(until, format!("{} is not after {}", Text(window.until), Text(window.from)))
                        .help("a window is [from, until), and `until` is true time from the start, not a length")
                        .with(from, "the window begins here"),
                );
            } else {
                spans.push((window.from, window.until, index));
            }
            if let Some(cut) = window.cut {
                if draft.client.kind.shape() != Shape::Streaming {
                    self.report(
                        Problem::new(path.key("cut"), "`cut` is for streams")
                            .help("omit it: a poll has nothing to cut")
                            .with(self.shape_key(), "this client polls"),
                    );
                }
                self.one_end(path, &window.entry, cut);
            }
        }
        self.apart(spans, "window", "from", "this window overlaps another", "an attempt would have two outcomes");
    }

    pub(super) fn clock(&mut self) {
        let draft = self.draft;
        let mut suspends = Vec::new();
        for (index, event) in draft.clock.iter().enumerate() {
            let path = At::Table("clock", index);
            let at = path.key("at");
            self.fits(at, event.at);
            self.not_beyond_until(at, event.at);
            match event.change {
                ClockChange::Step(length) => self.moves(path.key("step"), length),
                ClockChange::Suspend(length) => {
                    self.moves(path.key("suspend"), length);
                    suspends.push((event.at, event.at.saturating_add(length), index));
                }
                ClockChange::WallStep(nanos) => {
                    let path = path.key("wall_step");
                    self.moves(path, Duration::from_nanos(nanos.unsigned_abs()));
                    if nanos == i64::MIN {
                        self.report(
                            Problem::new(path, "the step is too long")
                                .help("at most \"106751d 23h 47m 16.854775807s\" either way"),
                        );
                    }
                    if draft.wall.is_none() {
                        self.report(
                            Problem::new(path, "there is no date to move")
                                .help("add the date at the start, such as `wall = \"2026-08-20T09:00:00Z\"`")
                                .depends_on("wall"),
                        );
                    }
                }
            }
        }
        self.apart(suspends, "clock", "at", "this suspend overlaps another", "suspends must not overlap");
        if let Some(wall) = &draft.wall
            && wall.parse::<jiff::Timestamp>().is_err()
        {
            self.report(
                Problem::new("wall", format!("{wall:?} is not an RFC 3339 date"))
                    .help("write it as in \"2026-08-20T09:00:00Z\""),
            );
        }
    }

    fn moves(&mut self, path: At<'_>, length: Duration) {
        if length.is_zero() {
            self.report(Problem::new(path, "\"0s\" changes nothing").help("omit it, or make it longer"));
        }
        self.fits(path, length);
    }

    /// The spans [begin, end) with the numbers of their tables; no two may share an instant.
    fn apart(
        &mut self,
        mut spans: Vec<(Duration, Duration, usize)>,
        table: &'static str,
        key: &'static str,
        what: &str,
        why: &str,
    ) {
        spans.sort();
        let mut longest: Option<(Duration, usize)> = None;
        for (begin, end, nth) in spans {
            if let Some((until, other)) = longest.filter(|(until, _)| begin < *until) {
                self.report(
                    Problem::new(At::Table(table, nth).key(key), what)
                        .help(why)
                        .with(At::Table(table, other), format!("the other lasts until {}", Text(until))),
                );
            }
            if longest.is_none_or(|(until, _)| end > until) {
                longest = Some((end, nth));
            }
        }
    }
}
