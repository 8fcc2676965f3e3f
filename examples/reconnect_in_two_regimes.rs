//! A stream that reconnects for ever, in a loop of its own, with two regimes: failures that pass by themselves, and failures
//! that a person must fix. `cargo run --example reconnect_in_two_regimes`
//!
//! The runtime's clock is paused, so half a day is over at once.
#![expect(clippy::disallowed_methods, reason = "the loop is the program's own, and so is its wait")]

use std::time::Duration;

use retrylab::tokio::TokioClock;
use retrylab::{Clock, Entropy, FailureKind, Retry, RetryRules, SystemEntropy, secs};

/// What becomes of a connection.
enum Connection {
    /// An error response instead of a stream.
    Refused(u16),
    /// Messages for so long, then the connection is lost.
    Lost(Duration),
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    use Connection::{Lost, Refused};

    // 1 s doubling to 30 s; after a rejected key 5 min doubling to 1 h; a minute of health clears both.
    let mut retry = Retry::new(RetryRules::streaming(secs(1)));
    let server = [
        Refused(503),
        Refused(503),
        Lost(secs(5)),
        Lost(secs(3600)),
        Refused(401),
        Refused(401),
        Refused(401),
        Lost(secs(7200)),
    ];
    for connection in server {
        let (what, kind) = match connection {
            Refused(status) => (format!("refused with {status}"), FailureKind::for_source_status(status.into())),
            Lost(after) => {
                // The first message, and not the connection, is health.
                retry.record_success(TokioClock.now());
                tokio::time::sleep(after).await;
                (format!("lost after {after:?}"), FailureKind::Normal)
            }
        };
        let wait = retry.wait_after(kind, TokioClock.now(), SystemEntropy.draw());
        println!("{what:<18}  {kind:<10}  {:<8}  waits {wait:.1?}", retry.regime());
        tokio::time::sleep(wait).await;
    }
}
