//! Limits, counted as each library counts them.

use retrylab_adapters::{SUBJECTS, Subject};
use retrylab_core::{Decision, Exponential, GiveUp, Instant, Policy};

use crate::{doubling, fail, s, setting};

#[test]
fn four_attempts_are_three_waits_in_every_library_that_counts_attempts() {
    for subject in SUBJECTS.iter().filter(|subject| subject.name() != "backoff") {
        let setting = setting().attempts(4);
        let mut policy = subject.build(&setting, 7).expect("it counts attempts");
        // Twice, to show that the second call has a session of its own.
        for _ in 0..2 {
            for _ in 0..3 {
                assert!(fail(policy.as_mut(), Instant::ZERO).delay().is_some(), "{}", subject.name());
            }
            assert_eq!(fail(policy.as_mut(), Instant::ZERO), Decision::GiveUp(GiveUp::Attempts), "{}", subject.name());
        }
    }
}

#[test]
fn one_attempt_is_no_wait() {
    for subject in SUBJECTS.iter().filter(|subject| subject.name() != "backoff") {
        let setting = setting().attempts(1);
        let mut policy = subject.build(&setting, 7).expect("it counts attempts");
        assert_eq!(fail(policy.as_mut(), Instant::ZERO), Decision::GiveUp(GiveUp::Attempts), "{}", subject.name());
    }
}

#[test]
fn a_success_restarts_the_count() {
    for subject in SUBJECTS.iter().filter(|subject| subject.name() != "backoff") {
        let setting = setting().attempts(4);
        let mut policy = subject.build(&setting, 7).expect("it counts attempts");
        for _ in 0..10 {
            for _ in 0..3 {
                assert!(fail(policy.as_mut(), Instant::ZERO).delay().is_some(), "{}", subject.name());
            }
            policy.record_success(Instant::ZERO);
        }
    }
}

#[test]
fn no_library_gives_up_without_a_limit() {
    for subject in SUBJECTS {
        let mut policy = subject.build(&setting(), 7).expect("every library can double");
        for number in 0..2_000 {
            let decision = fail(policy.as_mut(), Instant::from_secs(number * 3600));
            assert!(decision.delay().is_some(), "{} after {number} failures", subject.name());
        }
    }
}

/// Fails at these hours until the policy gives up: the hour of the last failure, and the reason.
fn gives_up(policy: &mut dyn Policy, hours: impl Iterator<Item = u64>) -> Option<(u64, GiveUp)> {
    for hour in hours {
        if let Decision::GiveUp(why) = fail(policy, Instant::from_secs(hour * HOUR)) {
            return Some((hour, why));
        }
    }
    None
}

/// In seconds. Hours, because retry-policies also counts the time that the test itself takes.
const HOUR: u64 = 3600;

/// Exact waits of 1, 2, 4, 8, 16 and 30 hours, and at most 10 hours for a call.
fn ten_hours() -> Exponential {
    let hourly = doubling(s(HOUR), s(30 * HOUR));
    hourly.without_jitter().elapsed(s(10 * HOUR))
}

/// A failure every hour of a call that begins at hour 100.
#[test]
fn each_library_with_a_time_limit_counts_ten_hours_differently() {
    let build = |name| Subject::from_name(name).expect("a subject").build(&ten_hours(), 7).expect("it limits time");
    let every_hour = || 100..200;
    // It counts the time since the call began, and the wait must fit: at hour 103, 3 h + 8 h do not.
    assert_eq!(gives_up(build("backoff").as_mut(), every_hour()), Some((103, GiveUp::Elapsed)));
    // It adds up its waits, whatever the clock shows: 1 + 2 + 4 is 7, and 8 more would be 15.
    assert_eq!(gives_up(build("backon").as_mut(), every_hour()), Some((103, GiveUp::Elapsed)));
    assert_eq!(gives_up(build("backon").as_mut(), std::iter::repeat_n(100, 10)), Some((100, GiveUp::Elapsed)));
    // It counts the time since the call began, and any wait may start within it: at hour 110, 10 h are over.
    assert_eq!(gives_up(build("retry-policies").as_mut(), every_hour()), Some((110, GiveUp::Elapsed)));
}

#[test]
fn the_reason_names_the_limit_that_was_reached() {
    let limited = ten_hours().attempts(3);
    for name in ["backon", "retry-policies"] {
        let subject = Subject::from_name(name).expect("a subject");
        let mut policy = subject.build(&limited, 7).expect("it has both limits");
        assert_eq!(gives_up(policy.as_mut(), 0..10), Some((2, GiveUp::Attempts)), "{name}");
    }
}
