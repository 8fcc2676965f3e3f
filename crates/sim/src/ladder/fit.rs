//! The number of attempts within a time.

use core::time::Duration;

use retrylab_core::{Decision, Failure, FailureKind, GiveUp, Instant, Policy};

/// The attempts that start within a time, each of which fails at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Their number, the first one included.
    pub attempts: u32,
    /// The reason why there is no other.
    pub end: FitEnd,
}

/// The reason why no further attempt fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FitEnd {
    /// The next one would start later.
    Time,
    /// The policy gave up.
    GaveUp(GiveUp),
    /// The maximum of [`MOST`] attempts was reached.
    Most,
}

/// The maximum number of attempts counted.
pub const MOST: u32 = 1_000_000;

/// The number of attempts that start within `time` of the first, that instant included, if every draw is `draw`: 0 for
/// the longest waits, `u64::MAX` for the shortest.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Call, CallRules, FailureKind};
/// use retrylab_sim::ladder::{FitEnd, fit};
///
/// // 0, 0.5, 1.5, 3.5, 7.5 s; the sixth would start at 15.5 s.
/// let call = Call::new(CallRules::builder().attempts(10).build()?);
/// let ten_seconds = fit(&call, FailureKind::Normal, Duration::from_secs(10), 0);
/// assert_eq!((ten_seconds.attempts, ten_seconds.end), (5, FitEnd::Time));
/// # Ok::<(), retrylab_core::CallRulesError>(())
/// ```
pub fn fit<P: Policy + Clone>(policy: &P, kind: FailureKind, time: Duration, draw: u64) -> Fit {
    let mut policy = policy.clone();
    let mut now = Instant::ZERO;
    for attempts in 1..MOST {
        now = match policy.record_failure(Failure::from(kind), now, draw) {
            Decision::RetryAfter(wait) => now + wait,
            Decision::GiveUp(why) => return Fit { attempts, end: FitEnd::GaveUp(why) },
        };
        if now.since_origin() > time {
            return Fit { attempts, end: FitEnd::Time };
        }
    }
    Fit { attempts: MOST, end: FitEnd::Most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_core::{Backoff, Call, CallRules, Jitter, Ladder, Retry, RetryRules};

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_attempt_that_starts_at_the_very_end_fits() {
        // At 0, 1, 3, 7 s.
        let streaming = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
        let attempts = |time| fit(&streaming, FailureKind::Normal, time, 0).attempts;
        assert_eq!([attempts(secs(7)), attempts(secs(7) - Duration::from_nanos(1)), attempts(secs(0))], [4, 3, 1]);
    }

    #[test]
    fn shorter_waits_leave_room_for_more() {
        // At about 0, 0.5, 1.5, 3.5, 7.5 s.
        let streaming = Retry::new(RetryRules::streaming(Duration::from_secs(1)));
        assert_eq!(fit(&streaming, FailureKind::Normal, secs(7), u64::MAX).attempts, 4);
        assert_eq!(fit(&streaming, FailureKind::Normal, secs(8), u64::MAX).attempts, 5);
    }

    #[test]
    fn a_policy_that_gives_up_leaves_time_unused() {
        let call = Call::new(CallRules::builder().attempts(3).build().unwrap());
        let found = fit(&call, FailureKind::Normal, secs(3600), 0);
        assert_eq!(found, Fit { attempts: 3, end: FitEnd::GaveUp(GiveUp::Attempts) });
        let terminal = fit(&call, FailureKind::Unexpected, secs(3600), 0);
        assert_eq!(terminal, Fit { attempts: 1, end: FitEnd::GaveUp(GiveUp::Terminal) });
    }

    #[test]
    fn waits_of_nothing_are_counted_up_to_a_bound() {
        let rules = CallRules::builder().attempts(u32::MAX);
        let rules = rules.backoff(Backoff::new(Ladder::constant(Duration::ZERO), Jitter::None));
        let found = fit(&Call::new(rules.build().unwrap()), FailureKind::Normal, secs(1), 0);
        assert_eq!(found, Fit { attempts: MOST, end: FitEnd::Most });
    }
}
