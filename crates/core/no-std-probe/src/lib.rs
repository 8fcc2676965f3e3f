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

use core::time::Duration;

use retrylab_core::{FailureKind, Instant, Retry, RetryRules};

/// Uses the public surface, so that core is linked and not only named.
#[must_use]
pub fn probe() -> Duration {
    let rules = RetryRules::streaming(Duration::from_secs(1));
    let mut retry = Retry::new(rules);
    retry.wait_after(FailureKind::Normal, Instant::ZERO, 0);
    retry.next_delay()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
