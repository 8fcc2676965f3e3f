//! What this process holds, as the system counts it.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use retrylab_driver::{Clock, Monotonic};
use tokio::runtime::Runtime;

const TASKS: &str = "/proc/self/task";
const DESCRIPTORS: &str = "/proc/self/fd";

/// What a thread that has just ended still needs is a matter of microseconds. Only a failure takes this long.
const LIMIT: Duration = Duration::from_secs(60);

/// The names of all threads, what all descriptors lead to, and how many tasks there are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Held {
    threads: Vec<String>,
    descriptors: Vec<String>,
    tasks: usize,
}

impl Held {
    pub(crate) fn can_be_counted() -> bool {
        [TASKS, DESCRIPTORS].iter().all(|folder| Path::new(folder).is_dir())
    }

    pub(crate) fn by_this_process(runtime: &Runtime) -> Self {
        Self {
            threads: each_in(TASKS, |thread| fs::read_to_string(thread.join("comm")).ok()),
            descriptors: each_in(DESCRIPTORS, |link| Some(fs::read_link(link).ok()?.display().to_string())),
            tasks: runtime.metrics().num_alive_tasks(),
        }
    }

    /// Returns when no more is held than this, and no less.
    pub(crate) fn is_reached_again(&self, runtime: &Runtime) {
        let end = Monotonic.now() + LIMIT;
        loop {
            let held = Self::by_this_process(runtime);
            if held == *self {
                return;
            }
            assert!(Monotonic.now() < end, "something is left; before: {self:?}, and after: {held:?}");
            thread::yield_now();
        }
    }
}

/// What each entry of a folder is, in order. One that goes while it is looked at still counts.
fn each_in(folder: &str, look: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut found: Vec<String> = entries
        .map(|entry| look(&entry.expect("the folder can be read").path()).unwrap_or_else(|| "going".to_owned()))
        .collect();
    found.sort();
    found
}
