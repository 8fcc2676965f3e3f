//! Steps that no timeline can express: a clock that has not moved since it showed zero, and a second message.

use retrylab_core::{Fault, Instant};
use retrylab_spec::{Client as ClientSpec, FirstMessage, JitterChoice};

use retrylab_source::Cause;

use crate::client::{NoBuiltIn, build};
use crate::entropy::Entropy;
use crate::record::{EndReason, Event, Record};
use crate::step::{Action, At, Client, Occurrence, Setup};

/// The steps of a stream, in seconds of its clock.
const STEPS: [(u64, Kind); 7] = [
    // A clock so coarse that it still shows zero when the second attempt succeeds.
    (0, Kind::Failure),
    (0, Kind::Message),
    (60, Kind::Failure),
    // Sixty-five seconds of health, whose last message is ten seconds old.
    (70, Kind::Message),
    (125, Kind::Message),
    (135, Kind::Failure),
    (150, Kind::Failure),
];

#[derive(Clone, Copy)]
enum Kind {
    Message,
    Failure,
}

/// Takes the client of a stream through steps that no timeline has: a failure and a message when the clock shows zero, the end
/// of that stream when it shows 60 s, messages at 70 s and 125 s and the end of their stream at 135 s. Its draws are
/// those of `seed`, in order. The records are those that a plain trace shows.
///
/// # Errors
///
/// If only the owner of the policy can build it.
pub fn steps(spec: &ClientSpec, seed: u64) -> Result<Vec<Record>, NoBuiltIn> {
    let (policy, warning) = build(&spec.kind)?;
    let mut client = Client::new(policy, Setup::of(&spec.kind), warning);
    let mut draws = Entropy::new(seed).client(0);
    let mut draw = || match spec.jitter {
        JitterChoice::Own | JitterChoice::Coarse => draws.next_draw(),
        JitterChoice::None => 0,
    };
    let mut records = Vec::new();
    let mut connected = false;
    let mut next = Action::Nothing;
    if let Some(warning) = warning {
        client.note(Event::Warning(warning), at(0), &mut records);
    }
    for (seconds, kind) in STEPS {
        let at = at(seconds);
        // A message or a failure without a connection is that of a new attempt.
        if !connected {
            let wakes = if client.attempt() == 0 { Occurrence::Start } else { Occurrence::Timer };
            client.step(wakes, at, || 0, &mut records);
            client.begin_attempt();
        }
        match kind {
            Kind::Message => {
                if !connected {
                    client.step(Occurrence::Connected { silent: false }, at, || 0, &mut records);
                }
                connected = true;
                client.step(Occurrence::Message(FirstMessage::Put), at, || 0, &mut records);
            }
            Kind::Failure => {
                connected = false;
                let closed = Occurrence::Failed { cause: Cause::Fault(Fault::Close), retry_after: None };
                next = client.step(closed, at, &mut draw, &mut records);
            }
        }
        if next == Action::Stopped {
            client.note(Event::End(EndReason::GaveUp), at, &mut records);
            break;
        }
    }
    Ok(super::numbered(records.into_iter().filter(Record::is_plain)).collect())
}

const fn at(seconds: u64) -> At {
    let clock = Instant::from_secs(seconds);
    At { time_ns: clock.as_nanos(), clock }
}
