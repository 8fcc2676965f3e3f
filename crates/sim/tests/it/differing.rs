//! Two policies side by side: each dialect parts from its original, and where.

use core::time::Duration;

use retrylab_core::FailureKind;
use retrylab_sim::Record;
use retrylab_sim::diff::{By, Diff, Parted, Question, Step, Tick, diff, outage, showing};
use retrylab_spec::{Client, Dialect, PolicySpec, Seconds, Shape, Timeline, named};

use crate::timelines::secs;

fn under_the_outage(client: Client) -> Timeline {
    Timeline::new(outage(client)).expect("the standard outage is for every client")
}

fn compared(a: Client, b: Client) -> Diff {
    let (a, b) = (under_the_outage(a), under_the_outage(b));
    diff(Question { a: &a, b: &b, steps: true, seed: 0, seeds: 3, rungs: 8 }, |_| {}).expect("built-in policies")
}

/// The original and its dialect, both with the configuration in which it shows.
fn against_the_original(dialect: Dialect) -> Diff {
    let seconds = showing(dialect);
    let original = match dialect.shape() {
        Shape::Polling => PolicySpec::Polling { poll_interval: seconds },
        Shape::Streaming | Shape::Call => PolicySpec::Streaming { initial_reconnect_delay: seconds },
    };
    compared(Client::new(original), Client::new(PolicySpec::Dialect { dialect, seconds }))
}

fn parted(dialect: Dialect) -> (Parted, Record, Record) {
    let parted = against_the_original(dialect).parted.unwrap_or_else(|| panic!("{} does not part", dialect.name()));
    let [Some(ours), Some(theirs)] = [parted.divergence.first, parted.divergence.second] else {
        panic!("{} ends early", dialect.name())
    };
    (parted, ours, theirs)
}

/// Event and base, in whole nanoseconds, of both.
fn bases(dialect: Dialect) -> (By, String, Option<Duration>, Option<Duration>) {
    let (parted, ours, theirs) = parted(dialect);
    assert_eq!(ours.event, theirs.event, "the same outcome");
    let [ours_ns, theirs_ns] = [ours.base_ns(), theirs.base_ns()].map(|base| base.map(Duration::from_nanos));
    (parted.by, ours.event.to_string(), ours_ns, theirs_ns)
}

fn base(event: &str, ours: Duration, theirs: Duration) -> (By, String, Option<Duration>, Option<Duration>) {
    (By::Timeline, event.to_owned(), Some(ours), Some(theirs))
}

#[test]
fn a_clamped_initial_delay_shows_at_the_first_failure() {
    assert_eq!(bases(Dialect::ClampInitial), base("503", secs(45), secs(30)));
}

#[test]
fn an_inverted_extended_ladder_shows_at_the_first_rejection() {
    assert_eq!(bases(Dialect::InvertedExtended), base("401", secs(600), secs(300)));
}

#[test]
fn health_from_the_connect_shows_after_a_stream_of_heartbeats() {
    // The third failure in a row, after the close of a healthy stream and a 503; or the first one, if ninety seconds of
    // heartbeats are health.
    assert_eq!(bases(Dialect::HealthFromConnect), base("close", secs(4), secs(1)));
}

#[test]
fn health_from_the_last_message_shows_where_there_is_a_second_one() {
    let (by, event, ours, theirs) = bases(Dialect::HealthFromLastMessage);
    assert_eq!((by, &*event, ours, theirs), (By::Steps, "close", Some(secs(1)), Some(secs(2))));
}

#[test]
fn unexpected_tls_failures_show_at_the_first_one() {
    assert_eq!(bases(Dialect::TlsUnexpected), base("tls", secs(2), secs(300)));
}

#[test]
fn a_cadence_that_is_not_restored_shows_at_the_first_good_poll_after_a_rejection() {
    let (_, ours, theirs) = parted(Dialect::CadenceNotRestored);
    assert_eq!((ours.event.to_string(), theirs.event.to_string()), ("ok".to_owned(), "ok".to_owned()));
    assert_eq!(ours.wait_ns(), Some(30_000_000_000));
    // Still on the third extended rung: 10 to 20 minutes.
    assert!(theirs.wait_ns().is_some_and(|wait| (600_000_000_000..=1_200_000_000_000).contains(&wait)), "{theirs:?}");
}

#[test]
fn a_servers_hint_shows_when_there_is_one() {
    // The second failure since the reset; the hint of 10 s restarts the count.
    assert_eq!(bases(Dialect::RetryHint), base("503", secs(2), secs(10)));
}

#[test]
fn a_zero_taken_literally_shows_at_once_and_on_the_ladder() {
    let (_, ours, theirs) = parted(Dialect::ZeroLiteral);
    assert_eq!(ours.event.name(), "warning");
    assert_eq!((theirs.event.to_string(), theirs.base_ns()), ("503".to_owned(), Some(0)));
    let ladders = against_the_original(Dialect::ZeroLiteral).ladders;
    assert_eq!((ladders[0].rung, ladders[0].steps), (1, [Step::Wait(secs(1)), Step::Wait(secs(0))]));
}

#[test]
fn a_silent_default_shows_by_the_warning_alone() {
    let (_, ours, theirs) = parted(Dialect::DefaultSilent);
    assert_eq!((ours.event.name(), theirs.event.to_string()), ("warning", "503".to_owned()));
    assert_eq!(against_the_original(Dialect::DefaultSilent).ladders, []);
}

#[test]
fn a_capped_exponent_shows_on_the_rung_after_the_cap() {
    // 10 ns doubled 31 times, and 30 times: the 32nd failure in a row.
    let capped = base("refused", Duration::from_nanos(21_474_836_480), Duration::from_nanos(10_737_418_240));
    assert_eq!(bases(Dialect::ExponentCapped), capped);
    assert_eq!(parted(Dialect::ExponentCapped).1.rung(), Some(32));
}

#[test]
fn a_wrapped_exponent_shows_on_the_rung_where_no_bit_is_left() {
    // 1 s is 5^9 times 2^9 ns, so doubled 55 times the lowest bit leaves the 64th place.
    assert_eq!(bases(Dialect::ExponentWraps), base("refused", secs(30), secs(0)));
    assert_eq!(parted(Dialect::ExponentWraps).1.rung(), Some(56));
    let ladders = against_the_original(Dialect::ExponentWraps).ladders;
    assert_eq!((ladders[0].kind, ladders[0].rung), (FailureKind::Normal, 56));
}

#[test]
fn a_clock_of_zero_taken_for_unset_shows_on_a_clock_that_still_shows_zero() {
    let (by, event, ours, theirs) = bases(Dialect::ClockZeroUnset);
    assert_eq!((by, &*event, ours, theirs), (By::Steps, "close", Some(secs(1)), Some(secs(2))));
    assert_eq!(parted(Dialect::ClockZeroUnset).1.time_ns, 60_000_000_000);
}

#[test]
fn a_policy_is_the_same_as_itself() {
    for name in named::all() {
        let client = || named::client(name).expect("a name of the list");
        assert!(compared(client(), client()).is_same(), "{name}");
    }
}

#[test]
fn a_number_of_seconds_and_the_same_as_text_are_the_same_policy() {
    let streaming = |initial| Client::new(PolicySpec::Streaming { initial_reconnect_delay: Some(initial) });
    assert!(compared(streaming(Seconds::Number(2.0)), streaming(Seconds::Text(secs(2)))).is_same());
}

#[test]
fn policies_that_the_timeline_cannot_tell_apart_differ_by_their_ladders() {
    let streaming = named::client("streaming").unwrap();
    let wraps = named::client("streaming:exponent-wraps").unwrap();
    let short = |client: Client| {
        let mut draft = outage(client);
        draft.script.truncate(2);
        draft.windows.clear();
        Timeline::new(draft).unwrap()
    };
    let (a, b) = (short(streaming), short(wraps));
    let found = diff(Question { a: &a, b: &b, steps: true, seed: 0, seeds: 3, rungs: 8 }, |_| {}).unwrap();
    assert_eq!(found.parted, None);
    assert!(!found.is_same());
}

#[test]
fn figures_are_over_the_seeds() {
    let mut ticks = 0;
    let (a, b) = (named::client("call").unwrap(), named::client("call").unwrap());
    let (a, b) = (under_the_outage(a), under_the_outage(b));
    let found = diff(Question { a: &a, b: &b, steps: false, seed: 0, seeds: 5, rungs: 8 }, |tick| {
        ticks += u64::from(tick == Tick::Seed)
    })
    .unwrap();
    assert_eq!(ticks, 5);
    let side = &found.sides[0];
    // Three waits of at most 0.5, 1 and 2 s; the fourth failure ends the call.
    let [normal, unexpected] = &side.ladders;
    assert_eq!(normal.longest.rows.iter().map(|row| row.wait.as_millis()).collect::<Vec<_>>(), [500, 1000, 2000]);
    assert_eq!(normal.spread[0].runs, 5);
    assert_eq!(normal.dispersion[0].distinct, 5);
    assert!(unexpected.longest.rows.is_empty());
    assert!(side.total_wait.is_some());
    // An attempt that starts just before the end of the window takes a second, and waits at most two.
    assert!(side.recovery.is_some_and(|recovery| recovery.p99 <= secs(3)), "{:?}", side.recovery);
    assert_eq!(side.unrecovered, 0);
}

#[test]
fn a_cadence_that_is_not_restored_shows_in_the_total_wait() {
    let read = |kind: &str| {
        let text = format!(
            "why = 'A rejected key.'\nclient = {{ kind = '{kind}', jitter = 'none' }}\n[[timeline]]\n\
             play = [{{ ok = true }}, {{ repeat = 3, play = [{{ status = 401 }}] }}, {{ repeat = 3, play = [{{ ok = true }}] }}]\n"
        );
        match retrylab_spec::parse("key.toml", &text).expect("a timeline").file {
            retrylab_spec::File::Played(timeline) => timeline,
            other => panic!("{other:?}"),
        }
    };
    let (ours, theirs) = (read("polling"), read("polling:cadence-not-restored"));
    let found = diff(Question { a: &ours, b: &theirs, steps: false, seed: 0, seeds: 2, rungs: 4 }, |_| {}).unwrap();
    // 5, 10 and 20 min after the rejections; theirs also waits 20 min after the first good poll, not 30 s.
    let totals = found.sides.map(|side| side.total_wait.expect("two seeds").p50);
    assert_eq!(totals, [secs(2_100), secs(2_100 + 1_200 - 30)]);
}

/// Polls for ten days, unless this many events come first.
fn ten_days(events: u64) -> Timeline {
    let text = format!(
        "why = 'Ten days.'\nuntil = '10d'\nthen = 'repeat-last'\nlimits.events = {events}\nclient = {{ kind = 'polling' }}\n\
         timeline = [{{ play = [{{ ok = true }}] }}]\n"
    );
    match retrylab_spec::parse("days.toml", &text).expect("a timeline").file {
        retrylab_spec::File::Played(timeline) => timeline,
        other => panic!("{other:?}"),
    }
}

#[test]
fn runs_that_a_limit_ends_are_counted_as_not_whole() {
    let of = |events: u64| {
        let timeline = ten_days(events);
        let question = Question { a: &timeline, b: &timeline, steps: false, seed: 0, seeds: 3, rungs: 2 };
        let mut within = 0_u64;
        let found = diff(question, |tick| within += u64::from(tick == Tick::Records)).expect("a built-in policy");
        assert!(found.is_same());
        (found.is_whole(), found.sides.map(|side| side.cut_off), within > 0)
    };
    // A poll every 30 s for ten days: 28,800, in more than one event each.
    assert_eq!(of(5), (false, [3, 3], false));
    assert_eq!(of(1_000_000), (true, [0, 0], true));
}

/// Where both were found to part, and what each says there.
fn reported(dialect: Dialect) -> (By, String, String) {
    let (parted, ours, theirs) = parted(dialect);
    (parted.by, ours.event.to_string(), theirs.event.to_string())
}

#[test]
fn the_level_of_an_http_failure_shows_at_the_first_one_that_has_another() {
    // The standard outage begins with a 503, which is normal; its first rejected key comes much later.
    let line = "Received HTTP error 503 for stream connection - will retry in";
    let (by, ours, theirs) = reported(Dialect::HttpAlwaysError);
    assert_eq!(by, By::Reported);
    assert!(ours.starts_with(&format!("warning: {line}")) && theirs.starts_with(&format!("error: {line}")), "{ours}");
    let line = "Received HTTP error 401 (invalid SDK key) for stream connection - will retry in";
    let (by, ours, theirs) = reported(Dialect::HttpAlwaysWarning);
    assert_eq!(by, By::Reported);
    assert!(ours.starts_with(&format!("error: {line}")) && theirs.starts_with(&format!("warning: {line}")), "{ours}");
}

#[test]
fn a_patch_that_is_enough_shows_in_the_status() {
    // The first stream of the standard outage begins with one. With it alone, ours still lacks the rest.
    let found = against_the_original(Dialect::ValidAfterPatch).parted.expect("they part");
    assert_eq!(found.by, By::Reported);
    let theirs = found.divergence.second.map(|record| record.event.to_string());
    assert_eq!(theirs.as_deref(), Some("status VALID"));
}

#[test]
fn the_kind_of_an_unreadable_body_shows_in_the_status() {
    let (by, ours, theirs) = reported(Dialect::MalformedIsInvalidData);
    assert_eq!((by, &*ours), (By::Reported, "status INTERRUPTED (UNKNOWN)"));
    assert_eq!(theirs, "status INTERRUPTED (INVALID_DATA)");
}
