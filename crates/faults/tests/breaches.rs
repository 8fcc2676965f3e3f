//! Each law is broken by a faulty client in the words worked out here by hand, and put to the test and kept by the right one.
//!
//! No draw subtracts anything, unless a test says so: waits are bases.

use std::cell::Cell;
use std::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Policy};
use retrylab_faults::{Faulty, KnownFault};
use retrylab_laws::Drawing::Own;
use retrylab_laws::{Claim, Described, Law, Standing, Subject, Trial};
use retrylab_sim::{Draws, Entropy, build};
use retrylab_spec::duration::Text;
use retrylab_spec::{Client, Dialect, Draft, File, JitterChoice, PolicySpec, Seconds, Timeline, parse};

/// What this client meets, as a file has it behind its client.
fn timeline(kind: &PolicySpec, script: &str) -> Timeline {
    let shape = match kind.shape() {
        retrylab_spec::Shape::Streaming => "streaming",
        retrylab_spec::Shape::Polling => "polling",
        retrylab_spec::Shape::Call => "call",
    };
    let text = format!("why = \"A test.\"\nclient.kind = \"{shape}\"\n{script}");
    let Ok(File::Played(timeline)) = parse("test.toml", &text).map(|parsed| parsed.file) else {
        panic!("{:?}", parse("test.toml", &text))
    };
    let mut draft: Draft = timeline.into_draft();
    draft.client.kind = kind.clone();
    draft.client.jitter = JitterChoice::None;
    Timeline::new(draft).expect("the same script")
}

fn play(entries: &str) -> String {
    format!("[[timeline]]\nplay = [{entries}]")
}

fn described(kind: &PolicySpec) -> Described {
    Described(Client::new(kind.clone()))
}

fn stands(law: &'static Law, timeline: &Timeline, subject: &dyn Subject) -> Standing {
    // The client claims its jitter: that no draw subtracts anything is up to the timeline.
    let claim = Claim::of(&Client::new(timeline.client.kind.clone()));
    let mut trial = Trial::new(&claim, [law]);
    for record in subject.play(timeline, 0).expect("it can be played") {
        trial.observe(&record);
    }
    trial.finish(subject).of(law).expect("the law applies").clone()
}

/// The breach of a faulty client's run, whose right client keeps the law.
fn breach_of(law: &str, timeline: &Timeline, right: &dyn Subject, wrong: &dyn Subject) -> (String, String) {
    let law = Law::find(law).expect("a law");
    assert_eq!(stands(law, timeline, right), Standing::Held, "{law}");
    match stands(law, timeline, wrong) {
        Standing::Violated(breach) => (breach.expected, breach.got),
        other => panic!("{law}: {other:?}"),
    }
}

/// The same for a fault of the catalogue, of the client that shows it.
fn breach(law: &str, fault: &str, script: &str) -> (String, String) {
    let client = KnownFault::find(fault).and_then(KnownFault::shown_by).expect("a fault that a client shows");
    breach_of(law, &timeline(&client, script), &described(&client), &faulty(fault, &client))
}

fn faulty(fault: &str, client: &PolicySpec) -> Faulty {
    KnownFault::find(fault).and_then(|fault| fault.of(client)).expect("a fault of such a client")
}

/// The same for a dialect.
fn breach_by(law: &str, dialect: Dialect, right: PolicySpec, script: &str) -> (String, String) {
    let seconds = match right {
        PolicySpec::Streaming { initial_reconnect_delay: seconds } | PolicySpec::Polling { poll_interval: seconds } => {
            seconds
        }
        _ => None,
    };
    let wrong = PolicySpec::Dialect { dialect, seconds };
    let law = Law::find(law).expect("a law");
    let keeps = described(&right);
    assert_eq!(stands(law, &timeline(&right, script), &keeps), Standing::Held, "{law}");
    let Standing::Violated(breach) = stands(law, &timeline(&wrong, script), &described(&wrong)) else {
        panic!("{law} is kept")
    };
    (breach.expected, breach.got)
}

/// A client that draws for itself.
struct Drawing(Box<dyn Policy>, Draws);

impl Policy for Drawing {
    fn record_failure(&mut self, failure: Failure, now: Instant, _: u64) -> Decision {
        let draw = self.1.next_draw();
        self.0.record_failure(failure, now, draw)
    }

    fn record_success(&mut self, now: Instant) {
        self.0.record_success(now);
    }

    fn next_delay(&self) -> Duration {
        self.0.next_delay()
    }
}

/// The breach of a fault whose every client draws for itself, in two failures of a stream: bands of 0.5 to 1 and 1 to 2 s.
fn breach_of_draws(law: &str, fault: &str) -> (String, String) {
    let clients = Cell::new(0);
    let drawing = |policy| {
        clients.set(clients.get() + 1);
        Drawing(policy, Entropy::new(0).client(clients.get()))
    };
    let right = || drawing(Box::new(build(&STREAM).expect("a stream").0));
    let fault = KnownFault::find(fault).expect("one of them");
    let wrong = || drawing(fault.build(&STREAM).expect("a fault of a stream"));
    let timeline = timeline(&STREAM, &play("{ status = 503 }, { status = 503 }"));
    let law = Law::find(law).expect("a law");
    let stands = |subject: &dyn Subject| {
        let claim = Claim::from(STREAM).with_drawing(Own);
        let mut trial = Trial::new(&claim, [law]);
        subject.play(&timeline, 0).expect("it can be played").iter().for_each(|record| trial.observe(record));
        trial.finish(subject).of(law).expect("the law applies").clone()
    };
    assert_eq!(stands(&right), Standing::Held, "{law}");
    match stands(&wrong) {
        Standing::Violated(breach) => (breach.expected, breach.got),
        other => panic!("{law}: {other:?}"),
    }
}

fn pair(expected: &str, got: &str) -> (String, String) {
    (expected.to_owned(), got.to_owned())
}

const STREAM: PolicySpec = PolicySpec::Streaming { initial_reconnect_delay: None };
const POLLER: PolicySpec = PolicySpec::Polling { poll_interval: None };

#[test]
fn wait_within_bounds_is_broken_by_a_wait_above_the_ceiling() {
    // 300, 600, 1200, 2400, and 4800 s where the ceiling is an hour.
    let rejected = "[[timeline]]\nrepeat = 5\nplay = [{ status = 401 }]";
    let broken = breach("wait-within-bounds", "ceiling-a-rung-late", rejected);
    assert_eq!(broken, pair("between 500ms and 1h", "1h 20m"));
}

#[test]
fn server_delay_honoured_and_bounded_is_broken_by_a_long_wait_that_is_not_cut() {
    // A minute at most, and some of the five seconds of its spread: a call draws whatever a file says of jitter.
    let asked = play("{ status = 503, retry_after = \"10m\" }");
    let (expected, got) = breach("server-delay-honoured-and-bounded", "server-delay-uncapped", &asked);
    assert!(expected.starts_with("1m ") && !expected.starts_with("1m 5"), "{expected}");
    // The spread comes on top of what the server asks for.
    assert!(got.starts_with("10m "), "{got}");
}

#[test]
fn an_ignored_retry_after_changes_nothing_is_broken_by_a_policy_that_obeys() {
    let asked = play("{ status = 503, retry_after = \"10m\" }");
    let (_, got) = breach("an-ignored-retry-after-changes-nothing", "server-delay-obeyed", &asked);
    assert_eq!(got, "10m with one of 10m");
}

#[test]
fn base_is_that_of_the_rung_is_broken_by_a_ladder_that_triples() {
    let twice = play("{ status = 503 }, { status = 503 }");
    assert_eq!(breach("base-is-that-of-the-rung", "triples", &twice), pair("2s", "3s"));
}

#[test]
fn ceiling_reached_and_kept_is_broken_by_a_ladder_that_stops_below_it() {
    // 1, 2, 4, 8, 16, and 16 s again.
    let six = "[[timeline]]\nrepeat = 6\nplay = [{ status = 503 }]";
    assert_eq!(breach("ceiling-reached-and-kept", "stops-below-the-ceiling", six), pair("30s", "16s"));
}

#[test]
fn unexpected_begins_the_extended_ladder_is_broken_by_beginning_it_again() {
    let twice = play("{ status = 401 }, { status = 401 }");
    let broken = breach("unexpected-begins-the-extended-ladder", "re-entering-pins-at-the-first-rung", &twice);
    assert_eq!(broken, pair("extended, rung 2", "extended, rung 1"));
}

#[test]
fn gives_up_exactly_when_due_is_broken_by_going_on_and_by_ending_early() {
    let law = "gives-up-exactly-when-due";
    let rejected = breach(law, "terminal-retried", &play("{ status = 401 }"));
    assert_eq!(rejected, pair("gave up (terminal)", "a wait"));
    // Four attempts are allowed, and so three waits.
    let three = "[[timeline]]\nrepeat = 3\nplay = [{ status = 503 }]";
    assert_eq!(breach(law, "an-attempt-too-few", three), pair("a wait", "gave up (attempts)"));
}

#[test]
fn no_wait_after_the_last_attempt_is_broken_by_a_fourth_wait() {
    let four = "[[timeline]]\nrepeat = 4\nplay = [{ status = 503 }]";
    let broken = breach("no-wait-after-the-last-attempt", "an-attempt-too-many", four);
    assert_eq!(broken, pair("no wait after attempt 4", "attempt 4 has one"));
}

#[test]
fn budgets_conserve_is_broken_by_a_fifth_retry() {
    // Twenty tokens are four retries at five each.
    let five = "[[timeline]]\nrepeat = 5\nplay = [{ status = 503 }]";
    assert_eq!(breach("budgets-conserve", "budget-not-charged", five), pair("gave up (budget)", "a wait"));
}

#[test]
fn no_attempt_before_its_time_is_broken_by_a_sleep_that_counts() {
    // Rejected at 0 s, to wait five minutes; asleep from 1 s on, by the clock of a machine that stops when it sleeps.
    let asleep = play("{ status = 401 }, { status = 503 }") + "\n[[clock]]\nat = \"1s\"\nsuspend = \"1h\"";
    let broken = breach("no-attempt-before-its-time", "sleep-counts-as-waiting", &asleep);
    assert_eq!(broken, pair("not before 5m", "1s"));
}

#[test]
fn a_replaced_configuration_is_told_is_broken_by_silence() {
    let zero = PolicySpec::Streaming { initial_reconnect_delay: Some(Seconds::Number(0.0)) };
    let law = "a-replaced-configuration-is-told";
    let (expected, got) = breach_by(law, Dialect::DefaultSilent, zero, &play("{ status = 503 }"));
    assert_eq!(expected, "a warning");
    assert!(got.contains("Starting"), "the first thing that is said: {got}");
}

#[test]
fn a_failure_is_logged_by_its_kind_is_broken_by_one_level_for_all() {
    let law = "a-failure-is-logged-by-its-kind";
    let busy = breach_by(law, Dialect::HttpAlwaysError, STREAM, &play("{ status = 503 }"));
    assert_eq!(busy, pair("warning", "error"));
    let rejected = breach_by(law, Dialect::HttpAlwaysWarning, STREAM, &play("{ status = 401 }"));
    assert_eq!(rejected, pair("error", "warning"));
}

#[test]
fn the_wait_that_is_logged_is_the_wait_is_broken_by_a_line_with_the_base() {
    let faulty = faulty("logs-the-base", &STREAM);
    let mut draft = timeline(&STREAM, &play("{ status = 503 }")).into_draft();
    // With a draw, so that base and wait differ.
    draft.client.jitter = JitterChoice::Own;
    let timeline = Timeline::new(draft).expect("the same script");
    let records = faulty.play(&timeline, 0).expect("a run");
    let wait = records.iter().find(|record| record.is_failure()).and_then(|failure| failure.wait_ns()).expect("a wait");
    let wait = Text(std::time::Duration::from_nanos(wait)).to_string();
    assert_ne!(wait, "1s");
    let broken = breach_of("the-wait-that-is-logged-is-the-wait", &timeline, &described(&STREAM), &faulty);
    assert_eq!(broken, pair(&wait, "1s"));
}

#[test]
fn a_malformed_poll_is_of_no_known_kind_is_broken_by_invalid_data() {
    let law = "a-malformed-poll-is-of-no-known-kind";
    let broken = breach_by(law, Dialect::MalformedIsInvalidData, POLLER, &play("{ malformed = true }"));
    assert_eq!(broken, pair("UNKNOWN", "INVALID_DATA"));
}

#[test]
fn valid_comes_with_all_data_is_broken_by_a_change_that_is_taken_for_it() {
    // The second stream brings all data.
    let change = play("{ up = \"1s\", end = \"close\", first = \"patch\" }, { up = \"1s\", end = \"close\" }");
    let broken = breach_by("valid-comes-with-all-data", Dialect::ValidAfterPatch, STREAM, &change);
    assert_eq!(broken, pair("not VALID yet", "VALID"));
}

#[test]
fn a_success_more_never_lengthens_a_wait_is_broken_by_health_that_begins_anew() {
    // With one message more the minute is over, and the failure after it the second.
    let healthy = play("{ status = 503 }, { up = \"1m\", end = \"close\" }");
    let broken = breach("a-success-more-never-lengthens-a-wait", "anchored-at-the-last-success", &healthy);
    assert_eq!(broken, pair("at most 1s after one success more", "2s"));
}

#[test]
fn an_extra_failure_never_lowers_the_next_base_is_broken_by_a_ladder_that_starts_over() {
    // The eighth waits 30 s; as the ninth, it is the first again.
    let eight = "[[timeline]]\nrepeat = 8\nplay = [{ status = 503 }]";
    let broken = breach("an-extra-failure-never-lowers-the-next-base", "starts-over-at-the-ceiling", eight);
    assert_eq!(broken, pair("at least 30s after one failure more", "1s"));
}

#[test]
fn the_clocks_origin_changes_nothing_is_broken_by_a_zero_that_means_unset() {
    let healthy = play("{ status = 503 }, { up = \"1m\", end = \"close\" }");
    let broken = breach("the-clocks-origin-changes-nothing", "clock-zero-is-unset", &healthy);
    assert_eq!(broken, pair("1s (normal, rung 1)", "2s (normal, rung 2) if the clock starts at that success"));
}

#[test]
fn a_clock_step_in_an_outage_changes_nothing_is_broken_by_waits_as_long_as_the_outage() {
    // The second failure is a second into the outage, or an hour and two seconds, which the ceiling cuts.
    let twice = play("{ status = 503 }, { status = 503 }");
    let broken = breach("a-clock-step-in-an-outage-changes-nothing", "base-of-the-time-in-outage", &twice);
    assert_eq!(broken, pair("1s (normal, rung 2)", "30s (normal, rung 2) with an hour more before it"));
}

#[test]
fn huge_inputs_survive_is_broken_by_waits_above_the_ceiling_and_by_waits_that_fall() {
    let law = "huge-inputs-survive";
    let above = breach(law, "ceiling-a-rung-late", &play("{ status = 401 }"));
    assert_eq!(above, pair("at most 1h after 200 failures more", "1h 20m"));
    // With 60 before, the 197th is the 257th. It has the largest draw, which leaves half and a nanosecond.
    let sixty = "[[timeline]]\nrepeat = 60\nplay = [{ status = 503 }]";
    let fall = breach(law, "count-in-a-byte", sixty);
    assert_eq!(fall, pair("at least 15.000000001s all through 200 failures more", "500.000001ms"));
}

#[test]
fn jitter_spreads_is_broken_by_jitter_that_is_never_applied() {
    let broken = breach("jitter-spreads", "jitter-lost", &play("{ status = 503 }"));
    assert_eq!(broken, pair("eight clients of which no three wait the same", "three of them wait 1s"));
}

#[test]
fn clients_differ_is_broken_by_a_constant_seed() {
    let twice = play("{ status = 503 }, { status = 503 }");
    let broken = breach("clients-differ", "one-seed-for-all", &twice);
    assert_eq!(broken, pair("two clients that differ", "both wait the same, 2 times"));
}

/// The band of the first wait is 0.5 to 1 s, and a fifth of it is over at 0.6 s.
#[test]
fn drawn_waits_fill_the_band_is_broken_by_jitter_that_is_never_applied() {
    let broken = breach_of_draws("drawn-waits-fill-the-band", "jitter-lost");
    assert_eq!(broken, pair("of 200 clients at failure 1 a wait below 600ms", "the shortest is 1s"));
}

#[test]
fn draws_are_independent_is_broken_by_one_draw_an_outage() {
    let broken = breach_of_draws("draws-are-independent", "one-draw-an-outage");
    let expected = "of 200 clients between 40 and 160 on the same side of the middle at failures 1 and 2";
    assert_eq!(broken, pair(expected, "200"));
}
