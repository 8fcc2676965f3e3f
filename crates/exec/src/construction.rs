//! Which policy a subject is to build.

use std::fmt;
use std::time::Duration;

use retrylab_core::{BuiltInReset, Jitter};
use retrylab_scenario::decimal::{AnySeconds, Seconds};
use retrylab_scenario::{CallSpec, ClientKind, LadderSpec, Ratio};

/// A constructor with its parameters, in the words of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum Construction {
    /// A stream that reconnects, with two regimes.
    Streaming {
        /// As configured, usable or not.
        initial_reconnect_delay: retrylab_scenario::Seconds,
    },
    /// A poller with two regimes.
    Polling {
        /// As configured, usable or not.
        poll_interval: retrylab_scenario::Seconds,
    },
    /// Two regimes with bounds as given, but that a ceiling below its initial is raised to it.
    Custom {
        /// First wait and ceiling of the normal regime.
        normal: (Duration, Duration),
        /// First wait and ceiling of the extended regime.
        extended: (Duration, Duration),
        /// When health clears the state.
        reset: BuiltInReset,
        /// The wait between healthy operations.
        cadence: Duration,
    },
    /// Bounded calls, one after the other.
    Call(Bounded),
    /// A ladder and nothing else: waits that grow.
    Ladder(Bounded),
}

/// What a call and a ladder have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The most attempts; `None`: no limit.
    pub attempts: Option<u32>,
    /// The first rung.
    pub base: Duration,
    /// What each rung is multiplied by.
    pub factor: Ratio,
    /// The longest wait.
    pub ceiling: Duration,
    /// How waits are spread.
    pub jitter: Jitter,
}

impl Construction {
    /// The construction of a client: streaming, polling or calls. Without a configured delay, its default is said.
    ///
    /// # Errors
    ///
    /// If the protocol has no words for it.
    pub fn of(client: &ClientKind) -> Result<Self, NotExpressible> {
        const fn or(given: Option<retrylab_scenario::Seconds>, default: u64) -> retrylab_scenario::Seconds {
            match given {
                Some(seconds) => seconds,
                None => retrylab_scenario::Seconds::Text(Duration::from_secs(default)),
            }
        }
        match client {
            ClientKind::Streaming { initial_reconnect_delay } => {
                Ok(Self::Streaming { initial_reconnect_delay: or(*initial_reconnect_delay, 1) })
            }
            ClientKind::Polling { poll_interval } => Ok(Self::Polling { poll_interval: or(*poll_interval, 30) }),
            ClientKind::Call(spec) => Bounded::of(spec).map(Self::Call),
            ClientKind::Reconnect { .. } => Err(NotExpressible("a reconnecting client")),
            ClientKind::Dialect { .. } => Err(NotExpressible("a dialect")),
            ClientKind::External { .. } => Err(NotExpressible("an external client")),
        }
    }

    /// The constructor's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Streaming { .. } => "streaming",
            Self::Polling { .. } => "polling",
            Self::Custom { .. } => "custom",
            Self::Call(_) => "call",
            Self::Ladder(_) => "ladder",
        }
    }
}

/// The parameters, as a JSON object.
impl fmt::Display for Construction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Streaming { initial_reconnect_delay } => {
                write!(f, "{{\"initial_reconnect_delay\":{}}}", AnySeconds(*initial_reconnect_delay))
            }
            Self::Polling { poll_interval } => write!(f, "{{\"poll_interval\":{}}}", AnySeconds(*poll_interval)),
            Self::Custom { normal, extended, reset, cadence } => {
                let [first, ceiling] = [normal.0, normal.1].map(Seconds);
                write!(f, "{{\"normal_initial_delay\":{first},\"normal_ceiling_delay\":{ceiling},")?;
                let [first, ceiling] = [extended.0, extended.1].map(Seconds);
                write!(f, "\"extended_initial_delay\":{first},\"extended_ceiling_delay\":{ceiling},\"reset_policy\":")?;
                match reset {
                    BuiltInReset::HealthyFor(rule) => {
                        write!(f, "{{\"type\":\"after_healthy_for\",\"seconds\":{}}}", Seconds(rule.window()))?;
                    }
                    BuiltInReset::Successes(rule) => {
                        write!(f, "{{\"type\":\"after_consecutive_successes\",\"count\":{}}}", rule.count())?;
                    }
                }
                write!(f, ",\"operating_cadence\":{}}}", Seconds(*cadence))
            }
            Self::Call(bounded) | Self::Ladder(bounded) => bounded.fmt(f),
        }
    }
}

impl Bounded {
    /// What a call says that the protocol has words for.
    ///
    /// # Errors
    ///
    /// If it says more: a ladder that is not exponential (or constant), a limit of time, a deadline, budgets, a say of the
    /// server, or an operation that is not safe to send again.
    pub fn of(spec: &CallSpec) -> Result<Self, NotExpressible> {
        let (base, factor, ceiling) = match spec.ladder {
            LadderSpec::Exponential { base, ratio, ceiling } => (base, ratio, ceiling),
            LadderSpec::Constant(wait) => (wait, Ratio { numerator: 1, denominator: 1 }, wait),
            LadderSpec::Linear { .. } => return Err(NotExpressible("a linear ladder")),
            LadderSpec::Fibonacci { .. } => return Err(NotExpressible("a fibonacci ladder")),
            LadderSpec::List(_) => return Err(NotExpressible("a list of waits")),
        };
        let default = CallSpec::default();
        for (more, what) in [
            (spec.elapsed != default.elapsed, "a limit of elapsed time"),
            (spec.deadline != default.deadline, "a deadline"),
            (spec.retry_after != default.retry_after, "a wait that the server asks for"),
            (spec.budgets != default.budgets, "a budget"),
            (spec.idempotent != default.idempotent, "an operation that is not idempotent"),
        ] {
            if more {
                return Err(NotExpressible(what));
            }
        }
        Ok(Self { attempts: spec.attempts, base, factor, ceiling, jitter: spec.jitter })
    }
}

/// As a JSON object.
impl fmt::Display for Bounded {
    #[expect(clippy::float_arithmetic, reason = "a parameter in the nearest double, which decides nothing here")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attempts {
            Some(attempts) => write!(f, "{{\"attempts\":{attempts}")?,
            None => f.write_str("{\"attempts\":null")?,
        }
        let factor = f64::from(self.factor.numerator) / f64::from(self.factor.denominator);
        let (base, ceiling) = (Seconds(self.base), Seconds(self.ceiling));
        write!(f, ",\"base_s\":{base},\"factor\":{factor},\"ceiling_s\":{ceiling},\"jitter\":\"{}\"}}", self.jitter)
    }
}

/// What the protocol has no words for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} cannot be said to a subject in another process; streaming, polling, and calls with an exponential ladder can"
)]
pub struct NotExpressible(&'static str);

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_core::{HealthyFor, Successes};
    use retrylab_scenario::{Dialect, ResetSpec};

    fn said(client: &ClientKind) -> String {
        let construction = Construction::of(client).expect("it can be said");
        format!("{} {construction}", construction.name())
    }

    #[test]
    fn every_client_that_can_be_said_has_all_its_parameters() {
        let streaming = |initial_reconnect_delay| said(&ClientKind::Streaming { initial_reconnect_delay });
        assert_eq!(streaming(None), r#"streaming {"initial_reconnect_delay":1}"#);
        let nan = Some(retrylab_scenario::Seconds::Number(f64::NAN));
        assert_eq!(streaming(nan), r#"streaming {"initial_reconnect_delay":"nan"}"#);
        assert_eq!(said(&ClientKind::Polling { poll_interval: None }), r#"polling {"poll_interval":30}"#);
        assert_eq!(
            said(&ClientKind::Call(CallSpec::default())),
            r#"call {"attempts":4,"base_s":0.5,"factor":2,"ceiling_s":30,"jitter":"full"}"#
        );
        let flat = CallSpec {
            ladder: LadderSpec::Constant(Duration::from_secs(3)),
            jitter: Jitter::None,
            ..CallSpec::reconnect()
        };
        assert_eq!(
            Construction::Ladder(Bounded::of(&flat).unwrap()).to_string(),
            r#"{"attempts":null,"base_s":3,"factor":1,"ceiling_s":3,"jitter":"none"}"#
        );
    }

    #[test]
    fn custom_rules_are_said_as_vectors_say_them() {
        let s = Duration::from_secs;
        let custom =
            |reset| Construction::Custom { normal: (s(1), s(30)), extended: (s(300), s(3600)), reset, cadence: s(2) };
        let text = custom(BuiltInReset::HealthyFor(HealthyFor::new(s(60)))).to_string();
        assert_eq!(
            text,
            "{\"normal_initial_delay\":1,\"normal_ceiling_delay\":30,\"extended_initial_delay\":300,\
             \"extended_ceiling_delay\":3600,\"reset_policy\":{\"type\":\"after_healthy_for\",\"seconds\":60},\
             \"operating_cadence\":2}"
        );
        let text = custom(BuiltInReset::Successes(Successes::new(2))).to_string();
        assert!(text.contains(r#"{"type":"after_consecutive_successes","count":2}"#), "{text}");
    }

    #[test]
    fn what_the_protocol_has_no_words_for_is_refused_by_name() {
        let call = CallSpec::default;
        let second = Duration::from_secs(1);
        let spec = |spec| ClientKind::Call(spec);
        for (client, what) in [
            (ClientKind::Reconnect { outage: call(), reset: ResetSpec::Successes(2) }, "a reconnecting client"),
            (ClientKind::Dialect { dialect: Dialect::RetryHint, seconds: None }, "a dialect"),
            (spec(CallSpec { elapsed: Some(second), ..call() }), "a limit of elapsed time"),
            (spec(CallSpec { deadline: Some(second), ..call() }), "a deadline"),
            (spec(CallSpec { idempotent: false, ..call() }), "an operation that is not idempotent"),
            (spec(CallSpec { ladder: LadderSpec::List(vec![second]), ..call() }), "a list of waits"),
        ] {
            assert_eq!(Construction::of(&client), Err(NotExpressible(what)));
        }
        assert_eq!(
            NotExpressible("a dialect").to_string(),
            "a dialect cannot be said to a subject in another process; streaming, polling, and calls with an exponential \
             ladder can"
        );
    }
}
