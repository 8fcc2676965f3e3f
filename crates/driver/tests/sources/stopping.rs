//! Stopping: from anywhere, whatever the source is doing, and nothing stays behind.

use std::net::SocketAddr;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use retrylab_driver::blocking::ThreadSleeper;
use retrylab_driver::tokio::TokioSleeper;
use retrylab_driver::{Clock, Monotonic};
use retrylab_source::{MemoryStore, State};
use socket2::{Domain, Socket, Type};

use crate::journal::{BOTH, Config, Handle, Journal, Source, met, polling, streaming, with};
use crate::server::{End, PUT, Script, Server, answer, status, stream};

const KINDS: [fn(String) -> Config; 2] = [streaming, polling];

#[test]
fn a_wait_of_five_minutes_is_cut_on_the_real_clock() {
    for on in BOTH {
        let server = Server::play([Script::closes(status(401))]);
        let mut journal = Journal::new();
        let source = match journal.keep(on, streaming(server.uri()), 0).clock(Monotonic) {
            Source::Thread(source) => Source::Thread(source.sleeper(ThreadSleeper)),
            Source::Task(source) => Source::Task(source.sleeper(TokioSleeper)),
        };
        let started = Monotonic.now();
        let handle = source.start();
        assert!(journal.until("status").contains(&"failure 401 unexpected 300s".to_owned()));
        server.requests();
        handle.end();
        assert!(Monotonic.now().since(started) < Duration::from_secs(300), "all of it was waited for");
        assert_eq!(journal.rest(), ["info Stopping", "status OFF ERROR_RESPONSE 401"]);
    }
}

#[test]
fn a_read_is_cut_and_the_server_sees_the_end() {
    for on in BOTH {
        let server = Server::play([Script::holds(stream(PUT))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 0).start();
        journal.until("info Initialized");
        handle.end();
        server.requests();
        assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
    }
}

#[test]
fn the_wait_for_an_answer_is_cut() {
    for on in BOTH {
        for head in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"] {
            for config in KINDS {
                let mut server = Server::play([Script::holds(head)]);
                let handle = Journal::new().keep(on, config(server.uri()), 0).start();
                server.hears();
                handle.end();
                server.requests();
            }
        }
    }
}

#[test]
fn a_handshake_is_cut() {
    for on in BOTH {
        let mut server = Server::speak(1, |_, _| (String::new(), Vec::new(), End::Hold));
        let config = streaming(format!("https://127.0.0.1:{}", server.port));
        let config = with(config, |connection| connection.connect_timeout = Duration::from_secs(3600));
        let handle = Journal::new().keep(on, config, 0).start();
        server.hears();
        handle.end();
        server.requests();
    }
}

/// A port that answers nobody: its queue is full.
fn silent_port() -> (SocketAddr, Vec<Socket>) {
    let socket = || Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let listener = socket();
    listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).expect("a free port");
    listener.listen(0).expect("a listener");
    let address = listener.local_addr().expect("an address").as_socket().expect("an address");
    let mut sockets = vec![listener];
    for _ in 0..16 {
        let filler = socket();
        filler.set_nonblocking(true).expect("a socket");
        // In progress, or done.
        let _ = filler.connect(&address.into());
        sockets.push(filler);
    }
    (address, sockets)
}

#[test]
fn a_connect_is_cut() {
    let (address, _sockets) = silent_port();
    let config = with(streaming(format!("http://{address}")), |connection| {
        connection.connect_timeout = Duration::from_secs(3600);
    });
    for on in BOTH {
        let mut journal = Journal::new();
        let source = journal.keep(on, config.clone(), 0);
        // At whichever moment of its connecting it is stopped.
        for _ in 0..100 {
            let handle = source.start();
            journal.until("detail");
            handle.end();
            assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
        }
    }
}

#[test]
fn a_connect_that_takes_too_long_is_a_timeout() {
    let (address, _sockets) = silent_port();
    for on in BOTH {
        let config = with(streaming(format!("http://{address}")), |connection| {
            connection.connect_timeout = Duration::from_millis(20);
        });
        assert_eq!(met(on, config)[0], "failure timeout normal 1s");
    }
}

#[test]
fn a_listener_may_stop_the_source() {
    for on in BOTH {
        let server = Server::play([Script::holds(stream([PUT, PUT].concat()))]);
        let mut journal = Journal::new();
        let slot: Arc<OnceLock<Handle>> = Arc::default();
        let (tell, told) = channel();
        let (listener, tell) = (Arc::clone(&slot), Mutex::new(tell));
        let source = journal.keep(on, streaming(server.uri()), 0).listen(move |status| {
            if status.state == State::Valid {
                let handle = listener.wait();
                handle.stop();
                // A join on the source's own thread does not wait.
                if let Handle::Thread(handle) = handle {
                    handle.join();
                }
                tell.lock().unwrap().send(handle.status().state).unwrap();
            }
        });
        let handle = slot.get_or_init(|| source.start());
        assert_eq!(told.recv(), Ok(State::Off));
        handle.close();
        server.requests();
        // The second put of the same piece is not handled, and no entry says that there is data.
        let counts = "detail flags: 1, segments: 0";
        assert_eq!(
            journal.rest()[2..],
            ["success", "debug Data handled", counts, "status VALID", "info Stopping", "status OFF"]
        );
    }
}

#[test]
fn stopping_again_does_nothing() {
    for on in BOTH {
        let mut server = Server::play([Script::holds("")]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 0).start();
        server.hears();
        handle.stop();
        handle.close();
        assert_eq!(journal.rest()[2..], ["info Stopping", "status OFF"]);
        handle.end();
        assert_eq!(journal.rest(), [""; 0]);
        server.requests();
    }
}

#[test]
fn a_source_that_is_stopped_at_once_ends_off() {
    for on in BOTH {
        let mut journal = Journal::new();
        let source = journal.keep(on, streaming("http://127.0.0.1:1"), 0);
        for _ in 0..100 {
            source.start().end();
            // It may have met already that nobody listens there, and when it is stopped while it logs, either is first.
            let entries = journal.rest();
            assert_eq!(entries.iter().filter(|entry| *entry == "info Stopping").count(), 1, "{entries:?}");
            let statuses = entries.iter().rfind(|entry| entry.starts_with("status"));
            assert!(statuses.is_some_and(|status| status.starts_with("status OFF")), "{entries:?}");
        }
    }
}

#[test]
fn dropping_the_handle_stops_the_source() {
    for on in BOTH {
        let server = Server::play([Script::holds(stream(PUT))]);
        let mut journal = Journal::new();
        let handle = journal.keep(on, streaming(server.uri()), 0).start();
        journal.until("info Initialized");
        drop(handle);
        assert_eq!(journal.until("status"), ["info Stopping", "status OFF"]);
        server.requests();
    }
}

#[test]
fn nothing_is_left_of_a_source_that_was_closed() {
    let scripts = [Script::holds(stream(PUT)), Script::closes(answer("", r#"{"flags":{},"segments":{}}"#))];
    for on in BOTH {
        let server = Server::play(scripts.clone());
        for config in KINDS {
            let mut journal = Journal::new();
            let store = Arc::new(MemoryStore::default());
            let source = journal.keep(on, config(server.uri()), 0).store(store.clone());
            let handle = source.start();
            drop(source);
            journal.until("ready");
            handle.end();
            assert_eq!(Arc::strong_count(&store), 1, "the thread or task had what the handle has, and both are gone");
        }
        server.requests();
    }
}

#[test]
fn an_address_that_cannot_be_used_is_off_from_the_start() {
    for on in BOTH {
        for config in KINDS {
            let mut journal = Journal::new();
            let handle = journal.keep(on, config("ftp://example.org".to_owned()), 0).start();
            handle.close();
            assert_eq!(handle.status().state, State::Off);
            let entries = journal.rest();
            assert_eq!(entries[0], "error The base URI is invalid, so there will be no data");
            assert_eq!(entries[2..], ["status OFF"]);
        }
    }
}
