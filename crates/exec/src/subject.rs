//! A process that builds policies, shared by their handles.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Construction;
use crate::answer::Built;
use crate::fault::{StartError, SubjectFault, Wrong};
use crate::policy::ExecPolicy;
use crate::process::Process;
use crate::program::Program;
use crate::request::Op;

/// A policy in another process, which is started once and builds one policy after the other.
///
/// Clones share the process. It holds one policy at a time: [`Subject::policy`] replaces the one before, whose handle
/// then gives up, with the fault [`Wrong::Superseded`]. So runs are played one after the other.
///
/// The first [`SubjectFault`] is kept, and no further requests are sent: every failure gives up and every delay is zero, so
/// that a run ends soon. The caller checks [`Subject::fault`] afterwards.
#[derive(Clone)]
pub struct Subject(Arc<Mutex<Shared>>);

pub(crate) struct Shared {
    program: Program,
    limit: Duration,
    process: Process,
    /// The number of policies so far, which identifies the present one.
    pub(crate) policy: u64,
    fault: Option<SubjectFault>,
}

impl Subject {
    /// Starts the program. Each response must arrive within `limit`; the first one, while the program starts, may take
    /// ten seconds more.
    ///
    /// # Errors
    ///
    /// If the system cannot start it.
    pub fn start(program: Program, limit: Duration) -> Result<Self, StartError> {
        let process = Process::start(&program, limit)?;
        Ok(Self(Arc::new(Mutex::new(Shared { program, limit, process, policy: 0, fault: None }))))
    }

    /// Discards the present policy and builds this one. `seed` is for a subject that draws its own jitter.
    ///
    /// # Errors
    ///
    /// If the subject refuses, which is no fault; or has a fault, now or before.
    pub fn policy(&self, construction: &Construction, seed: u64) -> Result<ExecPolicy, SubjectFault> {
        let mut shared = self.lock();
        shared.policy += 1;
        let built = shared.request(&Op::New { construction, seed }, |line, _| Built::parse(line))?;
        let policy = shared.policy;
        drop(shared);
        ExecPolicy::new(self.clone(), policy, built)
    }

    /// Like [`Subject::policy`], for callers that cannot return an error, such as a closure that makes a policy for
    /// each run. A policy that could not be built gives up, and the reason, also a refusal, is kept as the subject's
    /// fault.
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

    /// The first fault since the start of the process.
    #[must_use]
    pub fn fault(&self) -> Option<SubjectFault> {
        self.lock().fault.clone()
    }

    /// Ends the process and starts it again, without its fault, for a search that continues after one.
    ///
    /// # Errors
    ///
    /// If the system cannot start it again; then the old fault stays.
    pub fn restart(&self) -> Result<(), StartError> {
        let mut shared = self.lock();
        shared.process = Process::start(&shared.program, shared.limit)?;
        shared.fault = None;
        // Old handles are superseded.
        shared.policy += 1;
        Ok(())
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> Program {
        self.lock().program.clone()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        // A panic elsewhere leaves nothing half done in it.
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
    /// Sends a request, unless there is a fault.
    pub(crate) fn request<T>(
        &mut self,
        op: &Op<'_>,
        parse: impl FnOnce(&[u8], &Op<'_>) -> Result<T, Wrong>,
    ) -> Result<T, SubjectFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.process.request(op, parse).inspect_err(|fault| {
            if !matches!(fault.wrong, Wrong::Refused { .. }) {
                self.fault = Some(fault.clone());
            }
        })
    }

    /// The fault of a superseded policy.
    pub(crate) fn superseded(&mut self) -> SubjectFault {
        let fault = self.process.fault(Wrong::Superseded);
        self.fault.get_or_insert(fault).clone()
    }
}
