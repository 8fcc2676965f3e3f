//! The timeline files, and which of them can be acted out over sockets.

use std::fmt::Write;
use std::path::Path;

use retrylab_scenario::{ClientKind, ConnectFault, End, Entry, File, Outcome, Play, ServerWait, Timeline, parse};
use walkdir::WalkDir;

/// The most attempts of a file that is acted out.
pub(crate) const MOST_ATTEMPTS: usize = 1000;

/// A file whose client is one that the drivers have.
pub(crate) struct Scenario {
    /// The path below the folder, without the extension.
    pub(crate) name: String,
    pub(crate) timeline: Timeline,
}

/// Every such file below a folder, in the order of names.
pub(crate) fn scenarios(folder: &Path) -> Result<Vec<Scenario>, String> {
    let mut scenarios = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = entry.map_err(|error| error.to_string())?.into_path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            scenarios.extend(Scenario::read(folder, &path)?);
        }
    }
    if scenarios.is_empty() { Err(format!("no scenario in {}", folder.display())) } else { Ok(scenarios) }
}

impl Scenario {
    fn read(folder: &Path, path: &Path) -> Result<Option<Self>, String> {
        let relative = path.strip_prefix(folder).unwrap_or(path).with_extension("");
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let name = parts.join("/");
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let parsed = parse(&format!("sims/{name}.toml"), &text).map_err(|error| error.to_string())?;
        Ok(match parsed.file {
            File::Played(timeline) if has_driver(&timeline.client.kind) => Some(Self { name, timeline }),
            _ => None,
        })
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
    pub(crate) fn obstacle(&self) -> Option<&'static str> {
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

/// The list of the files that are not acted out, each with the reason.
pub(crate) fn left_out<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> String {
    let mut list = String::new();
    for scenario in scenarios {
        if let Some(obstacle) = scenario.obstacle() {
            let _ = writeln!(list, "sims/{}.toml: {obstacle}", scenario.name);
        }
    }
    list
}

const SILENCE: &str = "a `timeout`: sockets and HTTP clients time out on the real clock";

const fn has_driver(kind: &ClientKind) -> bool {
    matches!(kind, ClientKind::Streaming { .. } | ClientKind::Polling { .. })
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
