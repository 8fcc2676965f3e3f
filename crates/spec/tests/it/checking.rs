//! Drafts that come from no file are held to the same, under the paths of their canonical print.

use core::time::Duration;

use retrylab_core::{Jitter, Regime};
use retrylab_spec::{
    BudgetSpec, CallSpec, Client, ClockChange, ClockEvent, Draft, End, Entry, Expect, ExpectAt, FirstMessage,
    JitterChoice, LadderSpec, Limits, MAX_NESTING, Outcome, Play, PolicySpec, Ratio, Repeated, ResetSpec, Seconds,
    ServerWait, Shape, Then, Timeline, TwoRegimes, Window,
};

const UNAVAILABLE: Outcome = Outcome::Status { status: 503, retry_after: None };
const TOO_LONG: Duration = Duration::from_nanos(u64::MAX).saturating_add(Duration::from_nanos(1));
const SECOND: Duration = Duration::from_secs(1);

fn stream() -> Draft {
    let client = Client::new(PolicySpec::Streaming { initial_reconnect_delay: None });
    Draft { script: vec![attempt(UNAVAILABLE)], ..Draft::new("A test.", client) }
}

fn poll() -> Draft {
    Draft { client: Client::new(PolicySpec::Polling { poll_interval: None }), ..stream() }
}

fn attempt(outcome: Outcome) -> Play {
    Play::Attempt(Entry::new(outcome))
}

fn window(outcome: Outcome) -> Window {
    Window { from: SECOND, until: 2 * SECOND, entry: Entry::new(outcome), cut: None }
}

/// The paths of what is wrong.
fn paths(draft: Draft) -> Vec<String> {
    match Timeline::new(draft) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(|problem| problem.path().to_owned()).collect(),
    }
}

/// The only problem, in one line.
fn problem(draft: Draft) -> String {
    match Timeline::new(draft).expect_err("a problem").as_slice() {
        [only] => only.to_string(),
        several => panic!("{several:?}"),
    }
}

#[test]
fn a_valid_draft_has_no_errors_and_stays_unchanged() {
    let draft = stream();
    let timeline = Timeline::new(draft.clone()).unwrap();
    assert_eq!(timeline.why, "A test.");
    assert_eq!(timeline.into_draft(), draft);
}

#[test]
fn a_duration_above_the_maximum_is_found_at_every_key() {
    let up = |lasts| Outcome::Up { lasts: Some((lasts, End::Close)), first: FirstMessage::Put };
    let hint = Outcome::Status { status: 503, retry_after: Some(ServerWait::Delay(TOO_LONG)) };
    let entry = |latency| Play::Attempt(Entry { latency, ..Entry::new(UNAVAILABLE) });
    let initial = PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Text(TOO_LONG)) };
    let regimes = TwoRegimes {
        shape: Shape::Call,
        normal: (TOO_LONG, TOO_LONG),
        extended: (TOO_LONG, TOO_LONG),
        reset: ResetSpec::HealthyFor(TOO_LONG),
        cadence: TOO_LONG,
    };
    assert_eq!(
        paths(Draft { client: Client::new(regimes.into()), ..stream() }),
        [
            "client.normal.initial",
            "client.normal.ceiling",
            "client.extended.initial",
            "client.extended.ceiling",
            "client.cadence",
            "client.reset.healthy_for",
            // Calls have no second regime.
            "client.kind",
        ]
    );
    let many = || Some(vec![Repeated { value: TOO_LONG, times: 1 }]);
    let point = ExpectAt { at: TOO_LONG, regime: Some(Regime::Normal), rung: None };
    let draft = Draft {
        client: Client::new(initial),
        script: vec![
            entry(TOO_LONG),
            attempt(up(TOO_LONG)),
            attempt(Outcome::Idle { lasts: TOO_LONG, end: End::Close }),
            attempt(hint),
            attempt(Outcome::Hang(TOO_LONG)),
        ],
        windows: vec![
            Window { from: TOO_LONG, until: TOO_LONG + SECOND, ..window(UNAVAILABLE) },
            Window { until: TOO_LONG, ..window(up(TOO_LONG)) },
        ],
        clock: vec![
            ClockEvent { at: TOO_LONG, change: ClockChange::Step(TOO_LONG) },
            ClockEvent { at: SECOND, change: ClockChange::Suspend(TOO_LONG) },
        ],
        until: Some(TOO_LONG + SECOND),
        limits: Limits { time: TOO_LONG, ..Limits::default() },
        expect: Some(Expect { delays: many(), waits: many(), at: vec![point], ..Expect::default() }),
        ..stream()
    };
    let problems = Timeline::new(draft).unwrap_err();
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path()).collect();
    assert_eq!(
        paths,
        [
            "client.initial_reconnect_delay",
            "timeline[0].play[0].latency",
            "timeline[0].play[1].up",
            "timeline[0].play[2].idle",
            "timeline[0].play[3].retry_after",
            "timeline[0].play[4].hang",
            "until",
            "limits.time",
            "window[0].from",
            "window[0].until",
            "window[1].up",
            "window[1].until",
            "clock[0].at",
            "clock[0].step",
            "clock[1].suspend",
            "expect.delays[0].value",
            "expect.waits[0].value",
            "expect.at.\"213503d 23h 34m 33.709551616s\"",
        ]
    );
    assert!(
        problems.iter().all(|problem| problem.message().ends_with("is a duration that is too long")),
        "{problems:?}"
    );
    let polling = PolicySpec::Polling { poll_interval: Some(Seconds::Text(TOO_LONG)) };
    let draft = Draft { client: Client::new(polling), ..stream() };
    assert!(problem(draft).starts_with("client.poll_interval: "));
}

#[test]
fn the_maximum_duration_is_valid_at_every_key() {
    let longest = Duration::from_nanos(u64::MAX);
    assert_eq!(
        paths(Draft { script: vec![attempt(Outcome::Hang(longest))], until: Some(longest), ..stream() }),
        [""; 0]
    );
}

#[test]
fn blank_texts_are_refused() {
    let external = PolicySpec::External { name: "\t".to_owned(), played_as: Shape::Streaming, claims: None };
    let draft = Draft {
        why: String::new(),
        cite: vec!["a".to_owned(), " ".to_owned()],
        client: Client::new(external),
        ..stream()
    };
    assert_eq!(paths(draft), ["why", "cite[1]", "client.name"]);
}

#[test]
fn an_invalid_status_is_refused() {
    for status in [0, 99, 600, u16::MAX] {
        let draft = Draft { script: vec![attempt(Outcome::Status { status, retry_after: None })], ..stream() };
        assert_eq!(
            problem(draft),
            format!("timeline[0].play[0].status: {status} is not an HTTP status (a status is 100 to 599)")
        );
    }
}

#[test]
fn an_empty_repeat_and_zero_repeats_are_refused() {
    let script = vec![
        attempt(UNAVAILABLE),
        Play::Repeat { times: 0, play: vec![attempt(UNAVAILABLE)] },
        Play::Repeat { times: 1, play: vec![attempt(UNAVAILABLE), Play::Repeat { times: 1, play: Vec::new() }] },
        attempt(UNAVAILABLE),
    ];
    assert_eq!(paths(Draft { script, ..stream() }), ["timeline[1].repeat", "timeline[2].play[1].play"]);
}

#[test]
fn repeats_nest_up_to_the_maximum_depth() {
    let nested = |depth: usize| {
        let script = (0..depth).fold(attempt(UNAVAILABLE), |inner, _| Play::Repeat { times: 1, play: vec![inner] });
        Draft { script: vec![script], ..stream() }
    };
    let deepest = Timeline::new(nested(MAX_NESTING)).unwrap();
    assert!(retrylab_spec::parse("deep.toml", &deepest.to_string()).is_ok());
    let path = format!("timeline[0]{}.play", ".play[0]".repeat(MAX_NESTING));
    assert_eq!(problem(nested(MAX_NESTING + 1)), format!("{path}: repeats nest more than 16 deep"));
}

#[test]
fn a_cut_and_its_outcome_share_one_end() {
    let up = Outcome::Up { lasts: Some((SECOND, End::Close)), first: FirstMessage::Put };
    let idle = Outcome::Idle { lasts: SECOND, end: End::Close };
    for outcome in [up, idle] {
        let with = |cut| Draft { windows: vec![Window { cut: Some(cut), ..window(outcome) }], ..stream() };
        assert_eq!(paths(with(End::Close)), [""; 0]);
        assert_eq!(
            problem(with(End::Reset)),
            "window[0].end: the outcome ends by \"close\", the cut by \"reset\" (one `end` serves both)"
        );
    }
}

#[test]
fn outcomes_of_another_kind_of_client_are_refused_everywhere() {
    let lasting = Some((SECOND, End::Close));
    for outcome in [
        Outcome::Up { lasts: None, first: FirstMessage::Put },
        Outcome::Up { lasts: lasting, first: FirstMessage::Put },
    ] {
        let draft = Draft { script: vec![attempt(outcome)], windows: vec![window(outcome)], ..poll() };
        assert_eq!(paths(draft), ["timeline[0].play[0].up", "window[0].up"]);
    }
    let idle = Outcome::Idle { lasts: SECOND, end: End::Close };
    assert_eq!(paths(Draft { script: vec![attempt(idle)], ..poll() }), ["timeline[0].play[0].idle"]);
    for (outcome, key) in [(Outcome::Ok, "ok"), (Outcome::Malformed, "malformed")] {
        let draft = Draft { script: vec![attempt(outcome)], windows: vec![window(outcome)], ..stream() };
        assert_eq!(paths(draft), [format!("timeline[0].play[0].{key}"), format!("window[0].{key}")]);
    }
}

#[test]
fn instants_of_an_expectation_ascend() {
    let points = |at: &[u64]| {
        let point = |&at| ExpectAt { at: Duration::from_secs(at), regime: None, rung: Some(0) };
        Draft { expect: Some(Expect { at: at.iter().map(point).collect(), ..Expect::default() }), ..stream() }
    };
    assert_eq!(paths(points(&[1, 2, 3])), [""; 0]);
    assert_eq!(problem(points(&[1, 1])), "expect.at.\"1s\": 1s is not after 1s (instants ascend, each named once)");
    assert_eq!(paths(points(&[60, 1])), ["expect.at.\"1s\""]);
}

#[test]
fn an_expectation_expects_something() {
    let nothing = ExpectAt { at: SECOND, regime: None, rung: None };
    assert_eq!(paths(Draft { expect: Some(Expect::default()), ..stream() }), ["expect"]);
    let expect = Expect { at: vec![nothing], ..Expect::default() };
    assert_eq!(paths(Draft { expect: Some(expect), ..stream() }), ["expect.at.\"1s\""]);
    let expect = Expect { delays: Some(vec![Repeated { value: SECOND, times: 0 }]), ..Expect::default() };
    assert_eq!(paths(Draft { expect: Some(expect), ..stream() }), ["expect.delays[0].times"]);
}

#[test]
fn limits_let_something_happen() {
    let draft = Draft { limits: Limits { events: 0, time: Duration::ZERO }, ..stream() };
    assert_eq!(paths(draft), ["limits.events", "limits.time"]);
}

#[test]
fn something_is_played() {
    for then in [Then::Stop, Then::RepeatLast] {
        let draft = Draft { script: Vec::new(), then, until: Some(SECOND), ..stream() };
        assert_eq!(
            problem(draft),
            "timeline: nothing to play (add a [[timeline]] with `play = […]`, or `then = \"succeed\"`)"
        );
    }
}

#[test]
fn a_run_has_an_end() {
    let endless = |script, then| Draft { script, then, ..stream() };
    let ends = || attempt(Outcome::Up { lasts: Some((SECOND, End::Close)), first: FirstMessage::Put });
    let stays = || attempt(Outcome::Up { lasts: None, first: FirstMessage::Put });
    let repeat = |play| Play::Repeat { times: 2, play };
    assert_eq!(paths(endless(vec![stays(), ends()], Then::RepeatLast)), ["then"]);
    assert_eq!(paths(endless(vec![ends(), stays()], Then::RepeatLast)), [""; 0]);
    assert_eq!(paths(endless(vec![repeat(vec![stays(), ends()])], Then::RepeatLast)), ["then"]);
    assert_eq!(paths(endless(vec![ends(), repeat(vec![ends(), stays()])], Then::RepeatLast)), [""; 0]);
    assert_eq!(paths(endless(vec![ends()], Then::Succeed)), [""; 0]);
    assert_eq!(paths(endless(vec![ends()], Then::Stop)), [""; 0]);
    let polls = |then, until| Draft { then, until, ..poll() };
    assert_eq!(paths(polls(Then::Succeed, None)), ["then"]);
    assert_eq!(paths(polls(Then::Succeed, Some(SECOND))), [""; 0]);
    assert_eq!(paths(polls(Then::RepeatLast, None)), ["then"]);
    assert_eq!(paths(polls(Then::RepeatLast, Some(SECOND))), [""; 0]);
    // A window interrupts, and does not end.
    assert_eq!(paths(Draft { windows: vec![window(UNAVAILABLE)], ..polls(Then::Succeed, None) }), ["then"]);
}

#[test]
fn windows_and_suspends_do_not_overlap() {
    let windows = |spans: &[(u64, u64)]| {
        let one = |&(from, until)| Window {
            from: Duration::from_nanos(from),
            until: Duration::from_nanos(until),
            ..window(UNAVAILABLE)
        };
        Draft { windows: spans.iter().map(one).collect(), ..stream() }
    };
    assert_eq!(paths(windows(&[(5, 9), (1, 5)])), [""; 0]);
    assert_eq!(paths(windows(&[(5, 9), (1, 6)])), ["window[0].from"]);
    // The long one covers both, also the one that does not come next.
    assert_eq!(paths(windows(&[(1, 9), (2, 3), (4, 5)])), ["window[1].from", "window[2].from"]);
    assert_eq!(paths(windows(&[(3, 3), (4, 2)])), ["window[0].until", "window[1].until"]);
    let suspends = |spans: &[(u64, u64)]| {
        let one = |&(at, length)| ClockEvent {
            at: Duration::from_nanos(at),
            change: ClockChange::Suspend(Duration::from_nanos(length)),
        };
        Draft { clock: spans.iter().map(one).collect(), ..stream() }
    };
    assert_eq!(paths(suspends(&[(1, 2), (3, 1)])), [""; 0]);
    assert_eq!(paths(suspends(&[(1, 2), (2, 1)])), ["clock[1].at"]);
}

#[test]
fn clocks_change_something() {
    let event = |change| ClockEvent { at: SECOND, change };
    let clock = vec![
        event(ClockChange::Step(Duration::ZERO)),
        event(ClockChange::Suspend(Duration::ZERO)),
        event(ClockChange::WallStep(0)),
    ];
    let wall = Some("2026-08-20T09:00:00Z".to_owned());
    let draft = Draft { clock: clock.clone(), wall: wall.clone(), ..stream() };
    assert_eq!(paths(draft), ["clock[0].step", "clock[1].suspend", "clock[2].wall_step"]);
    let draft = Draft { clock: vec![event(ClockChange::WallStep(-i64::MAX))], ..stream() };
    assert!(problem(draft).starts_with("clock[0].wall_step: there is no date to move"));
    let furthest = |by| Draft { clock: vec![event(ClockChange::WallStep(by))], wall: wall.clone(), ..stream() };
    assert_eq!(paths(furthest(i64::MAX)), [""; 0]);
    assert_eq!(paths(furthest(-i64::MAX)), [""; 0]);
    assert_eq!(
        problem(furthest(i64::MIN)),
        "clock[0].wall_step: the step is too long (at most \"106751d 23h 47m 16.854775807s\" either way)"
    );
    let draft = Draft { wall: Some("2026-02-30T09:00:00Z".to_owned()), ..stream() };
    assert!(problem(draft).starts_with("wall: \"2026-02-30T09:00:00Z\" is not an RFC 3339 date"));
}

#[test]
fn laws_are_listed_once_by_valid_names() {
    let laws = ["reading-changes-nothing", "", "Two Words", "reading-changes-nothing"].map(str::to_owned).to_vec();
    let draft = Draft { expect: Some(Expect { laws, ..Expect::default() }), ..stream() };
    assert_eq!(paths(draft), ["expect.laws[1]", "expect.laws[2]", "expect.laws[3]"]);
}

#[test]
fn a_hang_is_its_own_latency() {
    let slow = Entry { latency: SECOND, ..Entry::new(Outcome::Hang(SECOND)) };
    assert_eq!(paths(Draft { script: vec![Play::Attempt(slow)], ..stream() }), ["timeline[0].play[0].latency"]);
}

/// Calls as described, and a loop whose outages are so.
fn described(spec: CallSpec) -> [Draft; 2] {
    let outage = CallSpec { idempotent: true, ..spec.clone() };
    [PolicySpec::Call(spec), PolicySpec::Reconnect { outage, reset: ResetSpec::Successes(1) }]
        .map(|kind| Draft { client: Client::new(kind), ..stream() })
}

#[test]
fn a_bucket_holds_something() {
    let bucket = |tokens| CallSpec {
        budgets: vec![BudgetSpec::Tokens { tokens, cost: 1, timeout_cost: 1, refill: 0 }],
        ..CallSpec::default()
    };
    let refused = "client.budget[0].tokens: an empty bucket pays for no retry (at least 1, or `attempts = 1` \
                   for no retry)";
    assert_eq!(described(bucket(0)).map(problem), [refused; 2]);
    assert_eq!(described(bucket(1)).map(paths), [[""; 0]; 2]);
}

#[test]
fn an_invalid_ratio_is_refused_as_given() {
    let ratio = |numerator, denominator| Ratio { numerator, denominator };
    let budget = |ratio| CallSpec { budgets: vec![BudgetSpec::Ratio { ratio, reserve: 0 }], ..CallSpec::default() };
    let refused = "client.budget[0]: a retry must cost at least 1";
    assert_eq!(described(budget(ratio(4, 0))).map(problem), [refused; 2]);
    let ladder = |ratio| CallSpec {
        ladder: LadderSpec::Exponential { base: SECOND, ratio, ceiling: SECOND },
        ..CallSpec::default()
    };
    assert_eq!(described(ladder(ratio(4, 0))).map(paths), [["client.ladder.ratio"]; 2]);
}

#[test]
fn several_forms_of_one_meaning_become_that_of_a_file() {
    let described_by = |draft: Draft| match Timeline::new(draft).unwrap().into_draft().client {
        Client { kind: PolicySpec::Call(spec) | PolicySpec::Reconnect { outage: spec, .. }, jitter } => (spec, jitter),
        other => panic!("{other:?}"),
    };
    let ratio = |numerator, denominator| Ratio { numerator, denominator };
    let spec = |growth, share, reserve, attempts| CallSpec {
        ladder: LadderSpec::Exponential { base: SECOND, ratio: growth, ceiling: SECOND },
        budgets: vec![
            BudgetSpec::Ratio { ratio: share, reserve: 0 },
            BudgetSpec::Tokens { tokens: 4, cost: 2, timeout_cost: 2, refill: 2 },
            BudgetSpec::Ratio { ratio: reserve, reserve: 1 },
        ],
        attempts,
        ..CallSpec::default()
    };
    let plain = spec(ratio(3, 2), ratio(1, 5), ratio(0, 1), None);
    let several = spec(ratio(6, 4), ratio(2, 10), ratio(0, 7), Some(u32::MAX));
    for (given, said) in described(several).into_iter().zip(described(plain)) {
        assert_eq!(described_by(given), described_by(said.clone()));
        assert_eq!(described_by(said.clone()).0.attempts, None);
        // Said of the client instead of in its description.
        let client = Client { jitter: JitterChoice::None, ..said.client.clone() };
        let (spec, jitter) = described_by(Draft { client, ..said });
        assert_eq!((spec.jitter, jitter), (Jitter::None, JitterChoice::Own));
    }
    let most = described_by(described(CallSpec { attempts: Some(u32::MAX - 1), ..CallSpec::default() })[0].clone());
    assert_eq!(most.0.attempts, Some(u32::MAX - 1));
    // Another client's jitter is its own business.
    let client = Client { jitter: JitterChoice::None, ..stream().client };
    assert_eq!(Timeline::new(Draft { client, ..stream() }).unwrap().client.jitter, JitterChoice::None);
}
