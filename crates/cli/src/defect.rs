//! The last line of defence: a panic becomes a short message and an exit status of its own.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

/// A defect of the command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("defect: {panic}\nthis is a bug in retrylab; please report the command line and the lines above")]
pub struct Defect {
    /// The message of the panic, and its place.
    pub panic: String,
}

/// Runs `work` and turns a panic into a [`Defect`].
///
/// It replaces the panic hook of the process during the call, so it belongs in `main`, once.
///
/// # Errors
///
/// If `work` panics.
///
/// ```
/// use retrylab_cli::guard;
///
/// assert_eq!(guard(|| 1 + 1), Ok(2));
/// let defect = guard(|| -> u32 { panic!("the ladder has no rungs") }).unwrap_err();
/// assert!(defect.to_string().starts_with("defect: the ladder has no rungs ("));
/// ```
pub fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Defect> {
    let said = Arc::new(Mutex::new(String::from("no message")));
    let heard = Arc::clone(&said);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = format!("{message}{place}");
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(before);
    done.map_err(|_| Defect { panic: said.lock().unwrap_or_else(PoisonError::into_inner).clone() })
}
