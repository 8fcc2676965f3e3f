//! A claim in words and figures.

use core::fmt;
use core::time::Duration;

use retrylab_core::Regime;
use retrylab_spec::duration::{self, Text};
use retrylab_spec::{PolicySpec, Shape, words};

use crate::claim::{Claim, Drawing};

/// One line.
///
/// ```
/// use core::time::Duration;
/// use retrylab_laws::Claim;
/// use retrylab_spec::CallSpec;
///
/// assert_eq!(
///     Claim::call(&CallSpec::default()).to_string(),
///     "call, 4 attempts, 500ms doubling to 30s, full jitter; ignores retry_after"
/// );
/// assert_eq!(
///     Claim::polling(Duration::from_secs(30)).to_string(),
///     "polling, 30s at every rung, extended 5m doubling to 1h, jitter subtracts up to half, never below 30s, reset after 2 \
///      successes in a row; ignores retry_after"
/// );
/// ```
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.shape();
        let kind = match self.spec() {
            PolicySpec::Call(_) if self.is_endless() => "ladder",
            // A dialect claims what its original does.
            PolicySpec::External { .. } | PolicySpec::Dialect { .. } => shape.name(),
            spec => spec.name(),
        };
        f.write_str(kind)?;
        let bases = [Regime::Normal, Regime::Extended].map(|regime| self.bases(regime));
        if bases[0].is_none() && self.limits().is_none() {
            return f.write_str(", and nothing more than what holds for all of them");
        }
        if let Some(call) = self.limits() {
            words::limits(call).iter().try_for_each(|limit| write!(f, ", {limit}"))?;
        } else if self.is_endless() && shape == Shape::Call {
            f.write_str(" without an end")?;
        }
        for (bases, regime) in bases.into_iter().zip(["", "extended "]) {
            if let Some(bases) = bases {
                let flat = (bases.base(1) == bases.ceiling).then_some(bases.ceiling);
                let flat = flat.map(|wait| format!("{} at every rung", duration::print(Duration::from_nanos(wait))));
                write!(f, ", {regime}{}", flat.unwrap_or_else(|| words::ladder(&bases.ladder)))?;
            }
        }
        if let Some(jitter) = self.jitter() {
            let own = if self.drawing() == Drawing::Own { " from draws of its own" } else { "" };
            write!(f, ", {}{own}", words::jitter(jitter))?;
        }
        if let Some(cadence) = self.cadence().filter(|cadence| !cadence.is_zero()) {
            write!(f, ", never below {}", Text(cadence))?;
        }
        if let Some(reset) = self.spec().reset().filter(|_| shape != Shape::Call) {
            write!(f, ", {}", words::reset(reset))?;
        }
        for budget in self.budgets() {
            write!(f, "; {}", words::budget(budget))?;
        }
        if let Some(treatment) = self.retry_after() {
            write!(f, "; {}", words::retry_after(treatment))?;
        }
        if self.tolerance_ns() > 1 {
            write!(f, "; waits off by up to {}", duration::print(Duration::from_nanos(self.tolerance_ns())))?;
        }
        Ok(())
    }
}
