//! Checks of the client.

use core::time::Duration;

use retrylab_core::{LadderError, MAX_LIST_RUNGS, ServerDelay};

use super::{Check, not_blank};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, PolicySpec, ResetSpec, Seconds, Shape, TwoRegimes};
use crate::problem::{Problem, join};

impl Check<'_> {
    pub(super) fn client(&mut self) {
        let draft = self.draft;
        self.kind("client", &draft.client.kind);
    }

    /// `at`: the key of the table.
    fn kind(&mut self, at: &str, kind: &PolicySpec) {
        match kind {
            PolicySpec::Streaming { .. } | PolicySpec::Polling { .. } | PolicySpec::Dialect { .. } => {
                // Numbers are not checked: that is what the constructors do.
                if let (Some(option), Some(Seconds::Text(span))) = (kind.option(), kind.configured()) {
                    self.fits(join(at, option.name()), span);
                }
            }
            PolicySpec::TwoRegimes(regimes) => self.regimes(at, regimes),
            PolicySpec::Call(call) => self.call(at, call),
            PolicySpec::Reconnect { outage, reset } => {
                self.call(at, outage);
                if let ResetSpec::HealthyFor(window) = reset {
                    self.fits(join(at, "reset.healthy_for"), *window);
                }
                if !outage.idempotent {
                    self.report(Problem::new(join(at, "idempotent"), "a stream is read, and reading is idempotent"));
                }
            }
            PolicySpec::External { name, played_as, claims } => {
                let problem = not_blank("client.name", name, "the owner's name of the policy");
                self.problems.extend(problem);
                let Some(claims) = claims else { return };
                let at = join(at, "claims");
                match &**claims {
                    PolicySpec::External { .. } | PolicySpec::Dialect { .. } => {
                        let message = format!("`{}` is not a valid claim", claims.name());
                        self.report(Problem::new(at, message));
                    }
                    claims if claims.shape() != *played_as => {
                        let (kind, shape) = (claims.name(), played_as.name());
                        let message = format!("`{kind}` is not a valid claim of a `{shape}` client");
                        self.report(Problem::new(join(&at, "kind"), message));
                    }
                    claims => self.kind(&at, claims),
                }
            }
        }
    }

    fn regimes(&mut self, at: &str, regimes: &TwoRegimes) {
        let TwoRegimes { shape, normal, extended, reset, cadence } = regimes;
        for (key, span) in [
            ("normal.initial", normal.0),
            ("normal.ceiling", normal.1),
            ("extended.initial", extended.0),
            ("extended.ceiling", extended.1),
            ("cadence", *cadence),
        ] {
            self.fits(join(at, key), span);
        }
        if let ResetSpec::HealthyFor(window) = reset {
            self.fits(join(at, "reset.healthy_for"), *window);
        }
        if *shape == Shape::Call {
            let problem = Problem::new(join(at, "kind"), "a call has one regime");
            self.report(problem.help("two are for streams and pollers"));
        }
    }

    fn call(&mut self, at: &str, call: &CallSpec) {
        let mut fits = |key: &str, span: Duration| self.fits(join(at, key), span);
        match &call.ladder {
            LadderSpec::Exponential { base, ceiling, .. } => {
                fits("ladder.exponential", *base);
                fits("ladder.ceiling", *ceiling);
            }
            LadderSpec::Constant(delay) => fits("ladder.constant", *delay),
            LadderSpec::Linear { base, step, ceiling } => {
                fits("ladder.linear", *base);
                fits("ladder.step", *step);
                fits("ladder.ceiling", *ceiling);
            }
            LadderSpec::Fibonacci { base, ceiling } => {
                fits("ladder.fibonacci", *base);
                fits("ladder.ceiling", *ceiling);
            }
            LadderSpec::List(rungs) => {
                for (index, rung) in rungs.iter().enumerate() {
                    fits(&format!("ladder.list[{index}]"), *rung);
                }
            }
        }
        if let Some(elapsed) = call.elapsed {
            fits("elapsed", elapsed);
        }
        if let Some(deadline) = call.deadline {
            fits("deadline", deadline);
        }
        if let ServerDelay::Honour { most, spread, .. } = call.retry_after {
            fits("retry_after.most", most);
            fits("retry_after.spread", spread);
        }
        if let Err(error) = call.ladder.ladder() {
            let key = if matches!(error, LadderError::Ratio { .. }) { "ladder.ratio" } else { "ladder.list" };
            let message = match error {
                // A file has no other kind of list that could be longer.
                LadderError::LongList { given } => {
                    format!("the list has {given} rungs; at most {MAX_LIST_RUNGS} are allowed")
                }
                other => other.to_string(),
            };
            self.report(Problem::new(join(at, key), message));
        }
        for (index, budget) in call.budgets.iter().enumerate() {
            self.budget(&join(at, &format!("budget[{index}]")), budget);
        }
    }

    fn budget(&mut self, path: &str, budget: &BudgetSpec) {
        let free = match budget {
            BudgetSpec::Tokens { cost, timeout_cost, .. } => *cost == 0 || *timeout_cost == 0,
            BudgetSpec::Ratio { ratio, .. } => ratio.denominator == 0,
        };
        if free {
            self.report(Problem::new(path, "a retry must cost at least 1"));
        }
        if matches!(budget, BudgetSpec::Tokens { tokens: 0, .. }) {
            self.report(
                Problem::new(join(path, "tokens"), "an empty bucket pays for no retry")
                    .help("at least 1, or `attempts = 1` for no retry"),
            );
        }
    }
}
