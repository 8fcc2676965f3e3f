//! A policy in another process, as a subject of a search.

use retrylab_exec::Draws;
use retrylab_laws::{Answered, Claim, Drawing, Fault, Subject, Told, tell};
use retrylab_scenario::{Client, ClientKind, JitterChoice, Timeline};
use retrylab_sim::{Player, Record};

use crate::exec::{self, Claimed};

/// A policy in another process. It holds one at a time, so only one thread may play it.
pub(super) struct Remote(pub(super) Claimed);

impl Remote {
    /// What the laws hold it to.
    ///
    /// # Errors
    ///
    /// If it refuses, or fails, to build the policy at all.
    pub(super) fn claim(&self, claim: exec::Claim) -> Result<Claim, retrylab_exec::Fault> {
        let drawing = match self.0.draws()? {
            Draws::Given => Drawing::Given,
            Draws::Own => Drawing::Own,
        };
        let client = claim.client();
        let claimed = Claim::of(&client);
        // A ladder knows neither what fails nor when to stop.
        let limits = if claim == exec::Claim::Ladder { None } else { claimed.limits.clone() };
        // A wait in seconds as a double is off by less than a nanosecond, and by one after rounding.
        Ok(Claim { limits, drawing, logs: false, replaced: None, tolerance_ns: 1, ..claimed })
    }

    /// Who is played in the files that are written.
    pub(super) fn client(&self) -> Client {
        let played_as = self.0.client.shape();
        let name = self.0.subject.program().to_string();
        // Doubles have such waits exactly, so that what is found is no rounding.
        Client { kind: ClientKind::External { name, played_as }, jitter: JitterChoice::Coarse }
    }

    /// What it was asked, with what came of it; unless it failed on the way, which ends the search.
    fn answered<T>(&self, answers: T) -> Result<T, Fault> {
        match self.0.subject.fault() {
            Some(fault) => Err(Fault(fault.to_string())),
            None => Ok(answers),
        }
    }
}

impl Subject for Remote {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, Fault> {
        let policy = self.0.policy(seed).map_err(|fault| Fault(fault.to_string()))?;
        self.answered(Player::new(timeline, policy, None, seed).collect())
    }

    fn tell(&self, history: &[Told]) -> Option<Result<Vec<Answered>, Fault>> {
        let told = self.0.policy(0).map_err(|fault| Fault(fault.to_string()));
        Some(told.and_then(|mut policy| self.answered(tell(&mut policy, history))))
    }
}
