//! Who is judged: anything that can be played through a timeline.

use core::cell::{Cell, RefCell};
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread::panicking;

use retrylab_core::Policy;
use retrylab_scenario::{Client, JitterChoice, Timeline};
use retrylab_sim::ladder::Unjittered;
use retrylab_sim::{Player, Record, build, play};

use crate::told::{Answered, Told, tell};

/// Anything that can be played through a timeline, each time from the start.
///
/// A function that makes a policy is one: `|| MyPolicy::new()`.
pub trait Subject {
    /// Plays a timeline with a client that starts anew.
    ///
    /// # Errors
    ///
    /// If the subject could not be played to the end: it panicked, or its process failed.
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, Fault>;

    /// Tells a client that starts anew a history outside of any timeline. `None` if nobody can tell it anything, because it
    /// is a whole loop and not a policy; then laws that compare histories say nothing.
    ///
    /// There has to be one answer to each thing that is told, in its order; more or fewer are a fault.
    fn tell(&self, history: &[Told]) -> Option<Result<Vec<Answered>, Fault>>;

    /// After a fault: does what it takes to play it again. Nothing, where each play begins with nothing of the last one.
    ///
    /// # Errors
    ///
    /// If it cannot be played any more.
    fn restart(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether it can be told a history.
    fn can_be_told(&self) -> bool {
        true
    }
}

/// Why a subject could not be played to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(
    /// In words: what it was asked, and what it did instead of answering.
    pub String,
);

impl Fault {
    /// Runs what somebody else wrote: what it panics with is a fault, in its words and with its place. What unwinds with a
    /// fault is that fault, for a stage that has no other way to end what somebody else wrote.
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
    /// How many guards are around what this thread runs.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
    /// Where the last guarded panic of this thread came from.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps guarded panics from being printed.
fn quieten() {
    static ONCE: Once = Once::new();
    // The hook cannot be changed by what runs while a panic unwinds.
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl<P: Policy, F: Fn() -> P> Subject for F {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, Fault> {
        Fault::guard(|| Player::new(timeline, self(), None, seed).collect())
    }

    fn tell(&self, history: &[Told]) -> Option<Result<Vec<Answered>, Fault>> {
        Some(Fault::guard(|| tell(&mut self(), history)))
    }
}

/// The built-in policy of a client.
#[derive(Clone, Debug)]
pub struct Described(
    /// The client, which is told histories without its jitter if it has none. What only its owner can build is a fault.
    pub Client,
);

impl Subject for Described {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, Fault> {
        // With statuses and log lines, of which there are laws, too.
        Fault::guard(|| Ok(play(timeline, seed).map_err(|error| Fault(error.to_string()))?.full().collect()))?
    }

    fn tell(&self, history: &[Told]) -> Option<Result<Vec<Answered>, Fault>> {
        let client = self.0.clone().as_played();
        Some(match build(&client.kind) {
            Ok((policy, _)) if client.jitter == JitterChoice::None => {
                Fault::guard(|| tell(&mut Unjittered(policy), history))
            }
            Ok((mut policy, _)) => Fault::guard(|| tell(&mut policy, history)),
            Err(error) => Err(Fault(error.to_string())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_with_its_words_and_its_place() {
        let line = line!() + 1;
        let fault = Fault::guard(|| panic!("no rung {}", 7)).unwrap_err();
        assert_eq!(fault.to_string(), format!("it panicked: no rung 7 ({}:{line})", file!()));
        // What unwinds with a fault of its own has no place.
        let own = Fault("it went away".to_owned());
        assert_eq!(Fault::guard(|| std::panic::resume_unwind(Box::new(own.clone()))), Err(own));
    }
}
