//! How long a user waits for the first data.

use retrylab_source::{Level, StartWait};

use crate::server::{PUT, STREAM, Server, answer, status, watched};
use crate::stage::{Stage, Told};

const LONG: &str = "A start wait of 3600s blocks for long; 60s is the most that is sensible";
const OVER: &str = "Not initialized when the start wait was over; still retrying";

fn warnings(stage: &Stage) -> Vec<String> {
    stage
        .rest()
        .into_iter()
        .filter_map(|told| match told {
            Told::Log(Level::Warning, line) if !line.starts_with("Received") => Some(line),
            _ => None,
        })
        .collect()
}

#[test]
fn it_ends_with_the_first_data() {
    let (script, _told) = watched(format!("{STREAM}{PUT}"));
    let mut server = Server::start([answer(status("401 Unauthorized")), script]);
    let stage = Stage::with_waits(1);
    let handle = stage.stream_from(server.uri()).start();
    assert!(handle.start_wait(StartWait::seconds(60.0)));
    // Again, there is nothing to wait for.
    assert!(handle.start_wait(StartWait::seconds(60.0)));
    assert_eq!(warnings(&stage), Vec::<String>::new());
    handle.stop();
    server.finish();
}

#[test]
fn an_error_does_not_end_it_and_its_end_is_logged() {
    let mut server = Server::start([answer(status("401 Unauthorized"))]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    stage.until_wait();
    assert!(!handle.start_wait(StartWait::seconds(0.01)));
    assert_eq!(warnings(&stage), [OVER]);
    server.finish();
}

#[test]
fn none_is_no_wait_and_no_line() {
    let mut server = Server::start([answer(status("401 Unauthorized"))]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    stage.until_wait();
    for seconds in [0.0, -1.0, f64::NAN] {
        assert!(!handle.start_wait(StartWait::seconds(seconds)));
    }
    assert_eq!(warnings(&stage), Vec::<String>::new());
    server.finish();
}

#[test]
fn a_long_one_is_warned_of_and_a_stop_ends_it() {
    let mut server = Server::start([answer(status("401 Unauthorized"))]);
    let stage = Stage::new();
    let handle = stage.stream_from(server.uri()).start();
    stage.until_wait();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| handle.start_wait(StartWait::seconds(3600.0)));
        stage.until(|told| *told == Told::Log(Level::Warning, LONG.to_owned()));
        handle.stop();
        assert!(!waiting.join().unwrap());
    });
    // It does not say that it still retries, because it does not.
    assert_eq!(warnings(&stage), Vec::<String>::new());
    server.finish();
}

#[test]
fn a_source_that_can_never_start_is_not_waited_for() {
    let stage = Stage::new();
    let handle = stage.stream_from("no address".to_owned()).start();
    assert!(!handle.start_wait(StartWait::seconds(60.0)));
    assert!(!warnings(&stage).contains(&OVER.to_owned()));
}
