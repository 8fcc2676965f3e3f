//! Calls that end too early, too late or never, and faults of `retry_after`.

use retrylab_core::{ServerDelay, nanos};
use retrylab_spec::BudgetSpec;

use super::calls::{CallSteps, RIGHT};
use super::clients::{decorrelated, hurried, listening, paying, plain, refilling, refusing, until_a_minute};
use super::machine::share;
use super::{Category, KnownFault, calls};

pub(super) const AN_ATTEMPT_TOO_FEW: KnownFault = calls(
    Category::Limit,
    "an-attempt-too-few",
    "gives-up-exactly-when-due",
    "The last attempt of the limit is not made.",
    plain,
    CallSteps { is_last: |calls| calls.spec.attempts.is_some_and(|attempts| calls.failures + 1 >= attempts), ..RIGHT },
);

pub(super) const ATTEMPTS_SHARED_BY_CALLS: KnownFault = calls(
    Category::Limit,
    "attempts-shared-by-calls",
    "gives-up-exactly-when-due",
    "The end of a call does not reset the count, so that the next one has fewer attempts.",
    plain,
    CallSteps {
        end: |calls| {
            let failures = calls.failures;
            (RIGHT.end)(calls);
            // A call that gave up used all attempts.
            calls.failures = calls.spec.attempts.map_or(0, |attempts| failures % attempts);
        },
        ..RIGHT
    },
);

pub(super) const TERMINAL_RETRIED: KnownFault = calls(
    Category::Limit,
    "terminal-retried",
    "gives-up-exactly-when-due",
    "A rejected key is retried like any other failure.",
    plain,
    CallSteps { is_terminal: |_| false, ..RIGHT },
);

pub(super) const NO_LIMIT: KnownFault = calls(
    Category::Limit,
    "no-limit",
    "no-wait-after-the-last-attempt",
    "The limit of attempts is ignored.",
    plain,
    CallSteps { is_last: |_| false, ..RIGHT },
);

pub(super) const BUDGET_NOT_CHARGED: KnownFault = calls(
    Category::Budget,
    "budget-not-charged",
    "budgets-conserve",
    "No budget pays for a retry.",
    paying,
    CallSteps { price: |_, _| 0, ..RIGHT },
);

pub(super) const TIMEOUTS_COST_AS_OTHERS: KnownFault = calls(
    Category::Budget,
    "timeouts-cost-as-others",
    "budgets-conserve",
    "A retry after a timeout costs as much as any other.",
    paying,
    CallSteps {
        price: |budget, failure| (RIGHT.price)(budget, &retrylab_core::Failure { fault: None, ..*failure }),
        ..RIGHT
    },
);

pub(super) const BUCKET_WITHOUT_BOUND: KnownFault = calls(
    Category::Budget,
    "bucket-without-bound",
    "budgets-conserve",
    "Successes fill the bucket without a maximum, so that after a good day there is no limit.",
    refilling,
    CallSteps {
        refill: |calls| {
            for (left, budget) in calls.tokens.iter_mut().zip(&calls.spec.budgets) {
                if let BudgetSpec::Tokens { refill, .. } = *budget {
                    *left = left.saturating_add(u64::from(refill));
                }
            }
        },
        ..RIGHT
    },
)
.reported("grpc/proposal PR #27");

pub(super) const SERVER_DELAY_CUT_BY_THE_SPREAD: KnownFault = calls(
    Category::Server,
    "server-delay-cut-by-the-spread",
    "server-delay-honoured-and-bounded",
    "The spread is subtracted from retry_after instead of added.",
    listening,
    CallSteps {
        asked: |calls, asked, draw| {
            let wait = (RIGHT.asked)(calls, asked, draw)?;
            Ok(wait.map(|(longest, _)| (longest, (longest - longest.min(10_000_000_000)) + share(5_000_000_000, draw))))
        },
        ..RIGHT
    },
);

pub(super) const SERVER_DELAY_WAITED_PAST_THE_REFUSAL: KnownFault = calls(
    Category::Server,
    "server-delay-waited-past-the-refusal",
    "server-delay-honoured-and-bounded",
    "A retry_after above the maximum is cut instead of refused.",
    refusing,
    CallSteps {
        asked: |calls, asked, draw| {
            let most = if let ServerDelay::Honour { most, .. } = calls.spec.retry_after { nanos(most) } else { asked };
            (RIGHT.asked)(calls, asked.min(most), draw)
        },
        ..RIGHT
    },
);

pub(super) const SERVER_DELAY_OBEYED: KnownFault = calls(
    Category::Server,
    "server-delay-obeyed",
    "an-ignored-retry-after-changes-nothing",
    "A retry_after is waited for, if it is longer than the rung, by a policy that claims to ignore it.",
    plain,
    CallSteps {
        asked: |calls, asked, draw| {
            if calls.spec.retry_after != ServerDelay::Ignore {
                return (RIGHT.asked)(calls, asked, draw);
            }
            let (longest, wait) = (RIGHT.ladder)(calls, draw);
            Ok(Some((longest.max(asked), wait.max(asked))))
        },
        ..RIGHT
    },
);

pub(super) const DEADLINE_IGNORED: KnownFault = calls(
    Category::Limit,
    "deadline-ignored",
    "gives-up-exactly-when-due",
    "The deadline is ignored.",
    until_a_minute,
    CallSteps { is_late: |_, _| false, ..RIGHT },
);

pub(super) const THRICE_THE_FIRST: KnownFault = calls(
    Category::Jitter,
    "thrice-the-first",
    "wait-is-jittered-base-or-cadence",
    "A decorrelated wait grows from the first wait instead of the last, and so not at all.",
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

pub(super) const WAITS_IN_WHOLE_SECONDS: KnownFault = calls(
    Category::Wait,
    "waits-in-whole-seconds",
    "repeated-failures-get-a-pause",
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
