//! A static library around `retrylab-core` that brings a panic handler of its own and no allocator.
//!
//! Were core to link `std`, there would be two panic handlers (E0152); were it to link `alloc`, there would be no global
//! allocator. Either fails this build, on any host and without another target installed.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "link-alloc")]
extern crate alloc;
#[cfg(feature = "link-std")]
extern crate std;

use retrylab_core::{FailureKind, Instant, Retry, RetryRules};

/// Uses the public surface, so that core is linked and not only named.
#[must_use]
pub fn probe() -> core::time::Duration {
    let (rules, _) = RetryRules::streaming(1.0);
    let mut retry = Retry::new(rules);
    retry.record_failure(FailureKind::Normal, Instant::ZERO, 0);
    retry.next_delay()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
