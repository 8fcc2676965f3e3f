//! A thousand streaming sources on one runtime of tokio, and a server that flaps for a minute of real time: none is lost, none
//! is stuck, each failure is counted as what it was, and nothing is left of them.
#![expect(clippy::disallowed_methods, reason = "a minute of real time is what this is about")]

mod server;

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use retrylab_core::Fault;
use retrylab_driver::source::tokio::{Handle, Source};
use retrylab_driver::tokio::{AsyncSleeper, TokioSleeper};
use retrylab_source::{Cause, Connection, Observer, Recorded, State, StreamInit, StreamingConfig};
use tokio::runtime::Builder;

use self::server::{FlappingServer, LONGEST_LIFE, Played};
use crate::PATIENCE;
use crate::process::Counts;

pub(crate) const NAME: &str = "a thousand sources";

const SOURCES: usize = 1000;

const LASTS: Duration = Duration::from_secs(60);

/// The first wait, in seconds.
const INITIAL: f64 = 0.05;

/// The longest wait, whatever the ladder says: else a source would attempt no more than ten times in a minute.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A source that says nothing for so long is stuck: many times as long as a connection lives and a wait lasts.
const STUCK: Duration = Duration::from_secs(15);

/// How much more may be in memory at the end of the minute than after its first ten seconds, in KiB.
const GROWTH: u64 = 16 << 10;

/// What one source did.
#[derive(Default)]
struct Life {
    attempts: AtomicU64,
    messages: AtomicU64,
    unavailable: AtomicU64,
    reset: AtomicU64,
    closed: AtomicU64,
    other: AtomicU64,
}

struct Teller {
    life: Arc<Life>,
    began: Instant,
    /// Milliseconds from the beginning to the last that was heard of it.
    last: AtomicU64,
}

struct Subject {
    handle: Handle,
    teller: Arc<Teller>,
}

/// Returns what there is to say of it, line by line.
pub(crate) fn run() -> Result<String, String> {
    let before = Counts::now()?;
    let server = FlappingServer::start().map_err(|error| error.to_string())?;
    let runtime =
        Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| error.to_string())?;
    let began = Instant::now();
    let subjects: Vec<Subject> = {
        let _inside = runtime.enter();
        (0..SOURCES).map(|_| Subject::start(&server, began)).collect()
    };
    let (mut early, mut longest_silence) = (None, Duration::ZERO);
    while began.elapsed() < LASTS {
        thread::sleep(Duration::from_millis(500));
        for (number, subject) in subjects.iter().enumerate() {
            longest_silence =
                longest_silence.max(subject.check().map_err(|problem| format!("source {number} {problem}"))?);
        }
        if early.is_none() && began.elapsed() > LASTS / 6 {
            early = Some(Counts::now()?);
        }
    }
    let late = Counts::now()?;
    let early = early.unwrap_or(late);
    server.be_well();
    let asked = Instant::now();
    while server.holds() < SOURCES || subjects.iter().any(|subject| subject.handle.status().state != State::Valid) {
        thread::sleep(Duration::from_millis(10));
        if asked.elapsed() > PATIENCE {
            let lost = subjects.iter().filter(|subject| subject.handle.status().state != State::Valid).count();
            return Err(format!("{lost} sources are lost: not valid {PATIENCE:?} after the server was well"));
        }
    }
    let recovered = asked.elapsed();
    let alive = (runtime.metrics().num_alive_tasks(), Counts::now()?);
    let played = server.played();
    let total = |of: fn(&Life) -> &AtomicU64| -> u64 {
        subjects.iter().map(|s| of(&s.teller.life).load(Ordering::SeqCst)).sum()
    };
    let recorded = Played {
        unavailable: total(|life| &life.unavailable),
        reset: total(|life| &life.reset),
        closed: total(|life| &life.closed),
        // One each, which lives.
        held: total(|life| &life.attempts)
            - total(|life| &life.unavailable)
            - total(|life| &life.reset)
            - total(|life| &life.closed),
    };
    let others = total(|life| &life.other);
    let messages = total(|life| &life.messages);
    let attempts = || subjects.iter().map(|subject| subject.teller.life.attempts.load(Ordering::SeqCst));
    let (fewest, most) = (attempts().min().unwrap_or(0), attempts().max().unwrap_or(0));
    let stopping = Instant::now();
    for subject in &subjects {
        subject.handle.stop();
    }
    runtime.block_on(async {
        for subject in &subjects {
            subject.handle.closed().await;
        }
    });
    let stopped = stopping.elapsed();
    let tasks = runtime.metrics().num_alive_tasks();
    let off = subjects.iter().filter(|subject| subject.handle.status().state == State::Off).count();
    drop(subjects);
    drop(runtime);
    server.end();
    let after = Counts::now()?;

    let mut report = String::new();
    let mut say = |line: String| writeln!(report, "{line}").map_err(|error| error.to_string());
    say(format!("{SOURCES} streaming sources on one runtime of 2 threads, a server that flaps for {LASTS:?}"))?;
    say(format!("the server did     {played:?}"))?;
    say(format!("recorded was       {recorded:?}, other {others}"))?;
    say(format!("attempts           {} in all, {fewest} to {most} each; {messages} messages", attempts_of(&recorded)))?;
    say(format!("longest silence    {longest_silence:?} of one source; {STUCK:?} would be stuck"))?;
    say(format!("all valid          {recovered:?} after the server was well; tasks {}, {}", alive.0, alive.1))?;
    say(format!(
        "memory             {} KiB after {:?}, {} KiB after {LASTS:?}",
        early.resident,
        LASTS / 6,
        late.resident
    ))?;
    say(format!("stopped            in {stopped:?}; {off} off, {tasks} tasks left"))?;
    say(format!("before             {before}"))?;
    say(format!("after              {after}"))?;

    let problem = if played != recorded || others > 0 {
        "what was recorded is not what the server did"
    } else if alive.0 != SOURCES {
        "a source is not one task"
    } else if off != SOURCES || tasks > 0 || after.threads != before.threads || after.sockets != before.sockets {
        "something is left"
    } else if late.resident > early.resident + GROWTH {
        "memory is not flat"
    } else {
        return Ok(report);
    };
    Err(format!("{problem}:\n{report}"))
}

const fn attempts_of(recorded: &Played) -> u64 {
    recorded.unavailable + recorded.reset + recorded.closed + recorded.held
}

impl Subject {
    fn start(server: &FlappingServer, began: Instant) -> Self {
        let teller = Arc::new(Teller { life: Arc::default(), began, last: AtomicU64::new(millis(began.elapsed())) });
        let config = StreamingConfig {
            initial_reconnect_delay: INITIAL,
            ..StreamingConfig::new(Connection::to(format!("http://{}", server.address())))
        };
        let short = |delay: Duration| TokioSleeper.sleep(delay.min(LONGEST_WAIT));
        let handle = Source::streaming(config).observer(teller.clone()).sleeper(short).start();
        Self { handle, teller }
    }

    /// How long nothing was heard of it.
    fn check(&self) -> Result<Duration, String> {
        if self.handle.status().state == State::Off {
            return Err("is off".to_owned());
        }
        let last = Duration::from_millis(self.teller.last.load(Ordering::SeqCst));
        let silence = self.teller.began.elapsed().saturating_sub(last);
        if silence > STUCK {
            return Err(format!("is stuck: {}, and nothing was heard for {silence:?}", self.handle.status().state));
        }
        Ok(silence)
    }
}

impl Observer for Teller {
    fn recorded(&self, outcome: Recorded<Infallible>, _: retrylab_core::Instant) {
        let Life { messages, unavailable, reset, closed, other, .. } = &*self.life;
        let count = match outcome {
            Recorded::Success => messages,
            Recorded::Failure { cause: Cause::Status(503), .. } => unavailable,
            Recorded::Failure { cause: Cause::Fault(Fault::Reset), .. } => reset,
            Recorded::Failure { cause: Cause::Fault(Fault::Close), .. } => closed,
            Recorded::Failure { .. } => other,
        };
        count.fetch_add(1, Ordering::SeqCst);
        self.last.store(millis(self.began.elapsed()), Ordering::SeqCst);
    }

    /// One each attempt: of its failure or its first data.
    fn stream_init(&self, _: StreamInit) {
        self.life.attempts.fetch_add(1, Ordering::SeqCst);
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

const _: () = assert!(STUCK.as_millis() > 3 * (LONGEST_LIFE.as_millis() + LONGEST_WAIT.as_millis()));
