//! A number that is not as claimed: it is found by asking the policy, and explains it only if everything else is right.

use core::fmt;
use core::time::Duration;

use retrylab_core::{FailureKind, Instant, nanos};
use retrylab_laws::{Claim, Drawing, Subject};
use retrylab_sim::{Given, Input, Response};
use retrylab_spec::duration::Text;
use retrylab_spec::{Client, LadderSpec, PolicySpec, Ratio, ResetSpec, TwoRegimes};

use super::candidate::Candidate;

/// A number of a policy that is not as claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    quantity: Quantity,
    /// Given the policy would be with it.
    spec: PolicySpec,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Window,
    Successes,
    FirstWait,
    Ceiling,
    Factor,
    Exponent,
    Attempts,
}

impl Number {
    /// The first number that differs from the claim by the policy's own responses. `None` if there is none, or if the policy
    /// takes no inputs. Of a policy that draws for itself only the number of attempts shows: the others are in its waits.
    pub(super) fn measured(subject: &dyn Subject, client: &Client, claim: &Claim) -> Option<Self> {
        let probe = Probe { subject, claim };
        if !subject.can_respond() {
            return None;
        }
        let spec = &client.kind;
        if claim.drawing() == Drawing::Own {
            return probe.attempts(spec);
        }
        probe.waits(spec).or_else(|| probe.attempts(spec)).or_else(|| probe.health(spec))
    }

    /// The name of the quantity, as a fault.
    pub(super) const fn name(&self) -> &'static str {
        match self.quantity {
            Quantity::Window => "another-window",
            Quantity::Successes => "another-number-of-successes",
            Quantity::FirstWait => "another-first-wait",
            Quantity::Ceiling => "another-ceiling",
            Quantity::Factor => "another-factor",
            Quantity::Exponent => "exponent-capped",
            Quantity::Attempts => "another-number-of-attempts",
        }
    }

    /// The right policy with this number.
    pub(super) fn candidate(&self, client: &Client) -> Candidate {
        Candidate::Right(Client { kind: self.spec.clone(), jitter: client.jitter })
    }

    fn new(quantity: Quantity, spec: PolicySpec, text: String) -> Self {
        Self { quantity, spec, text }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Asks a policy.
struct Probe<'a> {
    subject: &'a dyn Subject,
    claim: &'a Claim,
}

impl Probe<'_> {
    fn ask(&self, history: &[Input]) -> Option<Vec<Response>> {
        self.subject.respond(history)?.ok().filter(|answers| answers.len() == history.len())
    }

    /// The longest waits of so many failures in a row.
    fn climb(&self, kind: FailureKind) -> Option<Vec<Duration>> {
        let history: Vec<Input> = (0..RUNGS).map(|nth| failure(kind, Instant::from_secs(nth))).collect();
        Some(self.ask(&history)?.iter().map_while(Response::wait).collect())
    }

    fn waits(&self, spec: &PolicySpec) -> Option<Number> {
        let waits = self.climb(FailureKind::Normal)?;
        let claimed = self.claim.normal()?;
        match spec {
            PolicySpec::Call(_) | PolicySpec::Reconnect { .. } => {
                let LadderSpec::Exponential { base, ratio, ceiling } = *claimed else { return None };
                let is = ladder(&waits)?;
                let with = |ladder: LadderSpec| {
                    let mut other = spec.clone();
                    other.call_mut()?.ladder = ladder;
                    Some(other)
                };
                if is.first != base {
                    let other = with(LadderSpec::Exponential { base: is.first, ratio, ceiling })?;
                    return Some(Number::new(Quantity::FirstWait, other, first_wait(is.first, base)));
                }
                if let Some(factor) = is.factor.filter(|factor| !is_same_ratio(*factor, ratio)) {
                    let other = with(LadderSpec::Exponential { base, ratio: factor, ceiling })?;
                    let text = format!("each wait is {} times the one before, not {}", Times(factor), Times(ratio));
                    return Some(Number::new(Quantity::Factor, other, text));
                }
                let top = is.ceiling.filter(|top| *top != ceiling)?;
                let other = with(LadderSpec::Exponential { base, ratio, ceiling: top })?;
                Some(ceiling_or_exponent(other, base, top, ceiling))
            }
            _ => self.regimes(spec.two_regimes()?, &waits),
        }
    }

    fn regimes(&self, claimed: TwoRegimes, normal: &[Duration]) -> Option<Number> {
        let extended = self.climb(FailureKind::Unexpected)?;
        // The cadence hides what is below it.
        let is = |waits: &[Duration], bounds: (Duration, Duration)| {
            let seen = ladder(waits)?;
            let bounds = (bounds.0.max(claimed.cadence), bounds.1.max(claimed.cadence));
            (seen.first, seen.ceiling.unwrap_or(bounds.1))
                .ne(&bounds)
                .then_some((seen.first, seen.ceiling.unwrap_or(bounds.1)))
        };
        let (n, e) = (is(normal, claimed.normal), is(&extended, claimed.extended));
        let other =
            TwoRegimes { normal: n.unwrap_or(claimed.normal), extended: e.unwrap_or(claimed.extended), ..claimed };
        let spec = PolicySpec::TwoRegimes(other);
        let (seen, bounds, regime) = match (n, e) {
            (Some(seen), _) => (seen, claimed.normal, ""),
            (None, Some(seen)) => (seen, claimed.extended, "in the extended regime, "),
            (None, None) => return None,
        };
        let number = if seen.0 == bounds.0 {
            ceiling_or_exponent(spec, seen.0, seen.1, bounds.1)
        } else {
            Number::new(Quantity::FirstWait, spec, first_wait(seen.0, bounds.0))
        };
        Some(Number { text: format!("{regime}{}", number.text), ..number })
    }

    fn attempts(&self, spec: &PolicySpec) -> Option<Number> {
        let claimed = spec.call()?.attempts?;
        let history: Vec<Input> =
            (0..u64::from(claimed) * 4 + 8).map(|_| failure(FailureKind::Normal, Instant::ZERO)).collect();
        let ended = self.ask(&history)?.iter().position(|answer| answer.gave_up().is_some())?;
        let attempts = u32::try_from(ended + 1).ok().filter(|attempts| *attempts != claimed)?;
        let mut other = spec.clone();
        other.call_mut()?.attempts = Some(attempts);
        let text = format!("a call has {attempts} attempts, not {claimed}");
        Some(Number::new(Quantity::Attempts, other, text))
    }

    fn health(&self, spec: &PolicySpec) -> Option<Number> {
        let claimed = spec.reset()?;
        let with = |reset: ResetSpec| match spec {
            PolicySpec::Reconnect { outage, .. } => Some(PolicySpec::Reconnect { outage: outage.clone(), reset }),
            _ => Some(PolicySpec::TwoRegimes(TwoRegimes { reset, ..spec.two_regimes()? })),
        };
        match claimed {
            ResetSpec::HealthyFor(window) => {
                let is = self.window(nanos(window))?;
                let is = Duration::from_nanos(is);
                let text = if is < window {
                    format!("health of {} already resets", Text(is))
                } else {
                    format!("health of less than {} does not reset", Text(is))
                };
                (is != window).then(|| Some(Number::new(Quantity::Window, with(ResetSpec::HealthyFor(is))?, text)))?
            }
            ResetSpec::Successes(count) => {
                let is = (1..=count.saturating_mul(2) + 8).find(|&successes| self.is_reset_by(successes))?;
                let plural = if is == 1 { "success already resets" } else { "successes in a row reset" };
                let text = format!("{is} {plural}, not {count}");
                (is != count).then(|| Some(Number::new(Quantity::Successes, with(ResetSpec::Successes(is))?, text)))?
            }
        }
    }

    /// The shortest health that resets, by bisection; `None` if none does that is at most a thousand times as long.
    fn window(&self, claimed: u64) -> Option<u64> {
        let mut enough = claimed.max(1).saturating_mul(1000);
        if !self.is_reset_after(enough) {
            return None;
        }
        let mut short = 0;
        while enough - short > 1 {
            let middle = short + (enough - short) / 2;
            if self.is_reset_after(middle) {
                enough = middle;
            } else {
                short = middle;
            }
        }
        Some(if self.is_reset_after(0) { 0 } else { enough })
    }

    /// Whether a failure after so much health stands on the first rung again.
    fn is_reset_after(&self, health: u64) -> bool {
        let well = UP + health;
        self.starts_over(vec![told(Given::Connected, UP), told(Given::Success, UP)], well)
    }

    fn is_reset_by(&self, successes: u32) -> bool {
        let told = (0..u64::from(successes)).map(|nth| told(Given::Success, UP + nth)).collect();
        self.starts_over(told, UP + u64::from(successes))
    }

    fn starts_over(&self, health: Vec<Input>, then: u64) -> bool {
        let unexpected = self.claim.extended().is_some();
        let kind = if unexpected { FailureKind::Unexpected } else { FailureKind::Normal };
        let mut history: Vec<Input> = (0..3).map(|nth| failure(kind, Instant::from_nanos(nth))).collect();
        history.extend(health);
        history.push(failure(FailureKind::Normal, Instant::from_nanos(then)));
        let Some(answers) = self.ask(&history) else { return false };
        let last = answers.last().and_then(Response::wait);
        let fresh = self.ask(&[failure(FailureKind::Normal, Instant::ZERO)]);
        last.is_some() && last == fresh.and_then(|answers| answers.last().and_then(Response::wait))
    }
}

/// When the connection is back, in nanoseconds.
const UP: u64 = 1_000_000_000;

/// Enough to climb any ladder from a millisecond to a year.
const RUNGS: u64 = 48;

const fn told(given: Given, at: u64) -> Input {
    Input { at: Instant::from_nanos(at), given }
}

fn failure(kind: FailureKind, at: Instant) -> Input {
    Input { at, given: Given::Failure { failure: kind.into(), draw: 0 } }
}

/// Given waits show of their ladder.
struct Seen {
    first: Duration,
    factor: Option<Ratio>,
    ceiling: Option<Duration>,
}

fn ladder(waits: &[Duration]) -> Option<Seen> {
    let first = *waits.first()?;
    let second = waits.get(1).copied();
    let factor = second.filter(|second| *second != first && waits.get(2) != Some(second)).and_then(|second| {
        let (first, second) = (nanos(first), nanos(second));
        let common = divisor(first, second);
        let part = |span: u64| u32::try_from(span / common.max(1)).ok();
        Some(Ratio { numerator: part(second)?, denominator: part(first)? })
    });
    // The last waits are the ceiling if they are all the same.
    let ceiling = waits.last().copied().filter(|last| waits.len() > 2 && waits[waits.len() - 2] == *last);
    Some(Seen { first, factor, ceiling })
}

const fn divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn is_same_ratio(one: Ratio, other: Ratio) -> bool {
    u64::from(one.numerator) * u64::from(other.denominator) == u64::from(other.numerator) * u64::from(one.denominator)
}

fn first_wait(is: Duration, claimed: Duration) -> String {
    format!("the first wait is {}, not {}", Text(is), Text(claimed))
}

/// A ceiling that is the first wait doubled so many times, and below the claimed one, is where the exponent stops.
fn ceiling_or_exponent(spec: PolicySpec, first: Duration, is: Duration, claimed: Duration) -> Number {
    let doublings = (1..64).find(|&times| u128::from(nanos(first)) << times == u128::from(nanos(is)));
    match doublings {
        Some(times) if is < claimed => {
            let text = format!("the exponent stops at {times}: waits grow to {}, not to {}", Text(is), Text(claimed));
            Number::new(Quantity::Exponent, spec, text)
        }
        _ => Number::new(Quantity::Ceiling, spec, format!("waits grow to {}, not to {}", Text(is), Text(claimed))),
    }
}

/// A ratio as people say it.
struct Times(Ratio);

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio { numerator, denominator } = self.0;
        if denominator == 1 { write!(f, "{numerator}") } else { write!(f, "{numerator}/{denominator}") }
    }
}
