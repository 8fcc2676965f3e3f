//! How long a user waits for the first data.

use std::thread;

use crate::journal::{BOTH, Journal, streaming};
use crate::server::{PUT, Script, Server, status, stream};

pub(crate) const OVER: &str = "warning Not initialized within the start wait; still retrying";

#[test]
fn it_ends_when_there_is_data() {
    for on in BOTH {
        let server = Server::play([Script::closes(status(401)), Script::holds(stream(PUT))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 1).start();
        assert!(handle.start_wait(60.0));
        // Again, there is nothing to wait for, and no wait says so too.
        assert!(handle.start_wait(60.0) && handle.start_wait(0.0));
        assert!(!journal.rest().iter().any(|entry| entry == OVER));
        handle.end();
        server.requests();
    }
}

#[test]
fn an_error_does_not_end_it_and_its_end_is_logged() {
    for on in BOTH {
        let server = Server::play([Script::closes(status(401))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 0).start();
        journal.until("wait 300s");
        assert!(!handle.start_wait(0.01));
        assert_eq!(journal.rest(), [OVER]);
        assert!(!handle.is_off());
        handle.end();
    }
}

#[test]
fn nothing_and_less_is_no_wait_and_no_line() {
    for on in BOTH {
        let server = Server::play([Script::closes(status(401))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 0).start();
        journal.until("wait ");
        for seconds in [0.0, -1.0, f64::NAN] {
            assert!(!handle.start_wait(seconds));
        }
        assert!(journal.rest().is_empty());
        handle.end();
    }
}

#[test]
fn a_long_one_has_a_warning_and_a_stop_ends_it() {
    for on in BOTH {
        let server = Server::play([Script::closes(status(401))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 0).start();
        journal.until("wait ");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| handle.start_wait(3600.0));
            assert_eq!(journal.until("warning"), ["warning A start wait of 3600s is long; at most 60s is recommended"]);
            handle.stop();
            assert!(!waiting.join().unwrap());
        });
        // It does not say that it still retries, because it does not.
        assert_eq!(journal.rest(), ["info Stopping", "status OFF ERROR_RESPONSE 401"]);
        handle.end();
    }
}

#[test]
fn a_source_that_is_off_is_not_waited_for() {
    for on in BOTH {
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming("no address"), 0).start();
        // For ever, if it did.
        assert!(!handle.start_wait(f64::INFINITY));
        assert!(!journal.rest().iter().any(|entry| entry == OVER), "it does not retry");
        handle.end();
    }
}
