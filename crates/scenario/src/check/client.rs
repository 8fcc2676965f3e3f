//! Who is played.

use core::time::Duration;

use retrylab_core::{LadderError, MAX_LIST_RUNGS, ServerDelay};

use super::{Check, not_blank};
use crate::model::{ClientKind, Seconds, Shape};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, ResetSpec};
use crate::problem::{Problem, join};

impl Check<'_> {
    pub(super) fn client(&mut self) {
        match &self.draft.client.kind {
            ClientKind::Streaming { initial_reconnect_delay } => {
                self.seconds("client.initial_reconnect_delay", *initial_reconnect_delay);
            }
            ClientKind::Polling { poll_interval } => self.seconds("client.poll_interval", *poll_interval),
            ClientKind::Dialect { dialect, seconds } => {
                let key = match dialect.shape() {
                    Shape::Polling => "client.poll_interval",
                    Shape::Streaming | Shape::Call => "client.initial_reconnect_delay",
                };
                self.seconds(key, *seconds);
            }
            ClientKind::Call(call) => self.call(call),
            ClientKind::Reconnect { outage, reset } => {
                self.call(outage);
                if let ResetSpec::HealthyFor(window) = reset {
                    self.fits("client.reset.healthy_for", *window);
                }
                if !outage.idempotent {
                    self.report(Problem::new("client.idempotent", "a stream is read, and reading is idempotent"));
                }
            }
            ClientKind::External { name, .. } => {
                let problem = not_blank("client.name", name, "the name by which its owner finds the policy");
                self.problems.extend(problem);
            }
        }
    }

    fn call(&mut self, call: &CallSpec) {
        let mut fits = |key: &str, span: Duration| self.fits(format!("client.{key}"), span);
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
        if let ServerDelay::Clamp { most, spread } | ServerDelay::Refuse { most, spread } = call.retry_after {
            fits("retry_after.most", most);
            fits("retry_after.spread", spread);
        }
        if let Err(error) = call.ladder.ladder() {
            let key =
                if matches!(error, LadderError::Ratio { .. }) { "client.ladder.ratio" } else { "client.ladder.list" };
            let message = match error {
                // A file has no other kind of list that could be longer.
                LadderError::LongList { given } => {
                    format!("the list has {given} rungs; at most {MAX_LIST_RUNGS} are allowed")
                }
                other => other.to_string(),
            };
            self.report(Problem::new(key, message));
        }
        for (index, budget) in call.budgets.iter().enumerate() {
            self.budget(&format!("client.budget[{index}]"), budget);
        }
    }

    fn budget(&mut self, path: &str, budget: &BudgetSpec) {
        let free = match budget {
            BudgetSpec::Tokens { cost, timeout_cost, .. } => *cost == 0 || *timeout_cost == 0,
            BudgetSpec::Ratio { ratio, .. } => ratio.denominator == 0,
        };
        if free {
            self.report(Problem::new(path, "a retry that costs nothing is no budget"));
        }
        if matches!(budget, BudgetSpec::Tokens { tokens: 0, .. }) {
            self.report(
                Problem::new(join(path, "tokens"), "a bucket that holds nothing pays for nothing")
                    .help("at least 1, or `attempts = 1` for no retry"),
            );
        }
    }

    /// Numbers are not checked: that is what the constructors do.
    fn seconds(&mut self, path: &str, seconds: Option<Seconds>) {
        if let Some(Seconds::Text(span)) = seconds {
            self.fits(path, span);
        }
    }
}
