//! A policy in another process, as a subject of a search.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use retrylab_exec::Draws;
use retrylab_laws::{Answered, Claim, Drawing, Fault, Subject, Told, What, tell};
use retrylab_scenario::{Client, ClientKind, JitterChoice, Timeline};
use retrylab_sim::{Player, Record};

use crate::exec::{self, Claimed};

/// A policy in another process. It holds one at a time, so only one thread may play it.
pub(super) struct Remote {
    claimed: Claimed,
    /// Told to each client that is built: one that draws for itself is another client each time.
    clients: AtomicU64,
}

impl Remote {
    pub(super) const fn new(claimed: Claimed) -> Self {
        Self { claimed, clients: AtomicU64::new(0) }
    }

    /// What the laws hold it to.
    ///
    /// # Errors
    ///
    /// If it refuses, or fails, to build the policy at all.
    pub(super) fn claim(&self, claim: exec::Claim) -> Result<Claim, retrylab_exec::Fault> {
        let drawing = match self.claimed.draws()? {
            Draws::Given => Drawing::Given,
            Draws::Own => Drawing::Own,
        };
        let claimed = Claim::of(&Client::new(claim.client()));
        // A ladder knows neither what fails nor when to stop.
        let is_ladder = claim == exec::Claim::Ladder;
        let limits = if is_ladder { None } else { claimed.limits.clone() };
        let endless = is_ladder || claimed.endless;
        // A wait in seconds as a double is off by less than a nanosecond, and by one after rounding.
        Ok(Claim { limits, endless, drawing, logs: false, replaced: None, tolerance_ns: 1, ..claimed })
    }

    /// Who is played in the files that are written.
    pub(super) fn client(&self) -> Client {
        let played_as = self.claimed.client.shape();
        let name = self.claimed.subject.program().to_string();
        // Doubles have such waits exactly, so that what is found is no rounding.
        Client { kind: ClientKind::External { name, played_as }, jitter: JitterChoice::Coarse }
    }

    /// What it was asked, with what came of it; unless it failed on the way.
    fn answered<T>(&self, answers: T) -> Result<T, Fault> {
        match self.claimed.subject.fault() {
            Some(fault) => Err(Fault(fault.to_string())),
            None => Ok(answers),
        }
    }
}

impl Subject for Remote {
    fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, Fault> {
        let policy = self.claimed.policy(seed).map_err(|fault| Fault(fault.to_string()))?;
        self.answered(Player::new(timeline, policy, None, seed).collect())
    }

    fn restart(&self) -> Result<(), Fault> {
        match self.claimed.subject.fault() {
            Some(_) => self.claimed.subject.restart().map_err(|error| Fault(error.to_string())),
            None => Ok(()),
        }
    }

    fn tell(&self, history: &[Told]) -> Option<Result<Vec<Answered>, Fault>> {
        let client = self.clients.fetch_add(1, Relaxed);
        let told = self.claimed.policy(client).map_err(|fault| Fault(fault.to_string()));
        Some(told.and_then(|mut policy| {
            let mut answers = Vec::with_capacity(history.len());
            for told in history {
                if told.what == What::Read {
                    // A handle keeps the last answer; what a reading does only the process can show.
                    policy.read(told.at).map_err(|fault| Fault(fault.to_string()))?;
                }
                answers.extend(tell(&mut policy, std::slice::from_ref(told)));
            }
            self.answered(answers)
        }))
    }
}
