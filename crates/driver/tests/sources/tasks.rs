//! What only sources in tasks do, and how long they wait on tokio's clock, which stands still.

mod repeating;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use retrylab_driver::source::tokio::{Handle, Source};
use retrylab_source::{Connection, StartWait, State, StreamingConfig};
use tokio::time::Instant;

use crate::journal::{Config, Journal, polling, streaming, with, without_details};
use crate::server::{PUT, Script, Server, closed_port, status, stream};
use crate::start_wait::OVER;

/// Ends a source, and shows that nothing of it is left.
async fn end(handle: Handle) {
    handle.stop();
    handle.closed().await;
    assert_eq!(tasks(), 0);
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test]
async fn a_source_is_one_task_and_its_connection_has_none() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let handle = journal.task(streaming(server.uri()), 0).start();
    journal.awaited("info Initialized").await;
    assert_eq!(tasks(), 1);
    drop(handle);
    while tasks() > 0 {
        tokio::task::yield_now().await;
    }
    server.requests();
}

#[tokio::test]
async fn a_source_that_is_stopped_before_its_task_has_begun_logs_nothing_else() {
    let mut journal = Journal::new();
    let handle = journal.task(streaming("http://127.0.0.1:1"), 0).start();
    handle.stop();
    handle.stop();
    end(handle).await;
    assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_timeout_after_300_s() {
    for (config, failure) in
        [(streaming as fn(String) -> Config, "failure timeout normal 1s"), (polling, "failure timeout normal 30s")]
    {
        let mut server = Server::play([Script::holds("")]);
        let mut journal = Journal::new();
        let handle = journal.task(config(server.uri()), 0).start();
        server.asked.recv().await.unwrap();
        // From here on time passes only where nothing else happens.
        tokio::time::pause();
        let began = Instant::now();
        assert_eq!(without_details(journal.awaited("wait ").await)[1], failure);
        assert!(began.elapsed() <= Duration::from_secs(301), "300 s, of which some had passed");
        end(handle).await;
        tokio::time::resume();
    }
}

#[tokio::test]
async fn a_stream_that_is_silent_for_300_s_is_a_timeout() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let handle = journal.task(streaming(server.uri()), 0).start();
    journal.awaited("info Initialized ok").await;
    tokio::time::pause();
    let began = Instant::now();
    assert_eq!(
        journal.awaited("wait ").await,
        [
            "failure timeout normal 1s",
            "warning Error on stream connection: timed out - will retry in 1.0s",
            "detail no data for 300s",
            "status INTERRUPTED UNKNOWN",
            "wait 1s",
        ]
    );
    assert!(began.elapsed() <= Duration::from_secs(301), "300 s, of which some had passed");
    end(handle).await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_rejected_key_uses_all_of_the_start_wait_and_the_source_goes_on() {
    let server = Server::play([Script::closes(status(401))]);
    let mut journal = Journal::new();
    let handle = journal.task(streaming(server.uri()), 0).start();
    journal.awaited("wait 300s").await;
    tokio::time::pause();
    let began = Instant::now();
    assert!(!handle.start_wait(StartWait::default()).await);
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(journal.rest(), [OVER]);
    assert!(!handle.sink().is_off());
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_long_start_wait_has_a_warning_and_its_full_length() {
    let mut journal = Journal::new();
    let handle = journal.task(streaming(format!("http://127.0.0.1:{}", closed_port())), 0).start();
    journal.awaited("wait ").await;
    let began = Instant::now();
    assert!(!handle.start_wait(StartWait::seconds(60.5)).await);
    assert_eq!(began.elapsed(), Duration::from_millis(60_500));
    let long = "warning A start wait of 60.5s is long; at most 60s is recommended";
    assert_eq!(journal.rest(), [long, OVER]);
    end(handle).await;
}

#[test]
fn a_runtime_that_shuts_down_turns_its_sources_off() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let (running, never_run) = runtime.block_on(async {
        let running = journal.task(streaming(server.uri()), 0).start();
        journal.awaited("info Initialized").await;
        (running, Journal::new().task(streaming("http://127.0.0.1:1"), 0).start())
    });
    drop(runtime);
    assert_eq!(running.status().state, State::Off);
    assert_eq!(never_run.status().state, State::Off);
    server.requests();
}

#[test]
fn many_sources_on_many_threads_all_end() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = Server::play((0..50).map(|_| Script::closes(status(503))));
    runtime.block_on(async {
        let journal = Journal::new();
        let handles: Vec<Handle> = (0..50).map(|_| journal.task(streaming(server.uri()), 0).start()).collect();
        for handle in &handles {
            handle.stop();
            assert_eq!(handle.status().state, State::Off);
        }
        for handle in handles {
            handle.closed().await;
        }
    });
}

/// A source that never gets as far as a socket, so that time can stand still.
fn that_trusts_nobody() -> Config {
    let config = Config::Streaming(StreamingConfig::new(Connection::to("https://127.0.0.1:1")));
    with(config, |connection| connection.authorities = Some(Vec::new()))
}

/// Panics once each time that it is armed.
fn trap() -> (Arc<AtomicBool>, impl Fn() + Send + Sync + Clone) {
    let armed = Arc::new(AtomicBool::new(false));
    let trigger = Arc::clone(&armed);
    (trigger, move || assert!(!armed.swap(false, Ordering::SeqCst), "the trap was armed"))
}

#[tokio::test(start_paused = true)]
async fn callback_raises_outside_its_own_handling_and_a_second_after_an_error_line_the_source_goes_on() {
    let mut journal = Journal::new();
    let (arm_clock, clock) = trap();
    let (arm_entropy, entropy) = trap();
    let began = Instant::now();
    let waits = journal.scribe();
    let source = journal.task(that_trusts_nobody(), 0);
    let source = source
        .clock(move || {
            clock();
            retrylab_core::Instant::ZERO + began.elapsed()
        })
        .entropy(move || {
            entropy();
            0
        })
        .sleeper(move |delay| {
            waits.note(format!("wait {delay:?} at {:?}", began.elapsed()));
            tokio::time::sleep(delay)
        });
    arm_entropy.store(true, Ordering::SeqCst);
    let handle = source.start();
    let raised = ["error The callback of a repeating task failed", "detail panicked: the trap was armed"];
    let entries = journal.awaited("wait ").await;
    let errors = entries.iter().position(|entry| entry.starts_with("error")).unwrap();
    assert_eq!(entries[errors..errors + 2], raised);
    assert_eq!(entries.last().unwrap(), "wait 1s at 1s");
    arm_clock.store(true, Ordering::SeqCst);
    // The wait is over at 2 s, and the clock is read. A second later nothing is left of the wait.
    assert_eq!(journal.awaited("wait ").await, [raised[0], raised[1], "wait 0ns at 3s"]);
    assert_eq!(journal.awaited("wait ").await.last().unwrap(), "wait 2s at 3s");
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn where_the_sleeper_panics_the_source_waits_all_the_same() {
    let mut journal = Journal::new();
    let began = Instant::now();
    let waits = journal.scribe();
    let source = journal.task(that_trusts_nobody(), 0).sleeper(move |delay| {
        waits.note(format!("wait {delay:?} at {:?}", began.elapsed()));
        assert_eq!(delay, Duration::ZERO, "no wait is welcome");
        std::future::ready(())
    });
    let handle = source.start();
    for expected in ["wait 1s at 0ns", "wait 2s at 1s", "wait 4s at 3s"] {
        assert_eq!(journal.awaited("wait ").await.last().unwrap(), expected);
    }
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn a_sleeper_that_does_not_wait_lets_the_other_tasks_run() {
    // No step of this source has to be waited for.
    let source: Source = Journal::new().task(that_trusts_nobody(), 0).sleeper(|_| std::future::ready(()));
    let handle = source.start();
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    end(handle).await;
}
