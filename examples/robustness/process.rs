//! What this process holds, as the system counts it.

use std::fmt;
use std::fs;

/// Threads, sockets and memory at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) threads: usize,
    pub(crate) sockets: usize,
    /// KiB.
    pub(crate) resident: u64,
}

impl Counts {
    pub(crate) fn now() -> Result<Self, String> {
        let threads = fs::read_dir("/proc/self/task").map_err(unreadable)?.count();
        let descriptors = fs::read_dir("/proc/self/fd").map_err(unreadable)?;
        let targets = descriptors.filter_map(|descriptor| fs::read_link(descriptor.ok()?.path()).ok());
        let sockets = targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count();
        Ok(Self { threads, sockets, resident: field("VmRSS:")? })
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, sockets, resident } = self;
        write!(f, "{threads} threads, {sockets} sockets, {resident} KiB resident")
    }
}

/// The most memory that was resident since a moment.
pub(crate) struct Peak {
    resident: u64,
}

impl Peak {
    /// Begins to watch.
    pub(crate) fn watch() -> Result<Self, String> {
        // Sets VmHWM to VmRSS.
        fs::write("/proc/self/clear_refs", "5").map_err(unreadable)?;
        Ok(Self { resident: field("VmRSS:")? })
    }

    /// How much more than at the beginning there was at the worst moment, in KiB.
    pub(crate) fn growth(&self) -> Result<u64, String> {
        Ok(field("VmHWM:")?.saturating_sub(self.resident))
    }
}

fn field(name: &str) -> Result<u64, String> {
    let status = fs::read_to_string("/proc/self/status").map_err(unreadable)?;
    let value = status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok());
    value.ok_or_else(|| format!("/proc/self/status has no {name}"))
}

fn unreadable(error: std::io::Error) -> String {
    format!("Linux has to say what this process holds: {error}")
}
