//! Addressed entropy: the draw for (seed, client, n) is a pure function, so a shrunk run is the same run, shorter.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The 11 bits that a draw leaves zero, so that it equals a uniform double in [0, 1) with 53 bits, scaled by 2^64.
const UNUSED_BITS: u64 = (1 << 11) - 1;

/// All the randomness of a run: one seed.
///
/// The draw for (seed, client, n) comes from ChaCha8 (D. J. Bernstein's ChaCha with 8 rounds): the key is the seed as 8
/// little-endian bytes and 24 zeros, the stream is the client, the word position is 2·n, and the draw is the 64-bit
/// word there (low half first) with its low 11 bits cleared. It does not depend on other draws, their order or the
/// thread.
///
/// ```
/// use retrylab_sim::Entropy;
///
/// let mut draws = Entropy::new(7).client(0);
/// let in_order = [draws.next_draw(), draws.next_draw(), draws.next_draw()];
/// assert_eq!(draws.at(1), in_order[1]);
/// assert_eq!(draws.next_draw(), draws.at(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entropy {
    seed: u64,
}

impl Entropy {
    /// The randomness of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The draws of one client.
    #[must_use]
    pub fn client(self, client: u64) -> Draws {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_stream(client);
        Draws { stream, position: 0, next: 0 }
    }
}

/// The draws of one client, by address or in order.
#[derive(Clone, Debug)]
pub struct Draws {
    stream: ChaCha8Rng,
    /// The address at which `stream` stands.
    position: u64,
    /// The address that `next_draw` reads.
    next: u64,
}

impl Draws {
    /// The draw at address `n`. Reading in order is fast; any other order costs a block of the cipher.
    #[inline]
    pub fn at(&mut self, n: u64) -> u64 {
        if n != self.position {
            self.stream.set_word_pos(2 * u128::from(n));
        }
        self.position = n.wrapping_add(1);
        self.stream.next_u64() & !UNUSED_BITS
    }

    /// The draw after the one that this read last, starting at address 0. [`Draws::at`] does not move it.
    #[inline]
    pub fn next_draw(&mut self) -> u64 {
        let n = self.next;
        self.next = n.wrapping_add(1);
        self.at(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ChaCha8 words were computed by an implementation in another language, written from the description of the cipher.
    #[test]
    fn the_draws_of_known_addresses_never_change() {
        for (seed, client, n, draw) in FROZEN {
            assert_eq!(Entropy::new(seed).client(client).at(n), draw, "seed {seed}, client {client}, draw {n}");
        }
    }

    #[test]
    fn reading_in_order_gives_the_draws_of_the_addresses() {
        let mut in_order = Entropy::new(42).client(3);
        for n in 0..1000 {
            assert_eq!(in_order.next_draw(), Entropy::new(42).client(3).at(n));
        }
    }

    #[test]
    fn reading_backwards_gives_the_same_draws() {
        let mut forward = Entropy::new(1).client(0);
        let forward: Vec<u64> = (0..100).map(|n| forward.at(n)).collect();
        let mut backward = Entropy::new(1).client(0);
        let mut backward: Vec<u64> = (0..100).rev().map(|n| backward.at(n)).collect();
        backward.reverse();
        assert_eq!(forward, backward);
    }

    #[test]
    fn a_draw_has_at_most_53_significant_bits() {
        let mut draws = Entropy::new(0).client(0);
        assert!((0..1000).all(|_| draws.next_draw().is_multiple_of(2048)));
    }

    const FROZEN: [(u64, u64, u64, u64); 11] = [
        (0, 0, 0, 0xd6405f892fef0000),
        (0, 0, 1, 0xa1a5091fe8b85800),
        (7, 0, 0, 0xc39ca6722c44b800),
        (7, 0, 7, 0x31a0062283cb3800),
        (7, 0, 8, 0x9ac73dc169b9f800),
        (42, 0, 0, 0x59273471198fa800),
        (42, 1, 0, 0xc6e08c69e8469800),
        (42, u64::MAX, 12_345, 0xfb258c5e4df5e000),
        (u64::MAX, 0, 0, 0xb44e863922714800),
        (1, 0, 1_000_000_000_000, 0x19a90ff8c6531800),
        (1, 0, u64::MAX, 0x86fdc30a4dc8c000),
    ];
}
