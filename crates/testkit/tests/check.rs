//! The laws as a test of one's own policy: of a policy, of an iterator of waits and of an async function.

use std::cell::Cell;
use std::time::Duration;

use retrylab_core::{Call, CallRules, Decision, Failure, Instant, Jitter, Policy, Retry, RetryRules};
use retrylab_testkit::laws::search::{Searched, events};
use retrylab_testkit::laws::{Claim, Drawing, Law};
use retrylab_testkit::scenario::{CallSpec, LadderSpec};
use retrylab_testkit::{CheckFailed, all, check, check_waits, regressions};

const S: fn(u64) -> Duration = Duration::from_secs;

/// The laws that are broken, each with how many events it takes.
fn broken(outcome: Result<Searched, Box<CheckFailed>>) -> Vec<(&'static str, u64)> {
    let failed = outcome.expect_err("a law is broken");
    failed.searched.broken().map(|found| (found.law.name, events(&found.timeline))).collect()
}

#[test]
fn a_stream_is_what_it_claims_to_be() {
    let searched =
        check(|| Retry::new(RetryRules::streaming(1.0).0)).claiming(Claim::streaming(1.0)).laws(all()).outcome();
    assert_eq!(searched.map(|searched| searched.cases).map_err(|failed| failed.to_string()), Ok(1000));
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
    let outcome = check(|| Fixed).claiming(Claim::streaming(1.0)).laws(laws).outcome();
    let expected = [
        ("wait-is-jittered-base-or-cadence", 1),
        ("success-restores-the-cadence", 1),
        ("jitter-spreads", 1),
        ("clients-differ", 2),
    ];
    assert_eq!(broken(outcome), expected);
}

#[test]
fn what_is_broken_is_told_with_its_trace_and_its_file() {
    let law = Law::find("success-restores-the-cadence").expect("a law");
    let failed = check(|| Fixed).named("fixed").claiming(Claim::streaming(1.0)).laws([law]).outcome();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots/testkit"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let text = failed.expect_err("a law is broken").to_string();
    settings.bind(|| insta::assert_snapshot!("broken-law", text));
}

#[test]
#[should_panic = "my-policy does not keep the laws"]
fn a_broken_law_fails_the_test() {
    check(|| Fixed).claiming(Claim::streaming(1.0)).run();
}

/// A policy that claims a ladder up to its ceiling, and allows one attempt.
#[test]
fn a_search_that_never_got_where_the_claim_says_is_red() {
    let claim = CallSpec { attempts: None, jitter: Jitter::None, ..CallSpec::default() };
    let same = Law::find("same-inputs-same-outputs").expect("a law");
    let never = || Call::new(CallRules::builder().attempts(1).build().expect("one attempt"));
    let failed = check(never).claiming(Claim::call(&claim)).laws([same]).outcome().expect_err("nothing was explored");
    let said = failed.to_string();
    assert!(said.contains("never reached: a retry"), "{said}");
    assert!(said.contains("never reached: the ceiling"), "{said}");
}

#[test]
fn an_iterator_of_waits_is_held_to_the_ladder_it_claims() {
    let doubling = || [1, 2, 4, 8, 8].into_iter().map(S);
    let ladder = LadderSpec::List(doubling().collect());
    let claim = || Claim::ladder().with_ladder(ladder.clone()).with_jitter(Jitter::None);
    check_waits(doubling).claiming(claim()).run();
    let short = || [1, 2, 4, 7, 8].into_iter().map(S);
    let outcome = check_waits(short).claiming(claim()).outcome();
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
    check_waits(waits)
        .claiming(Claim::ladder().with_ladder(ladder).with_jitter(Jitter::SubtractHalf).with_drawing(Drawing::Own))
        .run();
}

#[cfg(feature = "tokio")]
#[expect(clippy::disallowed_methods, reason = "what is observed waits by itself, under a paused clock")]
mod observed {
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
        let searched = check_async(call).claiming(claim()).laws(all()).outcome();
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
        let outcome = check_async(stubborn).claiming(claim()).laws(all()).outcome();
        assert!(broken(outcome).contains(&("gives-up-exactly-when-due", 1)));
    }

    #[test]
    fn a_function_that_never_comes_back_is_told() {
        let stuck = |_: Operation| std::future::pending();
        let failed =
            check_async(stuck).claiming(Claim::anything(Shape::Call)).outcome().expect_err("it never comes back");
        assert!(failed.to_string().contains("it never came back"), "{failed}");
    }

    #[test]
    fn a_function_that_panics_is_told() {
        let panics = |_: Operation| async { panic!("no") };
        let failed = check_async(panics).outcome().expect_err("it panics");
        assert!(failed.to_string().contains("it panicked: no"), "{failed}");
    }
}

/// Nothing would be checked, and that would pass.
#[test]
fn a_check_of_no_law_is_red() {
    let failed = check(|| Fixed).laws([Law::find("budgets-conserve").expect("a law")]).outcome().expect_err("no law");
    assert!(failed.to_string().contains("no law says anything about what it claims to be"), "{failed}");
}

/// What a check says is a file; kept in a folder, it is the first thing that is played from then on.
#[test]
fn what_was_found_before_is_played_first() {
    let law = Law::find("success-restores-the-cadence").expect("a law");
    let with = || check(|| Fixed).named("fixed").claiming(Claim::streaming(1.0)).laws([law]);
    let failed = with().outcome().expect_err("a law is broken");
    let found = failed.searched.broken().next().expect("one law").timeline.clone();

    let folder = std::env::temp_dir().join(format!("retrylab-regressions-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("found.toml"), found.to_string()).expect("a file");
    let before = regressions(&folder, "fixed").expect("it can be read");
    let others = regressions(&folder, "other").expect("it can be read");
    std::fs::remove_dir_all(&folder).expect("it is there");
    assert_eq!((before.as_slice(), others.len()), ([found].as_slice(), 0));
    assert_eq!(regressions(&folder, "fixed").map(|none| none.len()).ok(), Some(0));

    let failed = with().beginning_with(before).outcome().expect_err("a law is broken");
    assert_eq!(failed.searched.broken().map(|found| found.case).collect::<Vec<_>>(), [0]);
}
