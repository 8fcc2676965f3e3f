//! Bounded calls by the shape of their waits: one builder per shape, over [`CallRules`].

use core::time::Duration;

use crate::backoff::Backoff;
use crate::call::{CallRules, CallRulesError};
use crate::{Jitter, Ladder, ServerDelay};

/// The options of a builder of calls besides the shape of its waits.
///
/// ```
/// use core::time::Duration;
/// use retrylab_core::{Constant, Jitter};
///
/// let options = Constant::new(Duration::from_secs(1)).attempts(3).options();
/// assert_eq!((options.attempts, options.jitter), (3, Jitter::Full));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CallOptions {
    /// The jitter; [`Jitter::Full`] by default.
    pub jitter: Jitter,
    /// The maximum number of attempts, the first one included; 4 by default. `u32::MAX` is no limit, and 0 is refused.
    pub attempts: u32,
    /// The maximum time from the first failure to the end of the last wait; no limit by default.
    pub elapsed: Option<Duration>,
    /// The treatment of a server's `retry_after`; ignored by default.
    pub retry_after: ServerDelay,
}

const DEFAULT: CallOptions =
    CallOptions { jitter: Jitter::Full, attempts: 4, elapsed: None, retry_after: ServerDelay::Ignore };

/// Declares a builder: a shape of waits, by the fields that describe it, with the options of a call.
macro_rules! shape {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* } |$this:ident| $ladder:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[must_use]
        pub struct $name {
            $($field: $type,)*
            options: CallOptions,
        }

        impl $name {
            $(
                $(#[$field_doc])*
                #[must_use]
                pub const fn $field(&self) -> $type {
                    self.$field
                }
            )*

            /// Sets the maximum number of attempts, the first one included: 4 by default, `u32::MAX` is no limit. With
            /// 0 the call is refused before its first attempt.
            pub const fn attempts(mut self, attempts: u32) -> Self {
                self.options.attempts = attempts;
                self
            }

            /// Sets the jitter; [`Jitter::Full`] by default.
            pub const fn jitter(mut self, jitter: Jitter) -> Self {
                self.options.jitter = jitter;
                self
            }

            /// Turns jitter off: exact waits, for a test or a claim.
            pub const fn without_jitter(self) -> Self {
                self.jitter(Jitter::None)
            }

            /// Sets the maximum time from the first failure of a call to the end of its last wait; no limit by default.
            pub const fn elapsed(mut self, elapsed: Duration) -> Self {
                self.options.elapsed = Some(elapsed);
                self
            }

            /// Sets the treatment of a server's `retry_after`; ignored by default.
            pub const fn retry_after(mut self, retry_after: ServerDelay) -> Self {
                self.options.retry_after = retry_after;
                self
            }

            /// The options, without the shape.
            #[must_use]
            pub const fn options(&self) -> CallOptions {
                self.options
            }

            /// Builds the rules.
            ///
            /// # Errors
            ///
            /// If no attempt is allowed.
            pub const fn rules(self) -> Result<CallRules, CallRulesError> {
                let $this = self;
                let CallOptions { jitter, attempts, elapsed, retry_after } = self.options;
                let builder = CallRules::builder()
                    .backoff(Backoff::new($ladder, jitter))
                    .attempts(attempts)
                    .server_delay(retry_after);
                match elapsed {
                    Some(elapsed) => builder.elapsed(elapsed).build(),
                    None => builder.build(),
                }
            }
        }

        impl TryFrom<$name> for CallRules {
            type Error = CallRulesError;

            fn try_from(calls: $name) -> Result<Self, CallRulesError> {
                calls.rules()
            }
        }
    };
}

shape! {
    /// Calls whose waits grow by a factor, from a base to a ceiling. Four attempts with full jitter by default.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::{CallRules, Exponential};
    ///
    /// let s = Duration::from_secs;
    /// const RULES: Exponential = Exponential::new(Duration::from_secs(2), Duration::from_secs(30)).attempts(6);
    /// let rules: CallRules = RULES.try_into()?;
    /// assert_eq!(rules.attempts(), Some(6));
    /// let rungs = [1, 2, 3, 4, 5].map(|number| rules.backoff().ladder().rung(number));
    /// assert_eq!(rungs, [s(2), s(4), s(8), s(16), s(30)]);
    ///
    /// assert_eq!(RULES.attempts(0).rules().unwrap_err().to_string(), "attempts is 0; at least 1 is allowed");
    /// # Ok::<(), retrylab_core::CallRulesError>(())
    /// ```
    Exponential {
        /// The first wait, before jitter.
        base: Duration,
        /// The longest wait, before jitter; never below the base.
        ceiling: Duration,
        /// The factor from one wait to the next: numerator and denominator.
        ratio: (u32, u32),
    }
    |this| match Ladder::exponential(this.base, this.ratio.0, this.ratio.1, this.ceiling) {
        Ok(ladder) => ladder,
        // The ratio is at least 1.
        Err(_) => Ladder::doubling(this.base, this.ceiling),
    }
}

impl Exponential {
    /// Waits that double from `base` to `ceiling`. A ceiling below the base is raised to it.
    pub const fn new(base: Duration, ceiling: Duration) -> Self {
        Self { base, ceiling: at_least(ceiling, base), ratio: (2, 1), options: DEFAULT }
    }

    /// Sets the factor to `numerator / denominator` instead of 2, such as 3 and 2 for half as much again. A ratio below
    /// 1 counts as 1.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::Exponential;
    ///
    /// let rules = Exponential::new(Duration::from_secs(4), Duration::from_secs(60)).growing_by(3, 2).rules()?;
    /// let rungs = [1, 2, 3].map(|number| rules.backoff().ladder().rung(number).as_secs());
    /// assert_eq!(rungs, [4, 6, 9]);
    /// # Ok::<(), retrylab_core::CallRulesError>(())
    /// ```
    pub const fn growing_by(mut self, numerator: u32, denominator: u32) -> Self {
        self.ratio = if denominator == 0 || numerator < denominator { (1, 1) } else { (numerator, denominator) };
        self
    }
}

shape! {
    /// Calls with equal waits. Four attempts with full jitter by default.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::Constant;
    ///
    /// let rules = Constant::new(Duration::from_secs(5)).attempts(3).rules()?;
    /// assert_eq!(rules.backoff().ladder().rung(2), Duration::from_secs(5));
    /// # Ok::<(), retrylab_core::CallRulesError>(())
    /// ```
    Constant {
        /// Each wait, before jitter.
        delay: Duration,
    }
    |this| Ladder::constant(this.delay)
}

impl Constant {
    /// Waits of `delay`.
    pub const fn new(delay: Duration) -> Self {
        Self { delay, options: DEFAULT }
    }
}

shape! {
    /// Calls whose waits grow by the same step each time. Four attempts with full jitter by default.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::Linear;
    ///
    /// let s = Duration::from_secs;
    /// let rules = Linear::new(s(1), s(2), s(30)).rules()?;
    /// assert_eq!([1, 2, 3].map(|number| rules.backoff().ladder().rung(number)), [s(1), s(3), s(5)]);
    /// # Ok::<(), retrylab_core::CallRulesError>(())
    /// ```
    Linear {
        /// The first wait, before jitter.
        base: Duration,
        /// The increment of each wait.
        step: Duration,
        /// The longest wait, before jitter; never below the base.
        ceiling: Duration,
    }
    |this| Ladder::linear(this.base, this.step, this.ceiling)
}

impl Linear {
    /// Waits from `base` up to `ceiling`, each `step` longer. A ceiling below the base is raised to it.
    pub const fn new(base: Duration, step: Duration, ceiling: Duration) -> Self {
        Self { base, step, ceiling: at_least(ceiling, base), options: DEFAULT }
    }
}

shape! {
    /// Calls with waits that are the sums of the two before: the base times 1, 1, 2, 3, 5, …. Four attempts with full
    /// jitter by default.
    ///
    /// ```
    /// use core::time::Duration;
    /// use retrylab_core::Fibonacci;
    ///
    /// let s = Duration::from_secs;
    /// let rules = Fibonacci::new(s(2), s(30)).rules()?;
    /// assert_eq!([1, 2, 3, 4].map(|number| rules.backoff().ladder().rung(number)), [s(2), s(2), s(4), s(6)]);
    /// # Ok::<(), retrylab_core::CallRulesError>(())
    /// ```
    Fibonacci {
        /// The first wait, before jitter.
        base: Duration,
        /// The longest wait, before jitter; never below the base.
        ceiling: Duration,
    }
    |this| Ladder::fibonacci(this.base, this.ceiling)
}

impl Fibonacci {
    /// Waits from `base` up to `ceiling`. A ceiling below the base is raised to it.
    pub const fn new(base: Duration, ceiling: Duration) -> Self {
        Self { base, ceiling: at_least(ceiling, base), options: DEFAULT }
    }
}

const fn at_least(span: Duration, least: Duration) -> Duration {
    if span.as_nanos() < least.as_nanos() { least } else { span }
}
