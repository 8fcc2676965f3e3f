//! A callback that is called again and again, in every order of starts and stops.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use retrylab_core::Instant;
use retrylab_driver::blocking::Cancel;
use retrylab_driver::source::blocking::Repeating;
use retrylab_source::{DelaySource, Every, RepeatingTask};

use crate::journal::Journal;

const TEN: Duration = Duration::from_secs(10);

/// A task whose calls are received, and whose waits and log lines are in a journal.
fn calls<D: DelaySource + Send + 'static>(
    journal: &Journal,
    waits: usize,
    task: RepeatingTask<D>,
) -> (Repeating<D>, Receiver<()>) {
    let (tell, told) = channel();
    (kept(journal, waits, Repeating::new(task, move || tell.send(()))), told)
}

fn kept<D: DelaySource + Send + 'static>(journal: &Journal, waits: usize, task: Repeating<D>) -> Repeating<D> {
    task.sleeper(journal.waits(waits)).clock(|| Instant::ZERO).observer(Arc::new(journal.scribe()))
}

const FAILED: &str = "error The callback of a repeating task failed";

#[test]
fn it_calls_waits_and_calls() {
    let mut journal = Journal::new();
    let (task, called) = calls(&journal, 2, RepeatingTask::every(TEN));
    task.start();
    for _ in 0..3 {
        called.recv().unwrap();
        assert_eq!(journal.until("wait "), ["wait 10s"]);
    }
    task.stop();
    task.join();
    assert_eq!((called.try_iter().count(), journal.rest().len()), (0, 0));
}

#[test]
fn the_first_call_may_be_waited_for_and_that_wait_is_cut() {
    let mut journal = Journal::new();
    let (task, called) = calls(&journal, 0, RepeatingTask::every(TEN).initial_delay(Duration::from_secs(3600)));
    task.start();
    assert_eq!(journal.until("wait "), ["wait 3600s"]);
    task.stop();
    task.join();
    drop(task);
    assert_eq!(called.iter().count(), 0);
}

#[test]
fn a_second_start_is_logged_and_calls_nothing() {
    let mut journal = Journal::new();
    let (task, called) = calls(&journal, 0, RepeatingTask::every(TEN));
    task.start();
    called.recv().unwrap();
    assert_eq!(journal.until("wait "), ["wait 10s"]);
    task.start();
    assert_eq!(journal.until(""), ["info Already started; starting again changes nothing"]);
    task.stop();
    task.stop();
    task.join();
    task.start();
    task.join();
    assert_eq!((called.try_iter().count(), journal.rest().len()), (0, 0));
}

#[test]
fn a_stop_before_the_start_is_for_good() {
    let mut journal = Journal::new();
    let (task, called) = calls(&journal, 0, RepeatingTask::every(TEN));
    task.stop();
    task.start();
    task.join();
    task.start();
    drop(task);
    assert_eq!((called.iter().count(), journal.rest().len()), (0, 0));
}

#[test]
fn a_callback_that_fails_or_panics_is_called_again() {
    let mut journal = Journal::new();
    let count = AtomicUsize::new(0);
    let task = Repeating::new(RepeatingTask::every(TEN), move || match count.fetch_add(1, Ordering::SeqCst) {
        0 => Err("refused"),
        1 => panic!("broken"),
        _ => Ok(()),
    });
    let task = kept(&journal, 2, task);
    task.start();
    assert_eq!(journal.until("wait "), [FAILED, "detail refused", "wait 10s"]);
    assert_eq!(journal.until("wait "), [FAILED, "detail panicked: broken", "wait 10s"]);
    assert_eq!(journal.until("wait "), ["wait 10s"]);
}

#[test]
fn a_delay_source_that_panics_is_read_again() {
    struct Moody(Cell<u32>);

    impl DelaySource for Moody {
        fn next_delay(&self) -> Duration {
            self.0.set(self.0.get() + 1);
            assert!(self.0.get() > 1, "not in the mood");
            TEN
        }
    }

    let mut journal = Journal::new();
    let (task, called) = calls(&journal, 1, RepeatingTask::new(Moody(Cell::new(0))));
    task.start();
    assert_eq!(journal.until("wait "), [FAILED, "detail panicked: not in the mood", "wait 10s"]);
    assert_eq!((called.recv(), called.recv()), (Ok(()), Ok(())));
    task.stop();
    task.join();
}

#[test]
fn a_clock_that_panics_is_read_again() {
    // It is read at the start, after the call, and before the wait.
    for broken in [1, 2] {
        let mut journal = Journal::new();
        let reads = AtomicUsize::new(0);
        let (task, called) = calls(&journal, 1, RepeatingTask::every(TEN));
        let task = task.clock(move || {
            assert_ne!(reads.fetch_add(1, Ordering::SeqCst), broken, "no time");
            Instant::ZERO
        });
        task.start();
        let entries = journal.until("wait ");
        assert_eq!((entries.len(), &*entries[0], &*entries[2]), (3, FAILED, "wait 10s"));
        assert!(entries[1].starts_with("detail panicked: "), "{entries:?}");
        assert_eq!((called.recv(), called.recv()), (Ok(()), Ok(())));
        task.stop();
        task.join();
    }
}

#[test]
fn the_callback_may_stop_it_and_join_it() {
    let mut journal = Journal::new();
    let stop = Cancel::new();
    let (stopping, count) = (stop.clone(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    let task = Repeating::new(RepeatingTask::every(TEN), move || {
        if counted.fetch_add(1, Ordering::SeqCst) == 2 {
            stopping.cancel();
        }
        Ok::<(), String>(())
    });
    let task = kept(&journal, 100, task.cancel(stop));
    task.start();
    task.join();
    assert_eq!(count.load(Ordering::SeqCst), 3);
    assert_eq!(journal.rest(), ["wait 10s", "wait 10s"]);
}

#[test]
fn a_stop_during_a_call_lets_it_finish() {
    let mut journal = Journal::new();
    let ((tell, told), (release, released)) = (channel(), channel::<()>());
    let task = Repeating::new(RepeatingTask::every(TEN), move || {
        tell.send("called").unwrap();
        released.recv().unwrap();
        tell.send("finished")
    });
    let task = kept(&journal, 100, task);
    task.start();
    assert_eq!(told.recv(), Ok("called"));
    task.stop();
    release.send(()).unwrap();
    task.join();
    drop(task);
    assert_eq!(told.iter().collect::<Vec<_>>(), ["finished"]);
    assert!(journal.rest().is_empty());
}

#[test]
fn dropping_it_stops_it_on_the_real_clock() {
    let (tell, told) = channel();
    let task = Repeating::new(RepeatingTask::every(Duration::from_secs(3600)), move || tell.send(()));
    task.start();
    told.recv().unwrap();
    drop(task);
    // The sender is gone when the thread is.
    assert!(told.recv().is_err());
}

/// The name of the thread of a task, which calls once.
fn thread_name(with_label: impl FnOnce(Repeating<Every>) -> Repeating<Every>) -> Option<String> {
    let (tell, told) = channel();
    let task = with_label(Repeating::new(RepeatingTask::every(TEN), move || {
        tell.send(std::thread::current().name().map(str::to_owned))
    }));
    task.start();
    told.recv().expect("it calls")
}

#[test]
fn a_thread_is_named_by_the_label_with_repeating_after_it() {
    assert_eq!(thread_name(|task| task).as_deref(), Some("retrylab.repeating"));
    for (label, name) in [
        ("flush", "flush.repeating"),
        ("", ".repeating"),
        ("flush\0events", "flush.repeating"),
        ("a name that is longer than the system keeps", "a name that is longer than the system keeps.repeating"),
    ] {
        assert_eq!(thread_name(|task| task.label(label)).as_deref(), Some(name));
    }
}

#[test]
fn tasks_run_at_the_same_time_and_independently() {
    let journal = Journal::new();
    let tasks: Vec<_> = (0..8).map(|_| calls(&journal, 0, RepeatingTask::every(TEN))).collect();
    for (task, _) in &tasks {
        task.start();
    }
    for (_, called) in &tasks {
        called.recv().unwrap();
    }
    tasks[0].0.stop();
    tasks[0].0.join();
    drop(tasks);
}
