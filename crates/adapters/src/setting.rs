//! A setting, in the terms of the libraries.

use core::time::Duration;

use retrylab_core::{Exponential, Jitter};

/// The longest ceiling and time limit of a setting: 100 years, where the arithmetic of every library is still correct.
pub const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Refuses a setting that no library can have.
pub(crate) fn usable(setting: &Exponential) -> Result<(), String> {
    let options = setting.options();
    if setting.base().is_zero() {
        return Err("a base of 0s: it must be more than 0s".to_owned());
    }
    if options.attempts == 0 {
        return Err("0 attempts: at least 1 is allowed".to_owned());
    }
    for (field, given) in [("ceiling", setting.ceiling()), ("limit", options.elapsed.unwrap_or_default())] {
        if given > LONGEST {
            return Err(format!("a {field} of {given:?}: at most {LONGEST:?} (100 years) is allowed"));
        }
    }
    Ok(())
}

/// Conversions that several libraries use.
#[allow(dead_code, reason = "which of these are used depends on the features")]
pub(crate) trait Setting {
    /// The maximum number of attempts of a call, the first one included.
    fn most_attempts(&self) -> Option<u32>;

    /// The maximum number of retries of a call.
    fn retries(&self) -> Option<u32> {
        self.most_attempts().map(|attempts| attempts.saturating_sub(1))
    }

    /// Whether waits have the library's default jitter.
    fn has_jitter(&self) -> bool;

    /// The factor from one wait to the next; at least 1.
    fn factor(&self) -> f64;

    /// The factor for a library with integer factors.
    fn whole_factor(&self) -> Result<u32, String>;

    /// The base for a library that counts milliseconds.
    fn whole_millis(&self) -> Result<u64, String>;

    /// Refuses a time limit, for a library without one, or with one on a clock that cannot be replaced.
    fn no_elapsed(&self, why: &str) -> Result<(), String>;
}

impl Setting for Exponential {
    fn most_attempts(&self) -> Option<u32> {
        Some(self.options().attempts).filter(|&attempts| attempts != u32::MAX)
    }

    fn has_jitter(&self) -> bool {
        self.options().jitter != Jitter::None
    }

    #[expect(clippy::float_arithmetic, reason = "libraries take the factor as a float")]
    fn factor(&self) -> f64 {
        let (numerator, denominator) = self.ratio();
        f64::from(numerator) / f64::from(denominator)
    }

    fn whole_factor(&self) -> Result<u32, String> {
        let (numerator, denominator) = self.ratio();
        if numerator % denominator != 0 {
            return Err(format!("a factor of {}: it takes whole numbers up to {}", self.factor(), u32::MAX));
        }
        Ok(numerator / denominator)
    }

    fn whole_millis(&self) -> Result<u64, String> {
        let millis = u64::try_from(self.base().as_millis()).unwrap_or(u64::MAX);
        if Duration::from_millis(millis) != self.base() {
            return Err(format!("a base of {:?}: it takes whole milliseconds", self.base()));
        }
        Ok(millis)
    }

    fn no_elapsed(&self, why: &str) -> Result<(), String> {
        match self.options().elapsed {
            None => Ok(()),
            Some(elapsed) => Err(format!("a limit of {elapsed:?} on the time of a call: {why}")),
        }
    }
}
