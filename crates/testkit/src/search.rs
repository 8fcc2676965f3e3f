//! How a search by proptest is configured.

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed};

/// A search that is the same every time and remembers what it found in the file `failures`, a path below the root of
/// the package that runs it.
///
/// The seed is 0 and the number of cases 256, unless the environment says otherwise: `PROPTEST_RNG_SEED` starts
/// elsewhere, `PROPTEST_CASES` goes on for longer.
#[must_use]
pub fn search(failures: &'static str) -> Config {
    let config = Config::default();
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(0),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    Config { rng_seed, failure_persistence: Some(Box::new(FileFailurePersistence::Direct(failures))), ..config }
}
