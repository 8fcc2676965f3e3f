//! The inputs of a machine's policy, and a source whose policy gives up.

use std::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, Fault, GiveUp, Instant, Policy};
use retrylab_source::{
    Cause, Endpoint, MayGiveUp, PollInput, PollNeed, PollResponse, PollingSource, ServerRetry, SourceOptions,
    SourcePolicy, State, StreamInput, StreamNeed, StreamPolicy, StreamingSource,
};

use crate::lines::Lines;
use crate::stream_player::{PUT, Stream};

/// Waits a second each time, or gives up at a failure of this number; records its inputs.
#[derive(Default)]
struct Notes {
    gives_up_at: Option<usize>,
    failures: Vec<(Failure, Instant, u64)>,
    successes: Vec<Instant>,
    connections: Vec<Instant>,
}

impl Policy for Notes {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.failures.push((failure, now, draw));
        match self.gives_up_at {
            Some(number) if number == self.failures.len() => Decision::GiveUp(GiveUp::Attempts),
            _ => Decision::RetryAfter(Duration::from_secs(1)),
        }
    }

    fn record_success(&mut self, now: Instant) {
        self.successes.push(now);
    }

    fn record_connected(&mut self, now: Instant) {
        self.connections.push(now);
    }

    fn next_delay(&self) -> Duration {
        Duration::from_secs(9)
    }
}

type Source = StreamingSource<MayGiveUp<Notes>>;

fn source(gives_up_at: Option<usize>, server_retry: ServerRetry) -> Source {
    let policy = MayGiveUp(Notes { gives_up_at, ..Notes::default() });
    let options = SourceOptions { server_retry, ..SourceOptions::default() };
    StreamingSource::new(Endpoint::new("http://example.org", "/all"), policy, None, options)
}

#[test]
fn a_policy_receives_connections_successes_and_failures_each_with_its_time() {
    let mut stream = Stream::of(source(None, ServerRetry::Ignored));
    stream.start();
    stream.at(1.0).connect(None);
    stream.at(2.0).message("put", PUT);
    stream.at(3.0);
    let end = stream.end(Cause::Fault(Fault::Reset));
    stream.feed_with(end, 77);
    let MayGiveUp(notes) = stream.machine.policy();
    assert_eq!(
        (&notes.connections[..], &notes.successes[..]),
        (&[Instant::from_secs(1)][..], &[Instant::from_secs(2)][..])
    );
    let failure = Failure { kind: FailureKind::Normal, retry_after: None, fault: Some(Fault::Reset) };
    assert_eq!(notes.failures, [(failure, Instant::from_secs(3), 77)]);
}

#[test]
fn a_hint_reaches_a_policy_with_the_next_failure_alone_and_only_where_hints_are_adopted() {
    let hint = Duration::from_secs(20);
    for (server_retry, told) in [(ServerRetry::Ignored, None), (ServerRetry::Honoured, Some(hint))] {
        let mut stream = Stream::of(source(None, server_retry));
        stream.start();
        stream.feed(StreamInput::Hint { connection: 1, retry: hint });
        stream.ended(Cause::Fault(Fault::Close));
        stream.at(1.0).timer();
        stream.ended(Cause::Fault(Fault::Close));
        let hints: Vec<_> =
            stream.machine.policy().0.failures.iter().map(|(failure, ..)| failure.retry_after).collect();
        assert_eq!(hints, [told, None], "{server_retry:?}");
    }
}

#[test]
fn a_retry_field_wins_over_the_retry_after_at_the_end_of_the_stream() {
    let mut stream = Stream::of(source(None, ServerRetry::Honoured));
    stream.start();
    stream.feed(StreamInput::Hint { connection: 1, retry: Duration::from_secs(20) });
    let retry_after = Some(Duration::from_secs(5));
    stream.feed(StreamInput::Ended { connection: 1, cause: Cause::Status(503), retry_after, detail: None });
    assert_eq!(stream.machine.policy().0.failures[0].0.retry_after, Some(Duration::from_secs(20)));
}

#[test]
fn a_stream_whose_policy_gives_up_ends() {
    let mut stream = Stream::of(source(Some(2), ServerRetry::Ignored));
    stream.start();
    stream.ended(Cause::Status(503));
    stream.at(1.0).timer();
    assert_eq!(
        stream.ended(Cause::Status(503)),
        [
            "init of 1s failed after 0ns",
            "normal failure 503: attempts",
            "warning: Received HTTP error 503 for stream connection - giving up",
            "status INTERRUPTED (ERROR_RESPONSE 503), seen as INITIALIZING (ERROR_RESPONSE 503)",
            "stopped",
        ]
    );
    assert_eq!(stream.machine.need(), StreamNeed::Stopped);
    assert_eq!((stream.timer(), stream.stop()), (vec![], vec![]), "nothing follows, not even OFF");
    assert_eq!(stream.lines.status.state, State::Initializing);
}

#[test]
fn a_poller_whose_policy_gives_up_ends() {
    let policy = MayGiveUp(Notes { gives_up_at: Some(1), ..Notes::default() });
    let endpoint = Endpoint::new("http://example.org", "/all");
    let mut machine = PollingSource::new(endpoint, policy, 30.0, None, SourceOptions::default());
    machine.handle(PollInput::Start, Instant::ZERO, || 0);
    while machine.next_output().is_some() {}
    let response =
        PollResponse::Failed { cause: Cause::Status(401), retry_after: Some(Duration::from_secs(3)), detail: None };
    machine.handle(PollInput::Responded { poll: 1, response }, Instant::ZERO, || 7);
    let mut lines = Lines::new();
    let outputs: Vec<_> =
        std::iter::from_fn(|| machine.next_output()).map(|output| lines.poll(&output, Instant::ZERO)).collect();
    assert_eq!(
        outputs,
        [
            "unexpected failure 401: attempts",
            "error: Received HTTP error 401 (invalid SDK key) for polling request - giving up",
            "status INTERRUPTED (ERROR_RESPONSE 401), seen as INITIALIZING (ERROR_RESPONSE 401)",
            "stopped",
        ]
    );
    assert_eq!(machine.need(), PollNeed::Stopped);
    let MayGiveUp(notes) = machine.policy();
    assert_eq!(notes.failures[0].0.retry_after, Some(Duration::from_secs(3)), "the policy decides on its own");
    assert_eq!(SourcePolicy::next_delay(machine.policy()), Duration::from_secs(9));
}

fn hinting(initial: u64) -> StreamPolicy {
    StreamPolicy::new(retrylab_core::RetryRules::streaming(Duration::from_secs(initial))).adopting_hints()
}

#[test]
fn a_hint_of_zero_is_ignored() {
    let mut policy = hinting(1);
    let hint = |seconds| Failure { retry_after: Some(Duration::from_secs(seconds)), ..FailureKind::Normal.into() };
    let mut wait = |failure| SourcePolicy::record_failure(&mut policy, failure, Instant::ZERO, 0);
    // The ladder goes on as without the hint: 1 s, 2 s; after a hint of 3 s it is 3 s, and then 6 s.
    assert_eq!(wait(hint(0)), Ok(Duration::from_secs(1)));
    assert_eq!(wait(hint(0)), Ok(Duration::from_secs(2)));
    assert_eq!(wait(hint(3)), Ok(Duration::from_secs(3)));
    assert_eq!(wait(hint(0)), Ok(Duration::from_secs(6)));
    assert_eq!(SourcePolicy::next_delay(&policy), Duration::from_secs(6));
}

#[test]
fn a_policy_returns_its_decision_when_read_again() {
    // A first failure waits 1 s with either policy of a stream; with a hint of 3 s, the one that adopts it waits 3 s.
    for (server_retry, hinted) in [(ServerRetry::Ignored, 1), (ServerRetry::Honoured, 3)] {
        let mut stream = Stream::connected_with(SourceOptions { server_retry, ..SourceOptions::default() });
        assert_eq!(SourcePolicy::next_delay(stream.machine.policy()), Duration::ZERO);
        stream.feed(StreamInput::Hint { connection: 1, retry: Duration::from_secs(3) });
        stream.ended(Cause::Fault(Fault::Close));
        assert_eq!(SourcePolicy::next_delay(stream.machine.policy()), Duration::from_secs(hinted));
    }
}

#[test]
fn a_hint_keeps_the_ceiling_raised_by_a_long_initial_delay() {
    let mut policy = hinting(45);
    let hint = Failure { retry_after: Some(Duration::from_secs(40)), ..FailureKind::Normal.into() };
    let mut wait = |failure| SourcePolicy::record_failure(&mut policy, failure, Instant::ZERO, 0);
    assert_eq!(wait(hint), Ok(Duration::from_secs(40)));
    assert_eq!(wait(FailureKind::Normal.into()), Ok(Duration::from_secs(45)));
}
