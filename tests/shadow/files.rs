//! The timeline files, and which of them can be acted out over sockets.

use std::fmt::Write;
use std::path::Path;

use retrylab_spec::{ConnectFault, End, Entry, File, Outcome, Play, PolicySpec, ServerWait, Timeline, parse};
use walkdir::WalkDir;

/// The most attempts of a file that is acted out.
pub(crate) const MOST_ATTEMPTS: usize = 1000;

/// A file whose client is one that the drivers have.
pub(crate) struct Scenario {
    /// The path below the folder, without the extension.
    pub(crate) name: String,
    pub(crate) timeline: Timeline,
}

/// Every file below a folder, in the order of names: what can be acted out, and the list of the files that are not, each
/// with the reason.
pub(crate) fn scenarios(folder: &Path) -> Result<(Vec<Scenario>, String), String> {
    let (mut scenarios, mut left_out) = (Vec::new(), String::new());
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = entry.map_err(|error| error.to_string())?.into_path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let (name, file) = read(folder, &path)?;
            match Scenario::new(name.clone(), file) {
                Ok(scenario) => scenarios.push(scenario),
                Err(obstacle) => drop(writeln!(left_out, "sims/{name}.toml: {obstacle}")),
            }
        }
    }
    if scenarios.is_empty() { Err(format!("no scenario in {}", folder.display())) } else { Ok((scenarios, left_out)) }
}

/// A file and its path below the folder, without the extension.
fn read(folder: &Path, path: &Path) -> Result<(String, File), String> {
    let relative = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let name = parts.join("/");
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parsed = parse(&format!("sims/{name}.toml"), &text).map_err(|error| error.to_string())?;
    Ok((name, parsed.file))
}

impl Scenario {
    /// # Errors
    ///
    /// Why it cannot be acted out.
    fn new(name: String, file: File) -> Result<Self, &'static str> {
        let timeline = match file {
            File::Played(timeline) => timeline,
            File::External(_) => return Err("`external`: the policy is its owner's"),
            File::WaitsFor { .. } => return Err("`waits_for`: it has no timeline yet"),
            File::Outside { .. } => return Err("`outside`: no timeline can show it"),
        };
        if let Some(obstacle) = no_driver(&timeline.client.kind) {
            return Err(obstacle);
        }
        let scenario = Self { name, timeline };
        scenario.obstacle().map_or(Ok(scenario), Err)
    }

    pub(crate) fn seed(&self) -> u64 {
        self.timeline.seed.unwrap_or(0)
    }

    /// Whether something in it needs TLS.
    pub(crate) fn needs_tls(&self) -> bool {
        self.entries().any(|entry| entry.outcome == Outcome::Fault(ConnectFault::Tls))
            || self.ends().any(|end| end == End::Tls)
    }

    /// Why it cannot be acted out; `None`: it can.
    fn obstacle(&self) -> Option<&'static str> {
        if !self.timeline.clock.is_empty() {
            return Some("`[[clock]]`: the driver and the server share the only clock");
        }
        if let Some(obstacle) = self.entries().find_map(|entry| obstacle(&entry)) {
            return Some(obstacle);
        }
        if self.ends().any(|end| end == End::Timeout) {
            return Some(SILENCE);
        }
        let attempts = retrylab_sim::play(&self.timeline, self.seed())
            .map(|records| records.map(|record| record.attempt).find(|attempt| *attempt > MOST_ATTEMPTS as u64));
        match attempts {
            Ok(None) => None,
            Ok(Some(_)) => Some("more than 1000 attempts"),
            Err(_) => Some("the client has no built-in policy"),
        }
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        let mut entries: Vec<Entry> = self.timeline.windows.iter().map(|window| window.entry).collect();
        collect(&self.timeline.script, &mut entries);
        entries.into_iter()
    }

    /// How live streams end.
    fn ends(&self) -> impl Iterator<Item = End> {
        let cuts = self.timeline.windows.iter().filter_map(|window| window.cut);
        let ends = self.entries().filter_map(|entry| match entry.outcome {
            Outcome::Up { lasts, .. } => lasts.map(|(_, end)| end),
            Outcome::Idle { end, .. } => Some(end),
            _ => None,
        });
        cuts.chain(ends)
    }
}

const SILENCE: &str = "a `timeout`: sockets and HTTP clients time out on the real clock";

/// Why no driver of data sources has such a client; `None`: both have.
const fn no_driver(kind: &PolicySpec) -> Option<&'static str> {
    match kind {
        PolicySpec::Streaming { .. } | PolicySpec::Polling { .. } => None,
        PolicySpec::TwoRegimes(_) => Some("bounds of its own: the drivers' sources are configured by their one option"),
        PolicySpec::Call(_) => Some("a `call`: what it calls is the user's, no source of data"),
        PolicySpec::Reconnect { .. } => Some("a `reconnect`: its connection is the user's, no source of data"),
        PolicySpec::Dialect { .. } => Some("the client is of another implementation, which no driver plays"),
        PolicySpec::External { .. } => Some("`external`: the policy is its owner's"),
    }
}

fn collect(play: &[Play], entries: &mut Vec<Entry>) {
    for part in play {
        match part {
            Play::Attempt(entry) => entries.push(*entry),
            Play::Repeat { play, .. } => collect(play, entries),
        }
    }
}

fn obstacle(entry: &Entry) -> Option<&'static str> {
    match entry.outcome {
        Outcome::Hang(_) => Some("`hang`: sockets and HTTP clients time out on the real clock"),
        Outcome::Fault(ConnectFault::Timeout) => Some(SILENCE),
        Outcome::Fault(ConnectFault::Dns) => Some("`dns`: a run has one address, and no name is looked up for it"),
        Outcome::Fault(ConnectFault::Refused) if !entry.latency.is_zero() => {
            Some("`refused` with a `latency`: the system refuses at once")
        }
        Outcome::Status { status: 100..=199, .. } => Some("a status of 1xx: in HTTP, another answer follows it"),
        Outcome::Status { status: 205..=299 | 201..=203, .. } => Some("a status of 2xx: in HTTP, it is a success"),
        Outcome::Status { retry_after: Some(ServerWait::Delay(wait)), .. } if wait.subsec_nanos() != 0 => {
            Some("`retry_after` in parts of a second: HTTP has whole ones")
        }
        Outcome::Status { retry_after: Some(ServerWait::Header(text)), .. } if text.may_be_a_date() => {
            Some("a date in `retry_after`: drivers read it against the real date")
        }
        _ => None,
    }
}
