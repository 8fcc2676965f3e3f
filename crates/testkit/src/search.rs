//! The configuration of a proptest search.

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed};

/// A reproducible search that saves its failures in the file `failures`, a path below the root of the running package.
///
/// The seed is 0 and the number of cases 256, unless the environment sets them: `PROPTEST_RNG_SEED` is another seed,
/// `PROPTEST_CASES` a longer search.
#[must_use]
pub fn search(failures: &'static str) -> Config {
    let config = Config::default();
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(0),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    Config { rng_seed, failure_persistence: Some(Box::new(FileFailurePersistence::Direct(failures))), ..config }
}
