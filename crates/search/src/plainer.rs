//! Plainer outcomes in place of unusual ones.

use retrylab_spec::{ConnectFault, End, FirstMessage, Outcome, Shape};

pub(crate) type Plainer = fn(&Outcome, Shape) -> Option<Outcome>;

/// Plainer outcomes, the plainest first. The size refuses one that is not plainer.
pub(crate) const PLAINER: [Plainer; 8] = [
    |_, _| Some(Outcome::Status { status: 503, retry_after: None }),
    |_, _| Some(Outcome::Status { status: 401, retry_after: None }),
    |_, _| Some(Outcome::Fault(ConnectFault::Refused)),
    |outcome, _| match *outcome {
        Outcome::Status { status, retry_after: Some(_) } => Some(Outcome::Status { status, retry_after: None }),
        _ => None,
    },
    |outcome, _| match *outcome {
        Outcome::Status { retry_after, .. } => Some(Outcome::Status { status: 503, retry_after }),
        _ => None,
    },
    |_, shape| (shape != Shape::Streaming).then_some(Outcome::Ok),
    |outcome, shape| match *outcome {
        Outcome::Idle { lasts, .. } if shape == Shape::Streaming => {
            Some(Outcome::Up { lasts: Some((lasts, End::Close)), first: FirstMessage::Put })
        }
        _ => None,
    },
    |outcome, _| match *outcome {
        Outcome::Up { lasts, first: FirstMessage::Patch } => Some(Outcome::Up { lasts, first: FirstMessage::Put }),
        Outcome::Up { lasts: Some((lasts, _)), first } => Some(Outcome::Up { lasts: Some((lasts, End::Close)), first }),
        Outcome::Idle { lasts, .. } => Some(Outcome::Idle { lasts, end: End::Close }),
        _ => None,
    },
];
