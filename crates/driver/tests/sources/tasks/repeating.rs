//! A callback that is called again and again, on tokio's paused clock.

use std::cell::Cell;
use std::fmt::Display;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use retrylab_driver::source::tokio::{Repeating, Stopper};
use retrylab_source::{DelaySource, Every, LogRecord, Observer, RepeatingTask};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

struct Log(UnboundedSender<String>);

impl Observer for Log {
    fn log(&self, record: &LogRecord) {
        let _ = self.0.send(record.to_string());
    }
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

fn ok() -> Result<(), String> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_wait_begins_when_the_call_has_ended() {
    let began = Instant::now();
    let (tell, mut told) = unbounded_channel();
    let repeating = Repeating::new(RepeatingTask::every(10 * SECOND).initial_delay(2 * SECOND), move || {
        let tell = tell.clone();
        async move {
            tell.send(began.elapsed().as_secs()).unwrap();
            tokio::time::sleep(3 * SECOND).await;
            ok()
        }
    });
    repeating.start();
    let mut at = Vec::new();
    for _ in 0..3 {
        at.push(told.recv().await.unwrap());
    }
    assert_eq!(at, [2, 15, 28]);
    repeating.stop();
    repeating.closed().await;
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_or_panics_is_logged_and_followed_by_the_next() {
    let (log, mut lines) = unbounded_channel();
    let (stopper, mut calls) = (Stopper::new(), 0);
    let enough = stopper.clone();
    let repeating = Repeating::new(RepeatingTask::every(SECOND), move || {
        calls += 1;
        let call = calls;
        if call == 2 {
            panic!("at once");
        }
        if call == 4 {
            enough.stop();
        }
        async move {
            match call {
                1 => Err("refused"),
                3 => panic!("later"),
                _ => Ok(()),
            }
        }
    });
    let repeating = repeating.stopper(stopper).observer(Arc::new(Log(log)));
    repeating.start();
    repeating.closed().await;
    let words = |detail: &dyn Display| format!("The callback of a repeating task failed ({detail})");
    let mut seen = Vec::new();
    while let Ok(line) = lines.try_recv() {
        seen.push(line);
    }
    assert_eq!(seen, [words(&"refused"), words(&"panicked: at once"), words(&"panicked: later")]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_stops_its_own_task_may_finish() {
    let (tell, mut told) = unbounded_channel();
    let stopper = Stopper::new();
    let own = stopper.clone();
    let repeating = Repeating::new(RepeatingTask::every(SECOND), move || {
        let (tell, own) = (tell.clone(), own.clone());
        async move {
            own.stop();
            own.stop();
            tokio::time::sleep(SECOND).await;
            tell.send(()).unwrap();
            ok()
        }
    });
    let repeating = repeating.stopper(stopper);
    repeating.start();
    repeating.closed().await;
    assert_eq!(told.recv().await, Some(()));
    assert_eq!(told.recv().await, None, "it was the only call, and its callback is gone");
}

#[tokio::test(start_paused = true)]
async fn stopping_from_outside_cuts_a_call_and_a_wait() {
    let (tell, mut told) = unbounded_channel();
    let repeating = Repeating::new(RepeatingTask::every(SECOND), move || {
        tell.send(()).unwrap();
        async {
            pending::<()>().await;
            ok()
        }
    });
    repeating.start();
    told.recv().await.unwrap();
    repeating.stop();
    repeating.closed().await;
    assert_eq!(tasks(), 0);

    let began = Instant::now();
    let stopper = Stopper::new();
    let waits = Repeating::new(RepeatingTask::every(SECOND).initial_delay(3600 * SECOND), || async { ok() });
    let waits = waits.stopper(stopper.clone());
    waits.start();
    tokio::task::yield_now().await;
    stopper.stop();
    waits.closed().await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn dropping_it_stops_it() {
    let (tell, mut told) = unbounded_channel();
    let repeating = Repeating::new(RepeatingTask::every(SECOND), move || {
        tell.send(()).unwrap();
        async { ok() }
    });
    repeating.start();
    told.recv().await.unwrap();
    drop(repeating);
    assert_eq!(told.recv().await, None, "the callback is gone");
}

#[tokio::test(start_paused = true)]
async fn after_a_stop_nothing_is_called() {
    let called = || async { panic!("it was stopped") as Result<(), String> };
    let repeating = Repeating::new(RepeatingTask::every(SECOND), called);
    repeating.stop();
    repeating.stop();
    repeating.start();
    repeating.closed().await;
    assert_eq!(tasks(), 0);
}

#[tokio::test(start_paused = true)]
async fn one_stopper_may_stop_several() {
    let stopper = Stopper::new();
    let own = stopper.clone();
    let first = Repeating::new(RepeatingTask::every(SECOND), move || {
        own.stop();
        async { ok() }
    });
    let called = || async { panic!("it was stopped before its first call") as Result<(), String> };
    let (log, mut lines) = unbounded_channel();
    let second = Repeating::new(RepeatingTask::every(SECOND), called).observer(Arc::new(Log(log)));
    let waits = Repeating::new(RepeatingTask::every(SECOND).initial_delay(SECOND), called);
    let all = [first, second, waits].map(|repeating| repeating.stopper(stopper.clone()));
    all.iter().for_each(Repeating::start);
    for repeating in &all {
        repeating.closed().await;
    }
    assert!(lines.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn starting_again_changes_nothing_and_is_logged() {
    let (log, mut lines) = unbounded_channel();
    let (tell, mut told) = unbounded_channel();
    let began = Instant::now();
    let repeating = Repeating::new(RepeatingTask::every(SECOND), move || {
        tell.send(began.elapsed()).unwrap();
        async { ok() }
    });
    let repeating = repeating.observer(Arc::new(Log(log)));
    repeating.start();
    repeating.start();
    assert_eq!(lines.recv().await.unwrap(), "Already started; starting again changes nothing");
    assert_eq!((told.recv().await, told.recv().await), (Some(Duration::ZERO), Some(SECOND)));
    repeating.stop();
    repeating.closed().await;
}

#[tokio::test(start_paused = true)]
async fn without_a_wait_the_other_tasks_run_all_the_same() {
    let repeating = Repeating::new(RepeatingTask::new(Every(Duration::ZERO)), || async { ok() });
    repeating.start();
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    repeating.stop();
    repeating.closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_source_that_panics_is_read_again() {
    struct Moody(Cell<u32>);

    impl DelaySource for Moody {
        fn next_delay(&self) -> Duration {
            self.0.set(self.0.get() + 1);
            assert!(self.0.get() > 2, "not in the mood");
            SECOND
        }
    }

    let (tell, mut told) = unbounded_channel();
    let repeating = Repeating::new(RepeatingTask::new(Moody(Cell::new(0))), move || {
        tell.send(()).unwrap();
        async { ok() }
    });
    repeating.start();
    assert_eq!((told.recv().await, told.recv().await), (Some(()), Some(())));
    repeating.stop();
    repeating.closed().await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_panics_is_read_again() {
    // It is read at the start, after the call, and before the wait.
    for broken in [1, 2] {
        let (log, mut lines) = unbounded_channel();
        let (tell, mut told) = unbounded_channel();
        let reads = AtomicUsize::new(0);
        let repeating = Repeating::new(RepeatingTask::every(SECOND), move || {
            tell.send(()).unwrap();
            async { ok() }
        });
        let repeating = repeating.observer(Arc::new(Log(log))).clock(move || {
            assert_ne!(reads.fetch_add(1, Ordering::SeqCst), broken, "no time");
            retrylab_core::Instant::ZERO
        });
        repeating.start();
        assert_eq!((told.recv().await, told.recv().await), (Some(()), Some(())));
        let line = lines.try_recv().unwrap();
        assert!(line.starts_with("The callback of a repeating task failed (panicked: "), "{line}");
        repeating.stop();
        repeating.closed().await;
    }
}
