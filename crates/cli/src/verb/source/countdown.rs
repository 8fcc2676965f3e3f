//! The line at the bottom of a terminal: the status, and the time to the next attempt.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use retrylab_core::Instant;
use retrylab_spec::duration;

use super::line::Line;

/// The redraw interval, short enough for the seconds shown.
pub(super) const PERIOD: Duration = Duration::from_millis(250);

/// Drawn on standard error, by the owning thread.
pub(super) struct Countdown {
    bar: ProgressBar,
    last: Option<Line>,
}

impl Countdown {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Self { bar, last: None }
    }

    /// Prints a line above it.
    pub(super) fn above<T>(&mut self, line: &Line, print: impl FnOnce() -> T) -> T {
        let printed = self.bar.suspend(print);
        self.last = Some(line.clone());
        printed
    }

    pub(super) fn draw(&self, now: Instant) {
        if let Some(line) = &self.last {
            self.bar.set_message(text(line, now));
            self.bar.tick();
        }
    }
}

impl Drop for Countdown {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The text at `now`, after the last line.
fn text(line: &Line, now: Instant) -> String {
    let seconds = |duration: Duration| duration::print(Duration::from_secs(duration.as_secs()));
    let state = format!("{} for {}", line.status.state, seconds(now.since(line.status.since)));
    let next = line.wait.map(|wait| (line.at + wait).since(now));
    match next {
        // A started second counts, so that 0s is shown only at the end.
        Some(left) if !left.is_zero() => {
            format!("{state}, next attempt in {}", seconds(left + Duration::from_nanos(999_999_999)))
        }
        Some(_) => format!("{state}, attempt under way"),
        None => state,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_source::{Level, Status};

    #[test]
    fn a_wait_counts_down_to_the_attempt() {
        let at = Instant::from_secs(100);
        let status = Status::new(Instant::from_secs(90));
        let wait = Some(Duration::from_millis(2_500));
        let line = Line {
            at,
            status,
            level: Level::Info,
            message: String::new(),
            wait,
            reason: None,
            data: None,
            data_changed: false,
        };
        assert_eq!(text(&line, at), "INITIALIZING for 10s, next attempt in 3s");
        let later = at + Duration::from_millis(2_499);
        assert_eq!(text(&line, later), "INITIALIZING for 12s, next attempt in 1s");
        assert_eq!(text(&line, Instant::from_secs(103)), "INITIALIZING for 13s, attempt under way");
        let without = Line { wait: None, ..line };
        assert_eq!(text(&without, at), "INITIALIZING for 10s");
    }
}
