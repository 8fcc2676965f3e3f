//! Every key, read from a file into the value that it stands for.

use core::time::Duration;

use retrylab_core::{ConfigOption, Jitter, Regime};
use retrylab_spec::{
    CallSpec, Client, ClockChange, ClockEvent, ConnectFault, Draft, Draw, End, Entry, Expect, ExpectAt, File,
    FirstMessage, HeaderText, JitterChoice, Layer, Limits, Outcome, Part, Play, PolicySpec, Repeated, ResetSpec,
    Seconds, ServerWait, Shape, Stack, Then, Timeline, TwoRegimes, Window, parse, print,
};

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn read(text: &str) -> File {
    parse("test.toml", text).unwrap_or_else(|error| panic!("{error}")).file
}

fn draft(text: &str) -> Draft {
    match read(text) {
        File::Played(timeline) | File::External(timeline) => timeline.into_draft(),
        other => panic!("not a timeline: {other:?}"),
    }
}

/// A file with this client and what follows.
fn polling(rest: &str) -> Draft {
    draft(&format!("why = \"A test.\"\nclient = {{ kind = \"polling\" }}\n{rest}"))
}

fn streaming(rest: &str) -> Draft {
    draft(&format!("why = \"A test.\"\nclient = {{ kind = \"streaming\" }}\n{rest}"))
}

fn entries(draft: &Draft) -> Vec<Entry> {
    retrylab_spec::Cursor::new(&draft.script).map(|scripted| *scripted.entry).collect()
}

fn outcomes(draft: &Draft) -> Vec<Outcome> {
    entries(draft).into_iter().map(|entry| entry.outcome).collect()
}

/// Each key of the file once, in the form in which it is printed.
const EVERYTHING: &str = r#"why = "A stream with everything."
cite = ["issue 7", "https://example.org/"]
found_by = "retrylab check streaming"
seed = 18446744073709551615
then = "repeat-last"
wall = "2026-08-20T09:00:00Z"
until = "365d"
stop = "1d"

[client]
kind = "streaming"
initial_reconnect_delay = "1s"
jitter = "none"

[[timeline]]
play = [
    { up = "5s", end = "close" },
    { idle = "10m", end = "timeout", latency = "200ms" },
]

[[timeline]]
repeat = 20
play = [{ status = 503, retry_after = "2m", draw = 17 }]

[[timeline]]
repeat = 2
play = [
    { fault = "dns" },
    { repeat = 3, play = [
        { hang = "30s" },
        { repeat = 4, play = [{ fault = "refused" }] },
    ] },
]

[[timeline]]
play = [{ up = true }]

[[window]]
from = "1h"
until = "1h 20m"
status = 401
latency = "1.5s"
draw = { value = "0xfffffffffffff800" }
cut = true
end = "close"

[[window]]
from = "2h"
until = "3h"
up = "1m"
end = "tls"
cut = true

[[window]]
from = "4h"
until = "5h"
fault = "tls"
cut = true

[[clock]]
at = "10s"
suspend = "8h"

[[clock]]
at = "9h"
step = "+1m"

[[clock]]
at = "9h"
wall_step = "-1h"

[limits]
events = 50000
time = "366d"

[stack]
most = 10
sdk = 3
"an app" = 12

[expect]
delays = ["1s", { value = "30s", times = 15 }]
waits = []
attempts = 0
regime = "extended"
rung = 4294967295
at."4m 59.999999999s".regime = "normal"
at."5m".regime = "extended"
at."5m".rung = 1
laws = ["one-draw-a-failure"]
warnings = ["initial_reconnect_delay", "poll_interval"]
"#;

fn everything() -> Draft {
    let entry = |outcome| Entry { outcome, latency: Duration::ZERO, draw: None };
    let attempt = |outcome| Play::Attempt(entry(outcome));
    let status = Outcome::Status { status: 503, retry_after: Some(ServerWait::Delay(secs(120))) };
    let inner = Play::Repeat { times: 4, play: vec![attempt(Outcome::Fault(ConnectFault::Refused))] };
    Draft {
        why: "A stream with everything.".to_owned(),
        cite: vec!["issue 7".to_owned(), "https://example.org/".to_owned()],
        found_by: Some("retrylab check streaming".to_owned()),
        seed: Some(u64::MAX),
        client: Client {
            kind: PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Text(secs(1))) },
            jitter: JitterChoice::None,
        },
        script: vec![
            attempt(Outcome::Up { lasts: Some((secs(5), End::Close)), first: FirstMessage::Put }),
            Play::Attempt(Entry {
                latency: Duration::from_millis(200),
                ..entry(Outcome::Idle { lasts: secs(600), end: End::Timeout })
            }),
            Play::Repeat {
                times: 20,
                play: vec![Play::Attempt(Entry { draw: Some(Draw::Address(17)), ..entry(status) })],
            },
            Play::Repeat {
                times: 2,
                play: vec![
                    attempt(Outcome::Fault(ConnectFault::Dns)),
                    Play::Repeat { times: 3, play: vec![attempt(Outcome::Hang(secs(30))), inner] },
                ],
            },
            attempt(Outcome::Up { lasts: None, first: FirstMessage::Put }),
        ],
        then: Then::RepeatLast,
        windows: vec![
            Window {
                from: secs(3_600),
                until: secs(4_800),
                entry: Entry {
                    outcome: Outcome::Status { status: 401, retry_after: None },
                    latency: Duration::from_millis(1_500),
                    draw: Some(Draw::Value(0xffff_ffff_ffff_f800)),
                },
                cut: Some(End::Close),
            },
            Window {
                from: secs(7_200),
                until: secs(10_800),
                entry: entry(Outcome::Up { lasts: Some((secs(60), End::Tls)), first: FirstMessage::Put }),
                cut: Some(End::Tls),
            },
            Window {
                from: secs(14_400),
                until: secs(18_000),
                entry: entry(Outcome::Fault(ConnectFault::Tls)),
                cut: Some(End::Reset),
            },
        ],
        clock: vec![
            ClockEvent { at: secs(10), change: ClockChange::Suspend(secs(28_800)) },
            ClockEvent { at: secs(32_400), change: ClockChange::Step(secs(60)) },
            ClockEvent { at: secs(32_400), change: ClockChange::WallStep(-3_600_000_000_000) },
        ],
        wall: Some("2026-08-20T09:00:00Z".to_owned()),
        until: Some(secs(365 * 86_400)),
        stop: Some(secs(86_400)),
        limits: Limits { events: 50_000, time: secs(366 * 86_400) },
        stack: Some(Stack {
            most: 10,
            layers: vec![
                Layer { name: "sdk".to_owned(), attempts: 3 },
                Layer { name: "an app".to_owned(), attempts: 12 },
            ],
        }),
        catches: Vec::new(),
        expect: Some(Expect {
            delays: Some(vec![Repeated { value: secs(1), times: 1 }, Repeated { value: secs(30), times: 15 }]),
            waits: Some(Vec::new()),
            attempts: Some(0),
            regime: Some(Regime::Extended),
            rung: Some(u32::MAX),
            at: vec![
                ExpectAt { at: Duration::from_nanos(299_999_999_999), regime: Some(Regime::Normal), rung: None },
                ExpectAt { at: secs(300), regime: Some(Regime::Extended), rung: Some(1) },
            ],
            laws: vec!["one-draw-a-failure".to_owned()],
            outcome: None,
            warnings: vec![ConfigOption::InitialReconnectDelay, ConfigOption::PollInterval],
        }),
    }
}

#[test]
fn a_file_with_every_key_is_parsed_completely() {
    assert_eq!(draft(EVERYTHING), everything());
}

#[test]
fn a_file_with_every_key_prints_as_it_was_written() {
    let File::Played(timeline) = read(EVERYTHING) else { panic!("a timeline") };
    assert_eq!(print(&timeline), EVERYTHING);
    assert_eq!(timeline.to_string(), EVERYTHING);
}

/// `"1s", ` is 6 characters, so 17 of them without the last comma and space are 100. In a line of its own, with 3 columns
/// before it, fit 15 and one that is longer by a character: 3 + 15 * 6 + 7 = 100.
#[test]
fn a_list_is_broken_into_lines_only_where_needed() {
    let printed = |delays: &str| {
        let text = format!(
            "why = 'A test.'\nclient.kind = 'polling'\ntimeline = [{{ play = [{{ ok = true }}] }}]\nexpect.delays = [{delays}]"
        );
        let text = print(&Timeline::new(draft(&text)).unwrap());
        text.split_once("delays = ").unwrap().1.to_owned()
    };
    let seconds = |times: usize| vec!["\"1s\""; times].join(", ");
    assert_eq!(printed(&seconds(17)), format!("[{}]\n", seconds(17)));
    assert_eq!(printed(&seconds(18)), format!("[\n    {},\n    {},\n]\n", seconds(16), seconds(2)));
    let longer = format!("{}, \"10s\"", seconds(15));
    assert_eq!(printed(&format!("{longer}, {}", seconds(2))), format!("[\n    {longer},\n    {},\n]\n", seconds(2)));
}

#[test]
fn an_omitted_key_has_its_default() {
    let expected = Draft {
        script: vec![Play::Attempt(Entry::new(Outcome::Ok))],
        ..Draft::new("A test.", Client::new(PolicySpec::Polling { poll_interval: None }))
    };
    let read = polling("timeline = [{ play = [{ ok = true }] }]");
    assert_eq!(read, expected);
    assert_eq!(read.then, Then::Stop);
    assert_eq!(read.client.jitter, JitterChoice::Own);
    assert_eq!(read.limits, Limits { events: 10_000_000, time: secs(315_360_000) });
}

#[test]
fn each_outcome_of_a_stream_is_read() {
    let play = r#"[
        { up = true }, { up = "0s", end = "close" }, { idle = "1s", end = "reset" }, { status = 100 }, { status = 599 },
        { status = 204, retry_after = "0s" }, { hang = "1ns" },
    ]"#;
    let status = |status| Outcome::Status { status, retry_after: None };
    assert_eq!(
        outcomes(&streaming(&format!("timeline = [{{ play = {play} }}]"))),
        [
            Outcome::Up { lasts: None, first: FirstMessage::Put },
            Outcome::Up { lasts: Some((Duration::ZERO, End::Close)), first: FirstMessage::Put },
            Outcome::Idle { lasts: secs(1), end: End::Reset },
            status(100),
            status(599),
            Outcome::Status { status: 204, retry_after: Some(ServerWait::Delay(Duration::ZERO)) },
            Outcome::Hang(Duration::from_nanos(1)),
        ]
    );
}

#[test]
fn a_retry_after_may_be_the_text_of_a_header() {
    let play = r#"[{ status = 503, retry_after = { header = "-3" } }]"#;
    let read = streaming(&format!("timeline = [{{ play = {play} }}]"));
    let header = HeaderText::new("-3").map(ServerWait::Header);
    assert!(header.is_some());
    assert_eq!(outcomes(&read), [Outcome::Status { status: 503, retry_after: header }]);
    let most = "x".repeat(HeaderText::MOST);
    assert_eq!(HeaderText::new(&most).as_ref().map(HeaderText::as_str), Some(&*most));
    for refused in [&*format!("{most}x"), " 3", "3 ", "3\r\n", "\u{7f}", "é"] {
        assert_eq!(HeaderText::new(refused), None, "{refused:?}");
    }
}

#[test]
fn a_stream_begins_with_a_put_by_default() {
    let play = "[{ up = true, first = 'patch' }, { up = '1s', end = 'close', first = 'put' }]";
    let read = outcomes(&streaming(&format!("timeline = [{{ play = {play} }}]")));
    assert_eq!(read[0], Outcome::Up { lasts: None, first: FirstMessage::Patch });
    assert_eq!(read[1], Outcome::Up { lasts: Some((secs(1), End::Close)), first: FirstMessage::Put });
}

#[test]
fn each_outcome_of_a_poll_is_read() {
    let read =
        polling("timeline = [{ play = [{ ok = true }, { status = 304 }, { malformed = true }, { hang = '1s' }] }]");
    let unchanged = Outcome::Status { status: 304, retry_after: None };
    assert_eq!(outcomes(&read), [Outcome::Ok, unchanged, Outcome::Malformed, Outcome::Hang(secs(1))]);
}

#[test]
fn each_end_and_each_fault_is_read_by_its_name() {
    for (end, name) in End::ALL {
        let read = streaming(&format!("timeline = [{{ play = [{{ up = '1s', end = '{name}' }}] }}]"));
        assert_eq!(outcomes(&read), [Outcome::Up { lasts: Some((secs(1), end)), first: FirstMessage::Put }]);
        assert_eq!(end.name(), name);
    }
    for (fault, name) in ConnectFault::ALL {
        let read = polling(&format!("timeline = [{{ play = [{{ fault = '{name}' }}] }}]"));
        assert_eq!(outcomes(&read), [Outcome::Fault(fault)]);
        assert_eq!(fault.name(), name);
    }
}

#[test]
fn all_timeline_tables_are_played_one_after_the_other() {
    let read = streaming(
        "[[timeline]]\nplay = [{ status = 501 }]\n[[timeline]]\nplay = [{ status = 502 }]\n\
         [[timeline]]\nrepeat = 2\nplay = [{ status = 503 }]\n",
    );
    let attempt = |status| Play::Attempt(Entry::new(Outcome::Status { status, retry_after: None }));
    assert_eq!(read.script, [attempt(501), attempt(502), Play::Repeat { times: 2, play: vec![attempt(503)] }]);
}

#[test]
fn a_configured_number_of_seconds_is_kept_as_it_is_written() {
    for (value, expected) in [
        ("'1m 30s'", Seconds::Text(secs(90))),
        ("90", Seconds::Number(90.0)),
        ("0x10", Seconds::Number(16.0)),
        ("-1", Seconds::Number(-1.0)),
        ("0.0", Seconds::Number(0.0)),
        ("-0.0", Seconds::Number(-0.0)),
        ("nan", Seconds::Number(f64::NAN)),
        ("-nan", Seconds::Number(f64::NAN)),
        ("inf", Seconds::Number(f64::INFINITY)),
        ("-inf", Seconds::Number(f64::NEG_INFINITY)),
        ("5e-324", Seconds::Number(5e-324)),
        ("1e300", Seconds::Number(1e300)),
        // 2^64, beyond any whole number of TOML but a number of seconds all the same.
        ("18446744073709551616", Seconds::Number(18_446_744_073_709_551_616.0)),
    ] {
        let read = draft(&format!(
            "why = 'A test.'\nclient = {{ kind = 'polling', poll_interval = {value} }}\ntimeline = [{{ play = [{{ ok = true }}] }}]"
        ));
        assert_eq!(read.client.kind, PolicySpec::Polling { poll_interval: Some(expected) }, "{value}");
    }
    assert_ne!(Seconds::Number(0.0), Seconds::Number(-0.0));
    assert_ne!(Seconds::Number(1.0), Seconds::Text(secs(1)));
}

#[test]
fn bounds_that_are_not_named_are_those_of_the_preset_with_the_same_first_wait() {
    let read = |keys: &str| {
        let script = "timeline = [{ play = [{ status = 503 }] }]";
        match draft(&format!("why = 'A test.'\nclient = {{ {keys} }}\n{script}")).client.kind {
            PolicySpec::TwoRegimes(regimes) => regimes,
            other => panic!("a preset: {other:?}"),
        }
    };
    let of = |shape, normal: (u64, u64), extended: (u64, u64), cadence, reset| TwoRegimes {
        shape,
        normal: (secs(normal.0), secs(normal.1)),
        extended: (secs(extended.0), secs(extended.1)),
        reset,
        cadence: secs(cadence),
    };
    let (healthy, twice) = (ResetSpec::HealthyFor(secs(60)), ResetSpec::Successes(2));
    let (stream, poll) = (Shape::Streaming, Shape::Polling);
    for (keys, expected) in [
        ("kind = 'streaming', normal = { initial = '2s' }", of(stream, (2, 30), (300, 3600), 0, healthy)),
        ("kind = 'streaming', normal = { initial = '45s' }", of(stream, (45, 45), (300, 3600), 0, healthy)),
        // A ceiling that is named stays as it is, to be raised where it is used.
        (
            "kind = 'streaming', normal = { initial = '45s', ceiling = '30s' }",
            of(stream, (45, 30), (300, 3600), 0, healthy),
        ),
        ("kind = 'streaming', normal.ceiling = '1m'", of(stream, (1, 60), (300, 3600), 0, healthy)),
        ("kind = 'streaming', extended.initial = '10m'", of(stream, (1, 30), (600, 3600), 0, healthy)),
        ("kind = 'streaming', cadence = '5s', reset.successes = 2", of(stream, (1, 30), (300, 3600), 5, twice)),
        ("kind = 'polling', normal = { initial = '10m' }", of(poll, (600, 600), (600, 3600), 600, twice)),
        ("kind = 'polling', cadence = '5s'", of(poll, (30, 30), (300, 3600), 5, twice)),
        // The preset keys may stand beside what they say nothing about.
        (
            "kind = 'polling', poll_interval = 600, reset.healthy_for = '60s'",
            of(poll, (600, 600), (600, 3600), 600, healthy),
        ),
        (
            "kind = 'streaming', initial_reconnect_delay = '2h', cadence = '1s'",
            of(stream, (7200, 7200), (7200, 7200), 1, healthy),
        ),
    ] {
        assert_eq!(read(keys), expected, "{keys}");
    }
}

#[test]
fn configured_seconds_reach_the_constructors() {
    assert_eq!(Seconds::Text(Duration::from_millis(1_500)).as_f64(), 1.5);
    assert_eq!(Seconds::Number(-1.0).as_f64(), -1.0);
}

#[test]
fn an_external_client_is_a_case_of_its_own() {
    let text = "why = 'A test.'\nclient = { kind = 'external', name = 'mine', as = 'polling' }\n\
                timeline = [{ play = [{ ok = true }] }]";
    let File::External(timeline) = read(text) else { panic!("external") };
    let expected = PolicySpec::External { name: "mine".to_owned(), played_as: Shape::Polling, claims: None };
    assert_eq!(timeline.client.kind, expected);
    assert_eq!(timeline.client.kind.shape(), Shape::Polling);
}

#[test]
fn an_external_client_may_claim_any_description() {
    let head =
        "why = 'A test.'\ntimeline = [{ play = [{ status = 503 }] }]\nclient.kind = 'external'\nclient.name = 'mine'\n";
    let claims = |text: &str| {
        let File::External(timeline) = read(&format!("{head}{text}")) else { panic!("external: {text}") };
        let again = read(&timeline.to_string());
        assert_eq!(again, File::External(timeline.clone()), "{timeline}");
        match timeline.client.kind.clone() {
            PolicySpec::External { claims, .. } => claims.map(|claims| *claims),
            other => panic!("{other:?}"),
        }
    };
    let seconds = Some(Seconds::Text(Duration::from_secs(5)));
    assert_eq!(
        claims("client.as = 'streaming'\nclient.claims = { kind = 'streaming', initial_reconnect_delay = '5s' }"),
        Some(PolicySpec::Streaming { initial_reconnect_delay: seconds })
    );
    assert_eq!(
        claims("client.as = 'call'\nclient.claims = { kind = 'call', attempts = 6, jitter = 'none' }"),
        Some(PolicySpec::Call(CallSpec { attempts: Some(6), jitter: Jitter::None, ..CallSpec::default() }))
    );
    assert_eq!(
        claims("client.as = 'streaming'\n[client.claims]\nkind = 'reconnect'\nreset = { successes = 2 }"),
        Some(PolicySpec::Reconnect { outage: CallSpec::reconnect(), reset: ResetSpec::Successes(2) })
    );
    assert_eq!(claims("client.as = 'call'"), None);
}

#[test]
fn a_claim_that_is_none_is_refused() {
    let refused = |client: &str| {
        let text = format!("why = 'A test.'\ntimeline = [{{ play = [{{ fault = 'reset' }}] }}]\n[client]\n{client}");
        let error = parse("claims.toml", &text).expect_err("it is refused");
        error.problems().iter().map(|located| located.problem.to_string()).collect::<Vec<_>>().join("\n")
    };
    let head = "kind = 'external'\nname = 'mine'\nas = 'streaming'\n";
    assert_eq!(
        refused(&format!("{head}claims = {{ kind = 'polling' }}")),
        "client.claims.kind: `polling` is not a valid claim of a `streaming` client"
    );
    for (claims, key) in [
        ("{ kind = 'streaming:tls-unexpected' }", "client.claims.kind: "),
        ("{ kind = 'external' }", "client.claims.kind: "),
        ("{ initial_reconnect_delay = 5 }", "client.claims.kind: "),
        ("{ kind = 'streaming', jitter = 'none' }", "client.claims.jitter: "),
        ("{ kind = 'reconnect', reset = { healthy_for = 'soon' } }", "client.claims.reset.healthy_for: "),
        ("'streaming'", "client.claims: "),
    ] {
        let text = refused(&format!("{head}claims = {claims}"));
        assert!(text.starts_with(key) && !text.contains('\n'), "{claims}: {text}");
    }
    assert!(refused("kind = 'streaming'\nclaims = { kind = 'streaming' }").starts_with("client.claims: "));
}

#[test]
fn a_file_that_waits_for_a_part_has_its_reason() {
    for (part, name) in [(Part::Source, "source"), (Part::Fleet, "fleet")] {
        let file = read(&format!("why = 'A test.'\ncite = ['a', 'b']\nwaits_for = '{name}'"));
        assert_eq!(file.why(), "A test.");
        assert_eq!(
            file,
            File::WaitsFor { why: "A test.".to_owned(), cite: vec!["a".to_owned(), "b".to_owned()], part }
        );
        assert_eq!(part.name(), name);
    }
}

#[test]
fn a_file_outside_of_the_simulator_has_its_reason() {
    let file = read("why = 'A test.'\noutside = 'it is about threads'");
    assert_eq!(file.why(), "A test.");
    let reason = "it is about threads".to_owned();
    assert_eq!(file, File::Outside { why: "A test.".to_owned(), cite: Vec::new(), reason });
}

#[test]
fn a_step_needs_no_sign_and_a_date_steps_either_way() {
    let read = streaming(
        "wall = '2026-08-20T09:00:00Z'\nthen = 'succeed'\n[[clock]]\nat = '1s'\nstep = '1s'\n\
         [[clock]]\nat = '2s'\nwall_step = '1s'\n[[clock]]\nat = '3s'\nwall_step = '+1s'\n\
         [[clock]]\nat = '4s'\nwall_step = '-106751d 23h 47m 16.854775807s'\n",
    );
    let changes: Vec<ClockChange> = read.clock.iter().map(|event| event.change).collect();
    let second = 1_000_000_000;
    // 2^63 - 1 ns back.
    assert_eq!(
        changes,
        [
            ClockChange::Step(secs(1)),
            ClockChange::WallStep(second),
            ClockChange::WallStep(second),
            ClockChange::WallStep(-i64::MAX)
        ]
    );
}

#[test]
fn instants_of_an_expectation_are_sorted() {
    let read = streaming(
        "then = 'succeed'\n[expect]\nat.'10m'.rung = 2\nat.'90s'.rung = 0\nat.'1m 40s' = { regime = 'normal', rung = 1 }\n",
    );
    let at: Vec<Duration> = read.expect.unwrap().at.iter().map(|point| point.at).collect();
    assert_eq!(at, [secs(90), secs(100), secs(600)]);
}

#[test]
fn an_end_is_required_only_without_another() {
    // A stream that stays up ends the run; so does a script that stops.
    streaming("then = 'succeed'");
    streaming("then = 'repeat-last'\ntimeline = [{ play = [{ status = 503 }, { up = true }] }]");
    polling("timeline = [{ repeat = 18446744073709551615, play = [{ ok = true }] }]");
    let read = polling("then = 'succeed'\nuntil = '0s'");
    assert_eq!(read.until, Some(Duration::ZERO));
}

#[test]
fn an_instant_may_be_the_last_of_the_run() {
    let read = polling(
        "then = 'succeed'\nuntil = '1h'\nexpect.at.'60m'.rung = 0\nwindow = [{ from = '1h', until = '2h', status = 503 }]\n\
         clock = [{ at = '1h', suspend = '1s' }]\n",
    );
    assert_eq!(read.windows[0].from, secs(3_600));
}

#[test]
fn windows_and_suspends_may_touch_and_stand_in_any_order() {
    let read = streaming(
        "then = 'succeed'\n[[window]]\nfrom = '2h'\nuntil = '3h'\nstatus = 503\n[[window]]\nfrom = '1h'\nuntil = '2h'\nstatus = 502\n\
         [[clock]]\nat = '2s'\nsuspend = '1s'\n[[clock]]\nat = '1s'\nsuspend = '1s'\n",
    );
    assert_eq!(read.windows[0].from, secs(7_200));
    assert_eq!(read.clock[1].at, secs(1));
}

#[test]
fn sixteen_repeats_may_stand_inside_each_other() {
    let deep = (0..15).fold("{ ok = true }".to_owned(), |inner, _| format!("{{ repeat = 1, play = [{inner}] }}"));
    let read = polling(&format!("timeline = [{{ repeat = 1, play = [{deep}] }}]"));
    assert_eq!(outcomes(&read), [Outcome::Ok]);
}
