//! The result of a walk, as a timeline that can be played and saved.

use retrylab_laws::{Claim, Described};
use retrylab_spec::{Client, Draft, Play, Timeline};

use crate::exhaustive::Broken;
use crate::found::Found;
use crate::seek::Search;

impl Broken {
    /// The script as a timeline of this client, with the draws of the walk. `None` if a file cannot express it, or if the
    /// client obeys the law there.
    #[must_use]
    pub fn found(&self, client: &Client) -> Option<Found> {
        let mut draft = Draft::new(self.law.statement, client.clone());
        draft.script = self.script.iter().copied().map(Play::Attempt).collect();
        let timeline = Timeline::new(draft).ok()?;
        let search = Search::of(client.clone(), Claim::of(client), [self.law]);
        let breach = search.breach(&Described(client.clone()), self.law, &timeline)?;
        let events_found = self.script.len() as u64;
        Some(Found { law: self.law, case: 0, timeline, breach, events_found, tried: 0 })
    }
}
