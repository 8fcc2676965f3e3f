//! The trials of the bug corpus: ours pass them, and each of them can fail.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Policy};
use retrylab_faults::FAULTS;
use retrylab_faults::corpus::{BugTrial, BugVerdict, Maker, SharedSetting, TRIALS, Unsayable, built_in, fault, kinds};
use retrylab_spec::Shape;

/// The trial's verdict on a built-in policy, or with `fault:` before its name on a faulty one.
fn verdict(trial: &str, policy: &str) -> BugVerdict {
    let trial = TRIALS.iter().find(|each| each.name == trial).expect("a trial");
    match policy.strip_prefix("fault:") {
        Some(name) => trial.run(&fault(name).expect("a fault of a policy"), 0),
        None => trial.run(&built_in(policy).expect("a built-in policy"), 0),
    }
}

fn what(verdict: BugVerdict) -> Option<String> {
    match verdict {
        BugVerdict::Fails { what, .. } => Some(what),
        _ => None,
    }
}

#[test]
fn ours_have_none_of_the_bugs() {
    for policy in ["streaming", "polling", "call", "reconnect"] {
        let maker = built_in(policy).expect("a built-in policy");
        for trial in TRIALS {
            for seed in [0, 7, u64::MAX] {
                let verdict = trial.run(&maker, seed);
                assert!(
                    !matches!(verdict, BugVerdict::Fails { .. }),
                    "{policy}, {}, seed {seed}: {verdict}",
                    trial.name
                );
            }
        }
    }
}

/// A call and a reconnecting loop can be asked everything that is about calls, and about streams.
#[test]
fn trials_that_are_not_applicable_to_the_built_in_policies_are_about_others() {
    let open = |policy: &str| -> Vec<&str> {
        let maker = built_in(policy).expect("a built-in policy");
        let applies = |verdict| matches!(verdict, BugVerdict::NotApplicable { .. });
        TRIALS.iter().filter(|trial| applies(trial.run(&maker, 0))).map(|trial| trial.name).collect()
    };
    let about_streams =
        ["clock-zero", "chatty-streams", "short-sessions", "silent-connections", "used-up", "exactly-the-window"];
    assert_eq!(open("call"), [&about_streams[..], &["cadence-restored", "tls-flaps"]].concat());
    assert_eq!(open("reconnect"), ["calls-differ", "cadence-restored"]);
    let about_limits = [
        "attempts-are-calls",
        "last-wait-fits",
        "attempts-take-time",
        "outages-count-for-themselves",
        "elapsed-binds-the-server",
    ];
    let about_the_server = ["attempts-bind-the-server", "bounded", "never-before", "spread", "forgotten"];
    let streaming = [&["calls-differ"], &about_limits[..], &about_the_server, &["cadence-restored"]].concat();
    assert_eq!(open("streaming"), streaming);
}

/// For each trial a policy that has the bug, and what is seen of it where that can be worked out by hand.
const SEEN: [(&str, &str, &str); 28] = [
    // The rung and half of it.
    ("never-above-the-ceiling", "fault:jitter-added-to-the-cap", "waits up to 1.50 times the ceiling of 30s"),
    ("spread-at-the-ceiling", "fault:min-after-jitter", "2000 of 2000 waits are exactly 30s"),
    ("spread-at-the-first-rung", "fault:jitter-in-whole-seconds", "2000 of 2000 waits are exactly 1s"),
    // The second and the fourth of five rungs of 2,000 clients.
    ("never-nothing", "fault:negative-multiplier-clamped-to-zero", "4000 of 10000 waits are zero"),
    ("clients-differ", "fault:one-seed-for-all", "2000 clients of one process have 1 distinct first wait"),
    ("calls-differ", "fault:same-jitter-each-call", "2000 calls of one client have 1 distinct first wait"),
    ("half-a-second-is-doubled", "fault:whole-seconds", "waits 0s, 0s, where wait 1 would be 500ms"),
    ("fractions-are-kept", "fault:whole-seconds", "waits 1s, 2s, where wait 1 would be 1.5s"),
    // 2^64 wraps to 0 in 64 bits, and is the factor of the 65th wait.
    ("stays-at-the-ceiling", "fault:shift-wraps-to-zero", "does not wait after 65 failures, where the ceiling is 30s"),
    ("odd-numbers-are-refused", "fault:nan-passes-validation", "accepts a wait of NaN without a warning"),
    ("attempts-are-calls", "fault:an-attempt-too-many", "makes 5 attempts, with a limit of 4"),
    // 1 + 2 + 4 + 8 + 16 s.
    ("last-wait-fits", "fault:limit-checked-after-the-wait", "begins a wait of 30s after 31s of 1m"),
    // A wait of 1 s and an attempt of 30 s: the eleventh failure comes after 310 s, and the wait after it ends at 311 s.
    (
        "attempts-take-time",
        "fault:reset-before-each-attempt",
        "goes on until 5m 11s at least where attempts take 30s, with a limit of 5m",
    ),
    (
        "outages-count-for-themselves",
        "fault:elapsed-from-construction",
        "gives up at once (elapsed) after an hour without a failure, with a limit of 1m",
    ),
    // 500 waits of 26 s: what is asked for, and all of the spread.
    (
        "elapsed-binds-the-server",
        "fault:reset-before-each-attempt",
        "still waits after 3h 36m 40s with a retry_after of 20s, with a limit of 5m",
    ),
    ("attempts-bind-the-server", "fault:an-attempt-too-many", "makes 4 attempts, with a limit of 3"),
    // A day, and of the 6 s of spread what draw 0 of seed 0, 0.8369, leaves.
    ("bounded", "fault:server-delay-uncapped", "waits 1d 0.978s with such a retry_after, where the ceiling is 30s"),
    ("spread", "fault:server-delay-without-spread", "2000 of 2000 waits are exactly 20s"),
    (
        "forgotten",
        "fault:server-delay-sticks",
        "waits 26s at the next failure after a retry_after of 20s, where 4s is the maximum",
    ),
    ("starts-over", "fault:never-reset", "waits 30s after a day of health, where the ladder restarts at 1s"),
    (
        "clock-zero",
        "streaming:clock-zero-unset",
        "waits 30s after two minutes of health from the clock's zero on, where the ladder restarts at 1s",
    ),
    (
        "chatty-streams",
        "streaming:health-from-last-message",
        "waits 30s after ten messages in 3m 20s, where the ladder restarts at 1s",
    ),
    ("short-sessions", "fault:reset-on-first-message", "waits 1s after ten sessions of 20s, where the ceiling is 30s"),
    (
        "silent-connections",
        "streaming:health-from-connect",
        "waits 1s after ten connections without a message, of 2m 20s, where the ceiling is 30s",
    ),
    // 1 + 2 + 4 + 8 + 16 + 30 s are more than a minute.
    (
        "used-up",
        "fault:threshold-from-the-last-connect",
        "waits 1s after 7 failures in a row, where the ceiling is 30s",
    ),
    (
        "exactly-the-window",
        "fault:window-is-exclusive",
        "waits 30s after exactly a minute of health, where the ladder restarts at 1s",
    ),
    // The third rung.
    (
        "cadence-restored",
        "polling:cadence-not-restored",
        "waits 20m after the first good poll, where the interval is 30s",
    ),
    // The first extended rung.
    ("tls-flaps", "streaming:tls-unexpected", "waits 5m after TLS failure 1, where the ceiling is 30s"),
];

#[test]
fn each_trial_sees_the_bug_that_it_is_about() {
    for (trial, policy, seen) in SEEN {
        assert_eq!(what(verdict(trial, policy)).as_deref(), Some(seen), "{trial} of {policy}");
    }
    // The shortest of 2,000 waits between 10 and 20 s is above 10.1 s with probability 0.99^2000, 10^-9.
    let seen = what(verdict("never-before", "streaming:retry-hint")).expect("it waits half of what is asked for");
    assert!(seen.starts_with("waits 10.0") && seen.ends_with("s with a retry_after of 20s"), "{seen}");
    let mut trials = SEEN.map(|(trial, ..)| trial).to_vec();
    trials.push("never-before");
    trials.sort_unstable();
    let mut all: Vec<&str> = TRIALS.iter().map(|trial| trial.name).collect();
    all.sort_unstable();
    assert_eq!(trials, all);
}

/// The window has two sides, and the other is not in the table above.
#[test]
fn a_window_that_is_too_short_is_seen_as_well() {
    assert_eq!(
        what(verdict("exactly-the-window", "fault:fixed-threshold")).as_deref(),
        Some("waits 1s after a nanosecond less than a minute of health, where the ceiling is 30s")
    );
}

/// Faults about what a single policy does not show: who pays, what a failure means, whether a server is heard at all;
/// and what becomes of draws where jitter is off, since trials without jitter draw nothing.
const LEFT_TO_FILES: [&str; 8] = [
    "bucket-never-refilled",
    "bucket-without-bound",
    "idempotency-ignored",
    "no-jitter-adds-a-fraction",
    "ratio-truncated",
    "server-delay-ignored",
    "server-delay-of-zero-obeyed",
    "timeouts-are-terminal",
];

#[test]
fn every_other_reported_fault_fails_a_trial() {
    let passes = |name: &str| match fault(name) {
        Some(maker) => !TRIALS.iter().any(|trial| matches!(trial.run(&maker, 0), BugVerdict::Fails { .. })),
        None => true,
    };
    let reported = FAULTS.iter().filter(|fault| fault.is_reported());
    let passing: BTreeSet<&str> = reported.map(|fault| fault.name).filter(|name| passes(name)).collect();
    assert_eq!(passing, BTreeSet::from(LEFT_TO_FILES));
}

/// Formulas that are right in all but one point, and the one kind of trials that sees them.
const SEEN_BY_ONE_KIND: [(&str, &str); 13] = [
    ("overflow-ends-the-loop", "overflow"),
    ("overflow-forgets-the-cap", "overflow"),
    ("float-to-integer-gives-zero", "overflow"),
    ("power-wraps-in-32-bits", "overflow"),
    ("shift-wraps-to-zero", "overflow"),
    ("whole-seconds", "ladder-shape"),
    ("jitter-added-to-the-cap", "jitter-exceeds-cap"),
    ("jitter-around-the-cap", "jitter-exceeds-cap"),
    ("jitter-only-up-to-the-cap", "jitter-vanishes"),
    ("jitter-in-whole-seconds", "jitter-vanishes"),
    ("min-after-jitter", "jitter-vanishes"),
    ("jitter-compounds", "jitter-vanishes"),
    ("decorrelated-cut-at-the-cap", "jitter-vanishes"),
];

#[test]
fn a_policy_with_one_fault_fails_trials_of_one_kind() {
    for (name, kind) in SEEN_BY_ONE_KIND {
        let maker = fault(name).expect("a fault");
        let fails = |trial: &&BugTrial| matches!(trial.run(&maker, 0), BugVerdict::Fails { .. });
        let failed: BTreeSet<&str> = TRIALS.iter().filter(fails).map(|trial| trial.kind).collect();
        assert_eq!(failed, BTreeSet::from([kind]), "{name}");
    }
}

#[test]
fn every_kind_is_a_folder_of_the_corpus_and_stands_once() {
    let bugs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sims/bugs");
    let mut seen = BTreeSet::new();
    for kind in kinds() {
        assert!(bugs.join(kind).is_dir(), "{kind}");
        assert!(seen.insert(kind), "{kind}");
    }
    let names: BTreeSet<&str> = TRIALS.iter().map(|trial| trial.name).collect();
    assert_eq!(names.len(), TRIALS.len());
    assert!(TRIALS.iter().all(|trial| trial.question.ends_with('?')));
}

/// A library of which no two runs are equal: full jitter from a generator that goes on from policy to policy.
struct Unseeded {
    generator: Rc<Cell<u64>>,
    /// In place of doubling.
    factor: u32,
}

impl Unseeded {
    fn new(factor: u32) -> Self {
        Self { generator: Rc::default(), factor }
    }
}

impl Maker for Unseeded {
    fn name(&self) -> &str {
        "unseeded"
    }

    fn shape(&self) -> Shape {
        Shape::Call
    }

    fn make(&self, asked: &SharedSetting, _: u64) -> Result<Box<dyn Policy>, Unsayable> {
        if !asked.jitter || asked.attempts.is_some() || asked.elapsed.is_some() {
            return Err(Unsayable("it jitters for ever".to_owned()));
        }
        let (generator, factor) = (Rc::clone(&self.generator), self.factor);
        Ok(Box::new(Wobbly { generator, factor, asked: *asked, rung: asked.base, wait: Duration::ZERO }))
    }

    fn is_repeatable(&self) -> bool {
        false
    }
}

struct Wobbly {
    generator: Rc<Cell<u64>>,
    factor: u32,
    asked: SharedSetting,
    rung: Duration,
    wait: Duration,
}

impl Policy for Wobbly {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        // Weyl's sequence with the golden ratio, whose parts are spread evenly.
        let next = self.generator.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.generator.set(next);
        self.wait = self.rung * u32::try_from(next >> 40).expect("24 bits") / (1 << 24);
        self.rung = (self.rung * self.factor).min(self.asked.ceiling);
        Decision::RetryAfter(self.wait)
    }

    fn record_success(&mut self, _: Instant) {
        self.rung = self.asked.base;
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }
}

#[test]
fn a_policy_that_cannot_be_seeded_is_judged_in_bands() {
    let judge = |factor, trial: &str| {
        TRIALS.iter().find(|each| each.name == trial).expect("a trial").run(&Unseeded::new(factor), 0)
    };
    for trial in ["half-a-second-is-doubled", "fractions-are-kept", "stays-at-the-ceiling", "starts-over"] {
        assert_eq!(judge(2, trial), BugVerdict::Passes, "{trial}");
    }
    // The longest of 200 waits below 1.5 s, where 1 s is right.
    let BugVerdict::Fails { what, client: None, .. } = judge(3, "half-a-second-is-doubled") else {
        panic!("it triples")
    };
    assert!(what.ends_with("where wait 2 would be 1s"), "{what}");
}
