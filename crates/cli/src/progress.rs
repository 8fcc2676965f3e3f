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

    /// To be called now and then; draws once the work has taken too long to sit in front of it in the dark.
    pub(crate) fn tick(&mut self) {
        if self.wanted && self.bar.elapsed() >= PATIENCE {
            self.wanted = false;
            let form =
                if self.bar.length().is_some() { "{wide_bar} {percent:>3}%" } else { "{spinner} {binary_bytes}" };
            if let Ok(style) = ProgressStyle::with_template(form) {
                self.bar.set_style(style);
            }
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
