//! What a poller's machine knows of its poll and of its data.

use std::time::Duration;

use retrylab_core::Instant;
use retrylab_source::{Detail, Level, LogMessage, Outputs, PollMachine, Recorded, SourceOptions, StatusUpdate};

/// Nobody acts on the outputs.
struct Ignored;

impl Outputs<()> for Ignored {
    fn attempt(&mut self, _: u64) {}
    fn recorded(&mut self, _: Recorded<()>) {}
    fn status(&mut self, _: StatusUpdate) {}
    fn log(&mut self, _: Level, _: LogMessage, _: Option<Detail>) {}
    fn wait(&mut self, _: Instant) {}
    fn stopped(&mut self) {}
}

#[test]
fn a_poll_asks_from_its_begin_to_its_body_and_not_before_or_after() {
    let mut machine = PollMachine::new(30.0, None, SourceOptions::default());
    assert!(!machine.is_asking());
    machine.start(Instant::ZERO, &mut Ignored);
    assert!(machine.is_asking());
    machine.body();
    assert!(!machine.is_asking());
    machine.stored(&mut Ignored);
    machine.succeeded(true, Duration::from_secs(30), Instant::ZERO, &mut Ignored);
    assert!(!machine.is_asking());
    machine.timer(Instant::from_nanos(30_000_000_000), &mut Ignored);
    assert!(machine.is_asking());
}

#[test]
fn a_poller_has_data_once_a_body_is_stored_and_not_before() {
    let mut machine = PollMachine::new(30.0, None, SourceOptions::default());
    machine.start(Instant::ZERO, &mut Ignored);
    assert!(!machine.has_data());
    machine.body();
    assert!(!machine.has_data());
    machine.stored(&mut Ignored);
    machine.succeeded(true, Duration::from_secs(30), Instant::ZERO, &mut Ignored);
    assert!(machine.has_data());
}
