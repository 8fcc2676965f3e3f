//! Futures that block.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The value of a future in which everything blocks, so that it is ready at its first poll.
pub(crate) fn blocking<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}
