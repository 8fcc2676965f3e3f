//! A progress bar on a terminal for work over a second.

use std::io::Read;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of some work. It decides nothing, so it may read the real clock.
pub(crate) struct Progress {
    bar: ProgressBar,
    wanted: bool,
}

impl Progress {
    /// Progress of work of this size, if known. Nothing is drawn unless `wanted`.
    pub(crate) fn new(wanted: bool, size: Option<u64>) -> Self {
        let bar = ProgressBar::hidden();
        if let Some(size) = size {
            bar.set_length(size);
        }
        Self { bar, wanted }
    }

    /// Counts the bytes read.
    pub(crate) fn reading<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.bar.wrap_read(reader)
    }

    /// Counts one more piece as done.
    pub(crate) fn advance(&mut self) {
        self.bar.inc(1);
        self.tick();
    }

    /// Sets the number of pieces done.
    pub(crate) fn reach(&mut self, done: u64) {
        self.bar.set_position(done);
        self.tick();
    }

    /// Sets the text about the present piece.
    pub(crate) fn say(&mut self, place: impl Into<String>) {
        self.bar.set_message(place.into());
        self.tick();
    }

    /// Redraws the bar, once the work has taken over a second. To be called now and then, also during a long piece.
    pub(crate) fn tick(&mut self) {
        if self.wanted && self.bar.elapsed() >= PATIENCE {
            self.wanted = false;
            self.draw_on(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }

    /// Writes another line above the bar.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    fn draw_on(&self, target: ProgressDrawTarget) {
        let known = self.bar.length().is_some();
        let form = if known { "{spinner} {wide_bar} {percent:>3}%  {msg}" } else { "{spinner} {binary_bytes}  {msg}" };
        if let Ok(style) = ProgressStyle::with_template(form) {
            self.bar.set_style(style);
        }
        self.bar.set_draw_target(target);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt;
    use std::io;
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    /// Records every drawn line.
    #[derive(Clone, Default)]
    struct Terminal(Arc<Mutex<Vec<String>>>);

    impl fmt::Debug for Terminal {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Terminal")
        }
    }

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push(text.trim_end().to_owned());
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_first_piece_of_the_work_moves_before_it_is_done() {
        let terminal = Terminal::default();
        let mut progress = Progress::new(false, Some(1));
        progress.draw_on(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        progress.say("a day");
        progress.say("two days");
        let drawn: Vec<String> = terminal.0.lock().unwrap().iter().filter(|text| !text.is_empty()).cloned().collect();
        assert!(drawn.iter().any(|line| line.ends_with("  0%  a day")), "{drawn:?}");
        assert!(drawn.iter().any(|line| line.ends_with("  0%  two days")), "{drawn:?}");
        let spinners: std::collections::BTreeSet<_> = drawn.iter().filter_map(|line| line.chars().next()).collect();
        assert!(spinners.len() > 1, "{drawn:?}");
    }

    #[test]
    fn nothing_is_drawn_without_a_terminal() {
        let mut progress = Progress::new(false, None);
        progress.tick();
        assert!(progress.bar.is_hidden());
    }
}
