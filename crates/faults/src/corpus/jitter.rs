//! Jitter that is too much, too little, or the same for all clients.

use core::time::Duration;
use std::collections::BTreeSet;

use retrylab_core::Decision;
use retrylab_spec::Shape;

use super::drive::{CLIENTS, Driven, fails, only_for, spread, text};
use super::maker::{Maker, SharedSetting};
use super::{BugTrial, BugVerdict};

pub(super) const NEVER_ABOVE_THE_CEILING: BugTrial = BugTrial {
    kind: "jitter-exceeds-cap",
    name: "never-above-the-ceiling",
    question: "Is every wait at or below the ceiling?",
    put: never_above_the_ceiling,
};

pub(super) const SPREAD_AT_THE_CEILING: BugTrial = BugTrial {
    kind: "jitter-vanishes",
    name: "spread-at-the-ceiling",
    question: "Are waits still spread at the ceiling, after 25 failures?",
    put: |maker, seed| spread(&at_rung(maker, seed, LATE)?, seed),
};

pub(super) const SPREAD_AT_THE_FIRST_RUNG: BugTrial = BugTrial {
    kind: "jitter-vanishes",
    name: "spread-at-the-first-rung",
    question: "Is a first wait of one second spread?",
    put: |maker, seed| spread(&at_rung(maker, seed, 1)?, seed),
};

pub(super) const NEVER_NOTHING: BugTrial = BugTrial {
    kind: "jitter-zero",
    name: "never-nothing",
    question: "Is there a wait with every draw?",
    put: never_nothing,
};

pub(super) const CLIENTS_DIFFER: BugTrial = BugTrial {
    kind: "shared-seed",
    name: "clients-differ",
    question: "Do the clients of one process that fail together wait differently?",
    put: clients_differ,
};

pub(super) const CALLS_DIFFER: BugTrial = BugTrial {
    kind: "shared-seed",
    name: "calls-differ",
    question: "Do the calls of one client wait differently?",
    put: calls_differ,
};

/// Well after the ceiling is reached: 1 s doubled 24 times is half a year.
const LATE: usize = 25;

fn never_above_the_ceiling(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let asked = SharedSetting::default();
    let ceiling = maker.climb(&asked).ceiling;
    let mut longest = (Duration::ZERO, 0);
    for client in 0..CLIENTS {
        for wait in climb(maker, &asked, seed, client, LATE)? {
            if wait > longest.0 {
                longest = (wait, client);
            }
        }
    }
    let (wait, client) = longest;
    if wait <= ceiling {
        return Ok(());
    }
    let hundredths = (wait.as_nanos() * 100 + ceiling.as_nanos() / 2) / ceiling.as_nanos().max(1);
    Err(BugVerdict::Fails {
        what: format!(
            "waits up to {}.{:02} times the ceiling of {}",
            hundredths / 100,
            hundredths % 100,
            text(ceiling)
        ),
        seed,
        client: Some(client).filter(|_| maker.is_repeatable()),
    })
}

fn never_nothing(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    const RUNGS: usize = 5;
    let (mut none, mut all) = (0, 0);
    for client in 0..CLIENTS {
        let waits = climb(maker, &SharedSetting::default(), seed, client, RUNGS)?;
        none += waits.iter().filter(|wait| wait.is_zero()).count();
        all += waits.len();
    }
    // A policy that reads the time of day may lose the last nanoseconds of a short wait to it.
    let allowed = if maker.is_repeatable() { 0 } else { all / 100 };
    if none <= allowed { Ok(()) } else { Err(fails(seed, format!("{none} of {all} waits are zero"))) }
}

/// A second and a half: jitter in whole seconds shows at one second, and is another trial.
fn not_whole() -> SharedSetting {
    SharedSetting { base: Duration::from_millis(1500), ..SharedSetting::default() }
}

fn clients_differ(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let asked = not_whole();
    let fleet = maker.fleet(&asked, seed, usize::try_from(CLIENTS).unwrap_or(usize::MAX))?;
    let mut waits = BTreeSet::new();
    for (policy, client) in fleet.into_iter().zip(0..) {
        let mut client = Driven::with(maker, policy, &asked, seed, client);
        waits.insert(client.retry().map_err(|stopped| stopped.verdict(seed))?);
    }
    different(&waits, "clients of one process", seed)
}

fn calls_differ(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    only_for(maker, &[Shape::Call], "it makes no calls")?;
    let mut client = Driven::new(maker, &not_whole(), seed, 0)?;
    let mut waits = BTreeSet::new();
    for _ in 0..CLIENTS {
        waits.insert(client.retry().map_err(|stopped| stopped.verdict(seed))?);
        client.succeed();
    }
    different(&waits, "calls of one client", seed)
}

/// Jitter in whole percents still has more than ten values; a shared generator has one.
fn different(waits: &BTreeSet<Duration>, whose: &str, seed: u64) -> Result<(), BugVerdict> {
    match waits.len() {
        0..10 => {
            let plural = if waits.len() == 1 { "" } else { "s" };
            Err(fails(seed, format!("{CLIENTS} {whose} have {} distinct first wait{plural}", waits.len())))
        }
        _ => Ok(()),
    }
}

/// The wait of each client after this many failures.
fn at_rung(maker: &dyn Maker, seed: u64, rung: usize) -> Result<Vec<Duration>, BugVerdict> {
    let last = |client| Ok(climb(maker, &SharedSetting::default(), seed, client, rung)?.pop().unwrap_or_default());
    (0..CLIENTS).map(last).collect()
}

/// The waits of one client, up to a give-up.
fn climb(
    maker: &dyn Maker,
    asked: &SharedSetting,
    seed: u64,
    client: u64,
    failures: usize,
) -> Result<Vec<Duration>, BugVerdict> {
    let mut client = Driven::new(maker, asked, seed, client)?;
    let mut waits = Vec::with_capacity(failures);
    for _ in 0..failures {
        match client.fail() {
            decision @ Decision::RetryAfter(_) => waits.extend(client.wait(decision)),
            Decision::GiveUp(_) if waits.is_empty() => {
                return Err(BugVerdict::NotApplicable { why: "it gives up at the first failure".to_owned() });
            }
            Decision::GiveUp(_) => break,
        }
    }
    Ok(waits)
}
