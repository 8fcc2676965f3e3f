//! Other people's libraries as makers.

use retrylab_adapters::{NotExpressible, SUBJECTS, Setting, SettingError, Subject};
use retrylab_core::Policy;
use retrylab_laws::corpus::{Asked, Maker, Unsayable};
use retrylab_scenario::Shape;

pub(super) fn names() -> impl Iterator<Item = String> {
    SUBJECTS.iter().map(|subject| subject.name().to_owned())
}

pub(super) fn maker(name: &str) -> Option<Peer> {
    Subject::from_name(name).map(Peer)
}

/// Makes a library's policy.
pub(super) struct Peer(Subject);

/// Every trial doubles.
const FACTOR: f64 = 2.0;

impl Maker for Peer {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn shape(&self) -> Shape {
        Shape::Call
    }

    fn make(&self, asked: &Asked, seed: u64) -> Result<Box<dyn Policy>, Unsayable> {
        let policy = self.0.build(&setting(asked)?, seed).map_err(unsayable)?;
        Ok(policy)
    }

    fn fleet(&self, asked: &Asked, seed: u64, clients: usize) -> Result<Vec<Box<dyn Policy>>, Unsayable> {
        let fleet = self.0.fleet(&setting(asked)?, seed, clients).map_err(unsayable)?;
        Ok(fleet.into_iter().map(|policy| policy as Box<dyn Policy>).collect())
    }

    fn is_repeatable(&self) -> bool {
        self.0.draws().is_repeatable()
    }
}

fn setting(asked: &Asked) -> Result<Setting, Unsayable> {
    let Asked { base, ceiling, jitter, attempts, elapsed } = *asked;
    let mut setting = Setting::new(base, FACTOR, ceiling).map_err(refused)?;
    if let Some(attempts) = attempts {
        setting = setting.with_attempts(attempts).map_err(refused)?;
    }
    if let Some(elapsed) = elapsed {
        setting = setting.with_elapsed(elapsed).map_err(refused)?;
    }
    Ok(if jitter { setting } else { setting.without_jitter() })
}

fn refused(error: SettingError) -> Unsayable {
    Unsayable(error.to_string())
}

fn unsayable(error: NotExpressible) -> Unsayable {
    Unsayable(error.to_string())
}
