//! Our rules in other people's clients: tower's `Retry`, and reqwest-middleware by way of retry-policies.

mod reqwest;
mod tower;

use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
