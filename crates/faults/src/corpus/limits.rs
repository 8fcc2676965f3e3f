//! Limits that count the wrong thing, from the wrong time, or too late.

use core::time::Duration;

use retrylab_core::Decision;
use retrylab_spec::Shape;

use super::drive::{Driven, fails, plainest, text};
use super::maker::{Maker, SharedSetting};
use super::server::{ASKED, must_listen};
use super::{BugTrial, BugVerdict};

pub(super) const ATTEMPTS_ARE_CALLS: BugTrial = BugTrial {
    kind: "attempts-off-by-one",
    name: "attempts-are-calls",
    question: "Are four attempts three waits, and one attempt none, in each call?",
    put: attempts_are_calls,
};

pub(super) const LAST_WAIT_FITS: BugTrial = BugTrial {
    kind: "deadline",
    name: "last-wait-fits",
    question: "Does a wait that does not fit into the time limit end the call?",
    put: last_wait_fits,
};

pub(super) const ATTEMPTS_TAKE_TIME: BugTrial = BugTrial {
    kind: "elapsed-clock",
    name: "attempts-take-time",
    question: "Does the time limit include the time of attempts?",
    put: attempts_take_time,
};

pub(super) const OUTAGES_COUNT_FOR_THEMSELVES: BugTrial = BugTrial {
    kind: "elapsed-clock",
    name: "outages-count-for-themselves",
    question: "Does the time limit count from the outage's first failure, not from earlier?",
    put: outages_count_for_themselves,
};

pub(super) const ELAPSED_BINDS_THE_SERVER: BugTrial = BugTrial {
    kind: "elapsed-clock",
    name: "elapsed-binds-the-server",
    question: "Does the time limit hold with a retry_after?",
    put: elapsed_binds_the_server,
};

fn attempts_are_calls(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    for attempts in [4, 1] {
        let asked = SharedSetting { attempts: Some(attempts), ..SharedSetting::default() };
        let mut client = Driven::new(maker, &asked, seed, 0)?;
        // A give-up ends a reconnecting loop; a call is followed by the next.
        let calls = if maker.shape() == Shape::Call { 3 } else { 1 };
        for call in 1..=calls {
            let most = 2 * attempts;
            let made = (1..=most).find(|_| client.retry().is_err());
            if made != Some(attempts) {
                let made = match made {
                    None => format!("goes on after {most} attempts"),
                    Some(1) => "makes 1 attempt".to_owned(),
                    Some(made) => format!("makes {made} attempts"),
                };
                let which = if call == 1 { String::new() } else { format!(" in call {call}") };
                return Err(fails(seed, format!("{made}{which}, with a limit of {attempts}")));
            }
        }
    }
    Ok(())
}

/// Waits of 1, 2, 4, 8 and 16 s end after 31 s; one of 30 s more would end after 61 s.
fn last_wait_fits(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let mut client = limited(maker, MINUTE, seed)?;
    let first = client.now;
    for _ in 0..ATTEMPTS {
        let before = client.now.since(first);
        let Ok(wait) = client.retry() else { return Ok(()) };
        if before + wait > MINUTE + GRAIN {
            let (wait, before) = (text(wait), text(before));
            return Err(fails(seed, format!("begins a wait of {wait} after {before} of {}", text(MINUTE))));
        }
    }
    Err(endless(ATTEMPTS, MINUTE, seed))
}

fn attempts_take_time(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    const LATENCY: Duration = Duration::from_secs(30);
    let mut client = limited(maker, MINUTE * 5, seed)?;
    let first = client.now;
    let over = |client: &Driven| client.now.since(first) > MINUTE * 5 + GRAIN;
    for _ in 0..ATTEMPTS {
        let begun_after_the_end = over(&client);
        match client.retry() {
            Err(_) => return Ok(()),
            Ok(_) if begun_after_the_end => {
                let (latency, at) = (text(LATENCY), text(client.now.since(first)));
                let limit = text(MINUTE * 5);
                return Err(fails(
                    seed,
                    format!("goes on until {at} at least where attempts take {latency}, with a limit of {limit}"),
                ));
            }
            Ok(_) => client.pass(LATENCY),
        }
    }
    Err(endless(ATTEMPTS, MINUTE * 5, seed))
}

fn outages_count_for_themselves(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let mut client = limited(maker, MINUTE, seed)?;
    client.recover(maker.shape());
    client.pass(MINUTE * 60);
    for outage in ["", " once more"] {
        match client.fail() {
            decision @ Decision::RetryAfter(_) => drop(client.wait(decision)),
            Decision::GiveUp(why) => {
                let limit = text(MINUTE);
                let what = format!(
                    "gives up at once ({why}){outage} after an hour without a failure, with a limit of {limit}"
                );
                return Err(fails(seed, what));
            }
        }
        client.recover(maker.shape());
        client.pass(MINUTE * 60);
    }
    Ok(())
}

fn elapsed_binds_the_server(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    must_listen(maker, seed)?;
    let mut client = limited(maker, MINUTE * 5, seed)?;
    let first = client.now;
    for _ in 0..ATTEMPTS {
        let decision = client.fail_asked(ASKED);
        if client.wait(decision).is_err() {
            let at = client.now.since(first);
            return if at <= MINUTE * 5 + GRAIN { Ok(()) } else { Err(late(at, seed)) };
        }
    }
    Err(late(client.now.since(first), seed))
}

fn late(at: Duration, seed: u64) -> BugVerdict {
    let (asked, at, limit) = (text(ASKED), text(at), text(MINUTE * 5));
    fails(seed, format!("still waits after {at} with a retry_after of {asked}, with a limit of {limit}"))
}

fn endless(attempts: u32, limit: Duration, seed: u64) -> BugVerdict {
    fails(seed, format!("does not end in {attempts} attempts, with a limit of {}", text(limit)))
}

fn limited(maker: &dyn Maker, elapsed: Duration, seed: u64) -> Result<Driven, BugVerdict> {
    let asked = plainest(maker, SharedSetting { elapsed: Some(elapsed), ..SharedSetting::default() }, seed);
    Driven::new(maker, &asked, seed, 0)
}

const MINUTE: Duration = Duration::from_secs(60);

/// More than any limit here leaves room for.
pub(super) const ATTEMPTS: u32 = 500;

/// tokio's timer counts in milliseconds.
const GRAIN: Duration = Duration::from_millis(1);
