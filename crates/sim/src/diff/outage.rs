//! The standard outage, for comparisons without a timeline.

use core::time::Duration;

use retrylab_spec::{
    Client, ConnectFault, Draft, End, Entry, FirstMessage, Outcome, Play, ServerWait, Shape, Then, Window,
};

/// The standard outage for a client: every kind of failure once, long enough to show, with an outage window in which
/// the server responds with 503 and each attempt takes a second.
///
/// | client | outcomes |
/// |---|---|
/// | streams | a busy server; two healthy minutes, begun by a patch; 60 refused connections; a hint to come back in 10 s; a connection that only ever sends heartbeats for 90 s; a TLS failure; a rejected key; two healthy minutes after each; then a healthy stream, cut by a window from 24 h to 24 h 20 min |
/// | polls | a window of the first 20 minutes; two good polls; a single failure; a rejected key for three polls, then good ones; a body that cannot be read; five failures; a good poll |
/// | calls | a window of the first minute, in which call after call is exhausted; good calls; a terminal failure; failures that a retry heals; a `retry_after` of 2 s; an attempt that hangs for 10 s; ten refused connections; a good call |
///
/// It does not depend on a seed, and is the same for every client of a shape.
#[must_use]
pub fn outage(client: Client) -> Draft {
    let shape = client.kind.shape();
    let mut draft = Draft::new("The standard outage.", client);
    match shape {
        Shape::Streaming => {
            draft.script = streams();
            draft.then = Then::Succeed;
            draft.windows.push(Window { cut: Some(End::Reset), ..busy(hours(24), hours(24) + minutes(20)) });
        }
        Shape::Polling => {
            draft.script = polls();
            draft.windows.push(busy(Duration::ZERO, minutes(20)));
        }
        Shape::Call => {
            draft.script = calls();
            draft.windows.push(busy(Duration::ZERO, minutes(1)));
        }
    }
    draft
}

fn streams() -> Vec<Play> {
    let begun_by = |first| one(Outcome::Up { lasts: Some((minutes(2), End::Close)), first });
    let healthy = || begun_by(FirstMessage::Put);
    let heartbeats = Outcome::Idle { lasts: Duration::from_secs(90), end: End::Close };
    vec![
        status(503),
        begun_by(FirstMessage::Patch),
        several(60, fault(ConnectFault::Refused)),
        healthy(),
        one(Outcome::Status { status: 503, retry_after: Some(ServerWait::Delay(Duration::from_secs(10))) }),
        several(2, status(503)),
        healthy(),
        status(503),
        one(heartbeats),
        status(503),
        healthy(),
        fault(ConnectFault::Tls),
        status(503),
        healthy(),
        several(2, status(401)),
        status(503),
        healthy(),
    ]
}

fn polls() -> Vec<Play> {
    let good = || one(Outcome::Ok);
    vec![
        several(2, good()),
        status(503),
        several(2, good()),
        several(3, status(401)),
        several(3, good()),
        one(Outcome::Malformed),
        good(),
        several(5, status(503)),
        good(),
    ]
}

fn calls() -> Vec<Play> {
    let good = || one(Outcome::Ok);
    vec![
        several(2, good()),
        status(404),
        several(2, status(503)),
        good(),
        one(Outcome::Status { status: 429, retry_after: Some(ServerWait::Delay(Duration::from_secs(2))) }),
        good(),
        one(Outcome::Hang(Duration::from_secs(10))),
        good(),
        several(10, fault(ConnectFault::Refused)),
        good(),
    ]
}

/// A busy server. Attempts take time, so that a policy without waits cannot make them without end.
fn busy(from: Duration, until: Duration) -> Window {
    let outcome = Outcome::Status { status: 503, retry_after: None };
    let entry = Entry { latency: Duration::from_secs(1), ..Entry::new(outcome) };
    Window { from, until, entry, cut: None }
}

const fn one(outcome: Outcome) -> Play {
    Play::Attempt(Entry::new(outcome))
}

const fn status(status: u16) -> Play {
    one(Outcome::Status { status, retry_after: None })
}

const fn fault(fault: ConnectFault) -> Play {
    one(Outcome::Fault(fault))
}

fn several(times: u64, part: Play) -> Play {
    Play::Repeat { times, play: vec![part] }
}

const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(minutes * 60)
}

const fn hours(hours: u64) -> Duration {
    minutes(hours * 60)
}
