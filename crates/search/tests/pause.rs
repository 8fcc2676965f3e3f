//! Who retries a failing server for ever without any wait breaks a law, whatever is claimed; who waits, gives up, does as the
//! server says or draws a zero now and then does not.

use std::ops::ControlFlow;
use std::time::Duration;

use retrylab_core::{Decision, Failure, GiveUp, Instant, Least, Policy, ServerDelay};
use retrylab_laws::{Claim, Drawing, LAWS, Law, Standing, Subject, Trial};
use retrylab_search::{Search, Searched, exhaust};
use retrylab_spec::{CallSpec, File, Shape, Timeline, parse};

const PAUSE: &str = "repeated-failures-get-a-pause";

/// Waits as this says of the failure, its number in the row and its draw; gives up if it says nothing.
#[derive(Clone)]
struct Waiting {
    wait: fn(&Failure, u32, u64) -> Option<Duration>,
    failures: u32,
    delay: Duration,
}

/// The wait is a function of the other two.
impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        (self.failures, self.delay) == (other.failures, other.delay)
    }
}

impl Waiting {
    fn new(wait: fn(&Failure, u32, u64) -> Option<Duration>) -> Self {
        Self { wait, failures: 0, delay: Duration::ZERO }
    }
}

impl Policy for Waiting {
    fn record_failure(&mut self, failure: Failure, _: Instant, draw: u64) -> Decision {
        self.failures += 1;
        let wait = (self.wait)(&failure, self.failures, draw);
        self.delay = wait.unwrap_or_default();
        match wait {
            Some(wait) => Decision::RetryAfter(wait),
            None => {
                self.failures = 0;
                Decision::GiveUp(GiveUp::Attempts)
            }
        }
    }

    fn record_success(&mut self, _: Instant) {
        (self.failures, self.delay) = (0, Duration::ZERO);
    }

    fn next_delay(&self) -> Duration {
        self.delay
    }
}

fn searched(claim: Claim, wait: fn(&Failure, u32, u64) -> Option<Duration>) -> Searched {
    Search::new("waiting", claim, LAWS).run(&move || Waiting::new(wait), |_| ControlFlow::Continue(()))
}

fn broken(claim: Claim, wait: fn(&Failure, u32, u64) -> Option<Duration>) -> Vec<&'static str> {
    searched(claim, wait).broken().map(|found| found.law.name).collect()
}

/// How the law stands after the run of this script.
fn stands(claim: &Claim, script: &str, wait: fn(&Failure, u32, u64) -> Option<Duration>) -> Standing {
    let text = format!("why = \"A test.\"\nclient = {{ kind = \"external\", name = \"waiting\", as = \"call\"{script}");
    let timeline: Timeline = match parse("test.toml", &text).map(|parsed| parsed.file) {
        Ok(File::External(timeline)) => timeline,
        other => panic!("{other:?}"),
    };
    let subject = move || Waiting::new(wait);
    let law = Law::find(PAUSE).expect("a law");
    let mut trial = Trial::new(claim, [law]);
    subject.play(&timeline, 0).expect("it can be played").iter().for_each(|record| trial.observe(record));
    trial.finish(&subject).of(law).expect("it applies").clone()
}

const ZERO: fn(&Failure, u32, u64) -> Option<Duration> = |_, _, _| Some(Duration::ZERO);

#[test]
fn repeated_failures_get_a_pause_for_any_claim() {
    for claim in [Claim::anything(Shape::Call), Claim::anything(Shape::Polling), Claim::anything(Shape::Streaming)] {
        assert_eq!(broken(claim, ZERO), [PAUSE]);
    }
    assert_eq!(broken(Claim::ladder().with_drawing(Drawing::Own), ZERO), [PAUSE]);
}

/// Draws of its own are not seen, so the sixteenth failure in a row is the one that shows it.
#[test]
fn sixteen_failures_in_a_row_are_too_many_and_fifteen_are_not() {
    let claim = Claim::ladder().with_drawing(Drawing::Own);
    let times = |times: u32| format!(" }}\n[[timeline]]\nrepeat = {times}\nplay = [{{ status = 503 }}]");
    let Standing::Violated(breach) = stands(&claim, &times(16), ZERO) else { panic!("it is broken") };
    assert_eq!((breach.attempt, breach.got.as_str()), (16, "each is retried at once"));
    assert_eq!(stands(&claim, &times(15), ZERO), Standing::Untested);
    let success = " }\n[[timeline]]\nrepeat = 8\nplay = [{ status = 503 }, { status = 503 }, { ok = true }]";
    assert_eq!(stands(&claim, success, ZERO), Standing::Untested);
}

/// Full jitter of a draw at the end of all draws is no wait at all, at every rung, and may be so in either direction.
#[test]
fn full_jitter_that_is_drawn_to_nothing_is_no_hot_loop() {
    let full: fn(&Failure, u32, u64) -> Option<Duration> =
        |_, _, draw| Some(Duration::from_millis((1000 * (draw >> 32)) >> 32));
    let rest: fn(&Failure, u32, u64) -> Option<Duration> =
        |_, _, draw| Some(Duration::from_millis((1000 * (!draw >> 32)) >> 32));
    let claim = Claim::anything(Shape::Call);
    for full in [full, rest] {
        assert_eq!(broken(claim.clone(), full), [""; 0]);
        // Without jitter every draw is 0, and the walk has nothing but the smallest and the largest.
        let script = ", jitter = \"none\" }\n[[timeline]]\nrepeat = 100\nplay = [{ status = 503 }]";
        assert!(!stands(&claim, script, full).is_violated());
        let law = Law::find(PAUSE).expect("a law");
        let walked = exhaust(&Waiting::new(full), &claim, &[law], 20, 1, |_| ControlFlow::Continue(()));
        assert!(walked.broken.is_empty() && walked.depth == 20, "{walked:?}");
    }
}

#[test]
fn a_policy_that_gives_up_keeps_the_law_and_tests_it() {
    let never: fn(&Failure, u32, u64) -> Option<Duration> = |_, _, _| None;
    let four: fn(&Failure, u32, u64) -> Option<Duration> = |_, nth, _| (nth < 4).then_some(Duration::ZERO);
    for wait in [never, four] {
        let searched = searched(Claim::anything(Shape::Call), wait);
        let verdict = searched.verdicts.iter().find(|verdict| verdict.law.name == PAUSE).expect("its verdict");
        assert!(verdict.found.is_none() && verdict.tested > 0, "{verdict:?}");
    }
}

#[test]
fn a_retry_after_of_zero_is_a_hot_loop_unless_the_claim_lets_the_server_request_it() {
    let asked: fn(&Failure, u32, u64) -> Option<Duration> =
        |failure, _, _| Some(failure.retry_after.unwrap_or(Duration::from_secs(1)));
    let script = " }\n[[timeline]]\nrepeat = 40\nplay = [{ status = 503, retry_after = \"0s\" }]";
    let Standing::Violated(breach) = stands(&Claim::anything(Shape::Call), script, asked) else {
        panic!("no least wait")
    };
    // At draws in the first and the last eighth a wait of zero may be jitter; of seed 0, some are.
    assert!((16..40).contains(&breach.attempt), "{breach:?}");
    let own = Claim::ladder().with_drawing(Drawing::Own);
    assert!(matches!(stands(&own, script, asked), Standing::Violated(breach) if breach.attempt == 16));
    assert_eq!(broken(Claim::anything(Shape::Call), asked), [PAUSE]);
    let call = |least| {
        let retry_after = ServerDelay::clamp(Duration::from_secs(60)).least(least);
        Claim::from(CallSpec { attempts: None, retry_after, ..CallSpec::default() })
    };
    assert_eq!(stands(&call(Least::Zero), script, asked), Standing::Untested);
    assert!(stands(&call(Least::Rung), script, asked).is_violated());
}
