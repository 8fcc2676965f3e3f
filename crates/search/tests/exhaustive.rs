//! The walk over every short timeline, with counts worked by hand.

use std::ops::ControlFlow;
use std::time::Duration;

use retrylab_core::{
    BuiltInReset, Call, CallRules, Decision, Failure, FailureKind, HealthyFor, Instant, Policy, Retry, RetryRules, Rung,
};
use retrylab_laws::{Claim, LAWS, Law};
use retrylab_search::{Walked, alphabet, exhaust};
use retrylab_sim::build;
use retrylab_spec::{CallSpec, Client, Dialect, Outcome, PolicySpec};

fn laws() -> Vec<&'static Law> {
    LAWS.iter().collect()
}

const ON: fn(&Walked) -> ControlFlow<()> = |_| ControlFlow::Continue(());

/// The alphabet of a stream has six entries: 503 with the smallest and the largest draw, 401, and streams of no, too little
/// and enough health.
///
/// One entry leads to three states besides the first: a normal first rung with either draw (a stream that ends at once, too
/// early or healthy stands there, too), and an extended first rung. Two entries add the second rungs: normal with either
/// draw, extended with either draw.
#[test]
fn a_stream_has_as_many_states_as_worked_by_hand() {
    let claim = Claim::streaming(Duration::from_secs(1));
    let stream = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
    let counts = |depth| {
        let walked = exhaust(&stream, &claim, &laws(), depth, 2, ON);
        assert!(walked.broken.is_empty(), "{:?}", walked.broken);
        (walked.depth, walked.alphabet, walked.steps, walked.states)
    };
    assert_eq!(counts(1), (1, 6, 6, 4));
    // Each of the three states is walked on from once.
    assert_eq!(counts(2), (2, 6, 6 + 3 * 6, 8));
}

#[test]
fn the_number_of_threads_does_not_change_a_walk() {
    let claim = Claim::polling(Duration::from_secs(30));
    let poller = Retry::new(RetryRules::polling(Duration::from_secs(30)));
    let counts = |threads| {
        let walked = exhaust(&poller, &claim, &laws(), 30, threads, ON);
        (walked.depth, walked.steps, walked.states, walked.broken.len())
    };
    assert_eq!(counts(1), counts(3));
}

/// A call of one attempt ends at each failure and at each success, so there are three states: before anything, after a call
/// that failed, and after one that succeeded. Each of the six entries is played from each.
#[test]
fn a_walk_that_finds_no_new_state_has_walked_every_depth() {
    let once = CallSpec { attempts: Some(1), ..CallSpec::default() };
    let call = Call::new(CallRules::builder().attempts(1).build().expect("one attempt"));
    let walked = exhaust(&call, &Claim::call(&once), &laws(), 1000, 1, ON);
    assert_eq!((walked.depth, walked.steps, walked.broken.len()), (1000, 3 * 6, 0));
}

#[test]
fn the_walk_reports_the_shortest_script_that_violates_a_law() {
    let kind = PolicySpec::Dialect { dialect: Dialect::CadenceNotRestored, seconds: None };
    let (policy, _) = build(&kind).expect("a built-in client");
    let walked = exhaust(&policy, &Claim::of(&Client::new(kind)), &laws(), 6, 2, ON);
    let [broken] = walked.broken.as_slice() else { panic!("{:?}", walked.broken) };
    assert_eq!(broken.law.name, "success-restores-the-cadence");
    assert_eq!((broken.expected.as_str(), broken.got.as_str()), ("30s", "5m"));
    let outcomes: Vec<Outcome> = broken.script.iter().map(|letter| letter.outcome).collect();
    assert_eq!(outcomes, [Outcome::Status { status: 401, retry_after: None }, Outcome::Ok]);
}

#[test]
fn a_walk_that_is_broken_off_reports_its_depth() {
    let claim = Claim::streaming(Duration::from_secs(1));
    let stream = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
    let walked = exhaust(&stream, &claim, &laws(), 1_000_000, 1, |walked| {
        if walked.depth < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(walked.depth, 5);
}

/// A wide level takes long. The last depth that is told is one that was walked to its end.
#[test]
fn a_walk_that_is_broken_off_within_a_level_reports_the_last_whole_level_and_its_part_of_the_next() {
    // A call remembers when it failed first, so that every history of it is a state of its own.
    let spec = CallSpec { attempts: None, elapsed: Some(Duration::from_secs(3600)), ..CallSpec::default() };
    let claim = Claim::call(&spec);
    let (call, _) = build(&PolicySpec::Call(spec)).expect("a built-in client");
    let walk = |threads| {
        exhaust(&call, &claim, &laws(), 1_000_000, threads, |walked| {
            if walked.begun.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    let walked = walk(2);
    let begun = walked.begun.expect("a level has so many states that it is not walked at once");
    // Six entries are played from each state of the first block.
    assert_eq!((begun.entries, begun.of % 6), (1024 * 6, 0));
    assert!(begun.entries < begun.of && walked.depth > 0, "{walked:?}");
    let whole = exhaust(&call, &claim, &laws(), walked.depth, 2, ON);
    assert_eq!((whole.depth, whole.begun, whole.steps), (walked.depth, None, walked.steps - begun.entries));
    assert_eq!((walk(1).steps, walk(1).states), (walked.steps, walked.states));
}

#[test]
fn the_alphabet_has_a_stream_that_is_healthy_and_one_that_is_not_quite() {
    let spans: Vec<u128> = alphabet(&Claim::streaming(Duration::from_secs(1)))
        .into_iter()
        .filter_map(|letter| match letter.outcome {
            Outcome::Up { lasts: Some((lasts, _)), .. } => Some(lasts.as_nanos()),
            _ => None,
        })
        .collect();
    assert_eq!(spans, [0, 59_999_999_999, 60_000_000_000]);
}

/// A stream's policy with a fault of its own in what it hears.
#[derive(Clone, PartialEq)]
struct Faulty {
    inner: Retry<HealthyFor>,
    clears_at_connections: bool,
    /// Health that an unexpected failure does not end, from when on.
    since: Option<Option<Instant>>,
}

impl Faulty {
    fn new() -> Self {
        let seconds = Duration::from_secs;
        let hour = RetryRules::builder(HealthyFor::new(seconds(3600)))
            .normal(seconds(1), seconds(30))
            .extended(seconds(300), seconds(3600))
            .build();
        Self { inner: Retry::new(hour), clears_at_connections: false, since: None }
    }
}

impl Policy for Faulty {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let delay = self.inner.wait_after(failure.kind, now, draw);
        match &mut self.since {
            Some(Some(since)) if failure.kind == FailureKind::Unexpected => self.inner.record_success(*since),
            Some(since) => *since = None,
            None => {}
        }
        Decision::RetryAfter(delay)
    }

    fn record_success(&mut self, now: Instant) {
        self.inner.record_success(now);
        if let Some(since) = &mut self.since {
            since.get_or_insert(now);
        }
    }

    fn record_connected(&mut self, _: Instant) {
        if self.clears_at_connections {
            *self = Self { clears_at_connections: true, ..Self::new() };
        }
    }

    fn next_delay(&self) -> Duration {
        self.inner.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.inner.explain(draw)
    }
}

/// An hour of health clears it.
fn hour(claim: Claim) -> Claim {
    claim.with_reset(BuiltInReset::HealthyFor(HealthyFor::new(Duration::from_secs(3600))))
}

#[test]
fn a_policy_that_a_connection_clears_is_seen() {
    let faulty = Faulty { clears_at_connections: true, ..Faulty::new() };
    let law = Law::find("time-alone-changes-nothing").expect("a law");
    let walked = exhaust(&faulty, &hour(Claim::streaming(Duration::from_secs(1))), &[law], 2, 1, ON);
    let [broken] = walked.broken.as_slice() else { panic!("{:?}", walked.broken) };
    // A failure, and then a connection.
    assert_eq!((broken.script.len(), broken.expected.as_str()), (2, "normal, rung 1"));
    assert_eq!(broken.got, "normal, rung 0");
    let right = exhaust(&Faulty::new(), &hour(Claim::streaming(Duration::from_secs(1))), &[law], 2, 1, ON);
    assert_eq!((right.tested.len(), right.broken.len(), right.folded), (1, 0, true));
}

/// A poller whose health an unexpected failure does not end. After a success at 0 s and a 401 at 30 s it stands on the
/// extended ladder, the same as ten years later, and still remembers the success. With the clock at an hour from then on,
/// the next failure would find enough health.
///
/// On a clock that goes on, the longest waits are 30 s, then 5, 10, 20 and 40 minutes: less than an hour after the first
/// four of them, so that there has to be a sixth entry.
#[test]
fn a_policy_that_remembers_longer_than_shows_is_walked_with_every_state_at_its_own_time() {
    let faulty = Faulty { since: Some(None), ..Faulty::new() };
    let claim = hour(Claim::polling(Duration::from_secs(30)));
    let law = Law::find("extended-lasts-until-due").expect("a law");
    let walked = exhaust(&faulty, &claim, &[law], 3, 2, ON);
    assert_eq!((walked.folded, walked.broken.len()), (false, 0));
    let walked = exhaust(&faulty, &claim, &[law], 6, 2, ON);
    let [broken] = walked.broken.as_slice() else { panic!("{:?}", walked.broken) };
    assert_eq!(broken.script.len(), 6);
    assert!(exhaust(&Faulty::new(), &claim, &[law], 6, 2, ON).folded);
}
