//! What only sources on threads do.

mod repeating;

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;

use crate::journal::{Config, Handle, Journal, On, polling, streaming};
use crate::server::{End, Server, read_head};

#[test]
fn an_endless_response_without_data_is_cut() {
    // A last chunk whose trailers go on, and blocks of gzip that hold nothing.
    let trailers = "Transfer-Encoding: chunked\r\n\r\n0\r\n";
    let gzip = "Content-Encoding: gzip\r\n\r\n\x1f\u{8b}\x08\0\0\0\0\0\0\u{ff}";
    let stream = format!("Content-Type: text/event-stream\r\n{trailers}");
    for (config, head, piece, failure) in [
        (streaming as fn(String) -> Config, &*stream, &b"X-Filler: filler\r\n"[..], "failure reset normal 1s"),
        (polling, trailers, b"X-Filler: filler\r\n", "failure reset normal 30s"),
        (polling, gzip, b"\0\0\0\xff\xff", "failure malformed normal 30s"),
    ] {
        // As Latin-1, whose characters are the bytes of the same number.
        let head: Vec<u8> = format!("HTTP/1.1 200 OK\r\n{head}").chars().map(|byte| byte as u8).collect();
        let piece = piece.repeat(1000);
        let server = Server::speak(1, move |_, stream| {
            let request = read_head(stream);
            stream.write_all(&head).expect("a reader");
            while stream.write_all(&piece).is_ok() {}
            (request, Vec::new(), End::Close)
        });
        let mut journal = Journal::new();
        let handle = journal.keep(On::Thread, config(server.uri()), 0).start();
        let entries = journal.until("wait ");
        assert_eq!(entries[2], failure);
        assert!(entries[4].contains("more than 1048576 bytes brought no data"), "{entries:?}");
        handle.end();
        server.requests();
    }
}

#[test]
fn several_threads_may_join() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap());
    let Handle::Thread(handle) = Journal::new().keep(On::Thread, streaming(uri), 0).start() else { unreachable!() };
    let _connection: (TcpStream, _) = listener.accept().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| handle.join());
        }
        handle.stop();
    });
    handle.join();
}
