//! Strategies for timelines: everything that a file can express, or runs that are short to play.
//!
//! Every draft is valid, so none is discarded: instants are built from gaps, and dependent parts are made to fit.

use core::ops::RangeInclusive;
use core::time::Duration;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use retrylab_core::{ConfigOption, Regime};
use retrylab_spec::{
    CallSpec, Client, ClockChange, ClockEvent, ConnectFault, Draft, Draw, End, Entry, Expect, ExpectAt, FirstMessage,
    HeaderText, JitterChoice, Layer, Limits, Outcome, Play, PolicySpec, Repeated, Seconds, ServerWait, Shape, Stack,
    Then, Timeline, Window,
};

#[path = "policy.rs"]
mod policy;

/// The range of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Any value of a file, however long it would take to play.
    Anything,
    /// A run of a built-in policy of at most a few thousand events, without expectations or limits of its own.
    Playable,
}

/// Checked timelines of either shape.
pub fn timelines(reach: Reach) -> impl Strategy<Value = Timeline> {
    drafts(reach).prop_map(|draft| Timeline::new(draft).expect("strategies make valid drafts"))
}

/// Valid drafts of either shape.
pub fn drafts(reach: Reach) -> impl Strategy<Value = Draft> {
    match reach {
        Reach::Playable => prop_oneof![drafts_of(Shape::Streaming, reach), drafts_of(Shape::Polling, reach)].boxed(),
        Reach::Anything => prop_oneof![
            drafts_of(Shape::Streaming, reach),
            drafts_of(Shape::Polling, reach),
            drafts_of(Shape::Call, reach),
        ]
        .boxed(),
    }
}

/// Valid drafts whose client has this shape.
pub fn drafts_of(shape: Shape, reach: Reach) -> impl Strategy<Value = Draft> {
    let head = ((why(), of(why())), vec(why(), 0..3), of(any::<u64>()), client(shape, reach), vec(why(), 0..2));
    let script = (vec(play(shape, reach), 0..5), select(Then::ALL.map(|(then, _)| then).to_vec()));
    let around = (windows(shape, reach), clock(reach), of(wall()), (of(span(reach)), of(span(reach))));
    let judged = match reach {
        Reach::Anything => (limits().boxed(), of(stack()).boxed(), of(expect()).boxed()),
        Reach::Playable => (Just(Limits::default()).boxed(), Just(None).boxed(), Just(None).boxed()),
    };
    (head, script, around, judged).prop_map(
        move |(
            ((why, found_by), cite, seed, client, catches),
            (script, then),
            (windows, clock, wall, (rest, stop)),
            (limits, stack, expect),
        )| {
            let draft = Draft {
                why,
                cite,
                found_by,
                seed,
                client,
                script,
                then,
                windows,
                clock,
                wall,
                until: None,
                stop: stop.filter(|_| shape != Shape::Call),
                limits,
                stack,
                catches,
                expect,
            };
            fit(draft, rest)
        },
    )
}

/// The outcomes of a client of this shape.
pub fn entries(shape: Shape, reach: Reach) -> impl Strategy<Value = Entry> {
    let latency = prop_oneof![3 => Just(Duration::ZERO), 1 => span(reach)];
    let draw = prop_oneof![
        6 => Just(None),
        1 => any::<u64>().prop_map(|address| Some(Draw::Address(address))),
        1 => any::<u64>().prop_map(|value| Some(Draw::Value(value))),
    ];
    (outcomes(shape, reach), latency, draw).prop_map(|(outcome, latency, draw)| {
        let latency = if matches!(outcome, Outcome::Hang(_)) { Duration::ZERO } else { latency };
        Entry { outcome, latency, draw }
    })
}

/// Durations that a file can say: whole seconds, and any number of bits of nanoseconds.
pub fn span(reach: Reach) -> BoxedStrategy<Duration> {
    let seconds = |range: RangeInclusive<u64>| range.prop_map(Duration::from_secs);
    match reach {
        Reach::Anything => prop_oneof![
            seconds(0..=7_200),
            (0_u64..=10_000).prop_map(Duration::from_millis),
            (any::<u64>(), 0_u32..64).prop_map(|(bits, shift)| Duration::from_nanos(bits >> shift)),
            Just(Duration::from_nanos(u64::MAX)),
        ]
        .boxed(),
        // Around the reset window of a stream, and off the whole seconds.
        Reach::Playable => prop_oneof![
            seconds(0..=90),
            seconds(59..=61),
            (0_u64..=90_000).prop_map(Duration::from_millis),
            (0_u64..=2).prop_map(|nanos| Duration::from_nanos(59_999_999_999 + nanos)),
        ]
        .boxed(),
    }
}

/// Makes the parts of a draft fit: it plays something, its instants are reached, and it ends.
fn fit(mut draft: Draft, rest: Option<Duration>) -> Draft {
    let shape = draft.client.kind.shape();
    if draft.script.is_empty() {
        draft.then = Then::Succeed;
    }
    let moved = draft.clock.iter().any(|event| matches!(event.change, ClockChange::WallStep(_)));
    if moved || draft.windows.iter().any(|window| is_dated(&window.entry)) || draft.script.iter().any(has_date) {
        draft.wall.get_or_insert_with(|| "2026-08-20T09:00:00Z".to_owned());
    }
    let endless = match draft.then {
        Then::Stop => false,
        Then::Succeed => shape != Shape::Streaming,
        Then::RepeatLast => {
            !last(&draft.script).is_some_and(|last| matches!(last.outcome, Outcome::Up { lasts: None, .. }))
        }
    };
    if endless || rest.is_some() {
        let windows = draft.windows.iter().map(|window| window.until);
        let events = draft.clock.iter().map(|event| event.at);
        let points = draft.expect.iter().flat_map(|expect| expect.at.iter().map(|point| point.at));
        let latest = windows.chain(events).chain(points).chain(draft.stop).max().unwrap_or_default();
        draft.until = Some(sum(latest, rest.unwrap_or(Duration::from_secs(600))));
    }
    draft
}

fn has_date(part: &Play) -> bool {
    match part {
        Play::Attempt(entry) => is_dated(entry),
        Play::Repeat { play, .. } => play.iter().any(has_date),
    }
}

/// Whether the entry needs the present date.
fn is_dated(entry: &Entry) -> bool {
    matches!(entry.outcome, Outcome::Status { retry_after: Some(ServerWait::Header(text)), .. } if text.may_be_a_date())
}

fn client(shape: Shape, reach: Reach) -> BoxedStrategy<Client> {
    let jitter = select(vec![JitterChoice::Own, JitterChoice::None]);
    let kind = match (shape, reach) {
        (Shape::Streaming, _) => of(seconds(reach))
            .prop_map(|initial_reconnect_delay| PolicySpec::Streaming { initial_reconnect_delay })
            .boxed(),
        (Shape::Polling, _) => {
            of(seconds(reach)).prop_map(|poll_interval| PolicySpec::Polling { poll_interval }).boxed()
        }
        (Shape::Call, _) => policy::call(CallSpec::default()).prop_map(PolicySpec::Call).boxed(),
    };
    let kind = match reach {
        Reach::Playable => kind,
        Reach::Anything => {
            let claims = of(kind.clone().prop_map(Box::new));
            let external =
                (why(), claims).prop_map(move |(name, claims)| PolicySpec::External { name, played_as: shape, claims });
            let other = match shape {
                Shape::Streaming => {
                    let dialect = policy::dialect(shape, seconds(reach));
                    prop_oneof![policy::reconnect(), policy::two_regimes(shape), dialect].boxed()
                }
                Shape::Polling => {
                    prop_oneof![policy::two_regimes(shape), policy::dialect(shape, seconds(reach))].boxed()
                }
                Shape::Call => kind.clone(),
            };
            prop_oneof![3 => kind, 2 => other, 1 => external].boxed()
        }
    };
    (kind, jitter).prop_map(|(kind, jitter)| Client { kind, jitter }).boxed()
}

fn seconds(reach: Reach) -> BoxedStrategy<Seconds> {
    match reach {
        Reach::Anything => {
            let float = proptest::num::f64::ANY;
            prop_oneof![
                span(reach).prop_map(Seconds::Text),
                float.prop_map(Seconds::Number),
                select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, -1.0, 1.0, 5e-324, 1e300])
                    .prop_map(Seconds::Number),
            ]
            .boxed()
        }
        // Unusable values, and those that cannot be retried without end in a short time.
        Reach::Playable => prop_oneof![
            (1_u64..=7_200).prop_map(|seconds| Seconds::Text(Duration::from_secs(seconds))),
            select(vec![f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0, 1.5, 45.0]).prop_map(Seconds::Number),
        ]
        .boxed(),
    }
}

fn play(shape: Shape, reach: Reach) -> BoxedStrategy<Play> {
    let times = match reach {
        Reach::Anything => prop_oneof![1_u64..=20, any::<u64>().prop_map(|times| times.max(1))].boxed(),
        Reach::Playable => (1_u64..=4).boxed(),
    };
    entries(shape, reach)
        .prop_map(Play::Attempt)
        .prop_recursive(3, 12, 3, move |part| {
            (times.clone(), vec(part, 1..4)).prop_map(|(times, play)| Play::Repeat { times, play })
        })
        .boxed()
}

fn outcomes(shape: Shape, reach: Reach) -> BoxedStrategy<Outcome> {
    let end = || select(End::ALL.map(|(end, _)| end).to_vec());
    let first = || select(FirstMessage::ALL.map(|(first, _)| first).to_vec());
    let status = match shape {
        Shape::Call => (400_u16..=599).boxed(),
        Shape::Streaming | Shape::Polling => {
            prop_oneof![select(vec![304, 400, 401, 429, 503]), (100_u16..=599).prop_filter("a failure", |s| *s != 200)]
                .boxed()
        }
    };
    let failure = prop_oneof![
        (status, of(server_wait(reach))).prop_map(|(status, retry_after)| Outcome::Status { status, retry_after }),
        select(ConnectFault::ALL.map(|(fault, _)| Outcome::Fault(fault)).to_vec()),
        span(reach).prop_map(Outcome::Hang),
    ];
    match shape {
        Shape::Streaming => prop_oneof![
            2 => failure,
            1 => first().prop_map(|first| Outcome::Up { lasts: None, first }),
            3 => (span(reach), end(), first()).prop_map(|(lasts, end, first)| Outcome::Up { lasts: Some((lasts, end)), first }),
            1 => (span(reach), end()).prop_map(|(lasts, end)| Outcome::Idle { lasts, end }),
        ]
        .boxed(),
        Shape::Polling | Shape::Call => {
            prop_oneof![2 => failure, 2 => Just(Outcome::Ok), 1 => Just(Outcome::Malformed)].boxed()
        }
    }
}

/// Valid and invalid headers; dates only where the real date does not matter.
fn server_wait(reach: Reach) -> BoxedStrategy<ServerWait> {
    let texts: &[&str] = match reach {
        Reach::Anything => &["", "-3", "1.5", "120", "18446744073709551616", "Thu, 20 Aug 2026 09:00:30 GMT", "\"'\\#"],
        Reach::Playable => &["", "-3", "1.5", "0", "7"],
    };
    let header = select(texts.to_vec()).prop_filter_map("sendable", HeaderText::new).prop_map(ServerWait::Header);
    prop_oneof![3 => span(reach).prop_map(ServerWait::Delay), 1 => header].boxed()
}

/// Windows that do not touch each other, in any order.
fn windows(shape: Shape, reach: Reach) -> impl Strategy<Value = Vec<Window>> {
    let end = of(select(End::ALL.map(|(end, _)| end).to_vec()));
    vec((short(reach), short(reach), entries(shape, reach), end), 0..3)
        .prop_map(move |parts| {
            let mut from = Duration::ZERO;
            let window = |(gap, length, entry, cut): (Duration, Duration, Entry, Option<End>)| {
                let begin = sum(from, gap);
                let end = sum(begin, length.max(Duration::from_nanos(1)));
                from = end;
                let cut = cut.filter(|_| shape == Shape::Streaming).map(|cut| match entry.outcome {
                    // One `end` serves both.
                    Outcome::Up { lasts: Some((_, end)), .. } | Outcome::Idle { end, .. } => end,
                    _ => cut,
                });
                Window { from: begin, until: end, entry, cut }
            };
            parts.into_iter().map(window).collect::<Vec<_>>()
        })
        .prop_shuffle()
}

/// Events whose suspends do not overlap, in the order of time.
fn clock(reach: Reach) -> impl Strategy<Value = Vec<ClockEvent>> {
    let wall = any::<i64>().prop_map(|nanos| ClockChange::WallStep(if nanos == 0 { 1 } else { nanos.max(-i64::MAX) }));
    let length = move || short(reach).prop_map(|length| length.max(Duration::from_nanos(1)));
    let change = prop_oneof![length().prop_map(ClockChange::Step), length().prop_map(ClockChange::Suspend), wall];
    vec((short(reach), change), 0..3).prop_map(|parts| {
        let mut free = Duration::ZERO;
        let event = |(gap, change)| {
            let at = sum(free, gap);
            free = if let ClockChange::Suspend(length) = change { sum(at, length) } else { at };
            ClockEvent { at, change }
        };
        parts.into_iter().map(event).collect()
    })
}

fn expect() -> impl Strategy<Value = Expect> {
    let list = || of(vec(repeated(), 0..30));
    let rung = || of(any::<u32>());
    let at = vec((short(Reach::Anything), regime(), rung()), 0..4).prop_map(|points| {
        let mut at = Duration::ZERO;
        let point = |(gap, regime, rung): (Duration, Option<Regime>, Option<u32>)| {
            at = sum(at, gap.max(Duration::from_nanos(1)));
            let rung = rung.or(if regime.is_none() { Some(0) } else { None });
            ExpectAt { at, regime, rung }
        };
        points.into_iter().map(point).collect::<Vec<_>>()
    });
    let laws = proptest::sample::subsequence(vec!["one-draw-a-failure", "a", "spec-15"], 0..=3);
    let warnings = vec(select(vec![ConfigOption::InitialReconnectDelay, ConfigOption::PollInterval]), 0..3);
    (list(), list(), of(any::<u64>()), (regime(), rung(), at, laws, warnings)).prop_map(
        |(delays, waits, attempts, (regime, rung, at, laws, warnings))| {
            let laws = laws.into_iter().map(str::to_owned).collect();
            let mut expect = Expect { delays, waits, attempts, regime, rung, at, outcome: None, laws, warnings };
            if expect == Expect::default() {
                expect.delays = Some(Vec::new());
            }
            expect
        },
    )
}

fn regime() -> impl Strategy<Value = Option<Regime>> {
    of(select(vec![Regime::Normal, Regime::Extended]))
}

fn repeated() -> impl Strategy<Value = Repeated> {
    let times = prop_oneof![2 => Just(1), 1 => any::<u64>().prop_map(|times| times.max(1))];
    (span(Reach::Anything), times).prop_map(|(value, times)| Repeated { value, times })
}

fn limits() -> impl Strategy<Value = Limits> {
    let usual = Limits::default();
    let events = prop_oneof![Just(usual.events), any::<u64>().prop_map(|events| events.max(1))];
    let time = prop_oneof![Just(usual.time), span(Reach::Anything).prop_map(|time| time.max(Duration::from_nanos(1)))];
    (events, time).prop_map(|(events, time)| Limits { events, time })
}

fn stack() -> impl Strategy<Value = Stack> {
    let count = || prop_oneof![1_u64..=10, any::<u64>().prop_map(|count| count.max(1))];
    // Numbered, so that no two have one name and none is called `most`.
    let layer = |(index, (name, attempts)): (usize, (String, u64))| Layer { name: format!("{index}{name}"), attempts };
    let layers = vec((prop_oneof![Just("-sdk".to_owned()), why()], count()), 1..4);
    (count(), layers)
        .prop_map(move |(most, layers)| Stack { most, layers: layers.into_iter().enumerate().map(layer).collect() })
}

fn wall() -> impl Strategy<Value = String> {
    (1970_u16..=2100, 1_u8..=12, 1_u8..=28)
        .prop_map(|(year, month, day)| format!("{year}-{month:02}-{day:02}T09:00:00Z"))
}

/// A sentence with any characters.
fn why() -> impl Strategy<Value = String> {
    let odd = select(vec!["\"", "'", "\\", "\n", "\r\n", "\t", "\0", "\u{7f}", "#", "é", "\u{2028}", "🦀", "\"\"\""]);
    (r"\PC{0,12}", odd, r"\PC{0,4}").prop_map(|(start, odd, end)| format!("A{start}{odd}{end}"))
}

/// Spans for sums that must not overflow.
fn short(reach: Reach) -> BoxedStrategy<Duration> {
    match reach {
        Reach::Anything => span(reach).prop_map(|span| span / 64).boxed(),
        Reach::Playable => span(reach),
    }
}

fn sum(a: Duration, b: Duration) -> Duration {
    a.saturating_add(b).min(Duration::from_nanos(u64::MAX))
}

fn last(script: &[Play]) -> Option<&Entry> {
    match script.last()? {
        Play::Attempt(entry) => Some(entry),
        Play::Repeat { play, .. } => last(play),
    }
}
