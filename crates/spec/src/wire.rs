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

use retrylab_core::{Beyond, ConfigOption, Least, ServerDelay};

use crate::decimal::{AnySeconds, Seconds};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, PolicySpec, ResetSpec, Shape, TwoRegimes};

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
    /// If vectors cannot express it: other policies, and calls with more than an exponential or constant ladder, jitter and
    /// a limit of attempts. A claim may be more: [`Construction::claimed`].
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
    #[must_use]
    pub fn ladder(call: &CallSpec) -> Self {
        Self { spec: PolicySpec::Call(call.clone()), name: "ladder" }
    }

    /// The construction of a subject's claim, which may be anything that a file can describe: a stream, a poller, calls with
    /// any ladder, limits and budgets, and a reconnecting loop.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_spec::{CallSpec, ResetSpec, PolicySpec, wire};
    ///
    /// let outage = CallSpec { elapsed: Some(Duration::from_secs(90)), ..CallSpec::reconnect() };
    /// let construction = wire::Construction::claimed(&PolicySpec::Reconnect { outage, reset: ResetSpec::Successes(2) })?;
    /// assert_eq!(
    ///     format!("{} {construction}", construction.name()),
    ///     "reconnect {\"attempts\":null,\"base_s\":0.5,\"factor\":2,\"ceiling_s\":30,\"jitter\":\"full\",\"elapsed_s\":90,\
    ///      \"reset_policy\":{\"type\":\"after_consecutive_successes\",\"count\":2}}"
    /// );
    /// # Ok::<(), wire::NotExpressible>(())
    /// ```
    ///
    /// # Errors
    ///
    /// For a dialect or an external client.
    pub fn claimed(spec: &PolicySpec) -> Result<Self, NotExpressible> {
        let name = match spec {
            PolicySpec::Call(_) => "call",
            PolicySpec::Reconnect { .. } => "reconnect",
            _ => return Self::of(spec),
        };
        Ok(Self { spec: spec.clone(), name })
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
            (PolicySpec::Call(spec), _) => call(spec, None, f),
            (PolicySpec::Reconnect { outage, reset }, _) => call(outage, Some(*reset), f),
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
    reset_policy(reset, f)?;
    write!(f, ",\"operating_cadence\":{}}}", Seconds(cadence))
}

fn reset_policy(reset: ResetSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match reset {
        ResetSpec::HealthyFor(window) => {
            write!(f, "{{\"type\":\"after_healthy_for\",\"seconds\":{}}}", Seconds(window))
        }
        ResetSpec::Successes(count) => write!(f, "{{\"type\":\"after_consecutive_successes\",\"count\":{count}}}"),
    }
}

/// A limit that there is none of is left out.
fn call(spec: &CallSpec, reset: Option<ResetSpec>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match spec.attempts {
        Some(attempts) => write!(f, "{{\"attempts\":{attempts}")?,
        None => f.write_str("{\"attempts\":null")?,
    }
    ladder(&spec.ladder, f)?;
    write!(f, ",\"jitter\":\"{}\"", spec.jitter)?;
    for (name, limit) in [("elapsed_s", spec.elapsed), ("deadline_s", spec.deadline)] {
        if let Some(limit) = limit {
            write!(f, ",\"{name}\":{}", Seconds(limit))?;
        }
    }
    if let ServerDelay::Honour { most, beyond, spread, least } = spec.retry_after {
        let beyond = if beyond == Beyond::Clamp { "clamp" } else { "refuse" };
        let least = if least == Least::Rung { "rung" } else { "zero" };
        let [most, spread] = [most, spread].map(Seconds);
        write!(
            f,
            ",\"retry_after\":{{\"most_s\":{most},\"beyond\":\"{beyond}\",\"spread_s\":{spread},\"least\":\"{least}\"}}"
        )?;
    }
    for (nth, one) in spec.budgets.iter().enumerate() {
        f.write_str(if nth == 0 { ",\"budgets\":[" } else { "," })?;
        budget(one, f)?;
    }
    if !spec.budgets.is_empty() {
        f.write_str("]")?;
    }
    if !spec.idempotent {
        f.write_str(",\"idempotent\":false")?;
    }
    if let Some(reset) = reset {
        f.write_str(",\"reset_policy\":")?;
        reset_policy(reset, f)?;
    }
    f.write_str("}")
}

#[expect(clippy::float_arithmetic, reason = "a parameter in the nearest double, which decides nothing here")]
fn ladder(ladder: &LadderSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match ladder {
        LadderSpec::Exponential { base, ratio, ceiling } => {
            let factor = f64::from(ratio.numerator) / f64::from(ratio.denominator);
            write!(f, ",\"base_s\":{},\"factor\":{factor},\"ceiling_s\":{}", Seconds(*base), Seconds(*ceiling))
        }
        LadderSpec::Constant(wait) => {
            write!(f, ",\"base_s\":{wait},\"factor\":1,\"ceiling_s\":{wait}", wait = Seconds(*wait))
        }
        LadderSpec::Linear { base, step, ceiling } => {
            let [base, step, ceiling] = [*base, *step, *ceiling].map(Seconds);
            write!(f, ",\"ladder\":\"linear\",\"base_s\":{base},\"step_s\":{step},\"ceiling_s\":{ceiling}")
        }
        LadderSpec::Fibonacci { base, ceiling } => {
            let [base, ceiling] = [*base, *ceiling].map(Seconds);
            write!(f, ",\"ladder\":\"fibonacci\",\"base_s\":{base},\"ceiling_s\":{ceiling}")
        }
        LadderSpec::List(waits) => {
            f.write_str(",\"ladder\":\"list\",\"waits_s\":[")?;
            for (nth, wait) in waits.iter().enumerate() {
                write!(f, "{}{}", if nth == 0 { "" } else { "," }, Seconds(*wait))?;
            }
            f.write_str("]")
        }
    }
}

fn budget(budget: &BudgetSpec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match budget {
        BudgetSpec::Tokens { tokens, cost, timeout_cost, refill } => {
            write!(f, "{{\"tokens\":{tokens},\"cost\":{cost},\"timeout_cost\":{timeout_cost},\"refill\":{refill}}}")
        }
        BudgetSpec::Ratio { ratio, reserve } => write!(f, "{{\"ratio\":\"{ratio}\",\"reserve\":{reserve}}}"),
    }
}

fn expressible(call: &CallSpec) -> Result<(), NotExpressible> {
    match &call.ladder {
        LadderSpec::Exponential { .. } | LadderSpec::Constant(_) => {}
        LadderSpec::Linear { .. } => return Err(NotExpressible("a linear ladder")),
        LadderSpec::Fibonacci { .. } => return Err(NotExpressible("a fibonacci ladder")),
        LadderSpec::List(_) => return Err(NotExpressible("a list of waits")),
    }
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
        let ladder = Construction::ladder(&flat);
        assert_eq!(
            (ladder.name(), ladder.to_string().as_str()),
            ("ladder", r#"{"attempts":null,"base_s":3,"factor":1,"ceiling_s":3,"jitter":"none"}"#)
        );
    }

    #[test]
    fn a_claim_has_every_limit_that_it_makes() {
        let s = Duration::from_secs;
        let claimed = |call: CallSpec| Construction::claimed(&call.into()).expect("any call").to_string();
        let tokens = BudgetSpec::Tokens { tokens: 20, cost: 5, timeout_cost: 10, refill: 1 };
        let ratio = BudgetSpec::Ratio { ratio: crate::Ratio { numerator: 1, denominator: 10 }, reserve: 3 };
        let call = CallSpec {
            ladder: LadderSpec::Linear { base: s(1), step: s(2), ceiling: s(30) },
            deadline: Some(s(60)),
            retry_after: ServerDelay::refuse(s(10)).spread(s(1)),
            budgets: vec![tokens, ratio],
            idempotent: false,
            ..CallSpec::default()
        };
        assert_eq!(
            claimed(call),
            "{\"attempts\":4,\"ladder\":\"linear\",\"base_s\":1,\"step_s\":2,\"ceiling_s\":30,\"jitter\":\"full\",\
             \"deadline_s\":60,\"retry_after\":{\"most_s\":10,\"beyond\":\"refuse\",\"spread_s\":1,\"least\":\"rung\"},\
             \"budgets\":[{\"tokens\":20,\"cost\":5,\"timeout_cost\":10,\"refill\":1},{\"ratio\":\"1/10\",\"reserve\":3}],\
             \"idempotent\":false}"
        );
        let list = CallSpec { ladder: LadderSpec::List(vec![s(1), s(5)]), ..CallSpec::default() };
        assert_eq!(claimed(list), r#"{"attempts":4,"ladder":"list","waits_s":[1,5],"jitter":"full"}"#);
        let fibonacci = CallSpec { ladder: LadderSpec::Fibonacci { base: s(1), ceiling: s(9) }, ..CallSpec::default() };
        assert!(claimed(fibonacci).contains(r#""ladder":"fibonacci","base_s":1,"ceiling_s":9"#));
        assert!(Construction::claimed(&PolicySpec::external("x", Shape::Call)).is_err());
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
