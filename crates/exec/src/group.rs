//! A process and what it starts, which end together.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use wait_timeout::ChildExt;

/// A process and all that it started and that did not leave its group.
pub(crate) struct Group {
    leader: Child,
    /// Whether the rest of the group was killed after its leader had ended.
    over: bool,
}

impl Group {
    /// Starts a command that has its process begin a group of its own.
    pub(crate) fn spawn(mut command: Command) -> io::Result<Self> {
        Ok(Self { leader: command.spawn()?, over: false })
    }

    /// The pipes to and from its leader, once.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        match (self.leader.stdin.take(), self.leader.stdout.take()) {
            (Some(stdin), Some(stdout)) => Some((stdin, stdout)),
            _ => None,
        }
    }

    /// Waits for its leader to end by itself. What the leader leaves behind is killed.
    pub(crate) fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let status = self.leader.wait_timeout(limit)?;
        if status.is_some() && !self.over {
            // At once: a number that nobody has any more may soon be that of others.
            self.kill();
            self.over = true;
        }
        Ok(status)
    }

    fn kill(&self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // It fails if nobody is left, which is what is wanted.
            let _ = kill_process_group(Pid::from_child(&self.leader), Signal::KILL);
        }
    }
}

/// Kills whoever has not ended, and reaps the leader.
impl Drop for Group {
    fn drop(&mut self) {
        if !self.over {
            self.kill();
        }
        // Both fail only if it has been reaped.
        let _ = self.leader.kill();
        let _ = self.leader.wait();
    }
}
