//! The names in a file's `catches`.

use core::fmt;

use retrylab_spec::Draft;
use retrylab_spec::suggest::nearest;

use crate::catalogue::FAULTS;
use crate::fault::KnownFault;

/// An unknown name in `catches`, or a fault that the client cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotCatch {
    /// The index in the list, from 0.
    pub nth: usize,
    /// The name.
    pub name: String,
    /// Whether the fault exists.
    pub exists: bool,
    /// The faults that the client can have.
    pub allowed: Vec<&'static str>,
}

/// The names in `catches` that the file's client cannot catch, in order.
#[must_use]
pub fn uncatchable(timeline: &Draft) -> Vec<CannotCatch> {
    let client = &timeline.client.kind;
    let problem = |(nth, name): (usize, &String)| {
        let fault = KnownFault::find(name);
        let exists = match fault {
            Some(fault) if fault.build(client).is_some() => return None,
            other => other.is_some(),
        };
        let fitting = FAULTS.iter().filter(|fault| fault.build(client).is_some());
        let allowed = fitting.map(|fault| fault.name).collect();
        Some(CannotCatch { nth, name: name.clone(), exists, allowed })
    };
    timeline.catches.iter().enumerate().filter_map(problem).collect()
}

impl CannotCatch {
    /// The key of the file.
    #[must_use]
    pub fn key(&self) -> String {
        format!("catches[{}]", self.nth)
    }
}

impl fmt::Display for CannotCatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, exists, allowed, .. } = self;
        match exists {
            true => write!(f, "catches: this client cannot have the fault `{name}`")?,
            false => write!(f, "catches: there is no fault `{name}`")?,
        }
        if let Some(today) = KnownFault::renamed(name) {
            return write!(f, "; its present name is `{today}`");
        }
        let meant = if *exists { None } else { nearest(name, FAULTS.iter().map(|fault| fault.name)) };
        match meant {
            Some(closest) => write!(f, "; did you mean `{closest}`?"),
            None if allowed.is_empty() => f.write_str("; this client can have none"),
            None => write!(f, "; possible are {}", allowed.join(", ")),
        }
    }
}

impl std::error::Error for CannotCatch {}
