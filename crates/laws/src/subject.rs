//! The subject of the laws: anything that can be played through a timeline.

use core::cell::{Cell, RefCell};
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread::panicking;

use retrylab_core::Policy;
use retrylab_sim::ladder::Unjittered;
use retrylab_sim::{Input, Player, Record, Response, build, play, respond};
use retrylab_spec::{Client, JitterChoice, Timeline};

/// Anything that can be played through a timeline, each time from the start.
///
/// A function that makes a policy is one: `|| MyPolicy::new()`.
pub trait Subject {
    /// Plays a timeline with a client that starts anew.
    ///
    /// # Errors
    ///
    /// If the subject could not be played to the end: it panicked, or its process failed.
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError>;

    /// The responses of a client that starts anew to inputs outside of any timeline. `None` if it takes no input, because it
    /// is a whole loop and not a policy; then laws that compare runs say nothing.
    ///
    /// Each input has one response, in their order; more or fewer are an error.
    fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>>;

    /// Prepares the subject for another play after a fault. By default nothing: each play begins anew.
    ///
    /// # Errors
    ///
    /// If it cannot be played any more.
    fn restart(&self) -> Result<(), SubjectError> {
        Ok(())
    }

    /// Whether it takes inputs outside of a timeline.
    fn can_respond(&self) -> bool {
        true
    }
}

/// Why a subject could not be played to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectError(
    /// The request and what the subject did instead of responding, in words.
    pub String,
);

impl SubjectError {
    /// Runs foreign code. A panic is a fault, with its message and its place. A panic whose payload is a fault is that fault,
    /// for a stage that has no other way to end foreign code.
    ///
    /// Such a panic is not printed as well: a search meets the same one hundreds of times. For that the first call puts a
    /// hook before the process's panic hook, which still sees every other panic.
    ///
    /// # Errors
    ///
    /// If it panics.
    pub fn guard<T>(run: impl FnOnce() -> T) -> Result<T, Self> {
        quieten();
        GUARDS.set(GUARDS.get() + 1);
        let ran = catch_unwind(AssertUnwindSafe(run));
        GUARDS.set(GUARDS.get() - 1);
        ran.map_err(|panic| {
            let place = PLACE.take().map(|place| format!(" ({place})")).unwrap_or_default();
            if let Some(fault) = panic.downcast_ref::<Self>() {
                return fault.clone();
            }
            let said =
                panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Self(format!("it panicked: {}{place}", said.unwrap_or("without a word")))
        })
    }
}

thread_local! {
    /// The number of guards around the code that this thread runs.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
    /// The place of the last guarded panic of this thread.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps guarded panics from being printed.
fn quieten() {
    static ONCE: Once = Once::new();
    // The hook cannot be changed while a panic unwinds.
    if panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if GUARDS.get() == 0 {
                before(panic);
            } else {
                PLACE.set(panic.location().map(|place| format!("{}:{}", place.file(), place.line())));
            }
        }));
    });
}

impl fmt::Display for SubjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SubjectError {}

impl<P: Policy, F: Fn() -> P> Subject for F {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
        SubjectError::guard(|| Player::new(timeline, self(), None, seed).collect())
    }

    fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        Some(SubjectError::guard(|| respond(&mut self(), inputs)))
    }
}

/// The built-in policy of a client.
#[derive(Clone, Debug)]
pub struct Described(
    /// The client, which takes inputs without its jitter if it has none. A policy that only its owner can build is a fault.
    pub Client,
);

impl Subject for Described {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
        SubjectError::guard(|| Ok(play(timeline, seed).map_err(|error| SubjectError(error.to_string()))?.collect()))?
    }

    fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
        let client = self.0.clone().as_played();
        Some(match build(&client.kind) {
            Ok((policy, _)) if client.jitter == JitterChoice::None => {
                SubjectError::guard(|| respond(&mut Unjittered(policy), inputs))
            }
            Ok((mut policy, _)) => SubjectError::guard(|| respond(&mut policy, inputs)),
            Err(error) => Err(SubjectError(error.to_string())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_with_its_words_and_its_place() {
        let line = line!() + 1;
        let fault = SubjectError::guard(|| panic!("no rung {}", 7)).unwrap_err();
        assert_eq!(fault.to_string(), format!("it panicked: no rung 7 ({}:{line})", file!()));
        // What unwinds with a fault of its own has no place.
        let own = SubjectError("it went away".to_owned());
        assert_eq!(SubjectError::guard(|| std::panic::resume_unwind(Box::new(own.clone()))), Err(own));
    }
}
