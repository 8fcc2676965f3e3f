//! The asynchronous driver, on tokio's paused clock: every wait is virtual, and exact.
#![expect(clippy::disallowed_methods, reason = "the paused clock shows how long was waited")]

mod cancel;
mod fluent;
mod runtime;

use retrylab_core::Call;

use crate::script::exact;

/// The call of [`exact`] rules.
fn call(attempts: u32) -> Call {
    Call::new(exact(attempts).build().expect("attempts"))
}
