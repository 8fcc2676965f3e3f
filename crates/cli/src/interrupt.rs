//! Ctrl-C as a question that long work asks now and then.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell makes of a process that SIGINT ended.
const ENDED: i32 = 130;

/// A process has one handler, and it stays.
static LISTENING: AtomicBool = AtomicBool::new(false);
static PRESSED: AtomicBool = AtomicBool::new(false);

/// Whoever holds this is asked to end instead of being ended. Pressed once more, it ends the process at once.
pub(crate) struct Interrupt(());

impl Interrupt {
    /// From now on.
    ///
    /// # Errors
    ///
    /// If the system has no handler to give.
    pub(crate) fn listen() -> Result<Self, ctrlc::Error> {
        if !LISTENING.swap(true, Ordering::SeqCst) {
            ctrlc::set_handler(|| {
                if PRESSED.swap(true, Ordering::SeqCst) {
                    process::exit(ENDED);
                }
            })?;
        }
        Ok(Self(()))
    }

    /// Whether somebody wants the work to end.
    pub(crate) fn is_asked(&self) -> bool {
        PRESSED.load(Ordering::SeqCst)
    }
}
