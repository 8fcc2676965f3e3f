//! What a search does about interruptions and about subjects that fail.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use retrylab_core::{Decision, Failure, HealthyFor, Instant, Jitter, Policy, Retry, RetryRules};
use retrylab_laws::{Claim, Described, Drawing, LAWS, Law, Need, Subject, SubjectError};
use retrylab_search::{Progress, Search, Searched, Stage, events};
use retrylab_sim::{Draws, Entropy, Input, Record, Response};
use retrylab_spec::{
    Client, Dialect, Draw, Entry, File, LadderSpec, Outcome, Play, PolicySpec, Shape, Timeline, parse,
};

const ON: fn(Progress<'_>) -> ControlFlow<()> = |_| ControlFlow::Continue(());

fn law(name: &str) -> &'static Law {
    Law::find(name).expect("a law")
}

/// Breaks one law, since a failed handshake, which is normal, begins the extended regime.
fn tls() -> (Described, Search) {
    let kind = PolicySpec::Dialect { dialect: Dialect::TlsUnexpected, seconds: None };
    let client = Client::new(kind);
    let search = Search::of(client.clone(), Claim::of(&client), [law("reset-exactly-when-due")]);
    (Described(client), search)
}

#[test]
fn a_shrink_that_is_broken_off_keeps_the_smallest_counterexample_so_far() {
    let (subject, search) = tls();
    let whole = search.run(&subject, ON);
    let whole = whole.broken().next().expect("the law is broken");
    let mut asked = 0;
    let mut smaller = 0;
    let searched = search.run(&subject, |Progress { stage, .. }| {
        if let Stage::Shrinking(found) = stage {
            asked += 1;
            if events(&found.timeline) < found.events_found {
                smaller = events(&found.timeline);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    let found = searched.broken().next().expect("the law is broken");
    // The one that broke it off was not played any more.
    assert_eq!(found.tried, asked - 1);
    assert_eq!(events(&found.timeline), smaller);
    assert!(events(&whole.timeline) < smaller && smaller < found.events_found, "{smaller}");
    assert_eq!(search.breach(&subject, found.law, &found.timeline), Some(found.breach.clone()));
    assert_eq!(searched.missed, []);
}

#[test]
fn a_search_that_is_broken_off_at_a_breach_still_shrinks_it() {
    let (subject, search) = tls();
    let whole = search.run(&subject, ON);
    let early = search.run(&subject, |Progress { stage, .. }| match stage {
        Stage::Found(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let timeline = |searched: &Searched| searched.broken().next().map(|found| found.timeline.clone());
    assert_eq!(timeline(&early), timeline(&whole));
}

#[test]
fn a_search_on_one_thread_can_be_broken_off_after_each_case() {
    let (subject, search) = tls();
    let whole = search.run(&subject, ON);
    let whole = whole.broken().next().expect("the law is broken");
    let mut told = Vec::new();
    let until = |last: u64| {
        move |told: &mut Vec<u64>, Progress { cases, stage, .. }: Progress<'_>| {
            if matches!(stage, Stage::Played) {
                told.push(cases);
            }
            if cases < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }
    };
    // The breach is kept, as it was found, if it is broken off at its case.
    let early = search.run_on(1, &subject, |progress| until(whole.case + 1)(&mut told, progress));
    assert_eq!(early.cases, whole.case + 1);
    assert_eq!(told, (1..=whole.case + 1).collect::<Vec<_>>());
    let found = early.broken().next().expect("the law is broken");
    assert_eq!((found.case, found.events_found, found.tried), (whole.case, whole.events_found, 0));
    // Before it nothing is broken.
    let earlier = search.run_on(1, &subject, |progress| until(1)(&mut told, progress));
    assert_eq!((earlier.cases, earlier.broken().count()), (1, usize::from(whole.case == 0)));
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let (subject, search) = tls();
    let told = |threads| format!("{:?}", search.run_on(threads, &subject, ON));
    let one = told(1);
    assert!(one.contains("found: Some"), "{one}");
    assert_eq!(one, told(2));
    assert_eq!(one, told(3));
}

/// The process below crashes in a timeline with both of these.
const CRASHES: [&str; 2] = ["status = 403", "status = 404"];

/// A process: it plays the dialect above, and once it has crashed it is of no use until it is started anew. `wears`
/// counts down what it is asked; at 0 it crashes whatever it is asked.
struct Process {
    inner: Described,
    down: Cell<bool>,
    started: Cell<u64>,
    wears: Option<Cell<u64>>,
}

impl Process {
    fn new(wears: Option<u64>) -> Self {
        let (inner, _) = tls();
        Self { inner, down: Cell::new(false), started: Cell::new(1), wears: wears.map(Cell::new) }
    }
}

impl Subject for Process {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
        if let Some(wears) = &self.wears {
            wears.set(wears.get().saturating_sub(1));
            self.down.set(wears.get() == 0);
        }
        let text = timeline.to_string();
        let crashes = self.wears.is_none() && CRASHES.iter().all(|status| text.contains(status));
        if self.down.get() || crashes {
            self.down.set(true);
            return Err(SubjectError("it has ended".to_owned()));
        }
        self.inner.play(timeline, seed)
    }

    fn respond(&self, _: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        None
    }

    fn can_respond(&self) -> bool {
        false
    }

    fn restart(&self) -> Result<(), SubjectError> {
        if self.down.replace(false) {
            self.started.set(self.started.get() + 1);
            if let Some(wears) = &self.wears {
                wears.set(1000);
            }
        }
        Ok(())
    }
}

#[test]
fn a_crash_ends_the_search_and_is_shrunk_like_a_breach() {
    let (_, search) = tls();
    let process = Process::new(None);
    let searched = search.run(&process, ON);
    let fault = searched.fault.as_ref().expect("it crashes");
    // Two entries are enough.
    assert_eq!((events(&fault.timeline), fault.again), (2, true), "{}", fault.timeline);
    assert!(!fault.timeline.to_string().contains("draw"), "{}", fault.timeline);
    assert!(fault.events_found > 2 && process.started.get() > 2);
    assert!(!searched.is_clean());
    // The law that broke in the same block is made as small as without a crash.
    let found = searched.broken().next().expect("the law is broken");
    assert!(found.case < fault.case && found.tried > 0, "{}", found.case);
    let (subject, search) = tls();
    let whole = search.run(&subject, ON);
    assert_eq!(whole.broken().next().map(|whole| &whole.timeline), Some(&found.timeline));
}

#[test]
fn a_crash_that_depends_on_earlier_cases_keeps_its_case() {
    let (_, search) = tls();
    let process = Process::new(Some(3));
    let searched = search.run(&process, ON);
    let fault = searched.fault.as_ref().expect("it crashes");
    assert_eq!((fault.case, fault.again), (2, false));
    let case = search.case(2).expect("a case");
    assert_eq!(fault.timeline, case.timeline);
}

#[test]
fn a_panic_at_the_third_failure_is_shrunk_to_three_failures() {
    struct Brittle(u64);
    impl Policy for Brittle {
        fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
            self.0 += 1;
            assert!(self.0 < 3, "no third failure was thought of");
            Decision::RetryAfter(Duration::from_secs(1))
        }

        fn record_success(&mut self, _: Instant) {}

        fn next_delay(&self) -> Duration {
            Duration::ZERO
        }
    }
    let search = Search::new("brittle", Claim::anything(Shape::Call), [law("same-inputs-same-outputs")]);
    let searched = search.run(&|| Brittle(0), ON);
    let fault = searched.fault.expect("it panics");
    let said = fault.fault.to_string();
    assert!(said.starts_with("it panicked: no third failure was thought of (crates/search/tests/search.rs:"), "{said}");
    assert_eq!(events(&fault.timeline), 3, "{}", fault.timeline);
}

/// Loses the last of the answers to histories of some lengths.
struct Forgetful(fn(usize) -> bool);

impl Subject for Forgetful {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
        tls().0.play(timeline, seed)
    }

    fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        let mut responses = tls().0.respond(inputs)?;
        if let Ok(responses) = &mut responses
            && self.0(inputs.len())
        {
            responses.pop();
        }
        Some(responses)
    }
}

#[test]
fn a_subject_that_omits_a_response_fails_and_no_law_panics() {
    let claim = Claim::streaming(Duration::from_secs(1));
    for loses in [|_| true, |told| told > 40, |told: usize| told % 2 == 1] as [fn(usize) -> bool; 3] {
        for law in LAWS.iter().filter(|law| law.needs(Need::Comparison) && law.applies(&claim)) {
            let client = Client::new(PolicySpec::Streaming { initial_reconnect_delay: None });
            let search = Search::of(client, claim.clone(), [law]).cases(256).most_tries(50);
            let fault = search.run(&Forgetful(loses), ON).fault.unwrap_or_else(|| panic!("{law} takes what it gets"));
            let said = fault.fault.to_string();
            assert!(said.starts_with("it was told ") && said.ends_with(" answers; each has to have one"), "{said}");
        }
    }
}

/// How a policy rounds what it draws for itself.
struct Rounding {
    policy: Retry<HealthyFor>,
    draws: Draws,
    wait: Duration,
    rounds: fn(u64) -> u64,
}

impl Policy for Rounding {
    fn record_failure(&mut self, failure: Failure, now: Instant, _: u64) -> Decision {
        let draw = (self.rounds)(self.draws.next_draw());
        let wait = Policy::record_failure(&mut self.policy, failure, now, draw).delay().unwrap_or_default();
        // To whole milliseconds, as the timers of many languages do.
        self.wait = Duration::from_millis(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        Decision::RetryAfter(self.wait)
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
        self.wait = self.policy.next_delay();
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }
}

/// How the laws of spreading stand with a stream of this initial delay that draws for itself, in how many cases.
fn spreading(initial: Duration, rounds: fn(u64) -> u64) -> Vec<(&'static str, bool, bool)> {
    let clients = Cell::new(0);
    let policy = || {
        clients.set(clients.get() + 1);
        let draws = Entropy::new(5).client(clients.get());
        Rounding { policy: Retry::new(RetryRules::streaming(initial)), draws, wait: Duration::ZERO, rounds }
    };
    let claim = Claim::streaming(initial).with_drawing(Drawing::Own);
    let laws = [law("jitter-spreads"), law("clients-differ")];
    let searched = Search::new("rounding", claim, laws).cases(256).run(&policy, ON);
    searched.verdicts.iter().map(|verdict| (verdict.law.name, verdict.tested > 0, verdict.found.is_some())).collect()
}

/// Of the 500 milliseconds that a first rung of 1 s is spread over, three of eight clients draw the same once in 4464 times:
/// 56 threes with a chance of 1 in 250 000 each. In hundreds of cases with dozens of failures that is sure to happen.
#[test]
fn an_honest_policy_that_draws_for_itself_and_rounds_to_milliseconds_is_no_breach() {
    for initial in [1000, 100, 20].map(Duration::from_millis) {
        let held = [("jitter-spreads", true, false), ("clients-differ", true, false)];
        assert_eq!(spreading(initial, |draw| draw), held, "{initial:?}");
    }
}

#[test]
fn a_policy_that_draws_for_itself_and_spreads_nothing_or_to_two_waits_is_a_breach() {
    for initial in [1000, 100, 20].map(Duration::from_millis) {
        let broken = [("jitter-spreads", true, true), ("clients-differ", true, true)];
        assert_eq!(spreading(initial, |_| 1 << 62), broken, "{initial:?}");
        // One bit of the draw is no spread, though no two clients go on alike for long.
        let halves = spreading(initial, |draw| draw >> 63 << 62);
        assert_eq!(halves[0], ("jitter-spreads", true, true), "{initial:?}");
    }
}

/// Waits a second, but a day after a failure with this draw.
struct Once {
    draw: u64,
    wait: Duration,
}

impl Policy for Once {
    fn record_failure(&mut self, _: Failure, _: Instant, draw: u64) -> Decision {
        self.wait = if draw == self.draw { DAY } else { SECOND };
        Decision::RetryAfter(self.wait)
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        self.wait
    }
}

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

/// What is left of the script of somebody's file if only the failure with the draw of this address breaks a law.
fn left_of(script: &str, address: u64) -> Vec<Play> {
    left_of_draw(script, Entropy::new(SEED).client(0).at(address))
}

const SEED: u64 = 7;

fn left_of_draw(script: &str, draw: u64) -> Vec<Play> {
    let text = format!(
        "why = \"A test.\"\nseed = {SEED}\nclient = {{ kind = \"external\", name = \"once\", as = \"call\" }}\n{script}"
    );
    let file = match parse("test.toml", &text).map(|parsed| parsed.file) {
        Ok(File::External(timeline)) => timeline,
        other => panic!("{other:?}"),
    };
    let claim = Claim::ladder().with_ladder(LadderSpec::List(vec![SECOND])).with_jitter(Jitter::None);
    let search = Search::new("once", claim, [law("wait-within-bounds")]).cases(1).beginning_with([file]);
    let searched = search.run(&|| Once { draw, wait: Duration::ZERO }, ON);
    let found = searched.broken().next().expect("the law is broken");
    found.timeline.clone().into_draft().script
}

/// One failure, of the plainest kind.
fn alone(address: Option<u64>) -> Vec<Play> {
    alone_with(address.map(Draw::Address))
}

fn alone_with(draw: Option<Draw>) -> Vec<Play> {
    let outcome = Outcome::Status { status: 503, retry_after: None };
    vec![Play::Attempt(Entry { draw, ..Entry::new(outcome) })]
}

/// The turns are 0 and 1 of the pair, 2 of the 429, 3 and 4 of the pair again, and 5.
#[test]
fn a_draw_by_turn_keeps_its_address_when_earlier_entries_go() {
    let nested = "[[timeline]]\nrepeat = 2\nplay = [{ repeat = 2, play = [{ status = 503 }] }, { status = 429 }]";
    for turn in 1..6 {
        assert_eq!(left_of(nested, turn), alone(Some(turn)));
    }
    // The first one's turn is 0 wherever it stands alone.
    assert_eq!(left_of(nested, 0), alone(None));
    let plain = "[[timeline]]\nplay = [{ ok = true }, { status = 503 }, { ok = true }, { status = 500 }]";
    assert_eq!(left_of(plain, 1), alone(Some(1)));
    let row = "[[timeline]]\nrepeat = 70\nplay = [{ status = 503 }]";
    for turn in [1, 35, 69] {
        assert_eq!(left_of(row, turn), alone(Some(turn)));
    }
}

/// The k-th failure of an entry uses the address written beside it and k more, in whatever repeats it stands: 10 to 15.
#[test]
fn a_draw_that_is_written_in_nested_repeats_keeps_its_address() {
    let nested = "[[timeline]]\nrepeat = 2\nplay = [{ repeat = 3, play = [{ status = 503, draw = 10 }] }]";
    for address in 10..16 {
        assert_eq!(left_of(nested, address), alone(Some(address)));
    }
    let mixed =
        "[[timeline]]\nrepeat = 2\nplay = [{ status = 503 }, { repeat = 3, play = [{ status = 500, draw = 10 }] }]";
    for address in 10..16 {
        assert_eq!(left_of(mixed, address), alone(Some(address)));
    }
    // The turns of the first entry: 0, and 4 after the three others.
    assert_eq!(left_of(mixed, 4), alone(Some(4)));
}

/// No seed has to contain a draw whose value is in the file, and a repeat has it in each round.
#[test]
fn a_draw_that_is_a_value_stays_when_other_parts_go() {
    let value = 0x1234_5678_9abc_d000;
    let written = format!("{{ status = 503, draw = {{ value = \"{value:#x}\" }} }}");
    for script in [
        format!("[[timeline]]\nplay = [{{ status = 500 }}, {written}, {{ status = 429 }}]"),
        format!("[[timeline]]\nrepeat = 40\nplay = [{{ status = 500 }}, {written}]"),
    ] {
        assert_eq!(left_of_draw(&script, value), alone_with(Some(Draw::Value(value))), "{script}");
    }
}

/// Fails in every play, and counts them.
struct Failing(AtomicU64);

impl Subject for Failing {
    fn play(&self, _: &Timeline, _: u64) -> Result<Vec<Record>, SubjectError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(SubjectError("it has ended".to_owned()))
    }

    fn respond(&self, _: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        None
    }

    fn restart(&self) -> Result<(), SubjectError> {
        Err(SubjectError("it does not start".to_owned()))
    }
}

#[test]
fn the_first_case_in_which_the_subject_fails_is_the_last_one() {
    let (_, search) = tls();
    for threads in [1, 2] {
        let failing = Failing(AtomicU64::new(0));
        let searched = search.run_on(threads, &failing, ON);
        assert_eq!((searched.cases, searched.sound_cases()), (1, 0), "{threads} threads");
        assert_eq!(searched.fault.map(|fault| fault.case), Some(0));
        if threads == 1 {
            assert_eq!(failing.0.into_inner(), 1);
        }
    }
}
