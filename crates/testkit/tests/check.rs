//! The laws as a test of one's own policy: of a policy, of an iterator of waits and of an async function.

use std::cell::Cell;
use std::time::Duration;

use retrylab_core::{Call, CallRules, Decision, Exponential, Failure, Instant, Jitter, Policy, Retry, RetryRules};
use retrylab_search::{Found, Searched, events};
use retrylab_testkit::laws::{Claim, Law};
use retrylab_testkit::scenario::{CallSpec, File, LadderSpec, PolicySpec, ResetSpec, Timeline, parse};
use retrylab_testkit::{CheckFailed, all, check};

const S: fn(u64) -> Duration = Duration::from_secs;

fn breaches(failed: &CheckFailed) -> impl Iterator<Item = &Found> {
    failed.searched().into_iter().flat_map(Searched::broken)
}

/// The laws that are broken, each with how many events it takes.
fn broken(outcome: Result<Searched, Box<CheckFailed>>) -> Vec<(&'static str, u64)> {
    let failed = outcome.expect_err("a law is broken");
    breaches(&failed).map(|found| (found.law.name, events(&found.timeline))).collect()
}

#[test]
fn the_claim_of_a_stream_holds() {
    let searched = check(|| Retry::new(RetryRules::streaming(Duration::from_secs(1))))
        .claims(Claim::streaming(Duration::from_secs(1)))
        .laws(all())
        .outcome();
    assert_eq!(searched.map(|searched| searched.cases).map_err(|failed| failed.to_string()), Ok(1000));
}

#[test]
fn the_message_names_the_fault_that_explains_the_breaches() {
    let mut regimes = PolicySpec::streaming(S(1)).two_regimes().expect("a stream");
    regimes.reset = ResetSpec::HealthyFor(S(45));
    let failed = check(|| Retry::new(regimes.rules())).claims(Claim::streaming(Duration::from_secs(1))).outcome();
    let message = failed.expect_err("a minute of health is claimed").to_string();
    assert!(
        message.contains("\n\ndiagnosis: answers like another-window (health of 45s already resets) in "),
        "{message}"
    );
    // A wait that nobody is known to have made has no diagnosis.
    let message = check(|| Fixed)
        .claims(Claim::streaming(Duration::from_secs(1)))
        .outcome()
        .expect_err("waits of 10 s")
        .to_string();
    assert!(!message.contains("diagnosis"), "{message}");
}

/// A stream that waits a fixed 10 s, whatever fails.
struct Fixed;

impl Policy for Fixed {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::RetryAfter(S(10))
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        S(10)
    }
}

/// One failure shows that the wait is no base of 1 s; one success that the cadence is not restored; eight clients that
/// wait the same need one failure, and two that never differ need two.
#[test]
fn a_fixed_wait_is_no_stream_of_two_regimes() {
    let laws = ["wait-is-jittered-base-or-cadence", "success-restores-the-cadence", "jitter-spreads", "clients-differ"];
    let laws = laws.map(|name| Law::find(name).expect("a law"));
    let outcome = check(|| Fixed).claims(Claim::streaming(Duration::from_secs(1))).laws(laws).outcome();
    let expected = [
        ("wait-is-jittered-base-or-cadence", 1),
        ("success-restores-the-cadence", 1),
        ("jitter-spreads", 1),
        ("clients-differ", 2),
    ];
    assert_eq!(broken(outcome), expected);
}

#[test]
fn a_violation_is_reported_with_its_trace_and_its_file() {
    let law = Law::find("success-restores-the-cadence").expect("a law");
    let failed = check(|| Fixed).named("fixed").claims(Claim::streaming(Duration::from_secs(1))).laws([law]).outcome();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots/testkit"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let text = failed.expect_err("a law is broken").to_string();
    settings.bind(|| insta::assert_snapshot!("broken-law", text));
}

#[test]
#[should_panic = "check::a_broken_law_fails_the_test violates the laws"]
fn a_broken_law_fails_the_test() {
    check(|| Fixed).claims(Claim::streaming(Duration::from_secs(1))).run();
}

/// A policy that claims a ladder up to its ceiling, and allows one attempt.
#[test]
fn a_search_that_misses_a_coverage_goal_fails() {
    let claim = CallSpec { attempts: None, jitter: Jitter::None, ..CallSpec::default() };
    let same = Law::find("same-inputs-same-outputs").expect("a law");
    let never = || Call::new(CallRules::builder().attempts(1).build().expect("one attempt"));
    let failed = check(never).claims(Claim::call(&claim)).laws([same]).outcome().expect_err("nothing was explored");
    let said = failed.to_string();
    assert!(said.contains("coverage goal missed: a retry"), "{said}");
    assert!(said.contains("coverage goal missed: the ceiling"), "{said}");
}

#[test]
fn an_iterator_of_waits_is_held_to_the_ladder_it_claims() {
    let doubling = || [1, 2, 4, 8, 8].into_iter().map(S);
    let ladder = LadderSpec::List(doubling().collect());
    let claim = || Claim::ladder().with_ladder(ladder.clone()).with_jitter(Jitter::None);
    check(doubling).claims(claim()).run();
    let short = || [1, 2, 4, 7, 8].into_iter().map(S);
    let outcome = check(short).claims(claim()).outcome();
    // The fourth wait is the first that is not as claimed.
    assert!(broken(outcome).contains(&("base-is-that-of-the-rung", 4)));
}

/// A generator of its own: not the same twice, which only a policy that uses the draws it is given has to be.
#[test]
fn an_iterator_with_jitter_of_its_own_is_judged_in_bands() {
    let state = Cell::new(1_u64);
    let waits = || {
        (0..5).map(|retry| {
            // A linear congruential generator (Knuth, MMIX).
            state.set(state.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
            let rung = S(1 << retry);
            rung - Duration::from_nanos((state.get() >> 11) % 1_000_000_000) * (1 << retry) / 2
        })
    };
    let ladder = LadderSpec::List((0..5).map(|retry| S(1 << retry)).collect());
    check(waits).claims(Claim::ladder().with_ladder(ladder).with_jitter(Jitter::SubtractHalf)).run();
}

#[cfg(feature = "tokio")]
#[expect(clippy::disallowed_methods, reason = "what is observed waits by itself, under a paused clock")]
mod observed {
    use std::future::Future;
    use std::task::{Context, Waker};

    use retrylab_testkit::laws::Drawing;
    use retrylab_testkit::scenario::Shape;
    use retrylab_testkit::{Operation, OperationError, check_async};
    use tokio::time::sleep;

    use super::*;

    /// Four attempts with waits of 1, 2 and 4 s, for transient failures only.
    async fn call(operation: Operation) -> Result<(), OperationError> {
        for retry in 0..3 {
            match operation.call().await {
                Err(error) if error.is_transient() => sleep(S(1 << retry)).await,
                other => return other,
            }
        }
        operation.call().await
    }

    fn claim() -> Claim {
        let ladder = LadderSpec::doubling(S(1), S(4));
        Claim::call(&CallSpec { ladder, jitter: Jitter::None, attempts: Some(4), ..CallSpec::default() })
            .with_drawing(Drawing::Own)
    }

    #[test]
    fn an_async_function_is_judged_by_the_times_of_its_attempts() {
        let searched = check_async(call).claims(claim()).laws(all()).outcome();
        assert_eq!(searched.map(|searched| searched.cases).map_err(|failed| failed.to_string()), Ok(1000));
    }

    /// The wait after a terminal failure is seen as soon as the next attempt begins, so one event is enough.
    #[test]
    fn a_terminal_failure_that_is_retried_is_seen() {
        async fn stubborn(operation: Operation) -> Result<(), OperationError> {
            for retry in 0..3 {
                match operation.call().await {
                    Err(_) => sleep(S(1 << retry)).await,
                    other => return other,
                }
            }
            operation.call().await
        }
        let outcome = check_async(stubborn).claims(claim()).laws(all()).outcome();
        assert!(broken(outcome).contains(&("gives-up-exactly-when-due", 1)));
    }

    /// Why it gives up is not seen from outside: a limit of time, here, and no limit of attempts.
    #[test]
    fn an_async_function_may_give_up_for_any_reason_that_is_due() {
        async fn ten_seconds(operation: Operation) -> Result<(), OperationError> {
            let mut first = None;
            let mut wait = S(1);
            loop {
                match operation.call().await {
                    Err(error) if error.is_transient() => {
                        let now = tokio::time::Instant::now();
                        if now + wait > *first.get_or_insert(now) + S(10) {
                            return Err(error);
                        }
                        sleep(wait).await;
                        wait = (wait * 2).min(S(4));
                    }
                    other => return other,
                }
            }
        }
        let spec = CallSpec {
            ladder: LadderSpec::doubling(S(1), S(4)),
            jitter: Jitter::None,
            attempts: None,
            elapsed: Some(S(10)),
            ..CallSpec::default()
        };
        let claim =
            |elapsed| Claim::call(&CallSpec { elapsed: Some(elapsed), ..spec.clone() }).with_drawing(Drawing::Own);
        let law = Law::find("gives-up-exactly-when-due").expect("a law");
        let outcome = |elapsed| check_async(ten_seconds).claims(claim(elapsed)).laws([law]).outcome();
        assert_eq!(outcome(S(10)).map(|_| ()).map_err(|failed| failed.to_string()), Ok(()));
        // The fourth wait would end 11 s after the first failure.
        assert_eq!(broken(outcome(S(12))), [(law.name, 4)]);
    }

    #[test]
    fn a_function_that_never_returns_is_reported() {
        let stuck = |_: Operation| std::future::pending();
        let failed = check_async(stuck).claims(Claim::anything(Shape::Call)).outcome().expect_err("it never returns");
        assert!(failed.to_string().contains("it never returned"), "{failed}");
    }

    /// Virtual time stands still while something is ready, so both would go on for ever.
    #[test]
    fn a_function_that_spins_is_reported() {
        let told = |outcome: Result<Searched, Box<CheckFailed>>| outcome.expect_err("it is stuck").to_string();
        let yields = |_: Operation| async {
            loop {
                tokio::task::yield_now().await;
            }
        };
        let said = told(check_async(yields).outcome());
        assert!(said.contains("it is stuck") && said.contains("polled 10000 times without passing time"), "{said}");
        let polls = |operation: Operation| async move {
            loop {
                let attempt = std::pin::pin!(operation.call());
                let _ = attempt.poll(&mut Context::from_waker(Waker::noop()));
            }
        };
        let said = told(check_async(polls).outcome());
        assert!(said.contains("it is stuck") && said.contains("10000 attempts were begun and dropped"), "{said}");
    }

    /// Tokio's timer rounds 1 s and 1 ns up to 1001 ms, which is off by a nanosecond less than a millisecond.
    #[test]
    fn a_wait_may_be_off_by_the_rounding_of_tokios_timer_and_no_more() {
        let law = Law::find("base-is-that-of-the-rung").expect("a law");
        let waits = |wait: Duration| {
            let call = move |operation: Operation| async move {
                for _ in 0..3 {
                    match operation.call().await {
                        Err(error) if error.is_transient() => sleep(wait).await,
                        other => return other,
                    }
                }
                operation.call().await
            };
            let claim = Claim::ladder()
                .with_ladder(LadderSpec::List(vec![S(1) + Duration::from_nanos(1); 3]))
                .with_jitter(Jitter::None)
                .with_drawing(Drawing::Own);
            check_async(call).claims(claim).laws([law]).outcome().map(|_| ()).map_err(|failed| failed.to_string())
        };
        assert_eq!(waits(S(1) + Duration::from_nanos(1)), Ok(()));
        assert!(waits(S(1) + Duration::from_millis(2)).is_err_and(|said| said.contains("got 1.002s")));
    }

    /// A clock that is stepped is no clock of tokio's, so none is made up, and one that is asked for is not passed over.
    #[test]
    fn the_clock_of_an_async_function_has_no_events_by_default() {
        let file = |text: &str| {
            let text = format!(
                "why = \"A test.\"\nclient = {{ kind = \"external\", name = \"my-policy\", as = \"call\" }}\n{text}"
            );
            match parse("test.toml", &text).map(|parsed| parsed.file) {
                Ok(File::External(timeline)) => timeline,
                other => panic!("{other:?}"),
            }
        };
        let script = "[[timeline]]\nplay = [{ status = 503 }, { status = 503 }]";
        let with = |timeline| check_async(call).claims(claim()).beginning_with([timeline]).outcome();
        assert_eq!(with(file(script)).map(drop).map_err(|failed| failed.to_string()), Ok(()));
        let step = format!("{script}\n[[clock]]\nat = \"1s\"\nstep = \"+1h\"");
        let failed = with(file(&step)).expect_err("it cannot be played");
        assert!(failed.to_string().contains("meets the entries of a script alone"), "{failed}");
    }

    #[test]
    fn a_function_that_tries_again_at_once_for_ever_is_a_hot_loop() {
        let hot = |operation: Operation| async move {
            loop {
                if let Ok(()) = operation.call().await {
                    return Ok(());
                }
            }
        };
        assert_eq!(broken(check_async(hot).outcome()), [("repeated-failures-get-a-pause", 16)]);
    }

    #[test]
    fn a_panic_of_a_function_is_reported() {
        let panics = |_: Operation| async { panic!("no") };
        let failed = check_async(panics).outcome().expect_err("it panics");
        assert!(failed.to_string().contains("it panicked: no"), "{failed}");
    }
}

/// Nothing would be checked, and that would pass.
#[test]
fn a_check_of_no_law_is_red() {
    let failed = check(|| Fixed).laws([Law::find("budgets-conserve").expect("a law")]).outcome().expect_err("no law");
    assert!(failed.to_string().contains("no law is applicable to the claim"), "{failed}");
}

/// What is kept of a policy that never gives up, played by one that does, once it is mended: neither the first failure that
/// is retried nor the law's own case has to come.
#[test]
fn with_zero_cases_only_given_timelines_are_played() {
    let claim = || Claim::call(&CallSpec::default());
    let law = Law::find("gives-up-exactly-when-due").expect("a law");
    let failed = check(|| Fixed).claims(claim()).laws([law]).outcome().expect_err("it never gives up");
    let found: Vec<Timeline> = failed.regressions().map(|file| file.timeline.clone()).collect();
    let mended = || Call::new(CallRules::builder().build().expect("the default rules"));
    let again = |cases| check(mended).claims(claim()).laws([law]).beginning_with(found.clone()).cases(cases).outcome();
    assert_eq!(again(0).map(|searched| searched.cases).map_err(|failed| failed.to_string()), Ok(1));
    let said = again(1).expect_err("one case is no search").to_string();
    assert!(said.contains("(2 timelines, seed 0)") && said.contains("coverage goal missed: "), "{said}");
    let still = check(|| Fixed).claims(claim()).laws([law]).beginning_with(found.clone()).cases(0).outcome();
    let said = still.expect_err("it is not mended").to_string();
    assert!(said.contains("(1 timeline, seed 0)") && !said.contains("coverage goal missed"), "{said}");
    let none = check(mended).claims(claim()).cases(0).outcome().expect_err("nothing is played");
    assert!(none.to_string().contains("no timeline was played"), "{none}");
}

/// The same as `retrylab_adapters::Client` makes of it: an iterator knows nothing of terminal failures.
#[test]
fn an_iterator_of_waits_may_claim_to_be_a_call() {
    let waits = || (0..5).map(|retry| S(2 << retry).min(S(30)));
    let ladder = LadderSpec::doubling(S(2), S(30));
    let call = CallSpec { ladder, jitter: Jitter::None, attempts: Some(6), ..CallSpec::default() };
    let outcome = check(waits).claims(Claim::call(&call)).outcome();
    assert_eq!(outcome.map(|searched| searched.cases).map_err(|failed| failed.to_string()), Ok(1000));
    let longer = CallSpec { attempts: Some(7), ..call };
    let outcome = check(waits).claims(Claim::call(&longer)).outcome();
    assert!(broken(outcome).contains(&("gives-up-exactly-when-due", 6)));
}

#[test]
fn a_builder_is_a_claim_for_rules_and_for_an_iterator_alike() {
    let claim = Exponential::new(S(2), S(30)).attempts(6);
    check(|| claim).claims(claim).run();
    let waits = || [2, 4, 8, 16, 30].into_iter().map(S);
    check(waits).claims(claim.without_jitter()).run();
    let short = check(waits).claims(claim.attempts(7).without_jitter()).outcome();
    assert!(broken(short).contains(&("gives-up-exactly-when-due", 6)));
    let slow = check(|| claim.growing_by(3, 1)).claims(claim).outcome();
    assert!(broken(slow).iter().any(|(law, _)| *law == "base-is-that-of-the-rung"));
}

/// It waits nothing, for ever.
struct Zero;

impl Policy for Zero {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::RetryAfter(Duration::ZERO)
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn a_hot_loop_is_reported_without_a_claim() {
    let told = |outcome: Result<Searched, Box<CheckFailed>>| {
        let failed = outcome.expect_err("it never waits");
        let laws: Vec<&str> = breaches(&failed).map(|found| found.law.name).collect();
        assert_eq!(laws, ["repeated-failures-get-a-pause"]);
        failed.to_string()
    };
    let message = told(check(|| Zero).outcome());
    assert!(message.contains(" laws are not applicable without a claim"), "{message}");
    told(check(|| Zero).claims(Claim::ladder()).outcome());
    told(check(|| std::iter::repeat(Duration::ZERO)).outcome());
}

/// Three laws are broken by one and the same failure, and two more by the smallest timeline with another.
#[test]
fn a_timeline_is_reported_once_with_all_laws_that_it_violates() {
    let failed =
        check(|| Fixed).claims(Claim::streaming(Duration::from_secs(1))).outcome().expect_err("laws are broken");
    let mut timelines: Vec<String> = breaches(&failed).map(|found| found.timeline.to_string()).collect();
    let laws = timelines.len();
    timelines.sort();
    timelines.dedup();
    assert!(timelines.len() < laws, "{laws} laws have a timeline each");
    let said = failed.to_string();
    assert_eq!(said.matches("[client]").count(), timelines.len(), "{said}");
    assert_eq!(failed.regressions().count(), timelines.len());
    for file in failed.regressions() {
        assert!(said.contains(file.to_string().trim_end()), "{said}");
        let retold = parse("found.toml", &file.to_string()).expect("it can be read").file;
        assert_eq!(retold, File::External(file.timeline.clone()));
    }
    let expected =
        failed.regressions().filter_map(|file| file.timeline.expect.as_ref()).map(|expect| expect.laws.len());
    assert_eq!(expected.sum::<usize>(), laws);
}

#[test]
fn a_panic_of_a_policy_is_reported_once_with_its_case() {
    struct Panics;
    impl Policy for Panics {
        fn record_failure(&mut self, failure: Failure, _: Instant, _: u64) -> Decision {
            assert!(failure.kind == retrylab_core::FailureKind::Normal, "no rung for that");
            Decision::RetryAfter(S(1))
        }

        fn record_success(&mut self, _: Instant) {}

        fn next_delay(&self) -> Duration {
            S(1)
        }
    }
    let failed = check(|| Panics).outcome().expect_err("it panics");
    let said = failed.to_string();
    assert_eq!(
        (said.matches("it panicked: no rung for that").count(), said.matches("in case ").count()),
        (1, 1),
        "{said}"
    );
    assert!(said.contains("; shrunk to 1\n") && said.contains("play = [{ status = 401 }]"), "{said}");
    assert!(!said.contains("never put to the test"), "{said}");
}
