//! The outages that every search has among its cases: what no short burst reaches, and a sample of bursts may miss.

use core::time::Duration;

use retrylab_laws::Claim;
use retrylab_spec::{Client, Draft, Draw, Entry, JitterChoice, Limits, Outcome, Play, Timeline};

use crate::cases::coarsen;

/// Through every rung of any doubling ladder: twice as many failures as an hour has powers of two, in nanoseconds.
const CLIMB: u64 = 70;

/// A double overflows at 2^1024, and a shift of 64 bits wraps at each multiple of 64.
const LONG: u64 = 1100;

/// Three attempts of 30 days last longer than 2^31 ms, which is 24.9 days.
const SLOW: (u64, Duration) = (3, Duration::from_secs(30 * 86_400));

/// The number of these outages.
pub(crate) const COUNT: u64 = 3;

/// The place of the first of them, after cases that show more at fewer events; earlier in a shorter search.
pub(crate) const fn first_of(cases: u64) -> u64 {
    let last = cases.saturating_sub(COUNT);
    if last < 8 { last } else { 8 }
}

/// The outage of this number, from 0: the same failure until the client gives up, or as often as stated.
pub(crate) fn outage(nth: u64, client: &Client, claim: &Claim, seed: u64) -> Option<Timeline> {
    let (times, latency) = [(CLIMB, Duration::ZERO), (LONG, Duration::ZERO), SLOW][usize::try_from(nth).ok()?];
    let attempts = claim.limits().and_then(|limits| limits.attempts).map_or(times, u64::from);
    let outcome = Outcome::Status { status: 503, retry_after: None };
    let mut entry = Entry { latency, draw: Some(Draw::Address(0)), ..Entry::new(outcome) };
    if client.jitter == JitterChoice::Coarse {
        coarsen(&mut entry);
    }
    let mut draft = Draft::new("An outage that every search has.", client.clone());
    draft.seed = Some(seed);
    draft.limits = Limits { events: 5_000, ..Limits::default() };
    draft.script = vec![Play::Repeat { times: times.min(attempts).max(2), play: vec![Play::Attempt(entry)] }];
    Timeline::new(draft).ok()
}
