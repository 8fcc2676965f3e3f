//! Properties of every sequence of inputs, also those that no driver produces: of dropped connections, in the wrong
//! phase, after the end.

use std::convert::Infallible;
use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use retrylab_core::{Fault, Instant, Retry, RetryRules};
use retrylab_source::{
    Applied, Body, Cause, Endpoint, HttpLevel, LogMessage, LogRecord, Message, PollInput, PollNeed, PollResponse,
    PollTiming, PollingSource, Recorded, Rejected, ServerRetry, SourceOptions, SourceOutput, State, StreamInput,
    StreamNeed, StreamingSource, ValidAfter,
};

fn text() -> impl Strategy<Value = Option<String>> {
    option::of("[a-z]{0,2}")
}

fn cause() -> impl Strategy<Value = Cause> {
    let status = select(vec![200, 204, 304, 400, 401, 403, 404, 429, 500, 503]).prop_map(Cause::Status);
    prop_oneof![status, select(Fault::ALL.to_vec()).prop_map(Cause::Fault)]
}

fn rejected() -> impl Strategy<Value = Rejected> {
    let make = select(vec![Rejected::NotJson as fn(String) -> Rejected, Rejected::WrongShape, Rejected::Store]);
    make.prop_map(|make| make("why".to_owned()))
}

fn options() -> impl Strategy<Value = SourceOptions> {
    let retry = select(vec![ServerRetry::Ignored, ServerRetry::Honoured]);
    let valid = select(vec![ValidAfter::Put, ValidAfter::AnyMessage]);
    let level = select(vec![HttpLevel::ByKind, HttpLevel::Error, HttpLevel::Warning]);
    let timing = select(vec![PollTiming::Gap, PollTiming::FixedCadence]);
    (retry, valid, level, timing).prop_map(|(server_retry, valid_after, http_level, poll_timing)| SourceOptions {
        server_retry,
        valid_after,
        http_level,
        poll_timing,
        ..SourceOptions::default()
    })
}

/// The connection or poll of an input: mostly the present one, so that sequences make progress.
#[derive(Clone, Copy, Debug)]
enum Which {
    Present,
    Before,
    After,
}

impl Which {
    fn any() -> impl Strategy<Value = Self> {
        prop_oneof![8 => Just(Self::Present), 1 => Just(Self::Before), 1 => Just(Self::After)]
    }

    const fn is_present(self) -> bool {
        matches!(self, Self::Present)
    }

    const fn number(self, present: u64) -> u64 {
        match self {
            Self::Present => present,
            Self::Before => present.saturating_sub(1),
            Self::After => present + 1,
        }
    }
}

/// An input, for a known present connection.
type Input<I> = (Which, I);

fn stream_inputs() -> impl Strategy<Value = Vec<(Input<StreamInput>, u64)>> {
    let retry_after = || option::of((0_u64..100).prop_map(Duration::from_secs));
    let applied = select(vec![
        Applied::Put { flags: 1, segments: 0 },
        Applied::Upsert,
        Applied::UnknownPath,
        Applied::UnknownEvent,
    ]);
    let result = prop_oneof![3 => applied.prop_map(Ok), 1 => rejected().prop_map(Err)];
    let message = Message { event: "put".to_owned(), data: String::new() };
    let ended = (cause(), retry_after(), text());
    let input = prop_oneof![
        2 => Just(StreamInput::Start),
        2 => text().prop_map(|environment| StreamInput::Connected { connection: 0, environment }),
        2 => Just(StreamInput::Message { connection: 0, message }),
        4 => result.prop_map(|result| StreamInput::Applied { connection: 0, result }),
        1 => (0_u64..100).prop_map(|retry| StreamInput::Hint { connection: 0, retry: Duration::from_secs(retry) }),
        4 => ended.prop_map(|(cause, retry_after, detail)| StreamInput::Ended { connection: 0, cause, retry_after, detail }),
        5 => Just(StreamInput::Timer),
        1 => Just(StreamInput::Stop),
    ];
    vec(((Which::any(), input), 0_u64..100_000_000_000), 0..60)
}

fn about_connection(input: StreamInput, number: u64) -> StreamInput {
    match input {
        StreamInput::Connected { environment, .. } => StreamInput::Connected { connection: number, environment },
        StreamInput::Message { message, .. } => StreamInput::Message { connection: number, message },
        StreamInput::Applied { result, .. } => StreamInput::Applied { connection: number, result },
        StreamInput::Hint { retry, .. } => StreamInput::Hint { connection: number, retry },
        StreamInput::Ended { cause, retry_after, detail, .. } => {
            StreamInput::Ended { connection: number, cause, retry_after, detail }
        }
        other => other,
    }
}

fn poll_inputs() -> impl Strategy<Value = Vec<(Input<PollInput>, u64)>> {
    let body = text().prop_map(|etag| Body { bytes: b"{}"[..].into(), etag });
    let failed =
        (cause(), text()).prop_map(|(cause, detail)| PollResponse::Failed { cause, retry_after: None, detail });
    let response = prop_oneof![
        3 => (body, text()).prop_map(|(body, environment)| PollResponse::Body { body, environment }),
        1 => Just(PollResponse::NotModified),
        2 => failed,
    ];
    let applied = prop_oneof![3 => Just(Ok(())), 1 => rejected().prop_map(Err)];
    let checked = prop_oneof![3 => any::<bool>().prop_map(Ok), 1 => Just(Err("asked".to_owned()))];
    let input = prop_oneof![
        2 => Just(PollInput::Start),
        5 => response.prop_map(|response| PollInput::Responded { poll: 0, response }),
        5 => applied.prop_map(|result| PollInput::Applied { poll: 0, result }),
        5 => checked.prop_map(|result| PollInput::StoreChecked { poll: 0, result }),
        5 => Just(PollInput::Timer),
        1 => Just(PollInput::Stop),
    ];
    vec(((Which::any(), input), 0_u64..100_000_000_000), 0..60)
}

fn about_poll(input: PollInput, number: u64) -> PollInput {
    match input {
        PollInput::Responded { response, .. } => PollInput::Responded { poll: number, response },
        PollInput::Applied { result, .. } => PollInput::Applied { poll: number, result },
        PollInput::StoreChecked { result, .. } => PollInput::StoreChecked { poll: number, result },
        other => other,
    }
}

/// The outputs that both machines share.
#[derive(Clone, Debug, PartialEq)]
enum Output {
    Failure(Duration),
    Success,
    Log(LogRecord),
    Status(State, bool),
    Ready,
    Wait(Instant),
    Begin(u64),
    Drop(u64),
    Stopped,
    Other,
}

fn seen<W>(output: SourceOutput<Infallible, W>) -> Output {
    match output {
        SourceOutput::Attempt { number, .. } => Output::Begin(number),
        SourceOutput::Recorded(Recorded::Success) => Output::Success,
        SourceOutput::Recorded(Recorded::Failure { decision: Ok(delay), .. }) => Output::Failure(delay),
        SourceOutput::Drop { number } => Output::Drop(number),
        SourceOutput::Status(update) => Output::Status(update.state, update.error.is_some()),
        SourceOutput::Log(record) => Output::Log(record),
        SourceOutput::Ready => Output::Ready,
        SourceOutput::Wait { until } => Output::Wait(until),
        SourceOutput::Stopped => Output::Stopped,
        SourceOutput::Apply { .. }
        | SourceOutput::CheckStore { .. }
        | SourceOutput::Environment(_)
        | SourceOutput::Init(_) => Output::Other,
    }
}

/// The driver's next task, for both machines.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    Start,
    Begun(u64),
    Wait(Instant),
    Stopped,
}

/// Checks the outputs of one machine over its whole life.
struct Watch {
    /// The effect of the outputs so far.
    need: Need,
    was_valid: bool,
    was_ready: bool,
}

impl Watch {
    const fn new() -> Self {
        Self { need: Need::Start, was_valid: false, was_ready: false }
    }

    fn check(&mut self, outputs: &[Output], is_stop: bool, now: Instant, draws: usize) -> Result<(), TestCaseError> {
        if self.need == Need::Stopped {
            prop_assert_eq!(outputs, &[], "after the end");
        } else if is_stop {
            self.check_stop(outputs)?;
        }
        let failures = outputs.iter().filter(|output| matches!(output, Output::Failure(_))).count();
        prop_assert_eq!(draws, failures, "one draw a failure, and none for anything else");
        prop_assert!(failures <= 1);
        for (at, output) in outputs.iter().enumerate() {
            let is_last = at + 1 == outputs.len();
            match output {
                Output::Failure(delay) => check_failure(*delay, &outputs[at + 1..], now)?,
                Output::Status(State::Valid, _) => self.was_valid = true,
                Output::Ready => {
                    prop_assert!(self.was_valid, "VALID comes before ready");
                    prop_assert!(!self.was_ready, "ready comes once");
                    self.was_ready = true;
                }
                Output::Begin(number) => self.need = Need::Begun(*number),
                Output::Wait(until) => self.need = Need::Wait(*until),
                Output::Stopped => self.need = Need::Stopped,
                Output::Success | Output::Log(_) | Output::Status(..) | Output::Drop(_) | Output::Other => {}
            }
            if matches!(output, Output::Begin(_) | Output::Wait(_) | Output::Stopped) {
                prop_assert!(is_last, "{output:?} is the last output: {outputs:?}");
            }
        }
        Ok(())
    }

    /// The line, the drop of anything under way, OFF without an error, the end.
    fn check_stop(&self, outputs: &[Output]) -> Result<(), TestCaseError> {
        let mut rest = outputs.iter();
        let is_line = |output: Option<&Output>| matches!(output, Some(Output::Log(record)) if record.message == LogMessage::Stopping);
        prop_assert!(is_line(rest.next()));
        if let Need::Begun(number) = self.need {
            prop_assert_eq!(rest.next(), Some(&Output::Drop(number)));
        }
        prop_assert_eq!(rest.as_slice(), &[Output::Status(State::Off, false), Output::Stopped]);
        Ok(())
    }
}

/// After the record of a failure: its line, which states the wait, then the status, then the wait. Nothing else.
fn check_failure(delay: Duration, rest: &[Output], now: Instant) -> Result<(), TestCaseError> {
    let [Output::Log(record), Output::Status(State::Interrupted, true), Output::Wait(until)] = rest else {
        return Err(TestCaseError::fail(format!("after a failure: {rest:?}")));
    };
    prop_assert!(record.to_string().ends_with(&format!(" - will retry in {:.1}s", delay.as_secs_f64())), "{record}");
    prop_assert_eq!(*until, now + delay);
    Ok(())
}

fn endpoint() -> Result<Endpoint, retrylab_source::EndpointError> {
    Endpoint::new("http://example.org", "/all")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_keeps_its_contract_for_any_inputs(
        inputs in stream_inputs(),
        options in options(),
        draw in any::<u64>(),
    ) {
        let (rules, warning) = RetryRules::streaming_from_secs_f64(1.0);
        let mut machine = StreamingSource::new(endpoint(), Retry::new(rules), warning, options);
        let (mut watch, mut now, mut connection) = (Watch::new(), Instant::ZERO, 0);
        for ((which, input), later) in inputs {
            now = now + Duration::from_nanos(later);
            let is_stop = input == StreamInput::Stop;
            let has_no_number = matches!(input, StreamInput::Start | StreamInput::Timer | StreamInput::Stop);
            let mut draws = 0;
            machine.handle(about_connection(input, which.number(connection)), now, || {
                draws += 1;
                draw
            });
            let need = machine.need();
            let outputs: Vec<_> = std::iter::from_fn(|| machine.next_output()).map(seen).collect();
            prop_assert!(has_no_number || which.is_present() || outputs.is_empty(), "of another one: {outputs:?}");
            watch.check(&outputs, is_stop, now, draws)?;
            if let Some(Output::Begin(number)) = outputs.last() {
                prop_assert_eq!(*number, connection + 1, "numbers are given out in order");
                connection = *number;
            }
            prop_assert_eq!(need, match watch.need {
                Need::Start => StreamNeed::Start,
                Need::Begun(number) => StreamNeed::Connection(number),
                Need::Wait(until) => StreamNeed::Wait(until),
                Need::Stopped => StreamNeed::Stopped,
            });
        }
    }

    #[test]
    fn a_poller_keeps_its_contract_for_any_inputs(
        inputs in poll_inputs(),
        options in options(),
        draw in any::<u64>(),
    ) {
        let (rules, warning) = RetryRules::polling_from_secs_f64(30.0);
        let mut machine = PollingSource::new(endpoint(), Retry::new(rules), 30.0, warning, options);
        let (mut watch, mut now, mut poll) = (Watch::new(), Instant::ZERO, 0);
        for ((which, input), later) in inputs {
            now = now + Duration::from_nanos(later);
            let is_stop = input == PollInput::Stop;
            let has_no_number = matches!(input, PollInput::Start | PollInput::Timer | PollInput::Stop);
            let mut draws = 0;
            machine.handle(about_poll(input, which.number(poll)), now, || {
                draws += 1;
                draw
            });
            let outputs: Vec<_> = std::iter::from_fn(|| machine.next_output()).map(seen).collect();
            prop_assert!(has_no_number || which.is_present() || outputs.is_empty(), "of another one: {outputs:?}");
            watch.check(&outputs, is_stop, now, draws)?;
            if let Some(at) = outputs.iter().position(|output| *output == Output::Success) {
                prop_assert!(matches!(outputs[at + 1..], [Output::Wait(until)] if until > now), "a success is recorded last");
                prop_assert!(watch.was_valid);
            }
            if let Some(Output::Begin(number)) = outputs.last() {
                prop_assert_eq!(*number, poll + 1, "numbers are given out in order");
                poll = *number;
            }
            let need = match machine.need() {
                PollNeed::Start => Need::Start,
                PollNeed::Response { poll, .. } => Need::Begun(poll),
                PollNeed::Wait(until) => Need::Wait(until),
                PollNeed::Stopped => Need::Stopped,
            };
            prop_assert_eq!(need, watch.need);
        }
    }

    #[test]
    fn a_stop_discards_outputs_that_were_not_taken(inputs in stream_inputs(), polls in poll_inputs()) {
        let rules = RetryRules::streaming(Duration::from_secs(1));
        let mut stream = StreamingSource::new(endpoint(), Retry::new(rules), None, SourceOptions::default());
        for ((which, input), _) in inputs {
            stream.handle(about_connection(input, which.number(1)), Instant::ZERO, || 0);
        }
        stream.handle(StreamInput::Stop, Instant::ZERO, || 0);
        let outputs: Vec<_> = std::iter::from_fn(|| stream.next_output()).map(seen).collect();
        prop_assert!(outputs.len() <= 4, "{outputs:?}");
        prop_assert!(outputs.ends_with(&[Output::Status(State::Off, false), Output::Stopped]), "{outputs:?}");

        let rules = RetryRules::polling(Duration::from_secs(30));
        let mut poller = PollingSource::new(endpoint(), Retry::new(rules), 30.0, None, SourceOptions::default());
        for ((which, input), _) in polls {
            poller.handle(about_poll(input, which.number(1)), Instant::ZERO, || 0);
        }
        poller.handle(PollInput::Stop, Instant::ZERO, || 0);
        let outputs: Vec<_> = std::iter::from_fn(|| poller.next_output()).map(seen).collect();
        prop_assert!(outputs.len() <= 4, "{outputs:?}");
        prop_assert!(outputs.ends_with(&[Output::Status(State::Off, false), Output::Stopped]), "{outputs:?}");
    }
}
