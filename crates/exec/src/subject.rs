//! A process that builds policies, shared by those who ask it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Construction;
use crate::answer::Built;
use crate::fault::{Fault, StartError, Wrong};
use crate::policy::ExecPolicy;
use crate::process::Process;
use crate::program::Program;
use crate::request::Op;

/// A policy in another process: started once, and asked for one policy after the other.
///
/// Clones share the process. It holds one policy at a time: [`Subject::policy`] replaces the one before, whose handle is
/// then of no use (it gives up, and the fault is [`Wrong::Superseded`]). So runs are played one after the other.
///
/// The first [`Fault`] is kept. From then on nothing is asked: every failure is answered by giving up, and every delay is
/// zero, so that a run ends soon and whoever plays it looks at [`Subject::fault`] afterwards.
#[derive(Clone)]
pub struct Subject(Arc<Mutex<Shared>>);

pub(crate) struct Shared {
    program: Program,
    limit: Duration,
    process: Process,
    /// Counts the policies: which of them the process holds.
    pub(crate) policy: u64,
    fault: Option<Fault>,
}

impl Subject {
    /// Starts the program. Each answer has to come within `limit`; the first one, which waits for the program to be up, may
    /// take ten seconds more.
    ///
    /// # Errors
    ///
    /// If the system cannot start it.
    pub fn start(program: Program, limit: Duration) -> Result<Self, StartError> {
        let process = Process::start(&program, limit)?;
        Ok(Self(Arc::new(Mutex::new(Shared { program, limit, process, policy: 0, fault: None }))))
    }

    /// Has the process forget everything and build this policy. `seed` is for a subject that draws its own jitter.
    ///
    /// # Errors
    ///
    /// If the subject refuses, which does no harm; or answers wrongly, which is kept as its fault; or did before.
    pub fn policy(&self, construction: &Construction, seed: u64) -> Result<ExecPolicy, Fault> {
        let mut shared = self.lock();
        shared.policy += 1;
        let built = shared.ask(&Op::New { construction, seed }, |line, _| Built::parse(line))?;
        let policy = shared.policy;
        drop(shared);
        ExecPolicy::new(self.clone(), policy, built)
    }

    /// The same where an error cannot be returned, such as in a closure that makes a policy for each run: what could not be
    /// built gives up, and why is kept as the subject's fault, a refusal too.
    #[must_use]
    pub fn fresh(&self, construction: &Construction, seed: u64) -> ExecPolicy {
        self.policy(construction, seed).unwrap_or_else(|fault| {
            let mut shared = self.lock();
            shared.fault.get_or_insert(fault);
            let policy = shared.policy;
            drop(shared);
            ExecPolicy::broken(self.clone(), policy)
        })
    }

    /// The first thing that the process did wrong since it was started.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.lock().fault.clone()
    }

    /// Ends the process and starts it anew, without its fault: for a search that goes on after one.
    ///
    /// # Errors
    ///
    /// If the system cannot start it again; then the old fault stays.
    pub fn restart(&self) -> Result<(), StartError> {
        let mut shared = self.lock();
        shared.process = Process::start(&shared.program, shared.limit)?;
        shared.fault = None;
        // Handles of before are of no use.
        shared.policy += 1;
        Ok(())
    }

    /// What was started.
    #[must_use]
    pub fn program(&self) -> Program {
        self.lock().program.clone()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        // Nothing in it is left half done by a panic elsewhere.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shared = self.lock();
        f.debug_struct("Subject")
            .field("program", &shared.program)
            .field("fault", &shared.fault)
            .finish_non_exhaustive()
    }
}

impl Shared {
    /// Asks unless there is a fault already.
    pub(crate) fn ask<T>(
        &mut self,
        op: &Op<'_>,
        understand: impl FnOnce(&[u8], &Op<'_>) -> Result<T, Wrong>,
    ) -> Result<T, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.process.ask(op, understand).inspect_err(|fault| {
            if !matches!(fault.wrong, Wrong::Refused { .. }) {
                self.fault = Some(fault.clone());
            }
        })
    }

    /// A policy was asked that the process does not hold any more.
    pub(crate) fn superseded(&mut self) -> Fault {
        let fault = self.process.fault(Wrong::Superseded);
        self.fault.get_or_insert(fault).clone()
    }
}
