//! Other libraries as makers.

use retrylab_adapters::{NotExpressible, SUBJECTS, Subject};
use retrylab_core::{Exponential, Policy};
use retrylab_faults::corpus::{Maker, SharedSetting, Unsayable};
use retrylab_spec::Shape;

pub(super) fn names() -> impl Iterator<Item = String> {
    SUBJECTS.iter().map(|subject| subject.name().to_owned())
}

pub(super) fn maker(name: &str) -> Option<Peer> {
    Subject::from_name(name).map(Peer)
}

/// Builds a library's policy.
pub(super) struct Peer(Subject);

impl Maker for Peer {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn shape(&self) -> Shape {
        Shape::Call
    }

    fn make(&self, asked: &SharedSetting, seed: u64) -> Result<Box<dyn Policy>, Unsayable> {
        let policy = self.0.build(&setting(asked), seed).map_err(unsayable)?;
        Ok(policy)
    }

    fn fleet(&self, asked: &SharedSetting, seed: u64, clients: usize) -> Result<Vec<Box<dyn Policy>>, Unsayable> {
        let fleet = self.0.fleet(&setting(asked), seed, clients).map_err(unsayable)?;
        Ok(fleet.into_iter().map(|policy| policy as Box<dyn Policy>).collect())
    }

    fn is_repeatable(&self) -> bool {
        self.0.draws().is_repeatable()
    }
}

/// Every trial doubles.
fn setting(asked: &SharedSetting) -> Exponential {
    let SharedSetting { base, ceiling, jitter, attempts, elapsed } = *asked;
    let setting = Exponential::new(base, ceiling).attempts(attempts.unwrap_or(u32::MAX));
    let setting = elapsed.map_or(setting, |elapsed| setting.elapsed(elapsed));
    if jitter { setting } else { setting.without_jitter() }
}

fn unsayable(error: NotExpressible) -> Unsayable {
    Unsayable(error.to_string())
}
