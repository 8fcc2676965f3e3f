//! What a driver and the server that plays to it share: one stepped clock, the script, the draws, and what is told.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use retrylab_core::{Instant, nanos};
use retrylab_driver::LONGEST_WAIT;
use retrylab_source::{LogMessage, LogRecord, Observer, Recorded, State, Status};
use retrylab_spec::{ConnectFault, End, Entry, Outcome, Timeline};

use crate::draws::{Answerer, FailureDraws};
use crate::lines;
use crate::port::Port;
use crate::script::Script;

/// The world of one run. No time passes in it but where the driver waits, or the server lets it.
pub(crate) struct Stage {
    timeline: Timeline,
    port: Port,
    cues: Mutex<Sender<Cue>>,
    moment: Mutex<Moment>,
    changed: Condvar,
}

/// What the server does next.
pub(crate) enum Cue {
    /// To answer the one connection that comes over this.
    Answer(TcpListener, Entry),
    /// Nothing: the run ends.
    End(Ended),
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The user stops the source now.
    Stop,
    /// There is nothing more to compare.
    Over,
}

struct Moment {
    now: u64,
    draws: FailureDraws,
    script: Script,
    attempts: u64,
    /// The attempt that the source knows of: it says what it does before the first one.
    attempt: u64,
    answerer: Answerer,
    lines: Vec<String>,
    /// Nothing is told any more.
    over: bool,
    /// The last wait goes on: it is longer than what one sleep can be.
    sleeping_on: bool,
    heard: StreamEvent,
}

/// What the source said since its attempt began; of `initialized`, ever.
#[derive(Clone, Copy, Debug, Default)]
struct StreamEvent {
    connected: bool,
    succeeded: bool,
    handled: bool,
    valid: bool,
    initialized: bool,
    failed: bool,
}

impl Stage {
    /// The stage before the first attempt, and where the cues of its server arrive.
    pub(crate) fn new(timeline: Timeline, seed: u64) -> (Self, Receiver<Cue>) {
        let port = Port::hold().expect("a free port");
        let (cues, cued) = channel();
        let moment = Moment {
            now: 0,
            draws: FailureDraws::new(seed, timeline.client.jitter),
            script: Script::new(&timeline),
            attempts: 0,
            attempt: 0,
            answerer: Answerer::Tail,
            lines: Vec::new(),
            over: false,
            sleeping_on: false,
            heard: StreamEvent::default(),
        };
        let changed = Condvar::new();
        let stage = Self { timeline, port, cues: Mutex::new(cues), moment: Mutex::new(moment), changed };
        (stage, cued)
    }

    pub(crate) const fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Gets ready for the attempt that begins now: sets up what it meets, and cues the server.
    pub(crate) fn begin_attempt(&self) {
        let mut moment = self.lock();
        let now = moment.now;
        let Some((entry, answerer)) = moment.script.next(&self.timeline, now) else {
            moment.over = true;
            return self.cue(Cue::End(Ended::Over));
        };
        if moment.attempts > 0 {
            moment.attempt += 1;
        }
        moment.attempts += 1;
        moment.answerer = answerer;
        moment.heard = StreamEvent { initialized: moment.heard.initialized, ..StreamEvent::default() };
        if entry.outcome != Outcome::Fault(ConnectFault::Refused) {
            let listener = self.port.listen().expect("a port that is held");
            self.cue(Cue::Answer(listener, entry));
        }
    }

    /// The source waits. Returns whether it goes on; if not, the server has been cued, and stops it.
    pub(crate) fn wait(&self, delay: Duration) -> bool {
        let mut moment = self.lock();
        if !moment.sleeping_on {
            moment.tell(lines::waits(delay));
        }
        let target = moment.now.saturating_add(nanos(delay));
        let over = moment.script.is_over();
        match self.pass(&mut moment, (!over).then_some(target), Ties::Stop) {
            Ok(()) => {
                moment.sleeping_on = delay == LONGEST_WAIT;
                let attempts = !moment.sleeping_on;
                drop(moment);
                if attempts {
                    self.begin_attempt();
                }
                true
            }
            Err(ended) => {
                self.cue(Cue::End(ended));
                false
            }
        }
    }

    /// The server lets this much time pass.
    pub(crate) fn let_pass(&self, span: Duration) -> Result<(), Ended> {
        let mut moment = self.lock();
        let target = moment.now.saturating_add(nanos(span));
        self.pass(&mut moment, Some(target), Ties::Stop)
    }

    /// Lets the time of a live stream pass, which lasts this long and ends so, unless a window cuts it. Returns how it
    /// ended, once it has.
    pub(crate) fn live(&self, lasts: Option<(Duration, End)>) -> Result<End, Ended> {
        let mut moment = self.lock();
        let own = lasts.map(|(length, end)| (moment.now.saturating_add(nanos(length)), end));
        // What cut at this very instant came before the stream did.
        let cut = (self.timeline.windows.iter().enumerate())
            .filter_map(|(index, window)| Some((nanos(window.from), index, window.cut?)))
            .filter(|(from, ..)| *from > moment.now)
            .min_by_key(|(from, ..)| *from)
            .filter(|(from, ..)| own.is_none_or(|(at, _)| *from <= at));
        match (cut, own) {
            (Some((from, index, end)), _) => {
                self.pass(&mut moment, Some(from), Ties::Event)?;
                moment.answerer = Answerer::Window(index, self.timeline.windows[index].entry.draw);
                Ok(end)
            }
            (None, Some((at, end))) => self.pass(&mut moment, Some(at), Ties::Stop).map(|()| end),
            (None, None) => Err(self.pass(&mut moment, None, Ties::Stop).err().unwrap_or(Ended::Over)),
        }
    }

    /// Blocks until the source has done all that it does about its first message, if that is a patch. Returns whether it
    /// did.
    pub(crate) fn await_patch(&self) -> bool {
        self.await_that(|heard| heard.succeeded && heard.handled)
    }

    /// Blocks until the source has done all that it does about its first message, if that is a put. Returns whether it did.
    pub(crate) fn await_put(&self) -> bool {
        self.await_that(|heard| heard.succeeded && heard.valid && heard.initialized)
    }

    /// Blocks until the source knows that it is connected. Returns whether it does.
    pub(crate) fn await_connected(&self) -> bool {
        self.await_that(|heard| heard.connected)
    }

    /// The user stops the source, right after this.
    pub(crate) fn note_stop(&self) {
        self.lock().tell(lines::STOP);
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::from_nanos(self.lock().now)
    }

    pub(crate) fn draw(&self) -> u64 {
        let mut moment = self.lock();
        let answerer = moment.answerer;
        moment.draws.draw(answerer)
    }

    /// A listener was told of this.
    pub(crate) fn status(&self, status: &Status) {
        let mut moment = self.lock();
        moment.tell(lines::status(status));
        moment.heard.valid |= status.state == State::Valid;
        self.changed.notify_all();
    }

    /// What was told so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        let moment = self.lock();
        let mut lines = moment.lines.clone();
        lines.push(lines::attempts(moment.attempts));
        lines
    }

    fn await_that(&self, such: impl Fn(&StreamEvent) -> bool) -> bool {
        let moment = self.lock();
        let moment = self.changed.wait_while(moment, |moment| !such(&moment.heard) && !moment.heard.failed);
        such(&moment.unwrap_or_else(PoisonError::into_inner).heard)
    }

    /// Lets time pass until the target, or until what ends the run before; without a target, until that.
    fn pass(&self, moment: &mut Moment, target: Option<u64>, ties: Ties) -> Result<(), Ended> {
        let before = |at: u64| target.is_none_or(|target| at < target || (at == target && ties == Ties::Stop));
        if let Some(stop) = self.timeline.stop.map(nanos).filter(|stop| before(*stop)) {
            moment.now = stop;
            return Err(Ended::Stop);
        }
        let until = self.timeline.until.map_or(u64::MAX, nanos);
        match target.filter(|target| *target <= until) {
            Some(target) => {
                moment.now = target;
                Ok(())
            }
            None => {
                moment.over = true;
                Err(Ended::Over)
            }
        }
    }

    fn cue(&self, cue: Cue) {
        // The server has gone home if the run is over.
        let _ = self.cues.lock().unwrap_or_else(PoisonError::into_inner).send(cue);
    }

    fn lock(&self) -> MutexGuard<'_, Moment> {
        // Whoever panicked is heard of; what was told before is to be seen.
        self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What comes first of two things that are due at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ties {
    /// The stop, which was known from the start.
    Stop,
    /// The event: a window's cut was known even before.
    Event,
}

impl Moment {
    fn tell(&mut self, what: impl AsRef<str>) {
        if !self.over {
            self.lines.push(lines::line(self.now, self.attempt, what.as_ref()));
        }
    }
}

impl Observer for Stage {
    fn log(&self, record: &LogRecord) {
        let mut moment = self.lock();
        moment.tell(lines::log(record.level, record.message));
        match record.message {
            LogMessage::StartingStream | LogMessage::StartingPolling(_) => moment.attempt = 1,
            LogMessage::Handled => moment.heard.handled = true,
            LogMessage::Initialized => moment.heard.initialized = true,
            _ => {}
        }
        self.changed.notify_all();
    }

    fn recorded(&self, outcome: Recorded<Infallible>, now: Instant) {
        let mut moment = self.lock();
        // What the retry state was told is the time of this record, even if it were not the time by now.
        let told = match outcome {
            Recorded::Success => {
                moment.heard.succeeded = true;
                lines::SUCCESS.to_owned()
            }
            Recorded::Failure { cause, kind, decision: Ok(delay) } => {
                moment.heard.failed = true;
                lines::failure(cause, kind, delay)
            }
        };
        let attempt = moment.attempt;
        if !moment.over {
            moment.lines.push(lines::line(now.as_nanos(), attempt, &told));
        }
        self.changed.notify_all();
    }

    fn environment(&self, _: &str) {
        let mut moment = self.lock();
        moment.tell(lines::CONNECTED);
        moment.heard.connected = true;
        self.changed.notify_all();
    }
}
