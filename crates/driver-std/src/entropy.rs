//! Where the draws come from.

/// Gives the one draw of each failure, uniform over all of `u64`. A closure without arguments is entropy.
///
/// Clients that failed together must not draw alike: two clients, and two clones of one client, need different draws.
pub trait Entropy {
    /// The next draw.
    fn draw(&self) -> u64;
}

impl<F: Fn() -> u64> Entropy for F {
    fn draw(&self) -> u64 {
        self()
    }
}

/// The operating system's randomness, anew for each draw. It has no state, so neither clones of a client, nor forks of a
/// process, nor copies of a virtual machine draw alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn draw(&self) -> u64 {
        // A system without randomness to give still has threads that were seeded at different times.
        getrandom::u64().unwrap_or_else(|_| fastrand::u64(..))
    }
}
