//! Nothing is left of a source that was stopped or whose handle was dropped: no thread, no task, no descriptor, by the
//! system's own count.
//!
//! A test target of its own that runs one trial after the other on its main thread: whatever else ran in this process would
//! be counted, too. Linux tells what a process holds; elsewhere nothing is counted, and the output says so.
#![forbid(unsafe_code)]
#![expect(clippy::expect_used, reason = "a test may stop at once; clippy knows a test only by cargo's own harness")]

mod held;
mod peer;
mod source;

use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use retrylab_source::StartWait;
use tokio::runtime::{Builder, Runtime};

use crate::held::Held;
use crate::peer::{Peer, Peers};
use crate::source::{Driver, Mode, Source, Told};

/// The first wait after a rejection.
const FIVE_MINUTES: Duration = Duration::from_secs(300);

/// Where a source is when it ends.
#[derive(Clone, Copy, Debug)]
enum At {
    /// A stream is open and has brought data, a poll waits for its answer.
    Connected,
    /// In the five minutes after a rejected key.
    Wait,
    /// Somebody waits five minutes for the first data.
    StartWait,
}

#[derive(Clone, Copy, Debug)]
enum By {
    Stop,
    Drop,
}

#[derive(Clone, Copy)]
struct Case {
    driver: Driver,
    mode: Mode,
    at: At,
    by: By,
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    if !Held::can_be_counted() {
        println!("skipped: this system has no /proc/self that says what a process holds");
        return ExitCode::SUCCESS;
    }
    arguments.test_threads = Some(1);
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    // Its thread is there before anything is counted, has its name, and stays.
    runtime.block_on(runtime.spawn(async {})).expect("no panic");
    while runtime.metrics().num_alive_tasks() > 0 {
        thread::yield_now();
    }
    let runtime = Arc::new(runtime);
    let trials = cases().map(|case| {
        let runtime = Arc::clone(&runtime);
        Trial::test(case.to_string(), move || {
            case.play(&runtime);
            Ok(())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn cases() -> impl Iterator<Item = Case> {
    let drivers = [Driver::Std, Driver::Tokio].into_iter();
    let modes = drivers.flat_map(|driver| [Mode::Streaming, Mode::Polling].map(|mode| (driver, mode)));
    let states = modes.flat_map(|(driver, mode)| [At::Connected, At::Wait, At::StartWait].map(|at| (driver, mode, at)));
    states.flat_map(|(driver, mode, at)| [By::Stop, By::Drop].map(|by| Case { driver, mode, at, by }))
}

impl Case {
    fn play(self, runtime: &Runtime) {
        let peers = Peers::listen();
        let before = Held::by_this_process(runtime);
        let source = Source::start(self.driver, self.mode, peers.uri(), runtime);
        let stopped = match self.at {
            At::Connected => self.connected(source, peers.next()),
            At::Wait => self.wait(source, peers.next()),
            At::StartWait => self.start_wait(source, peers.next()),
        };
        before.is_reached_again(runtime);
        if let Some(stopped) = stopped {
            stopped.closed();
        }
    }

    fn connected(self, source: Source, mut peer: Peer) -> Option<Source> {
        if self.mode == Mode::Streaming {
            peer.send_data();
            source.hears(Told::Ready);
        }
        let stopped = self.end(source);
        peer.sees_the_end();
        stopped
    }

    fn wait(self, source: Source, mut peer: Peer) -> Option<Source> {
        peer.send_rejection();
        // A wait holds no connection.
        peer.sees_the_end();
        source.hears(Told::Fails(FIVE_MINUTES));
        source.hears(Told::Waits);
        self.end(source)
    }

    fn start_wait(self, source: Source, peer: Peer) -> Option<Source> {
        let stopped = match (self.by, self.driver) {
            (By::Stop, _) => {
                let waiter = source.wait_for_data(StartWait::seconds(300.0));
                source.hears(Told::LongStartWait);
                source.stop();
                assert!(!waiter.had_data());
                Some(source)
            }
            (By::Drop, Driver::Tokio) => {
                source.drop_in_the_start_wait(StartWait::seconds(300.0));
                None
            }
            // A thread that waits borrows the handle, so it is dropped when the wait is over.
            (By::Drop, Driver::Std) => {
                source.drop_after_the_start_wait(StartWait::seconds(0.001));
                None
            }
        };
        peer.sees_the_end();
        stopped
    }

    /// Returns the source if its handle is still there.
    fn end(self, source: Source) -> Option<Source> {
        match self.by {
            By::Stop => {
                source.stop();
                Some(source)
            }
            By::Drop => None,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { driver, mode, at, by } = self;
        let at = match at {
            At::Connected => "connected",
            At::Wait => "in a wait of five minutes",
            At::StartWait => "in the start wait",
        };
        let by = match by {
            By::Stop => "stopped",
            By::Drop => "dropped",
        };
        write!(f, "{driver}/{mode}/{by} {at}")
    }
}
