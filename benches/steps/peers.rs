//! Public crates with their own step, with jitter on: 1 s, doubling, at most 30 s.
//!
//! Each is set up in its fastest way. An iterator with an end has room for one outage and is built again for the next,
//! as its users do. A crate with a replaceable clock gets one that costs nothing, because this project's rules receive
//! the time too; tower and retry-policies always read the system's clock.

use std::time::{Duration, Instant, SystemTime};

use backoff::backoff::Backoff as _;
use backon::BackoffBuilder as _;
use google_cloud_gax::backoff_policy::BackoffPolicy as _;
use retry_policies::RetryPolicy as _;
use tokio::runtime::Builder;
use tower::retry::backoff::{Backoff as _, MakeBackoff as _};

use super::{FAILURES, outages};
use crate::contender::Contender;

const INITIAL: Duration = Duration::from_secs(1);
const CEILING: Duration = Duration::from_secs(30);

/// The constructor of each peer.
pub(crate) const ALL: [fn() -> Contender; 7] =
    [backon, backoff, tokio_retry, exponential_backoff, tower, retry_policies, google_cloud_gax];

/// backon: between the rung and twice the rung.
fn backon() -> Contender {
    let builder = backon::ExponentialBuilder::new()
        .with_min_delay(INITIAL)
        .with_factor(2.0)
        .with_max_delay(CEILING)
        .with_max_times(FAILURES as usize)
        .with_jitter();
    outages("backon", move || builder.build(), |waits, _| waits.next())
}

/// backoff: plus or minus half the rung.
fn backoff() -> Contender {
    struct Stopped(Instant);

    impl backoff::Clock for Stopped {
        fn now(&self) -> Instant {
            self.0
        }
    }

    let clock = backoff::SystemClock::default();
    let started = backoff::Clock::now(&clock);
    let begin = move || backoff::exponential::ExponentialBackoff {
        current_interval: INITIAL,
        initial_interval: INITIAL,
        randomization_factor: 0.5,
        multiplier: 2.0,
        max_interval: CEILING,
        start_time: started,
        max_elapsed_time: None,
        clock: Stopped(started),
    };
    outages("backoff", begin, |waits, _| waits.next_backoff())
}

/// tokio-retry: full jitter.
fn tokio_retry() -> Contender {
    let waits = tokio_retry::strategy::ExponentialBackoff::from_millis(2).factor(500).max_delay(CEILING);
    let begin = move || waits.clone().map(tokio_retry::strategy::jitter);
    outages("tokio-retry", begin, |waits, _| waits.next())
}

/// exponential-backoff: up to 29 % of the rung less or 15 to 29 % more, cut at base and ceiling.
fn exponential_backoff() -> Contender {
    // The last attempt has no wait after it.
    let waits = exponential_backoff::Backoff::new(FAILURES + 1, INITIAL, CEILING);
    outages("exponential-backoff", move || waits.iter(), |waits, _| waits.next())
}

/// tower: up to 99 % of the rung more, cut at the ceiling. The wait is a timer, whose deadline is read.
///
/// The benches share one build of tokio, with a clock that can be paused; that adds some twenty instructions, of three
/// hundred, to a step here.
fn tower() -> Contender {
    let rng = tower::util::rng::HasherRng::new();
    let mut maker = tower::retry::backoff::ExponentialBackoffMaker::new(INITIAL, CEILING, 0.99, rng)
        .expect("1 s is below 30 s and 0.99 is a ratio");
    // A timer needs a runtime. This one is entered once, so no step pays for it.
    let runtime =
        Builder::new_current_thread().enable_time().build().expect("a runtime without I/O needs no resources");
    let entered = Box::leak(Box::new(runtime)).enter();
    outages(
        "tower",
        move || maker.make_backoff(),
        move |waits, _| {
            let _inside = &entered;
            waits.next_backoff().deadline()
        },
    )
}

/// retry-policies: full jitter, its default. The wait is a point in time.
fn retry_policies() -> Contender {
    let policy = retry_policies::policies::ExponentialBackoff::builder()
        .retry_bounds(INITIAL, CEILING)
        .jitter(retry_policies::Jitter::Full)
        .base(2)
        .build_with_max_retries(FAILURES);
    outages("retry-policies", || (), move |(), number| policy.should_retry(SystemTime::UNIX_EPOCH, number))
}

/// google-cloud-gax: full jitter.
fn google_cloud_gax() -> Contender {
    let policy = google_cloud_gax::exponential_backoff::ExponentialBackoffBuilder::new()
        .with_initial_delay(INITIAL)
        .with_maximum_delay(CEILING)
        .with_scaling(2.0)
        .build()
        .expect("1 s is below 30 s and 2 is a factor");
    let fresh = google_cloud_gax::retry_state::RetryState::new(true);
    outages(
        "google-cloud-gax",
        move || fresh.clone(),
        move |state, _| {
            state.attempt_count += 1;
            policy.on_failure(state)
        },
    )
}
