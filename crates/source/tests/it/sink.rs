//! The shared status: its listeners, and the order of their notifications.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use retrylab_core::Instant;
use retrylab_source::{SourceError, State, Status, StatusSink, StatusUpdate};

const fn report(state: State) -> StatusUpdate {
    StatusUpdate { state, error: None }
}

const fn failure(status: u16) -> StatusUpdate {
    StatusUpdate { state: State::Interrupted, error: Some(SourceError::response(status)) }
}

/// The changes that a listener received.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Status>>>);

impl Seen {
    fn listen_to(sink: &StatusSink) -> Self {
        let seen = Self::default();
        let listener = seen.clone();
        sink.listen(move |status| listener.0.lock().expect("no panic while it is locked").push(*status));
        seen
    }

    fn states(&self) -> Vec<State> {
        self.0.lock().expect("no panic while it is locked").iter().map(|status| status.state).collect()
    }

    fn statuses(&self) -> Vec<u16> {
        self.0
            .lock()
            .expect("no panic while it is locked")
            .iter()
            .filter_map(|status| Some(status.error?.status))
            .collect()
    }
}

/// A sink that was valid once.
fn valid() -> StatusSink {
    let sink = StatusSink::new(Instant::ZERO);
    sink.update(report(State::Valid), Instant::ZERO);
    sink
}

#[test]
fn listeners_are_notified_in_the_order_of_their_registration() {
    let sink = StatusSink::new(Instant::ZERO);
    let told = Arc::new(Mutex::new(Vec::new()));
    for name in ["first", "second", "third"] {
        let told = Arc::clone(&told);
        sink.listen(move |status| told.lock().unwrap().push((name, status.state)));
    }
    sink.update(report(State::Valid), Instant::ZERO);
    assert_eq!(*told.lock().unwrap(), ["first", "second", "third"].map(|name| (name, State::Valid)));
}

#[test]
fn listeners_never_see_interrupted_before_the_first_valid() {
    let sink = StatusSink::new(Instant::ZERO);
    let seen = Seen::listen_to(&sink);
    for update in
        [failure(503), failure(503), report(State::Valid), report(State::Valid), failure(401), report(State::Off)]
    {
        sink.update(update, Instant::ZERO);
    }
    assert_eq!(
        seen.states(),
        [State::Initializing, State::Initializing, State::Valid, State::Interrupted, State::Off],
        "the second report of VALID is no change"
    );
    assert_eq!(seen.statuses(), [503, 503, 503, 401, 401], "an error stays until there is another one");
}

#[test]
fn a_panic_of_a_listener_does_not_affect_later_notifications_or_other_listeners() {
    let sink = StatusSink::new(Instant::ZERO);
    let calls = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&calls);
    sink.listen(move |status| {
        *counter.lock().unwrap() += 1;
        panic!("not {}", status.state);
    });
    let seen = Seen::listen_to(&sink);
    assert_eq!(sink.update(report(State::Valid), Instant::ZERO), ["panicked: not VALID"]);
    assert_eq!(sink.update(failure(503), Instant::ZERO), ["panicked: not INTERRUPTED"]);
    assert_eq!(seen.states(), [State::Valid, State::Interrupted]);
    assert_eq!(*calls.lock().unwrap(), 2);
}

#[test]
fn a_stop_by_a_listener_is_delivered_after_its_cause() {
    let sink = valid();
    let inner = sink.clone();
    sink.listen(move |status| {
        if status.state == State::Interrupted {
            assert_eq!(inner.update(report(State::Off), Instant::from_secs(2)), [""; 0]);
            assert!(inner.is_off(), "a reader sees it at once");
        }
    });
    let seen = Seen::listen_to(&sink);
    assert_eq!(sink.update(failure(503), Instant::from_secs(1)), [""; 0]);
    assert_eq!(seen.states(), [State::Interrupted, State::Off]);
    assert_eq!(sink.status().since, Instant::from_secs(2));
}

#[test]
fn nothing_is_delivered_after_off() {
    let sink = valid();
    sink.update(report(State::Off), Instant::ZERO);
    let seen = Seen::listen_to(&sink);
    for update in [failure(503), report(State::Valid), report(State::Initializing), report(State::Off)] {
        sink.update(update, Instant::ZERO);
    }
    assert_eq!(seen.states(), []);
    assert_eq!(sink.status().error, None);
}

#[test]
fn a_listener_receives_changes_from_its_registration_to_its_removal() {
    let sink = valid();
    let seen = Seen::default();
    let listener = seen.clone();
    sink.update(failure(500), Instant::ZERO);
    let id = sink.listen(move |status| listener.0.lock().unwrap().push(*status));
    sink.update(failure(501), Instant::ZERO);
    sink.forget(id);
    sink.forget(id);
    sink.update(failure(502), Instant::ZERO);
    assert_eq!(seen.statuses(), [501]);
}

#[test]
fn a_listener_does_not_receive_changes_from_before_its_registration() {
    let sink = StatusSink::new(Instant::ZERO);
    let (inner, late) = (sink.clone(), Arc::new(OnceLock::new()));
    let slot = Arc::clone(&late);
    sink.listen(move |status| {
        if status.state == State::Valid {
            inner.update(failure(500), Instant::ZERO);
            slot.get_or_init(|| Seen::listen_to(&inner));
        }
    });
    sink.update(report(State::Valid), Instant::ZERO);
    sink.update(failure(501), Instant::ZERO);
    assert_eq!(late.get().unwrap().statuses(), [501], "500 was before it came");
}

#[test]
fn an_update_does_not_wait_for_a_listener_on_another_thread() {
    let sink = valid();
    let (entered, is_in) = channel();
    let (leave, may_leave) = channel::<()>();
    let may_leave = Mutex::new(may_leave);
    sink.listen(move |status| {
        if status.error == Some(SourceError::response(500)) {
            entered.send(()).unwrap();
            may_leave.lock().unwrap().recv().unwrap();
        }
    });
    let seen = Seen::listen_to(&sink);
    let other = sink.clone();
    let telling = thread::spawn(move || other.update(failure(500), Instant::ZERO));
    is_in.recv().unwrap();
    assert_eq!(sink.update(failure(501), Instant::ZERO), [""; 0]);
    assert_eq!(sink.update(report(State::Off), Instant::ZERO), [""; 0]);
    assert_eq!(seen.states(), [], "the other thread still delivers 500");
    leave.send(()).unwrap();
    telling.join().unwrap();
    assert_eq!(seen.statuses(), [500, 501, 501]);
    assert_eq!(seen.states(), [State::Interrupted, State::Interrupted, State::Off]);
}

#[test]
fn changes_of_two_threads_reach_all_listeners_in_one_order() {
    let sink = valid();
    let (first, second) = (Seen::listen_to(&sink), Seen::listen_to(&sink));
    thread::scope(|scope| {
        for base in [1_000, 2_000] {
            let sink = &sink;
            scope.spawn(move || {
                for number in 0..500 {
                    sink.update(failure(base + number), Instant::ZERO);
                }
            });
        }
    });
    let told = first.statuses();
    assert_eq!(told.len(), 1_000, "none is lost, none is repeated");
    assert_eq!(told, second.statuses());
    for base in [1_000, 2_000] {
        let of_one: Vec<_> = told.iter().copied().filter(|status| (base..base + 500).contains(status)).collect();
        assert_eq!(of_one, (base..base + 500).collect::<Vec<_>>(), "each thread's changes keep their order");
    }
    assert_eq!(
        sink.status().error.map(|error| error.status),
        told.last().copied(),
        "the last one delivered is the present status"
    );
}

#[test]
fn off_is_the_last_change_from_any_thread() {
    for _ in 0..200 {
        let sink = valid();
        let seen = Seen::listen_to(&sink);
        thread::scope(|scope| {
            scope.spawn(|| (500..510).for_each(|status| drop(sink.update(failure(status), Instant::ZERO))));
            scope.spawn(|| drop(sink.update(report(State::Off), Instant::ZERO)));
        });
        let states = seen.states();
        assert_eq!(states.iter().filter(|state| **state == State::Off).count(), 1);
        assert_eq!(states.last(), Some(&State::Off));
    }
}

#[test]
fn a_sink_shows_its_status_and_is_off_only_when_that_is() {
    let sink = StatusSink::new(Instant::ZERO);
    assert!(!sink.is_off());
    assert_eq!(format!("{sink:?}"), format!("StatusSink {{ status: {:?}, .. }}", Status::new(Instant::ZERO)));
    sink.update(report(State::Off), Instant::ZERO);
    assert!(sink.is_off());
}

/// Runs an action when it is dropped.
struct AtItsEnd<F: Fn() + Send + Sync>(F);

impl<F: Fn() + Send + Sync> Drop for AtItsEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_listener_may_use_the_sink_when_it_is_dropped() {
    let sink = valid();
    let seen = Seen::listen_to(&sink);
    let other = sink.clone();
    let held = AtItsEnd(move || drop(other.update(report(State::Off), Instant::ZERO)));
    let id = sink.listen(move |_| {
        let _ = &held;
    });
    // Were the sink locked, this would never return.
    sink.forget(id);
    assert_eq!(seen.states(), [State::Off]);
}

#[test]
fn a_listener_that_panics_when_dropped_does_not_affect_others() {
    let sink = valid();
    let id = Arc::new(OnceLock::new());
    let (own, other) = (Arc::clone(&id), sink.clone());
    let held = AtItsEnd(|| panic!("not without a fight"));
    let given = sink.listen(move |_| {
        let _ = &held;
        // It is being notified, so it is dropped only afterwards.
        other.forget(*own.get().unwrap());
    });
    assert!(id.set(given).is_ok());
    let seen = Seen::listen_to(&sink);
    assert_eq!(sink.update(failure(500), Instant::ZERO), ["panicked: not without a fight"]);
    sink.update(failure(501), Instant::ZERO);
    assert_eq!(seen.statuses(), [500, 501]);
}
