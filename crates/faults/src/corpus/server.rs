//! Faults of a server's `retry_after`.

use core::time::Duration;

use retrylab_core::Decision;

use super::drive::{CLIENTS, Driven, fails, plainest, spread, text};
use super::limits::ATTEMPTS;
use super::maker::{Maker, SERVER_MOST, SharedSetting};
use super::{BugTrial, BugVerdict};

pub(super) const ATTEMPTS_BIND_THE_SERVER: BugTrial = BugTrial {
    kind: "retry-after",
    name: "attempts-bind-the-server",
    question: "Does the limit of attempts hold with a retry_after?",
    put: attempts_bind_the_server,
};

pub(super) const BOUNDED: BugTrial = BugTrial {
    kind: "retry-after",
    name: "bounded",
    question: "Is a retry_after of a day cut or refused?",
    put: bounded,
};

pub(super) const NEVER_BEFORE: BugTrial = BugTrial {
    kind: "retry-after",
    name: "never-before",
    question: "Is a retry_after waited for in full?",
    put: never_before,
};

pub(super) const SPREAD: BugTrial = BugTrial {
    kind: "retry-after",
    name: "spread",
    question: "Do clients with the same retry_after return apart?",
    put: |maker, seed| spread(&told(maker, seed)?, seed),
};

pub(super) const FORGOTTEN: BugTrial = BugTrial {
    kind: "server-directed",
    name: "forgotten",
    question: "Does a retry_after affect only the next wait?",
    put: forgotten,
};

/// Below the ceiling, and well above the first rungs.
pub(super) const ASKED: Duration = Duration::from_secs(20);

/// Whether the policy honours `retry_after` at all: at its longest wait, with no jitter.
pub(super) fn must_listen(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let deaf = || BugVerdict::NotApplicable { why: "it ignores retry_after".to_owned() };
    let asked = plainest(maker, SharedSetting::default(), seed);
    let mut client = Driven::new(maker, &asked, seed, 0)?;
    let first = client.ladder().base;
    match client.fail_asked(ASKED) {
        Decision::RetryAfter(wait) if wait >= ASKED && first < ASKED => Ok(()),
        _ => Err(deaf()),
    }
}

fn attempts_bind_the_server(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    must_listen(maker, seed)?;
    let asked = plainest(maker, SharedSetting { attempts: Some(3), ..SharedSetting::default() }, seed);
    let mut client = Driven::new(maker, &asked, seed, 0)?;
    for made in 1..=ATTEMPTS {
        let decision = client.fail_asked(ASKED);
        if client.wait(decision).is_err() {
            return if made <= 3 {
                Ok(())
            } else {
                Err(fails(seed, format!("makes {made} attempts, with a limit of 3")))
            };
        }
    }
    let asked = text(ASKED);
    Err(fails(seed, format!("still waits after {ATTEMPTS} attempts with a retry_after of {asked}, with a limit of 3")))
}

fn bounded(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    const DAY: Duration = Duration::from_secs(86_400);
    must_listen(maker, seed)?;
    let mut client = Driven::new(maker, &SharedSetting::default(), seed, 0)?;
    match client.fail_asked(DAY) {
        Decision::RetryAfter(wait) if wait > SERVER_MOST * 2 => Err(fails(
            seed,
            format!(
                "waits {} with such a retry_after, where the ceiling is {}",
                text(wait),
                text(client.ladder().ceiling)
            ),
        )),
        _ => Ok(()),
    }
}

fn never_before(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    match told(maker, seed)?.into_iter().zip(0..).min() {
        Some((wait, client)) if wait < ASKED => Err(BugVerdict::Fails {
            what: format!("waits {} with a retry_after of {}", text(wait), text(ASKED)),
            seed,
            client: Some(client).filter(|_| maker.is_repeatable()),
        }),
        _ => Ok(()),
    }
}

fn forgotten(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    must_listen(maker, seed)?;
    let asked = plainest(maker, SharedSetting::default(), seed);
    let mut client = Driven::new(maker, &asked, seed, 0)?;
    let climb = client.ladder();
    let decision = client.fail_asked(ASKED);
    client.wait(decision).map_err(|stopped| stopped.verdict(seed))?;
    for (when, most) in [("the next failure", climb.base * 4), ("the next outage", climb.base)] {
        let wait = client.retry().map_err(|stopped| stopped.verdict(seed))?;
        if wait > most {
            let (wait, asked, most) = (text(wait), text(ASKED), text(most));
            return Err(fails(
                seed,
                format!("waits {wait} at {when} after a retry_after of {asked}, where {most} is the maximum"),
            ));
        }
        client.recover(maker.shape());
    }
    Ok(())
}

/// The wait of each client with the same `retry_after` at its first failure.
fn told(maker: &dyn Maker, seed: u64) -> Result<Vec<Duration>, BugVerdict> {
    must_listen(maker, seed)?;
    let told = |client| {
        let mut client = Driven::new(maker, &SharedSetting::default(), seed, client)?;
        let decision = client.fail_asked(ASKED);
        client.wait(decision).map_err(|stopped| stopped.verdict(seed))
    };
    (0..CLIENTS).map(told).collect()
}
