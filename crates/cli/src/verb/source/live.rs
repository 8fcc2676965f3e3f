//! Runs a source from its start to its end.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::source::blocking::Handle;
use retrylab_driver::{Clock, LONGEST_WAIT, Monotonic};
use retrylab_source::State;
use retrylab_spec::duration;

use super::connection::Attached;
use super::countdown::{Countdown, PERIOD};
use super::line::{Line, print_titles};
use super::reporter::Reporter;
use super::{Source, WatchError};
use crate::{Console, Exit, Format, Refusal};

/// The time limit for the thread of a stopped source: the lookup of a host's name cannot be cut.
const PATIENCE: Duration = Duration::from_secs(1);

/// The messages of the watching thread.
pub(super) enum Event {
    /// An event.
    Line(Line),
    /// Ctrl-C.
    Interrupted,
    /// The source's thread has ended.
    Ended,
}

pub(super) fn watch(arguments: &Source, console: &mut Console<'_>) -> Result<Exit, Refusal> {
    let attached = Attached::new(arguments, console.credential.as_deref())?;
    if let Some(raised) = &attached.raised {
        let text = |seconds| duration::print(Duration::from_secs_f64(seconds));
        let (given, least) = (text(raised.given), text(raised.least));
        console
            .warn(format_args!("--poll-interval is {given}; at least {least} is allowed, so it polls every {least}"))?;
    }
    let (sender, events) = channel();
    let interrupt = sender.clone();
    ctrlc::set_handler(move || {
        // After the end, no message is needed.
        let _ = interrupt.send(Event::Interrupted);
    })
    .map_err(WatchError::from)?;

    let began = Monotonic.now();
    let mut screen = Screen::new(arguments.output.format, began, console)?;
    let reporter = Arc::new(Reporter::new(sender.clone(), attached.cadence, began));
    let handle = attached.wire(&reporter).start();
    if handle.status().state == State::Off {
        return Err(WatchError::NoThread.into());
    }
    let shown = screen.show(&events, arguments.limit.map(|limit| began + limit));
    end(handle, &sender);
    let shown = shown.and_then(|()| screen.show(&events, Some(Monotonic.now() + PATIENCE)));
    // A closed output ends the command.
    Refusal::unless_unread(shown)?;
    Ok(Exit::Held)
}

/// Stops the source and waits for its thread on another one.
fn end(handle: Handle, sender: &Sender<Event>) {
    handle.stop();
    let sender = sender.clone();
    // Without a thread for it, the process ends without waiting.
    let _ = thread::Builder::new().name("retrylab-end".to_owned()).spawn(move || {
        handle.join();
        let _ = sender.send(Event::Ended);
    });
}

/// The output of the lines.
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

    /// Prints events until Ctrl-C or this time.
    fn show(&mut self, events: &Receiver<Event>, deadline: Option<Instant>) -> io::Result<()> {
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
            match next(events, patience) {
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

#[expect(clippy::disallowed_methods, reason = "the source runs in real time, and so does its observer")]
fn next(events: &Receiver<Event>, patience: Duration) -> Result<Event, RecvTimeoutError> {
    events.recv_timeout(patience)
}
