//! Calls that end too early, too late or never, and waits that the server asked for.

use core::time::Duration;

use retrylab_core::{Jitter, ServerDelay, nanos};
use retrylab_scenario::{BudgetSpec, CallSpec, ClientKind, LadderSpec};

use super::calls::{CallSteps, RIGHT};
use super::machine::share;
use super::{Mistake, calls};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn plain() -> ClientKind {
    ClientKind::Call(CallSpec::default())
}

/// Nine attempts that listen to the server for a minute at most, and are spread over the five seconds after it.
fn listening() -> ClientKind {
    let retry_after = ServerDelay::Clamp { most: seconds(60), spread: seconds(5) };
    ClientKind::Call(CallSpec { attempts: Some(9), retry_after, ..CallSpec::default() })
}

/// The same, but that a longer wait is refused.
fn refusing() -> ClientKind {
    let retry_after = ServerDelay::Refuse { most: seconds(60), spread: seconds(5) };
    ClientKind::Call(CallSpec { attempts: Some(9), retry_after, ..CallSpec::default() })
}

/// Nine attempts, four retries from a full bucket.
fn paying() -> ClientKind {
    let bucket = BudgetSpec::Tokens { tokens: 20, cost: 5, timeout_cost: 10, refill: 1 };
    ClientKind::Call(CallSpec { attempts: Some(9), budgets: vec![bucket], ..CallSpec::default() })
}

fn within_a_minute() -> ClientKind {
    ClientKind::Call(CallSpec { attempts: None, elapsed: Some(seconds(60)), ..CallSpec::default() })
}

fn until_a_minute() -> ClientKind {
    ClientKind::Call(CallSpec { attempts: None, deadline: Some(seconds(60)), ..CallSpec::default() })
}

fn decorrelated() -> ClientKind {
    ClientKind::Call(CallSpec { attempts: Some(9), jitter: Jitter::Decorrelated, ..CallSpec::default() })
}

/// As often as it takes, 100 ms doubling to 800 ms.
fn hurried() -> ClientKind {
    let ladder = LadderSpec::doubling(Duration::from_millis(100), Duration::from_millis(800));
    ClientKind::Call(CallSpec { ladder, jitter: Jitter::None, attempts: None, ..CallSpec::default() })
}

pub(super) const AN_ATTEMPT_TOO_MANY: Mistake = calls(
    "an-attempt-too-many",
    "The limit counts retries and not attempts, so that there is one attempt, and one wait, too many.",
    plain,
    CallSteps { is_last: |calls| calls.spec.attempts.is_some_and(|attempts| calls.failures > attempts), ..RIGHT },
);

pub(super) const AN_ATTEMPT_TOO_FEW: Mistake = calls(
    "an-attempt-too-few",
    "The last attempt of the limit is not made.",
    plain,
    CallSteps { is_last: |calls| calls.spec.attempts.is_some_and(|attempts| calls.failures + 1 >= attempts), ..RIGHT },
);

pub(super) const ATTEMPTS_SHARED_BY_CALLS: Mistake = calls(
    "attempts-shared-by-calls",
    "The end of a call does not end the count, so that the next one has fewer attempts.",
    plain,
    CallSteps {
        end: |calls| {
            let failures = calls.failures;
            (RIGHT.end)(calls);
            // A call that was given up had as many as there are.
            calls.failures = calls.spec.attempts.map_or(0, |attempts| failures % attempts);
        },
        ..RIGHT
    },
);

pub(super) const TERMINAL_RETRIED: Mistake = calls(
    "terminal-retried",
    "A rejected key is tried again like any other failure.",
    plain,
    CallSteps { is_terminal: |_| false, ..RIGHT },
);

pub(super) const NO_LIMIT: Mistake =
    calls("no-limit", "The limit of attempts is never looked at.", plain, CallSteps { is_last: |_| false, ..RIGHT });

pub(super) const BUDGET_NOT_CHARGED: Mistake =
    calls("budget-not-charged", "Nobody pays for a retry.", paying, CallSteps { price: |_, _| 0, ..RIGHT });

pub(super) const TIMEOUTS_COST_AS_OTHERS: Mistake = calls(
    "timeouts-cost-as-others",
    "A retry after a timeout costs what any other does.",
    paying,
    CallSteps {
        price: |budget, failure| (RIGHT.price)(budget, &retrylab_core::Failure { fault: None, ..*failure }),
        ..RIGHT
    },
);

pub(super) const BUDGET_REFILLED_ABOVE_ITS_MAXIMUM: Mistake = calls(
    "budget-refilled-above-its-maximum",
    "Successes fill the bucket without end, so that after a good day there is no limit at all.",
    paying,
    CallSteps { refill: |calls| calls.tokens.iter_mut().for_each(|left| *left += 5), ..RIGHT },
);

pub(super) const BUDGET_NEVER_REFILLED: Mistake =
    calls("budget-never-refilled", "What is paid never comes back.", paying, CallSteps { refill: |_| {}, ..RIGHT });

pub(super) const SERVER_DELAY_IGNORED: Mistake = calls(
    "asked-and-ignored",
    "What the server asks for is not looked at.",
    listening,
    CallSteps { asked: |_, _, _| Ok(None), ..RIGHT },
);

pub(super) const SERVER_DELAY_UNCAPPED: Mistake = calls(
    "asked-and-never-cut",
    "The server may ask for a day, and gets it.",
    listening,
    CallSteps {
        asked: |calls, asked, draw| {
            let wait = (RIGHT.asked)(calls, asked, draw)?;
            Ok(wait.map(|(longest, wait)| (longest.max(asked), wait.max(asked))))
        },
        ..RIGHT
    },
);

pub(super) const SERVER_DELAY_CUT_BY_THE_SPREAD: Mistake = calls(
    "asked-and-come-early",
    "The spread is subtracted from what the server asks for, and not added.",
    listening,
    CallSteps {
        asked: |calls, asked, draw| {
            let wait = (RIGHT.asked)(calls, asked, draw)?;
            Ok(wait.map(|(longest, _)| (longest, (longest - longest.min(10_000_000_000)) + share(5_000_000_000, draw))))
        },
        ..RIGHT
    },
);

pub(super) const SERVER_DELAY_WAITED_PAST_THE_REFUSAL: Mistake = calls(
    "asked-too-much-and-waited",
    "A wait that is longer than what is accepted is cut and waited, and not refused.",
    refusing,
    CallSteps {
        asked: |calls, asked, draw| {
            let ServerDelay::Refuse { most, .. } = calls.spec.retry_after else { return Ok(None) };
            (RIGHT.asked)(calls, asked.min(nanos(most)), draw)
        },
        ..RIGHT
    },
);

pub(super) const ELAPSED_CHECKED_AFTER_THE_WAIT: Mistake = calls(
    "elapsed-checked-after-the-wait",
    "The time that has passed is looked at, and not the wait that is to come, so that a call ends late.",
    within_a_minute,
    CallSteps { is_late: |calls, _| (RIGHT.is_late)(calls, 0), ..RIGHT },
);

pub(super) const ELAPSED_SINCE_THE_CLOCK_BEGAN: Mistake = calls(
    "elapsed-since-the-clock-began",
    "Time is measured from where the clock starts and not from the first failure, so that a late call has none.",
    within_a_minute,
    CallSteps {
        is_late: |calls, wait| calls.spec.elapsed.is_some_and(|most| calls.now.saturating_add(wait) > nanos(most)),
        ..RIGHT
    },
);

pub(super) const DEADLINE_IGNORED: Mistake = calls(
    "deadline-ignored",
    "The deadline is never looked at.",
    until_a_minute,
    CallSteps { is_late: |_, _| false, ..RIGHT },
);

pub(super) const THRICE_THE_FIRST: Mistake = calls(
    "thrice-the-first",
    "A decorrelated wait grows from the first wait and not from the last, and so not at all.",
    decorrelated,
    CallSteps {
        ladder: |calls, draw| {
            let mut forgetful = calls.clone();
            forgetful.previous = None;
            (RIGHT.ladder)(&forgetful, draw)
        },
        ..RIGHT
    },
);

pub(super) const WAITS_IN_WHOLE_SECONDS: Mistake = calls(
    "waits-in-whole-seconds",
    "Waits are handed on in whole seconds, so that of a ladder below a second nothing is left and a server that is down is \
     called in a hot loop.",
    hurried,
    CallSteps {
        ladder: |calls, draw| {
            const SECOND: u64 = 1_000_000_000;
            let (longest, wait) = (RIGHT.ladder)(calls, draw);
            (longest / SECOND * SECOND, wait / SECOND * SECOND)
        },
        ..RIGHT
    },
);
