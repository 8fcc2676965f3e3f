//! A bar on a person's terminal for what takes longer than a second.

use std::io::Read;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How far some work has come. Decides nothing, so it may look at the real clock.
pub(crate) struct Progress {
    bar: ProgressBar,
    wanted: bool,
}

impl Progress {
    /// For work of this size, if it is known. Nothing is ever drawn unless `wanted`.
    pub(crate) fn new(wanted: bool, size: Option<u64>) -> Self {
        let bar = ProgressBar::hidden();
        if let Some(size) = size {
            bar.set_length(size);
        }
        Self { bar, wanted }
    }

    /// Counts the bytes that are read.
    pub(crate) fn reading<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.bar.wrap_read(reader)
    }

    /// Counts one more piece of the work as done.
    pub(crate) fn advance(&mut self) {
        self.bar.inc(1);
        self.tick();
    }

    /// So many pieces of the work are done.
    pub(crate) fn reach(&mut self, done: u64) {
        self.bar.set_position(done);
        self.tick();
    }

    /// Says how far the piece has come that is being worked on.
    pub(crate) fn say(&mut self, place: impl Into<String>) {
        self.bar.set_message(place.into());
        self.tick();
    }

    /// To be called now and then; draws once the work has taken too long to sit in front of it in the dark, and moves
    /// what is drawn, so that a long piece of the work looks alive.
    pub(crate) fn tick(&mut self) {
        if self.wanted && self.bar.elapsed() >= PATIENCE {
            self.wanted = false;
            self.draw_on(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }

    /// Writes something else to the terminal.
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

    /// Remembers every line that is drawn.
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
    fn nothing_is_drawn_where_nobody_looks() {
        let mut progress = Progress::new(false, None);
        progress.tick();
        assert!(progress.bar.is_hidden());
    }
}
