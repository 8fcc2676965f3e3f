//! The wait that a server asks for, taken too far or kept too long.

use core::time::Duration;

use retrylab_core::Decision;

use super::drive::{CLIENTS, Driven, fails, plainest, spread, text};
use super::limits::ATTEMPTS;
use super::maker::{Asked, Maker, SERVER_MOST};
use super::{Trial, Verdict};

pub(super) const ATTEMPTS_BIND_THE_SERVER: Trial = Trial {
    kind: "retry-after",
    name: "attempts-bind-the-server",
    question: "Does the limit of attempts hold when the server asks for waits?",
    put: attempts_bind_the_server,
};

pub(super) const BOUNDED: Trial = Trial {
    kind: "retry-after",
    name: "bounded",
    question: "Is a day that a server asks for cut or refused?",
    put: bounded,
};

pub(super) const NEVER_BEFORE: Trial = Trial {
    kind: "retry-after",
    name: "never-before",
    question: "Is a wait that the server asks for waited in full?",
    put: never_before,
};

pub(super) const SPREAD: Trial = Trial {
    kind: "retry-after",
    name: "spread",
    question: "Do clients that were told the same wait return apart?",
    put: |maker, seed| spread(&told(maker, seed)?, seed),
};

pub(super) const FORGOTTEN: Trial = Trial {
    kind: "server-directed",
    name: "forgotten",
    question: "Is a wait that the server asked for waited once?",
    put: forgotten,
};

/// Below the ceiling, and well above the first rungs.
pub(super) const ASKED: Duration = Duration::from_secs(20);

/// Whether the policy hears the server at all: at its longest wait, which no jitter has shortened.
pub(super) fn must_listen(maker: &dyn Maker, seed: u64) -> Result<(), Verdict> {
    let deaf = || Verdict::NotApplicable { why: "it does not hear what a server asks for".to_owned() };
    let asked = plainest(maker, Asked::default(), seed);
    let mut client = Driven::new(maker, &asked, seed, 0)?;
    let first = client.ladder().base;
    match client.fail_asked(ASKED) {
        Decision::RetryAfter(wait) if wait >= ASKED && first < ASKED => Ok(()),
        _ => Err(deaf()),
    }
}

fn attempts_bind_the_server(maker: &dyn Maker, seed: u64) -> Result<(), Verdict> {
    must_listen(maker, seed)?;
    let asked = plainest(maker, Asked { attempts: Some(3), ..Asked::default() }, seed);
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
    Err(fails(
        seed,
        format!("still waits after {ATTEMPTS} attempts where the server asks for {asked}, with a limit of 3"),
    ))
}

fn bounded(maker: &dyn Maker, seed: u64) -> Result<(), Verdict> {
    const DAY: Duration = Duration::from_secs(86_400);
    must_listen(maker, seed)?;
    let mut client = Driven::new(maker, &Asked::default(), seed, 0)?;
    match client.fail_asked(DAY) {
        Decision::RetryAfter(wait) if wait > SERVER_MOST * 2 => Err(fails(
            seed,
            format!(
                "waits {} because the server asks for it, where the ceiling is {}",
                text(wait),
                text(client.ladder().ceiling)
            ),
        )),
        _ => Ok(()),
    }
}

fn never_before(maker: &dyn Maker, seed: u64) -> Result<(), Verdict> {
    match told(maker, seed)?.into_iter().zip(0..).min() {
        Some((wait, client)) if wait < ASKED => Err(Verdict::Fails {
            what: format!("waits {} where the server asks for {}", text(wait), text(ASKED)),
            seed,
            client: Some(client).filter(|_| maker.is_repeatable()),
        }),
        _ => Ok(()),
    }
}

fn forgotten(maker: &dyn Maker, seed: u64) -> Result<(), Verdict> {
    must_listen(maker, seed)?;
    let asked = plainest(maker, Asked::default(), seed);
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
                format!("waits {wait} at {when} after the server asked for {asked}, where {most} is the most"),
            ));
        }
        client.recover(maker.shape());
    }
    Ok(())
}

/// The wait of each client that is told the same at its first failure.
fn told(maker: &dyn Maker, seed: u64) -> Result<Vec<Duration>, Verdict> {
    must_listen(maker, seed)?;
    let told = |client| {
        let mut client = Driven::new(maker, &Asked::default(), seed, client)?;
        let decision = client.fail_asked(ASKED);
        client.wait(decision).map_err(|stopped| stopped.verdict(seed))
    };
    (0..CLIENTS).map(told).collect()
}
