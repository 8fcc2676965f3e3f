//! Ladders that restart too early, too late, or never; the cadence after a success; flapping links.

use core::time::Duration;

use retrylab_core::{Fault, Instant};
use retrylab_spec::Shape;

use super::drive::{ALMOST_HEALTHY, Driven, Exact, Stopped, fails, only_for, plainest, text};
use super::maker::{HEALTHY, Maker, SharedSetting};
use super::{BugTrial, BugVerdict};

pub(super) const STARTS_OVER: BugTrial = BugTrial {
    kind: "reset-never",
    name: "starts-over",
    question: "Does the ladder restart after a good call, a day of health, two good polls?",
    put: starts_over,
};

pub(super) const CLOCK_ZERO: BugTrial = BugTrial {
    kind: "reset-never",
    name: "clock-zero",
    question: "Does health count that begins at the clock's zero?",
    put: clock_zero,
};

pub(super) const CHATTY_STREAMS: BugTrial = BugTrial {
    kind: "reset-never",
    name: "chatty-streams",
    question: "Is a stream with a message every twenty seconds healthy?",
    put: chatty_streams,
};

pub(super) const SHORT_SESSIONS: BugTrial = BugTrial {
    kind: "reset-too-early",
    name: "short-sessions",
    question: "Does a stream with sessions of twenty seconds back off?",
    put: short_sessions,
};

pub(super) const SILENT_CONNECTIONS: BugTrial = BugTrial {
    kind: "reset-too-early",
    name: "silent-connections",
    question: "Does a stream whose connections never send a message back off?",
    put: silent_connections,
};

pub(super) const USED_UP: BugTrial = BugTrial {
    kind: "reset-too-early",
    name: "used-up",
    question: "Does an outage longer than the window count as an outage?",
    put: used_up,
};

pub(super) const EXACTLY_THE_WINDOW: BugTrial = BugTrial {
    kind: "reset-threshold",
    name: "exactly-the-window",
    question: "Is exactly a minute of health enough, and a nanosecond less not enough?",
    put: exactly_the_window,
};

pub(super) const CADENCE_RESTORED: BugTrial = BugTrial {
    kind: "recovery-cadence",
    name: "cadence-restored",
    question: "Does the first good poll after rejections restore the interval?",
    put: cadence_restored,
};

pub(super) const TLS_FLAPS: BugTrial = BugTrial {
    kind: "sticky-ceiling",
    name: "tls-flaps",
    question: "Does a link with flapping TLS stay at or below the ceiling of transport faults?",
    put: tls_flaps,
};

/// Enough failures to be at the ceiling: 1 s doubled five times is 32 s, five minutes doubled five times two hours.
const TO_THE_CEILING: usize = 6;

fn starts_over(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    let shape = maker.shape();
    let story = |client: &mut Driven| {
        client.climb(TO_THE_CEILING)?;
        client.recover(shape);
        Ok(vec![client.retry()?])
    };
    let health = match shape {
        Shape::Call => "a good call",
        Shape::Streaming => "a day of health",
        Shape::Polling => "two good polls",
    };
    at_the_base(maker, seed, story, health)
}

/// The events before the health happen at the clock's zero too.
fn clock_zero(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    streams(maker)?;
    let story = |client: &mut Driven| {
        for _ in 0..TO_THE_CEILING {
            client.retry()?;
            client.now = Instant::ZERO;
        }
        client.connect();
        client.succeed();
        client.pass(HEALTHY * 2);
        Ok(vec![client.retry()?])
    };
    at_the_base(maker, seed, story, "two minutes of health from the clock's zero on")
}

fn chatty_streams(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    streams(maker)?;
    let story = |client: &mut Driven| {
        client.climb(TO_THE_CEILING)?;
        client.connect();
        for _ in 0..10 {
            client.succeed();
            client.pass(SHORT);
        }
        Ok(vec![client.retry()?])
    };
    at_the_base(maker, seed, story, "ten messages in 3m 20s")
}

fn short_sessions(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    streams(maker)?;
    let story = |client: &mut Driven| sessions(client, |client| client.succeed());
    at_the_ceiling(maker, seed, story, "ten sessions of 20s")
}

fn silent_connections(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    streams(maker)?;
    let story = |client: &mut Driven| sessions(client, |client| client.pass(HEALTHY * 2));
    at_the_ceiling(maker, seed, story, "ten connections without a message, of 2m 20s")
}

/// Connections that end cleanly, what is done at the start of each, and the waits after them.
fn sessions(client: &mut Driven, begin: fn(&mut Driven)) -> Result<Vec<Duration>, Stopped> {
    let mut waits = Vec::new();
    for _ in 0..10 {
        client.connect();
        begin(client);
        client.pass(SHORT);
        let decision = client.fail_by(Fault::Close);
        waits.push(client.wait(decision)?);
    }
    Ok(waits)
}

/// A connection that is lost at once, and then an outage of ten minutes.
fn used_up(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    streams(maker)?;
    let story = |client: &mut Driven| {
        client.connect();
        client.succeed();
        client.climb(25)
    };
    let exact = Exact::of(maker, &SharedSetting::default(), seed, story)?;
    let ceiling = maker.climb(&SharedSetting::default()).ceiling;
    let Some(place) = (TO_THE_CEILING..exact.waits.len()).find(|&place| !exact.is(place, ceiling)) else {
        return Ok(());
    };
    let (wait, ceiling) = (text(exact.waits[place]), text(ceiling));
    Err(fails(seed, format!("waits {wait} after {} failures in a row, where the ceiling is {ceiling}", place + 1)))
}

fn exactly_the_window(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    streams(maker)?;
    let healthy_for = |span: Duration| {
        move |client: &mut Driven| {
            client.climb(TO_THE_CEILING)?;
            client.connect();
            client.succeed();
            client.pass(span);
            Ok(vec![client.retry()?])
        }
    };
    at_the_base(maker, seed, healthy_for(HEALTHY), "exactly a minute of health")?;
    at_the_ceiling(maker, seed, healthy_for(ALMOST_HEALTHY), "a nanosecond less than a minute of health")
}

fn cadence_restored(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    only_for(maker, &[Shape::Polling], "it does not poll")?;
    let asked = plainest(maker, SharedSetting::default(), seed);
    let mut client = Driven::new(maker, &asked, seed, 0)?;
    // Before anything happens, the wait is the interval.
    let interval = client.next_delay();
    client.climb(3).map_err(|stopped| stopped.verdict(seed))?;
    client.succeed();
    let wait = client.next_delay();
    if wait == interval {
        return Ok(());
    }
    let (wait, interval) = (text(wait), text(interval));
    Err(fails(seed, format!("waits {wait} after the first good poll, where the interval is {interval}")))
}

fn tls_flaps(maker: &dyn Maker, seed: u64) -> Result<(), BugVerdict> {
    only_for(maker, &[Shape::Streaming, Shape::Polling], "it makes calls, which end")?;
    let asked = plainest(maker, SharedSetting::default(), seed);
    let mut client = Driven::new(maker, &asked, seed, 0)?;
    let ceiling = asked.ceiling.max(client.next_delay());
    for flap in 1..=50 {
        client.connect();
        client.succeed();
        client.pass(SHORT);
        let decision = client.fail_by(Fault::Tls);
        let wait = client.wait(decision).map_err(|stopped| stopped.verdict(seed))?;
        if wait > ceiling {
            let (wait, ceiling) = (text(wait), text(ceiling));
            return Err(fails(seed, format!("waits {wait} after TLS failure {flap}, where the ceiling is {ceiling}")));
        }
    }
    Ok(())
}

/// Shorter than the window, longer than a plausible wrong window.
const SHORT: Duration = Duration::from_secs(20);

fn streams(maker: &dyn Maker) -> Result<(), BugVerdict> {
    only_for(maker, &[Shape::Streaming], "it holds no stream")
}

type Story<'a> = &'a dyn Fn(&mut Driven) -> Result<Vec<Duration>, Stopped>;

/// The last wait of the story is the first rung.
fn at_the_base(
    maker: &dyn Maker,
    seed: u64,
    story: impl Fn(&mut Driven) -> Result<Vec<Duration>, Stopped>,
    after: &str,
) -> Result<(), BugVerdict> {
    let base = maker.climb(&SharedSetting::default()).base;
    ends_with(maker, seed, &story, base, &format!("after {after}, where the ladder restarts at {}", text(base)))
}

/// The last wait of the story is the ceiling.
fn at_the_ceiling(
    maker: &dyn Maker,
    seed: u64,
    story: impl Fn(&mut Driven) -> Result<Vec<Duration>, Stopped>,
    after: &str,
) -> Result<(), BugVerdict> {
    let ceiling = maker.climb(&SharedSetting::default()).ceiling;
    ends_with(maker, seed, &story, ceiling, &format!("after {after}, where the ceiling is {}", text(ceiling)))
}

fn ends_with(maker: &dyn Maker, seed: u64, story: Story<'_>, expected: Duration, when: &str) -> Result<(), BugVerdict> {
    let exact = Exact::of(maker, &SharedSetting::default(), seed, story)?;
    if exact.ends_with(expected) { Ok(()) } else { Err(fails(seed, format!("waits {} {when}", text(exact.last())))) }
}
