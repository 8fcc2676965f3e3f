//! Stopping cuts whatever the source is at, from anywhere, and leaves nothing behind.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use retrylab_driver_std::source::{Handle, Source};
use retrylab_driver_std::{Cancel, Clock, Monotonic, Sleeper, ThreadSleeper};
use retrylab_source::{Cause, Connection, Level, MemoryStore, PollingConfig, State, StreamingConfig};
use socket2::{Domain, Socket, Type};

use crate::server::{PUT, STREAM, Script, Server, answer, body, status, watched};
use crate::stage::{Stage, Told, connection};

/// Stops it, and waits for the end of its thread. It would wait for an hour or for ever if the stop had cut nothing.
fn stop(handle: &Handle) {
    handle.stop();
    assert_eq!(handle.status().state, State::Off);
    handle.join();
}

/// Tells that a wait begins, waits on the real clock, and tells that it is over.
struct Watched(Mutex<Sender<&'static str>>);

impl Sleeper for Watched {
    fn sleep(&self, delay: Duration, cancel: &Cancel) {
        let tell = self.0.lock().expect("no panic");
        tell.send("begins").expect("the test listens");
        ThreadSleeper.sleep(delay, cancel);
        tell.send("ends").expect("the test listens");
    }
}

#[test]
fn a_wait_of_five_minutes_is_begun_and_cut_on_the_real_clock() {
    const FIVE_MINUTES: Duration = Duration::from_secs(300);
    let mut server = Server::start([answer(status("401 Unauthorized"))]);
    let (tell, waits) = channel();
    let stage = Stage::new();
    let source = Source::streaming(StreamingConfig::new(Connection::to(server.uri())));
    let source = source.observer(stage.teller()).sleeper(Watched(Mutex::new(tell))).entropy(|| 0);
    let started = Monotonic.now();
    let handle = source.start();
    drop(source);
    stage.until(|told| *told == Told::Failure(Cause::Status(401), FIVE_MINUTES));
    assert_eq!(waits.recv(), Ok("begins"));
    server.finish();
    stop(&handle);
    assert!(Monotonic.now().since(started) < FIVE_MINUTES, "all of it was waited for");
    drop(handle);
    // One wait, and nothing after it.
    assert_eq!(waits.iter().collect::<Vec<_>>(), ["ends"]);
}

#[test]
fn a_read_of_a_stream_is_cut_and_its_connection_closed() {
    let (script, server_told) = watched(format!("{STREAM}{PUT}"));
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    stage.until(|told| *told == Told::Ready);
    stop(&handle);
    assert_eq!(server_told.iter().collect::<Vec<_>>(), ["asked", "closed"]);
    server.finish();
    let failures = stage.rest().into_iter().filter(|told| matches!(told, Told::Failure(..)));
    assert_eq!(failures.count(), 0);
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for() {
    for head in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"] {
        for polling in [false, true] {
            let (script, server_told) = watched(head);
            let mut server = Server::start([script]);
            let stage = Stage::new();
            let source = if polling { stage.poll_from(server.uri()) } else { stage.stream_from(server.uri()) };
            let handle = source.start();
            assert_eq!(server_told.recv(), Ok("asked"));
            stop(&handle);
            server.finish();
        }
    }
}

#[test]
fn a_handshake_is_cut() {
    let (tell, told) = channel();
    let silent: Script = Box::new(move |mut exchange| {
        std::io::Read::read(&mut exchange.socket, &mut [0]).unwrap();
        tell.send(()).unwrap();
        exchange.wait_for_close();
    });
    let mut server = Server::start([silent]);
    let connect_timeout = Duration::from_secs(3600);
    let uri = format!("https://{}", server.address);
    let handle =
        Stage::new().streaming(StreamingConfig::new(Connection { connect_timeout, ..connection(uri) })).start();
    told.recv().unwrap();
    stop(&handle);
    server.finish();
}

/// The statuses of a source that was stopped and joined, and that said so. When it is stopped while it says something else,
/// two threads speak, and either may be first.
fn stopped(stage: &Stage) -> Vec<Told> {
    let told = stage.rest();
    let stopping = Told::Log(Level::Info, "Stopping".to_owned());
    assert_eq!(told.iter().filter(|told| **told == stopping).count(), 1, "{told:?}");
    told.into_iter().filter(|told| matches!(told, Told::Status(..))).collect()
}

/// A port that answers nobody: its queue is full.
fn silent_port() -> (SocketAddr, Socket, Vec<Socket>) {
    let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("works");
    listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).expect("works");
    listener.listen(0).expect("works");
    let address = listener.local_addr().expect("works").as_socket().expect("works");
    let queue = (0..16)
        .map(|_| {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("works");
            socket.set_nonblocking(true).expect("works");
            // In progress, or done.
            let _ = socket.connect(&address.into());
            socket
        })
        .collect();
    (address, listener, queue)
}

#[test]
fn a_connect_is_cut() {
    let (address, _listener, _queue) = silent_port();
    let connect_timeout = Duration::from_secs(3600);
    let stage = Stage::new();
    let connection = Connection { connect_timeout, ..connection(format!("http://{address}")) };
    let source = stage.streaming(StreamingConfig::new(connection));
    // At whichever moment of its connecting it is stopped.
    for _ in 0..100 {
        let handle = source.start();
        assert!(matches!(stage.next(), Told::Log(_, line) if line.starts_with("Starting")));
        stop(&handle);
        assert_eq!(stopped(&stage), [Told::Status(State::Off, None)]);
    }
}

#[test]
fn a_connect_that_takes_too_long_is_a_timeout() {
    let (address, _listener, _queue) = silent_port();
    let connect_timeout = Duration::from_millis(20);
    let stage = Stage::new();
    let connection = Connection { connect_timeout, ..connection(format!("http://{address}")) };
    let _handle = stage.streaming(StreamingConfig::new(connection)).start();
    assert_eq!(stage.failure().0.fault(), Some(retrylab_core::Fault::Timeout));
}

#[test]
fn a_listener_may_stop_the_source_and_join_it() {
    let (script, server_told) = watched(format!("{STREAM}{PUT}"));
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let slot: Arc<OnceLock<Handle>> = Arc::default();
    let (tell, told) = channel();
    let (listener, tell) = (Arc::clone(&slot), Mutex::new(tell));
    let source = stage.stream_from(server.uri()).listen(move |status| {
        if status.state == State::Valid {
            let handle = listener.wait();
            handle.stop();
            handle.join();
            tell.lock().unwrap().send(handle.status().state).unwrap();
        }
    });
    assert!(slot.set(source.start()).is_ok());
    assert_eq!(told.recv(), Ok(State::Off));
    slot.wait().join();
    assert_eq!(server_told.iter().last(), Some("closed"));
    server.finish();
    // What the source would have said after its status is left unsaid.
    let told = stage.until(|told| matches!(told, Told::Status(State::Off, _)));
    assert!(!told.contains(&Told::Ready), "{told:?}");
    assert_eq!(stage.rest(), []);
}

#[test]
fn stopping_again_does_nothing() {
    let (script, server_told) = watched(STREAM);
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    assert_eq!(server_told.recv(), Ok("asked"));
    stop(&handle);
    assert_eq!(stopped(&stage), [Told::Status(State::Off, None)]);
    stop(&handle);
    drop(handle);
    assert_eq!(stage.rest(), []);
    server.finish();
}

#[test]
fn a_source_that_is_stopped_at_once_says_no_more_than_that() {
    let stage = Stage::new();
    let source = stage.stream_from("http://127.0.0.1:1".to_owned());
    for _ in 0..100 {
        let handle = source.start();
        stop(&handle);
        // It may have met already that nobody listens there.
        assert!(matches!(stopped(&stage).last(), Some(Told::Status(State::Off, _))));
    }
}

#[test]
fn dropping_the_handle_stops_the_source() {
    let (script, server_told) = watched(format!("{STREAM}{PUT}"));
    let mut server = Server::start([script]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    stage.until(|told| *told == Told::Ready);
    drop(handle);
    assert_eq!(server_told.iter().last(), Some("closed"));
    server.finish();
    stage.until(|told| matches!(told, Told::Status(State::Off, None)));
}

#[test]
fn nothing_is_left_of_a_source_that_was_joined() {
    let (script, _server_told) = watched(format!("{STREAM}{PUT}"));
    let data = body("", r#"{"flags":{},"segments":{}}"#);
    let mut server = Server::start([script, answer(data)]);
    for polling in [false, true] {
        let stage = Stage::new();
        let store = Arc::new(MemoryStore::default());
        let source = if polling { stage.poll_from(server.uri()) } else { stage.stream_from(server.uri()) };
        let source = source.store(store.clone());
        let handle = source.start();
        drop(source);
        stage.until(|told| *told == Told::Ready);
        stop(&handle);
        drop(handle);
        // The thread had what the handle has, and both are gone.
        assert_eq!(Arc::strong_count(&store), 1);
    }
    server.finish();
}

#[test]
fn several_threads_may_join() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let stage = Stage::new();
    let handle = stage.stream_from(uri).start();
    let _connection: (TcpStream, _) = listener.accept().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| handle.join());
        }
        handle.stop();
    });
    handle.join();
}

#[test]
fn an_address_that_cannot_be_used_is_off_at_once() {
    let stage = Stage::new();
    for source in [
        stage.stream_from("ftp://example.org".to_owned()),
        stage.polling(PollingConfig::new(connection("ftp://example.org".to_owned()))),
    ] {
        let handle = source.start();
        handle.join();
        assert_eq!(handle.status().state, State::Off);
        assert_eq!(stage.rest().len(), 2);
    }
}
