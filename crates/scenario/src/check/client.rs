//! Who is played.

use super::{Check, not_blank};
use crate::model::{ClientKind, Seconds};

impl Check<'_> {
    pub(super) fn client(&mut self) {
        match &self.draft.client.kind {
            ClientKind::Streaming { initial_reconnect_delay } => {
                self.seconds("client.initial_reconnect_delay", *initial_reconnect_delay);
            }
            ClientKind::Polling { poll_interval } => self.seconds("client.poll_interval", *poll_interval),
            ClientKind::External { name, .. } => {
                let problem = not_blank("client.name", name, "the name by which its owner finds the policy");
                self.problems.extend(problem);
            }
        }
    }

    /// Numbers are not checked: that is what the constructors do.
    fn seconds(&mut self, path: &str, seconds: Option<Seconds>) {
        if let Some(Seconds::Text(span)) = seconds {
            self.fits(path, span);
        }
    }
}
