//! Ctrl-C as a flag that long work checks.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// The shell's status for a process that SIGINT ended.
const ENDED: i32 = 130;

/// A process has one handler, for good.
static LISTENING: AtomicBool = AtomicBool::new(false);
static PRESSED: AtomicBool = AtomicBool::new(false);

/// While this exists, Ctrl-C sets a flag instead of ending the process. A second Ctrl-C ends it at once.
pub(crate) struct Interrupt(());

impl Interrupt {
    /// Installs the handler.
    ///
    /// # Errors
    ///
    /// If the system cannot install a handler.
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

    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_pressed(&self) -> bool {
        PRESSED.load(Ordering::SeqCst)
    }
}
