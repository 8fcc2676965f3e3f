//! What a walk found, as a timeline that can be played and kept.

use retrylab_scenario::{Client, Draft, JitterChoice, Play, Timeline};
use retrylab_sim::Entropy;

use super::cases::can_fail;
use super::exhaustive::{Broken, Letter};
use super::found::Found;
use crate::claim::Claim;
use crate::subject::{Described, Subject};
use crate::trial::{Standing, Trial};

impl Broken {
    /// The script as a timeline of a built-in client, in which the law is broken as well. A walk has draws at their ends, of
    /// which a file has only what its seed comes to: so the client has no jitter, if that is enough, or each failure has the
    /// smallest, or the largest, of the first draws that there are. `None` if the law is not broken by any of them.
    #[must_use]
    pub fn found(&self, client: &Client) -> Option<Found> {
        let unjittered = Client { jitter: JitterChoice::None, ..client.clone() };
        let all_zero = self.script.iter().all(|letter| letter.draw == 0);
        let plain = all_zero.then(|| self.timeline(unjittered, &|_| None)).flatten();
        plain.into_iter().chain(self.drawn(client)).find_map(|timeline| self.broken_in(timeline))
    }

    fn drawn(&self, client: &Client) -> Option<Timeline> {
        let mut draws = Entropy::new(SEED).client(0);
        let draws: Vec<u64> = (0..FIRST).map(|address| draws.at(address)).collect();
        let [smallest, largest] =
            [draws.iter().min(), draws.iter().max()].map(|end| draws.iter().position(|draw| Some(draw) == end));
        let [smallest, largest] = [smallest, largest].map(|place| place.and_then(|place| u64::try_from(place).ok()));
        self.timeline(client.clone(), &|letter| if letter.draw == 0 { smallest } else { largest })
    }

    fn timeline(&self, client: Client, draw: &dyn Fn(&Letter) -> Option<u64>) -> Option<Timeline> {
        let mut draft = Draft::new(self.law.statement, client);
        draft.seed = Some(SEED);
        let play = |letter: &Letter| {
            let mut entry = letter.entry;
            entry.draw = draw(letter).filter(|_| can_fail(&entry.outcome));
            Play::Attempt(entry)
        };
        draft.script = self.script.iter().map(play).collect();
        Timeline::new(draft).ok()
    }

    fn broken_in(&self, timeline: Timeline) -> Option<Found> {
        // A file is held to what its own client claims.
        let claim = Claim::of(&timeline.client);
        let subject = Described(timeline.client.clone());
        let mut trial = Trial::new(&claim, [self.law]);
        subject.play(&timeline, SEED).ok()?.iter().for_each(|record| trial.observe(record));
        let judged = trial.finish(&subject);
        let Some(Standing::Broken(breach)) = judged.of(self.law) else { return None };
        let (events_found, breach) = (self.script.len() as u64, breach.clone());
        Some(Found { law: self.law, case: 0, timeline, breach, events_found, tried: 0 })
    }
}

/// The seed of such a timeline.
const SEED: u64 = 0;

/// Of so many draws the smallest and the largest are less than a thousandth away from their ends, as a rule.
const FIRST: u64 = 4096;
