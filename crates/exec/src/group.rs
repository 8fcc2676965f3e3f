//! A process and its children, which end together.

use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

use wait_timeout::ChildExt;

/// A process and its descendants in the same process group.
pub(crate) struct Group {
    leader: Child,
    /// Whether the rest of the group was killed after its leader had ended.
    over: bool,
}

impl Group {
    /// Starts a command in a process group of its own.
    pub(crate) fn spawn(mut command: Command) -> io::Result<Self> {
        Ok(Self { leader: command.spawn()?, over: false })
    }

    /// The pipes to and from the leader, once.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        match (self.leader.stdin.take(), self.leader.stdout.take()) {
            (Some(stdin), Some(stdout)) => Some((stdin, stdout)),
            _ => None,
        }
    }

    /// Waits for the leader to end by itself. The rest of the group is killed.
    pub(crate) fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let status = self.leader.wait_timeout(limit)?;
        if status.is_some() && !self.over {
            // At once: the system may soon give a free process number to another process.
            self.kill();
            self.over = true;
        }
        Ok(status)
    }

    fn kill(&self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // It fails if the group is empty, as intended.
            let _ = kill_process_group(Pid::from_child(&self.leader), Signal::KILL);
        }
    }
}

/// Kills every process that still runs, and reaps the leader.
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
