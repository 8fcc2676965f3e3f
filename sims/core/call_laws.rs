//! Laws of the bounded call, for rules and outcomes that quickcheck makes up.

use std::cell::Cell;
use std::time::Duration;

use quickcheck::{Arbitrary, Gen};
use retrylab_core::{Backoff, CallRules, Decision, Failure, FailureKind, Instant, ServerDelay, nanos};

use crate::algebra::always;
use crate::call_limits::Books;

/// Any rules with what they were built from, and any outcomes: `None` is a success. Times only go forward.
#[derive(Clone, Debug)]
struct History {
    backoff: Backoff,
    attempts: u32,
    elapsed: Option<Duration>,
    deadline: Option<Instant>,
    server_delay: ServerDelay,
    budget: u32,
    outcomes: Vec<(Duration, Option<Failure>, u64)>,
}

impl Arbitrary for History {
    fn arbitrary(g: &mut Gen) -> Self {
        let span = |g: &mut Gen| Instant::arbitrary(g).since_origin();
        let server_delay = match u8::arbitrary(g) % 3 {
            0 => ServerDelay::Ignore,
            1 => ServerDelay::Clamp { most: span(g), spread: span(g) },
            _ => ServerDelay::Refuse { most: span(g), spread: span(g) },
        };
        let outcome = |g: &mut Gen| {
            // Mostly transient and soon, so that calls get to their limits.
            let failure = match u8::arbitrary(g) % 16 {
                0 => None,
                1 => Some(Failure::arbitrary(g)),
                _ => Some(Failure { kind: FailureKind::Normal, ..Failure::arbitrary(g) }),
            };
            let passes = span(g) / (1 << (u32::arbitrary(g) % 16));
            (passes, failure, u64::arbitrary(g))
        };
        Self {
            backoff: Backoff::arbitrary(g),
            attempts: 1 + u32::arbitrary(g) % 6,
            elapsed: bool::arbitrary(g).then(|| span(g)),
            deadline: Option::arbitrary(g),
            server_delay,
            budget: u32::arbitrary(g) % 30,
            outcomes: (0..40).map(|_| outcome(g)).collect(),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let this = self.clone();
        let shorter = (0..self.outcomes.len()).map(move |without| {
            let mut outcomes = this.outcomes.clone();
            outcomes.remove(without);
            Self { outcomes, ..this.clone() }
        });
        Box::new(shorter)
    }
}

/// Where a retry was granted: the call's first failure, the failure before it, the wait, and what the server asked for.
struct Granted {
    first: Instant,
    failed: Instant,
    wait: Duration,
    asked: Option<Duration>,
}

/// Plays the history; returns the retries granted in each call, and the books.
fn play(history: &History) -> (Vec<Vec<Granted>>, Books) {
    let mut builder =
        CallRules::builder().backoff(history.backoff).attempts(history.attempts).server_delay(history.server_delay);
    if let Some(elapsed) = history.elapsed {
        builder = builder.elapsed(elapsed);
    }
    if let Some(deadline) = history.deadline {
        builder = builder.deadline(deadline);
    }
    let rules = builder.build().expect("an attempt");
    let books = Books { left: Cell::new(history.budget), ..Books::default() };
    let (mut calls, mut state, mut now) = (vec![Vec::new()], rules.start(), Instant::ZERO);
    let mut first = None;
    for &(passes, failure, draw) in &history.outcomes {
        now = now + passes;
        let decision = match failure {
            Some(failure) => Some((failure, rules.record_failure(&mut state, &books, failure, now, draw))),
            None => {
                rules.record_success(&mut state, &books);
                None
            }
        };
        match decision {
            Some((failure, Decision::RetryAfter(wait))) => {
                let first = *first.get_or_insert(now);
                let granted = Granted { first, failed: now, wait, asked: failure.retry_after };
                calls.last_mut().expect("a call").push(granted);
            }
            Some((_, Decision::GiveUp(_))) | None => {
                first = None;
                calls.push(Vec::new());
            }
        }
    }
    (calls, books)
}

fn law(holds: fn(History) -> bool) {
    always(holds);
}

#[test]
fn a_call_never_has_more_attempts_than_allowed() {
    law(|history| play(&history).0.iter().all(|call| call.len() < history.attempts as usize));
}

#[test]
fn there_are_as_many_retries_as_were_paid_for() {
    law(|history| {
        let (calls, books) = play(&history);
        let retries = calls.iter().map(Vec::len).sum::<usize>();
        retries == books.paid.get() as usize && books.paid.get() + books.left.get() == history.budget
    });
}

#[test]
fn a_call_never_waits_beyond_its_time_or_its_deadline() {
    law(|history| {
        let (calls, _) = play(&history);
        calls.iter().flatten().all(|granted| {
            let elapsed = u128::from(granted.failed.nanos_since(granted.first)) + granted.wait.as_nanos();
            let starts = u128::from(granted.failed.as_nanos()) + granted.wait.as_nanos();
            history.elapsed.is_none_or(|allowed| elapsed <= allowed.as_nanos())
                && history.deadline.is_none_or(|deadline| starts <= u128::from(deadline.as_nanos()))
        })
    });
}

#[test]
fn a_server_that_is_listened_to_is_never_asked_before_its_time() {
    law(|history| {
        let (calls, _) = play(&history);
        calls.iter().flatten().all(|Granted { wait, asked, .. }| match (history.server_delay, *asked) {
            (ServerDelay::Ignore, _) | (_, None) => *wait <= history.backoff.ladder().ceiling(),
            (ServerDelay::Clamp { most, spread }, Some(asked)) => {
                *wait >= asked.min(most) && nanos(*wait) <= nanos(asked.min(most)).saturating_add(nanos(spread))
            }
            (ServerDelay::Refuse { most, .. }, Some(asked)) => *wait >= asked && asked <= most,
        })
    });
}

#[test]
fn the_same_calls_have_the_same_answers() {
    law(|history| {
        let waits = || play(&history).0.iter().map(|call| call.iter().map(|granted| granted.wait).collect()).collect();
        let (one, two): (Vec<Vec<Duration>>, Vec<Vec<Duration>>) = (waits(), waits());
        one == two
    });
}

#[test]
fn the_histories_get_to_every_limit() {
    let mut g = Gen::from_size_and_seed(100, 0);
    let mut retries = [0_usize; 6];
    for _ in 0..2_000 {
        let history = History::arbitrary(&mut g);
        for call in play(&history).0 {
            retries[call.len()] += 1;
        }
    }
    assert!(retries.iter().all(|calls| *calls > 100), "calls by their retries: {retries:?}");
}
