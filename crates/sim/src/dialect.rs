//! The built-in rules with one difference each, as in other implementations, for comparison and migration.
//!
//! Each dialect differs from the rules in one point only. Where that point is a bound or the reset rule, the dialect is
//! built from the real rules with that bound or rule; the others wrap the real state machine.

use core::time::Duration;

use retrylab_core::{
    ConfigWarning, Decision, Failure, FailureKind, Fault, HealthyFor, Instant, Policy, Regime, ResetRule, Retry,
    RetryRules, Rung, Successes, nanos,
};
use retrylab_source::{HttpLevel, MalformedBody, SourceOptions, StreamPolicy, ValidAfter};
use retrylab_spec::{Dialect, PolicySpec, Seconds};

/// The policy of a dialect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spoken {
    dialect: Dialect,
    policy: Inner,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Inner {
    /// Other bounds, another classification, or health that starts at the connection.
    Streaming(Retry<HealthyFor>),
    LastMessage(Retry<HealthySinceLast>),
    ClockZero(Retry<ZeroIsUnset>),
    NotRestored(NotRestored),
    Polling(Retry<Successes>),
    Hinted(StreamPolicy),
    Exponent(Exponent),
}

const WINDOW: Duration = Duration::from_secs(60);
const NORMAL_CEILING: Duration = Duration::from_secs(30);
const EXTENDED: (Duration, Duration) = (Duration::from_secs(300), Duration::from_secs(3600));

impl Spoken {
    /// The policy, with the warning of the constructor it comes from.
    #[must_use]
    pub fn new(dialect: Dialect, seconds: Option<Seconds>) -> (Self, Option<ConfigWarning>) {
        let given = seconds.map(Seconds::as_f64);
        let (streaming, mut warning) = RetryRules::streaming_from_secs_f64(given.unwrap_or(1.0));
        let initial = streaming.bounds(Regime::Normal).initial;
        let healthy = HealthyFor::new(WINDOW);
        let policy = match dialect {
            Dialect::ClampInitial | Dialect::InvertedExtended => {
                let clamped = dialect == Dialect::ClampInitial;
                let initial = if clamped { initial.min(NORMAL_CEILING) } else { initial };
                let rules =
                    RetryRules::builder(healthy).normal(initial, NORMAL_CEILING).extended(EXTENDED.0, EXTENDED.1);
                Inner::Streaming(Retry::new(rules.build()))
            }
            Dialect::HealthFromConnect
            | Dialect::TlsUnexpected
            | Dialect::HttpAlwaysError
            | Dialect::HttpAlwaysWarning
            | Dialect::ValidAfterPatch => Inner::Streaming(Retry::new(streaming)),
            Dialect::DefaultSilent => {
                warning = None;
                Inner::Streaming(Retry::new(streaming))
            }
            Dialect::ZeroLiteral => {
                let literal = given.is_some_and(|given| given <= 0.0);
                warning = warning.filter(|_| !literal);
                let initial = if literal { Duration::ZERO } else { initial };
                let rules = with_initial(healthy, initial);
                Inner::Streaming(Retry::new(if literal { rules } else { streaming }))
            }
            Dialect::HealthFromLastMessage => {
                Inner::LastMessage(Retry::new(with_initial(HealthySinceLast(healthy), initial)))
            }
            Dialect::ClockZeroUnset => Inner::ClockZero(Retry::new(with_initial(ZeroIsUnset, initial))),
            Dialect::RetryHint => Inner::Hinted(StreamPolicy::new(streaming).adopting_hints()),
            Dialect::ExponentCapped | Dialect::ExponentWraps => Inner::Exponent(Exponent {
                retry: Retry::new(streaming),
                wraps: dialect == Dialect::ExponentWraps,
                wait: Duration::ZERO,
            }),
            Dialect::CadenceNotRestored | Dialect::MalformedIsInvalidData => {
                let (polling, polling_warning) = RetryRules::polling_from_secs_f64(given.unwrap_or(30.0));
                warning = polling_warning;
                let retry = Retry::new(polling);
                match dialect {
                    Dialect::CadenceNotRestored => Inner::NotRestored(NotRestored { retry, wait: retry.next_delay() }),
                    _ => Inner::Polling(retry),
                }
            }
        };
        (Self { dialect, policy }, warning)
    }
}

/// The differences of a client besides its policy: logs and statuses.
pub(crate) fn options(client: &PolicySpec) -> SourceOptions {
    let default = SourceOptions::default();
    match client {
        PolicySpec::Dialect { dialect: Dialect::HttpAlwaysError, .. } => {
            SourceOptions { http_level: HttpLevel::Error, ..default }
        }
        PolicySpec::Dialect { dialect: Dialect::HttpAlwaysWarning, .. } => {
            SourceOptions { http_level: HttpLevel::Warning, ..default }
        }
        PolicySpec::Dialect { dialect: Dialect::ValidAfterPatch, .. } => {
            SourceOptions { valid_after: ValidAfter::AnyMessage, ..default }
        }
        PolicySpec::Dialect { dialect: Dialect::MalformedIsInvalidData, .. } => {
            SourceOptions { malformed_body: MalformedBody::InvalidData, ..default }
        }
        _ => default,
    }
}

/// The bounds of the streaming constructor for an initial delay that it would replace, or another reset rule.
fn with_initial<R: ResetRule>(reset: R, initial: Duration) -> RetryRules<R> {
    RetryRules::builder(reset).normal(initial, NORMAL_CEILING).extended(EXTENDED.0.max(initial), EXTENDED.1).build()
}

/// Passes a call on to the policy inside.
macro_rules! each {
    ($inner:expr, $policy:ident => $call:expr) => {
        match $inner {
            Inner::Streaming($policy) => $call,
            Inner::LastMessage($policy) => $call,
            Inner::ClockZero($policy) => $call,
            Inner::NotRestored($policy) => $call,
            Inner::Polling($policy) => $call,
            Inner::Hinted($policy) => $call,
            Inner::Exponent($policy) => $call,
        }
    };
}

impl Policy for Spoken {
    fn record_failure(&mut self, mut failure: Failure, now: Instant, draw: u64) -> Decision {
        let tls = matches!(failure.fault, Some(Fault::Tls | Fault::Certificate));
        if tls && self.dialect == Dialect::TlsUnexpected {
            failure.kind = FailureKind::Unexpected;
        }
        each!(&mut self.policy, policy => Policy::record_failure(policy, failure, now, draw))
    }

    fn record_success(&mut self, now: Instant) {
        each!(&mut self.policy, policy => Policy::record_success(policy, now));
    }

    fn record_connected(&mut self, now: Instant) {
        if self.dialect == Dialect::HealthFromConnect {
            self.record_success(now);
        }
    }

    fn next_delay(&self) -> Duration {
        each!(&self.policy, policy => Policy::next_delay(policy))
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        each!(&self.policy, policy => Policy::explain(policy, draw))
    }
}

/// Healthy for the window since the last success, not the first.
#[derive(Clone, Copy, Debug, PartialEq)]
struct HealthySinceLast(HealthyFor);

impl ResetRule for HealthySinceLast {
    type State = Option<Instant>;

    fn record_success(&self, state: &mut Option<Instant>, now: Instant) {
        *state = Some(now);
    }

    fn record_failure(&self, state: &mut Option<Instant>, _: Instant) {
        *state = None;
    }

    fn is_due(&self, state: &Option<Instant>, now: Instant) -> bool {
        state.is_some_and(|since| now.since(since) >= self.0.window())
    }
}

/// Healthy for the window, where a start at the clock's zero is lost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ZeroIsUnset;

impl ResetRule for ZeroIsUnset {
    type State = u64;

    fn record_success(&self, since: &mut u64, now: Instant) {
        if *since == 0 {
            *since = now.as_nanos();
        }
    }

    fn record_failure(&self, since: &mut u64, _: Instant) {
        *since = 0;
    }

    fn is_due(&self, since: &u64, now: Instant) -> bool {
        *since != 0 && now.as_nanos().saturating_sub(*since) >= nanos(WINDOW)
    }
}

/// A poller whose first good poll while extended leaves the wait as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
struct NotRestored {
    retry: Retry<Successes>,
    wait: Duration,
}

impl Policy for NotRestored {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.wait = self.retry.wait_after(failure.kind, now, draw);
        Decision::RetryAfter(self.wait)
    }

    fn record_success(&mut self, now: Instant) {
        self.retry.record_success(now);
        if self.retry.regime() == Regime::Normal {
            self.wait = self.retry.next_delay();
        }
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.retry.explain(draw)
    }
}

/// A stream that computes its rung with an exponent that stops at 30, or with one that wraps.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exponent {
    retry: Retry<HealthyFor>,
    wraps: bool,
    wait: Duration,
}

impl Policy for Exponent {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        self.retry.wait_after(failure.kind, now, draw);
        if let Some(rung) = self.explain(draw) {
            self.wait = rung.base - rung.jitter;
        }
        Decision::RetryAfter(self.wait)
    }

    fn record_success(&mut self, now: Instant) {
        self.retry.record_success(now);
        self.wait = self.retry.next_delay();
    }

    fn next_delay(&self) -> Duration {
        self.wait
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        let base = self.base();
        let jitter = (u128::from(nanos(base)) * u128::from(draw)) >> 65;
        let jitter = Duration::from_nanos(u64::try_from(jitter).unwrap_or(0));
        self.retry.explain(draw).map(|rung| Rung { base, jitter, ..rung })
    }
}

impl Exponent {
    fn base(&self) -> Duration {
        let state = self.retry.state();
        let bounds = self.retry.rules().bounds(state.regime());
        let Some(doublings) = state.attempts().checked_sub(1) else { return Duration::ZERO };
        let initial = nanos(bounds.initial);
        let doubled = if self.wraps {
            initial.checked_shl(doublings).unwrap_or(0)
        } else {
            initial.saturating_mul(1 << doublings.min(30))
        };
        Duration::from_nanos(doubled.min(nanos(bounds.ceiling)))
    }
}
