//! How long a user waits for the first data.

use std::time::Duration;

use retrylab_source::StartWait;
use tokio::time::Instant;

use crate::journal::{Journal, end, streaming};
use crate::server::{PUT, Script, Server, status, stream};

const OVER: &str = "warning Not initialized when the start wait was over; still retrying";

#[tokio::test]
async fn it_ends_when_there_is_data() {
    let server = Server::play([Script::closes(status(503)), Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let source = journal.keep(streaming(server.uri()), 1);
    let handle = source.start();
    assert!(handle.start_wait(StartWait::seconds(60.0)).await);
    assert!(handle.start_wait(StartWait::seconds(0.0)).await, "also for who does not wait");
    assert!(!journal.rest().iter().any(|entry| entry == OVER));
    end(handle).await;
}

#[tokio::test]
async fn a_rejected_key_uses_all_of_it_and_the_source_goes_on() {
    let server = Server::play([Script::closes(status(401))]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 0).start();
    journal.until("wait 300s").await;
    tokio::time::pause();
    let began = Instant::now();
    assert!(!handle.start_wait(StartWait::default()).await);
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(journal.rest(), [OVER]);
    assert!(!handle.sink().is_off());
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_long_is_warned_of_and_waited_all_the_same() {
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(format!("http://127.0.0.1:{}", crate::server::closed_port())), 0).start();
    journal.until("wait ").await;
    let began = Instant::now();
    assert!(!handle.start_wait(StartWait::seconds(60.5)).await);
    assert_eq!(began.elapsed(), Duration::from_millis(60_500));
    let long = "warning A start wait of 60.5s blocks for long; 60s is the most that is sensible";
    assert_eq!(journal.rest(), [long, OVER]);
    end(handle).await;
}

#[tokio::test(start_paused = true)]
async fn nothing_and_less_is_no_wait() {
    let mut journal = Journal::new();
    let handle = journal.keep(streaming("http://127.0.0.1:1"), 0).start();
    for seconds in [0.0, -1.0, f64::NAN] {
        assert!(!handle.start_wait(StartWait::seconds(seconds)).await);
    }
    assert!(journal.rest().is_empty(), "the source itself was not even begun");
    end(handle).await;
}

#[tokio::test]
async fn a_source_that_is_off_is_not_waited_for() {
    let mut journal = Journal::new();
    let unusable = journal.keep(streaming("ftp://example.org"), 0).start();
    // For ever, if it did.
    assert!(!unusable.start_wait(StartWait::seconds(f64::INFINITY)).await);
    assert!(!journal.rest().iter().any(|entry| entry == OVER), "it does not retry");

    let stopped = journal.keep(streaming("http://127.0.0.1:1"), 0).start();
    let (ready, ()) = tokio::join!(stopped.start_wait(StartWait::seconds(f64::INFINITY)), async { stopped.stop() });
    assert!(!ready);
    unusable.closed().await;
    end(stopped).await;
}
