//! Watches a source from its start to its end.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver_std::source::Handle;
use retrylab_driver_std::{Clock, LONGEST_WAIT, Monotonic};
use retrylab_scenario::duration;
use retrylab_source::State;

use super::connection::Attached;
use super::countdown::{Countdown, PERIOD};
use super::line::{Line, print_titles};
use super::reporter::Reporter;
use super::{Source, WatchError};
use crate::style::WARNING;
use crate::{Console, Exit, Format, Refusal};

/// How long the thread of a stopped source is waited for: the lookup of a host's name cannot be cut.
const PATIENCE: Duration = Duration::from_secs(1);

/// What the watching thread is told.
pub(super) enum Event {
    /// Something happened.
    Line(Line),
    /// A person wants it to end.
    Interrupted,
    /// The source's thread has ended.
    Ended,
}

pub(super) fn watch(arguments: &Source, console: &mut Console<'_>) -> Result<Exit, Refusal> {
    let attached = Attached::new(arguments, console.credential.as_deref())?;
    if let Some(raised) = &attached.raised {
        let text = |seconds| duration::print(Duration::from_secs_f64(seconds));
        let (given, least) = (text(raised.given), text(raised.least));
        writeln!(
            console.err,
            "{WARNING}warning:{WARNING:#} --poll-interval is {given}; at least {least} is allowed, so it polls every {least}"
        )?;
    }
    let (tell, told) = channel();
    let interrupt = tell.clone();
    ctrlc::set_handler(move || {
        // Who ends already needs not be told.
        let _ = interrupt.send(Event::Interrupted);
    })
    .map_err(WatchError::from)?;

    let began = Monotonic.now();
    let mut screen = Screen::new(arguments.format, began, console)?;
    let reporter = Arc::new(Reporter::new(tell.clone(), attached.cadence, began));
    let handle = attached.wire(&reporter).start();
    if handle.status().state == State::Off {
        return Err(WatchError::NoThread.into());
    }
    let shown = screen.show(&told, arguments.limit.map(|limit| began + limit));
    end(handle, &tell);
    let shown = shown.and_then(|()| screen.show(&told, Some(Monotonic.now() + PATIENCE)));
    // Whoever reads it no more has seen enough.
    Refusal::unless_unread(shown)?;
    Ok(Exit::Held)
}

/// Stops the source and has somebody else wait for its thread.
fn end(handle: Handle, tell: &Sender<Event>) {
    handle.stop();
    let tell = tell.clone();
    // Without a thread for it, nobody waits, and the process ends all the same.
    let _ = thread::Builder::new().name("retrylab-end".to_owned()).spawn(move || {
        handle.join();
        let _ = tell.send(Event::Ended);
    });
}

/// Where lines are shown.
struct Screen<'a, 'b> {
    format: Format,
    began: Instant,
    console: &'a mut Console<'b>,
    countdown: Option<Countdown>,
}

impl<'a, 'b> Screen<'a, 'b> {
    fn new(format: Format, began: Instant, console: &'a mut Console<'b>) -> io::Result<Self> {
        if format == Format::Text {
            print_titles(console.out)?;
            console.out.flush()?;
        }
        let countdown = console.progress.then(Countdown::new);
        Ok(Self { format, began, console, countdown })
    }

    /// Shows what is told until somebody wants it to end, or it is this late.
    fn show(&mut self, told: &Receiver<Event>, deadline: Option<Instant>) -> io::Result<()> {
        loop {
            let now = Monotonic.now();
            if let Some(countdown) = &self.countdown {
                countdown.draw(now);
            }
            let left = deadline.map_or(LONGEST_WAIT, |deadline| deadline.since(now));
            if left.is_zero() {
                return Ok(());
            }
            let patience = if self.countdown.is_some() { left.min(PERIOD) } else { left.min(LONGEST_WAIT) };
            match next(told, patience) {
                Ok(Event::Line(line)) => self.print(&line)?,
                Ok(Event::Interrupted | Event::Ended) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn print(&mut self, line: &Line) -> io::Result<()> {
        let (format, began, out) = (self.format, self.began, &mut *self.console.out);
        let mut print = || line.print(format, began, out).and_then(|()| out.flush());
        match &mut self.countdown {
            Some(countdown) => countdown.above(line, print)?,
            None => print()?,
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the source runs in real time, and so does who watches it")]
fn next(told: &Receiver<Event>, patience: Duration) -> Result<Event, RecvTimeoutError> {
    told.recv_timeout(patience)
}
