//! Stopping: from anywhere, whatever the source is doing, and nothing stays behind.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock};

use retrylab_driver_tokio::source::{Handle, Source};
use retrylab_driver_tokio::{TokioClock, TokioSleeper};
use retrylab_source::{Connection, State, StreamingConfig};
use socket2::{Domain, Socket, Type};

use crate::journal::{Journal, end, polling, streaming};
use crate::server::{PUT, Script, Server, status, stream};

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test]
async fn a_wait_of_an_hour_is_cut() {
    let server = Server::play([Script::closes(status(503))]);
    let mut config = StreamingConfig::new(Connection::to(server.uri()));
    config.initial_reconnect_delay = 3600.0;
    let mut journal = Journal::new();
    // The real clock, and the real timer, which would take the hour.
    let source = journal.keep(Source::streaming(config), 0).clock(TokioClock).sleeper(TokioSleeper).entropy(|| 0);
    let handle = source.start();
    journal.until("status").await;
    assert_eq!(tasks(), 1, "one task is all there is");
    handle.stop();
    assert_eq!(handle.status().state, State::Off, "at once");
    end(handle).await;
    assert_eq!(journal.rest(), ["info Stopping", "status OFF ERROR_RESPONSE 503"]);
}

#[tokio::test]
async fn a_read_is_cut_and_the_server_sees_the_end() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 0).start();
    journal.until("info Initialized").await;
    assert_eq!(tasks(), 1, "the connection has none of its own");
    end(handle).await;
    server.requests();
    assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
}

#[tokio::test]
async fn the_wait_for_an_answer_is_cut() {
    for source in [streaming, polling] {
        let mut server = Server::play([Script::holds("")]);
        let mut journal = Journal::new();
        let handle = journal.keep(source(server.uri()), 0).start();
        server.asked.recv().await.unwrap();
        end(handle).await;
        server.requests();
        assert_eq!(journal.rest().last().unwrap(), "status OFF");
    }
}

#[tokio::test]
async fn a_handshake_is_cut() {
    let mut server = Server::speak(1, |_, _| (String::new(), Vec::new(), crate::server::End::Hold));
    let handle = streaming(format!("https://127.0.0.1:{}", server.port)).start();
    server.asked.recv().await.unwrap();
    end(handle).await;
    server.requests();
}

#[tokio::test]
async fn a_connect_that_nobody_answers_is_cut() {
    // Whoever asks more of a listener than it has room for is left without an answer.
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    listener.listen(0).unwrap();
    let listener = TcpListener::from(listener);
    let address = listener.local_addr().unwrap();
    let fillers: Vec<Socket> = (0..4).map(|_| Socket::new(Domain::IPV4, Type::STREAM, None).unwrap()).collect();
    for filler in &fillers {
        filler.set_nonblocking(true).unwrap();
        let _ = filler.connect(&address.into());
    }
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(format!("http://{address}")), 0).start();
    journal.until("info Starting").await;
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    end(handle).await;
    assert_eq!(journal.rest()[1..], ["info Stopping", "status OFF"]);
}

#[tokio::test]
async fn dropping_the_handle_stops_the_source() {
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let handle = journal.keep(streaming(server.uri()), 0).start();
    journal.until("info Initialized").await;
    drop(handle);
    assert_eq!(journal.until("status").await, ["info Stopping", "status OFF"]);
    while tasks() > 0 {
        tokio::task::yield_now().await;
    }
    server.requests();
}

#[tokio::test]
async fn stopping_before_the_task_has_begun_and_twice_is_all_the_same() {
    let mut journal = Journal::new();
    let handle = journal.keep(streaming("http://127.0.0.1:1"), 0).start();
    handle.stop();
    handle.stop();
    end(handle).await;
    assert_eq!(journal.rest(), ["info Stopping", "status OFF"]);
}

#[tokio::test]
async fn a_listener_may_stop_the_source() {
    let server = Server::play([Script::holds(stream([PUT, PUT].concat()))]);
    let stopped: Arc<OnceLock<Handle>> = Arc::default();
    let mut journal = Journal::new();
    let source = journal.keep(streaming(server.uri()), 0);
    let in_listener = Arc::clone(&stopped);
    let source = source.listen(move |status| {
        if status.state == State::Valid {
            in_listener.get().unwrap().stop();
        }
    });
    let handle = stopped.get_or_init(|| source.start());
    handle.closed().await;
    assert_eq!(handle.status().state, State::Off);
    assert_eq!(tasks(), 0);
    let entries = journal.rest();
    // The second put of the same piece is not heard of, and nobody was told that there is data.
    let counts = "detail flags: 1, segments: 0";
    assert_eq!(entries[2..], ["success", "debug Data handled", counts, "status VALID", "info Stopping", "status OFF"]);
    server.requests();
}

#[test]
fn a_runtime_that_shuts_down_turns_its_sources_off() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Server::play([Script::holds(stream(PUT))]);
    let mut journal = Journal::new();
    let (running, never_run) = runtime.block_on(async {
        let running = journal.keep(streaming(server.uri()), 0).start();
        journal.until("info Initialized").await;
        (running, streaming("http://127.0.0.1:1").start())
    });
    drop(runtime);
    assert_eq!(running.status().state, State::Off);
    assert_eq!(never_run.status().state, State::Off);
    server.requests();
}

#[tokio::test]
async fn an_address_that_cannot_be_used_is_off_from_the_start() {
    for source in [streaming, polling] {
        let mut journal = Journal::new();
        let handle = journal.keep(source("ftp://example.org"), 0).start();
        handle.closed().await;
        let entries = journal.rest();
        assert_eq!(entries[0], "error The base URI cannot be used, so there will be no data");
        assert_eq!(entries[2..], ["status OFF"]);
        end(handle).await;
    }
}

#[test]
fn many_sources_on_many_threads_all_end() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = Server::play((0..50).map(|_| Script::closes(status(503))));
    runtime.block_on(async {
        let journal = Journal::new();
        let handles: Vec<Handle> = (0..50).map(|_| journal.keep(streaming(server.uri()), 0).start()).collect();
        for handle in &handles {
            handle.stop();
            assert_eq!(handle.status().state, State::Off);
        }
        for handle in handles {
            handle.closed().await;
        }
    });
}
