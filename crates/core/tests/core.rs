//! The tests of this crate are the target `core` of the root package, because core must not depend on what tests it.
//! This target of the same name is what `cargo mutants` runs of this package before it mutates anything.

use core::time::Duration;

use retrylab_core::{FailureKind, Instant, Retry, RetryRules};

#[test]
fn the_first_failure_of_a_stream_waits_its_initial_delay() {
    let mut retry = Retry::new(RetryRules::streaming(1.0).0);
    assert_eq!(retry.record_failure(FailureKind::Normal, Instant::ZERO, 0), Duration::from_secs(1));
}
