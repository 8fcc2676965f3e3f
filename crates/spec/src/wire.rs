//! Policies on the wire: the constructor and the JSON parameters of the subject protocol, which conformance vectors share.
//!
//! ```
//! use retrylab_spec::{PolicySpec, wire};
//!
//! let construction = wire::Construction::of(&PolicySpec::polling_from_secs_f64(f64::NAN))?;
//! assert_eq!(construction.name(), "polling");
//! assert_eq!(construction.to_string(), r#"{"poll_interval":"nan"}"#);
//! # Ok::<(), wire::NotExpressible>(())
//! ```

use core::fmt;
use core::time::Duration;

use retrylab_core::ConfigOption;

use crate::decimal::{AnySeconds, Seconds};
use crate::policy::{CallSpec, LadderSpec, PolicySpec, Ratio, ResetSpec, Shape, TwoRegimes};

/// A policy that the wire can express, with its constructor.
#[derive(Clone, Debug, PartialEq)]
pub struct Construction {
    spec: PolicySpec,
    name: &'static str,
}

impl Construction {
    /// The construction of a stream, a poller or calls.
    ///
    /// # Errors
    ///
    /// If the wire cannot express it: other policies, and calls with more than an exponential or constant ladder, jitter and
    /// a limit of attempts.
    pub fn of(spec: &PolicySpec) -> Result<Self, NotExpressible> {
        let name = match spec {
            PolicySpec::Streaming { .. } => "streaming",
            PolicySpec::Polling { .. } => "polling",
            PolicySpec::TwoRegimes(_) => "custom",
            PolicySpec::Call(call) => {
                expressible(call)?;
                "call"
            }
            PolicySpec::Reconnect { .. } => return Err(NotExpressible("a reconnecting client")),
            PolicySpec::Dialect { .. } => return Err(NotExpressible("a dialect")),
            PolicySpec::External { .. } => return Err(NotExpressible("an external client")),
        };
        Ok(Self { spec: spec.clone(), name })
    }

    /// The construction of a ladder and nothing else: waits that grow, without an end.
    ///
    /// # Errors
    ///
    /// As for [`Construction::of`].
    pub fn ladder(call: &CallSpec) -> Result<Self, NotExpressible> {
        expressible(call)?;
        Ok(Self { spec: PolicySpec::Call(call.clone()), name: "ladder" })
    }

    /// The constructor's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

/// The parameters, as a JSON object. Without a configured delay they have its default.
impl fmt::Display for Construction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.spec, self.spec.option()) {
            (PolicySpec::TwoRegimes(regimes), _) => custom(regimes, f),
            (PolicySpec::Call(spec), _) => call(spec, f),
            (spec, option) => {
                let option = option.unwrap_or(ConfigOption::InitialReconnectDelay);
                let seconds = spec.configured().unwrap_or(crate::Seconds::Text(option.default()));
                write!(f, "{{\"{option}\":{}}}", AnySeconds(seconds))
            }
        }
    }
}

/// The shape of a policy that was read: two regimes on the wire have none, and those with a cadence poll.
#[must_use]
pub const fn shape_of(cadence: Duration) -> Shape {
    if cadence.is_zero() { Shape::Streaming } else { Shape::Polling }
}

fn custom(regimes: &TwoRegimes, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let TwoRegimes { normal, extended, reset, cadence, .. } = *regimes;
    let [first, ceiling] = [normal.0, normal.1].map(Seconds);
    write!(f, "{{\"normal_initial_delay\":{first},\"normal_ceiling_delay\":{ceiling},")?;
    let [first, ceiling] = [extended.0, extended.1].map(Seconds);
    write!(f, "\"extended_initial_delay\":{first},\"extended_ceiling_delay\":{ceiling},\"reset_policy\":")?;
    match reset {
        ResetSpec::HealthyFor(window) => {
            write!(f, "{{\"type\":\"after_healthy_for\",\"seconds\":{}}}", Seconds(window))?;
        }
        ResetSpec::Successes(count) => write!(f, "{{\"type\":\"after_consecutive_successes\",\"count\":{count}}}")?,
    }
    write!(f, ",\"operating_cadence\":{}}}", Seconds(cadence))
}

#[expect(clippy::float_arithmetic, reason = "a parameter in the nearest double, which decides nothing here")]
fn call(spec: &CallSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match spec.attempts {
        Some(attempts) => write!(f, "{{\"attempts\":{attempts}")?,
        None => f.write_str("{\"attempts\":null")?,
    }
    let (base, ratio, ceiling) = doubling(&spec.ladder).map_err(|_| fmt::Error)?;
    let factor = f64::from(ratio.numerator) / f64::from(ratio.denominator);
    let (base, ceiling) = (Seconds(base), Seconds(ceiling));
    write!(f, ",\"base_s\":{base},\"factor\":{factor},\"ceiling_s\":{ceiling},\"jitter\":\"{}\"}}", spec.jitter)
}

/// First rung, ratio and ceiling.
const fn doubling(ladder: &LadderSpec) -> Result<(Duration, Ratio, Duration), NotExpressible> {
    match ladder {
        LadderSpec::Exponential { base, ratio, ceiling } => Ok((*base, *ratio, *ceiling)),
        LadderSpec::Constant(wait) => Ok((*wait, Ratio { numerator: 1, denominator: 1 }, *wait)),
        LadderSpec::Linear { .. } => Err(NotExpressible("a linear ladder")),
        LadderSpec::Fibonacci { .. } => Err(NotExpressible("a fibonacci ladder")),
        LadderSpec::List(_) => Err(NotExpressible("a list of waits")),
    }
}

fn expressible(call: &CallSpec) -> Result<(), NotExpressible> {
    doubling(&call.ladder)?;
    let default = CallSpec::default();
    let more = [
        (call.elapsed != default.elapsed, "a limit of elapsed time"),
        (call.deadline != default.deadline, "a deadline"),
        (call.retry_after != default.retry_after, "a wait that the server asks for"),
        (call.budgets != default.budgets, "a budget"),
        (call.idempotent != default.idempotent, "an operation that is not idempotent"),
    ];
    more.into_iter().find(|(more, _)| *more).map_or(Ok(()), |(_, what)| Err(NotExpressible(what)))
}

/// A policy, or a part of it, that the wire cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotExpressible(&'static str);

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let can = "streaming, polling, and calls with an exponential ladder can";
        write!(f, "{} cannot be said to a subject in another process; {can}", self.0)
    }
}

impl core::error::Error for NotExpressible {}

#[cfg(test)]
mod tests {
    use retrylab_core::Jitter;

    use super::*;
    use crate::policy::Dialect;

    fn written(spec: &PolicySpec) -> String {
        let construction = Construction::of(spec).expect("the wire can express it");
        format!("{} {construction}", construction.name())
    }

    #[test]
    fn every_policy_of_the_wire_has_all_its_parameters() {
        let streaming = |initial_reconnect_delay| written(&PolicySpec::Streaming { initial_reconnect_delay });
        assert_eq!(streaming(None), r#"streaming {"initial_reconnect_delay":1}"#);
        let nan = Some(crate::Seconds::Number(f64::NAN));
        assert_eq!(streaming(nan), r#"streaming {"initial_reconnect_delay":"nan"}"#);
        assert_eq!(written(&PolicySpec::Polling { poll_interval: None }), r#"polling {"poll_interval":30}"#);
        assert_eq!(
            written(&PolicySpec::Call(CallSpec::default())),
            r#"call {"attempts":4,"base_s":0.5,"factor":2,"ceiling_s":30,"jitter":"full"}"#
        );
        let ladder = LadderSpec::Constant(Duration::from_secs(3));
        let flat = CallSpec { ladder, jitter: Jitter::None, ..CallSpec::reconnect() };
        let ladder = Construction::ladder(&flat).expect("the wire can express it");
        assert_eq!(
            (ladder.name(), ladder.to_string().as_str()),
            ("ladder", r#"{"attempts":null,"base_s":3,"factor":1,"ceiling_s":3,"jitter":"none"}"#)
        );
    }

    #[test]
    fn two_regimes_are_written_as_vectors_have_them() {
        let s = Duration::from_secs;
        let timed = TwoRegimes { cadence: s(2), ..TwoRegimes::streaming(s(1)) };
        assert_eq!(
            written(&timed.into()),
            "custom {\"normal_initial_delay\":1,\"normal_ceiling_delay\":30,\"extended_initial_delay\":300,\
             \"extended_ceiling_delay\":3600,\"reset_policy\":{\"type\":\"after_healthy_for\",\"seconds\":60},\
             \"operating_cadence\":2}"
        );
        let text = written(&TwoRegimes::polling(s(30)).into());
        assert!(text.contains(r#"{"type":"after_consecutive_successes","count":2}"#), "{text}");
    }

    #[test]
    fn a_policy_that_the_wire_cannot_express_is_refused_by_name() {
        let call = CallSpec::default;
        let second = Duration::from_secs(1);
        for (spec, what) in [
            (PolicySpec::Reconnect { outage: call(), reset: ResetSpec::Successes(2) }, "a reconnecting client"),
            (PolicySpec::Dialect { dialect: Dialect::RetryHint, seconds: None }, "a dialect"),
            (CallSpec { elapsed: Some(second), ..call() }.into(), "a limit of elapsed time"),
            (CallSpec { deadline: Some(second), ..call() }.into(), "a deadline"),
            (CallSpec { idempotent: false, ..call() }.into(), "an operation that is not idempotent"),
            (CallSpec { ladder: LadderSpec::List(vec![second]), ..call() }.into(), "a list of waits"),
        ] {
            assert_eq!(Construction::of(&spec), Err(NotExpressible(what)));
        }
        assert_eq!(
            NotExpressible("a dialect").to_string(),
            "a dialect cannot be said to a subject in another process; streaming, polling, and calls with an exponential \
             ladder can"
        );
    }
}
