//! The source of the draws.

/// Draws a number for each failure, uniform over all of `u64`. A closure without arguments is entropy.
///
/// Clients that failed together must draw differently, also two clones of one client.
///
/// ```
/// use retrylab_driver::Entropy;
///
/// // The longest wait each time, for a test.
/// let longest = || 0;
/// assert_eq!(longest.draw(), 0);
/// ```
pub trait Entropy {
    /// The next draw.
    fn draw(&self) -> u64;
}

impl<F: Fn() -> u64> Entropy for F {
    fn draw(&self) -> u64 {
        self()
    }
}

/// The operating system's randomness, read anew for each draw. It has no state, so clones of a client, forks of a
/// process and copies of a virtual machine draw differently.
///
/// ```
/// use retrylab_driver::{Entropy, SystemEntropy};
///
/// let _draw: u64 = SystemEntropy.draw();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn draw(&self) -> u64 {
        // A system without randomness still has threads that were seeded at different times.
        getrandom::u64().unwrap_or_else(|_| fastrand::u64(..))
    }
}
