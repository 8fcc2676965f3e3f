//! What no timeline can say of a stream: a clock that has not moved since it showed zero, and a second message.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, Fault, Instant, Policy, nanos};
use retrylab_scenario::{Client, JitterChoice};

use retrylab_source::Cause;

use crate::client::{NoBuiltIn, build};
use crate::entropy::Entropy;
use crate::record::{EndReason, Event, Record};

/// What a policy is told, in seconds of its clock.
const TOLD: [(u64, Told); 7] = [
    // A clock so coarse that it still shows zero when the second attempt succeeds.
    (0, Told::Failure),
    (0, Told::Message),
    (60, Told::Failure),
    // Sixty-five seconds of health, whose last message is ten seconds old.
    (70, Told::Message),
    (125, Told::Message),
    (135, Told::Failure),
    (150, Told::Failure),
];

#[derive(Clone, Copy)]
enum Told {
    Message,
    Failure,
}

/// Tells the policy of a stream directly what a player cannot: a failure and a message when the clock shows zero, the end
/// of that stream when it shows 60 s, messages at 70 s and 125 s and the end of their stream at 135 s. Its draws are
/// those of `seed`, in order.
///
/// # Errors
///
/// If only the owner of the policy can build it.
pub fn tell(client: &Client, seed: u64) -> Result<Vec<Record>, NoBuiltIn> {
    let (mut policy, warning) = build(&client.kind)?;
    let mut draws = Entropy::new(seed).client(0);
    let mut records = Vec::new();
    let mut attempt = 0;
    let mut connected = false;
    if let Some(warning) = warning {
        records.push(record(&policy, (0, 0), Event::Warning(warning), None));
    }
    for (seconds, told) in TOLD {
        let now = Instant::from_secs(seconds);
        // A message or a failure without a connection is that of a new attempt.
        attempt += u64::from(!connected);
        let at = (now.as_nanos(), attempt);
        match told {
            Told::Message => {
                if !connected {
                    policy.record_connected(now);
                }
                connected = true;
                policy.record_success(now);
                let wait = policy.next_delay();
                records.push(Record { wait_ns: Some(nanos(wait)), ..record(&policy, at, Event::Message, None) });
            }
            Told::Failure => {
                connected = false;
                let draw = match client.jitter {
                    JitterChoice::Own | JitterChoice::Coarse => draws.next_draw(),
                    JitterChoice::None => 0,
                };
                let (fault, kind) = (Fault::Close, FailureKind::Normal);
                let decision =
                    policy.record_failure(Failure { kind, retry_after: None, fault: Some(fault) }, now, draw);
                let cause = Cause::Fault(fault);
                match decision {
                    Decision::RetryAfter(wait) => {
                        let told = record(&policy, at, Event::Failure { cause, kind }, Some(draw));
                        records.push(Record { wait_ns: Some(nanos(wait)), ..told });
                    }
                    Decision::GiveUp(why) => {
                        records.push(record(&policy, at, Event::GaveUp { cause, kind, why }, None));
                        records.push(record(&policy, at, Event::End(EndReason::GaveUp), None));
                        return Ok(records);
                    }
                }
            }
        }
    }
    Ok(records)
}

/// As the player writes it; `draw` is that of a failure that is retried.
fn record(policy: &impl Policy, (clock_ns, attempt): (u64, u64), event: Event, draw: Option<u64>) -> Record {
    let place = policy.explain(draw.unwrap_or(0));
    let failed = |duration: Duration| draw.map(|_| nanos(duration));
    Record {
        time_ns: clock_ns,
        clock_ns,
        event,
        attempt,
        regime: place.map(|rung| rung.regime),
        rung: place.map(|rung| rung.number),
        base_ns: place.and_then(|rung| failed(rung.base)),
        jitter_ns: place.and_then(|rung| failed(rung.jitter)),
        wait_ns: None,
        draw,
        asked_ns: None,
    }
}
