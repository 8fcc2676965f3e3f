//! The differences between a source on a thread and one in a task.

use std::time::Duration;

use ::http::{Request, Response};
use retrylab_source::Connection;

use super::head::Met;
use super::world::World;

/// The waits and requests of a source.
///
/// All of it is written as futures. On a thread they block instead of being pending, so they are ready at their first
/// poll.
pub trait Runtime: Clone + Sized + 'static {
    /// The sleeper between attempts.
    type Sleeper: ?Sized + Send + Sync;
    /// The handle that other threads cancel.
    type Signal: Signal;
    /// The client.
    type Transport: Transport;
    /// The thread or task, to wait for its end.
    type Work;
    /// The callback of a repeating task.
    type Callback;
    /// The stopper of a repeating task.
    type Stopper: Signal;

    /// The real clock, sleeper and entropy.
    fn world() -> World<Self>;

    /// Waits for `delay`, or until `cancel` is cancelled, even if the sleeper panics.
    fn sleep(sleeper: &Self::Sleeper, delay: Duration, cancel: &Self::Signal) -> impl Future<Output = ()>;

    /// Waits for [`AFTER_PANIC`](super::world::AFTER_PANIC) of real time, or until `cancel` is cancelled.
    fn pause(cancel: &Self::Signal) -> impl Future<Output = ()>;

    /// Calls the callback, and returns the text of an error or a panic. `None`: the call was cut.
    fn call(callback: &mut Self::Callback, stopper: &Self::Stopper)
    -> impl Future<Output = Option<Result<(), String>>>;

    /// Cancelled when the stopper has stopped.
    fn stopped(stopper: &Self::Stopper) -> &Self::Signal;
}

/// A flag that is set once. Clones share it.
pub trait Signal: Clone + Default + Send + Sync + 'static {
    /// Sets it, and wakes every wait.
    fn cancel(&self);

    /// Whether it is set.
    fn is_cancelled(&self) -> bool;
}

/// Makes requests, each over a connection of its own. It follows no redirect and repeats no request.
pub trait Transport: Sized {
    /// The body of a response.
    type Body: Incoming;

    /// A client without a connection.
    ///
    /// # Errors
    ///
    /// If no request is possible: with an invalid credential, or invalid authorities.
    fn new(connection: &Connection) -> Result<Self, Met>;

    /// Makes one request, with the credential if it is `authorized`. The body is decompressed unless the request names
    /// an accepted encoding.
    fn send(&self, request: Request<()>, authorized: bool) -> impl Future<Output = Result<Response<Self::Body>, Met>>;

    /// Ends every request, and prevents new ones. Any thread may call it.
    fn cut(&self) {}
}

/// The body of a response, as it arrives.
pub trait Incoming {
    /// Waits for the next bytes, which [`piece`](Self::piece) then returns. Returns whether there are any; if not, the
    /// body has ended.
    fn read(&mut self) -> impl Future<Output = Result<bool, Met>>;

    /// The last bytes read.
    fn piece(&self) -> &[u8];
}
