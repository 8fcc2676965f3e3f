//! `retrylab diff`: two policies under the same outcomes and draws.

use std::io;

use clap::Args;
use retrylab_sim::diff::{Diff as Found, Question, Tick, diff, outage, showing};
use retrylab_spec::{Client, Draft, PolicySpec, Problem, Seconds, Shape, Timeline};

use crate::count;
use crate::options::{Output, SeedOption, Settings};
use crate::paste::CommandLine;
use crate::progress::Progress;
use crate::seed::Seed;
use crate::setting::Setting;
use crate::subject::{self, Chosen, Subject, SubjectError};
use crate::{Console, Exit, Format, Input, Refusal};

mod json;
mod text;

/// Compare two policies under the same outcomes and draws
///
/// Both are played through the same timeline with the same seeds. The output has the first record that differs, both
/// ladders, and over all seeds the total wait, the recovery, and the spread of the clients on each rung.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --timeline both are played through the standard outage of their kind:
  streams  a busy server, 60 refused connections, a hint to come back in 10 s, 90 s of heartbeats
           without a message, a TLS failure, a rejected key, two healthy minutes after each;
           a day later 20 minutes of 503
  polls    20 minutes of 503, a single failure, a rejected key, an unreadable body,
           five failures
  calls    a minute of 503, a 404, failures that a retry heals, a Retry-After of 2 s,
           a hang of 10 s, refused connections
Streams without a difference there also get inputs that no timeline can express: a second message, and a clock that still \
shows zero at the second attempt.

For each rung: the longest wait; over the seeds, the median, the share of waits within the most common millisecond (together, \
in per cent), and the number of different waits, to the nanosecond (distinct).

A dialect that differs only with some setting gets that setting, on both sides, unless --set overrides it. --set applies to \
both policies, and --seed to the runs that are searched for the first difference.

Examples:
  retrylab diff streaming streaming:tls-unexpected
  retrylab diff streaming streaming:clamp-initial --set initial_reconnect_delay=45s
  retrylab diff old-client.toml new-client.toml --timeline incident.toml --seeds 100

Exit status: 0 no difference was found, 1 they differ, or a limit ended a run early.")]
pub(crate) struct Diff {
    /// A built-in policy, or a timeline file (its client)
    #[arg(value_name = "A")]
    a: Subject,
    /// The policy to compare it with
    #[arg(value_name = "B")]
    b: Subject,
    /// The timeline for both: a timeline file, whose client is ignored
    #[arg(long, value_name = "FILE")]
    timeline: Option<std::ffi::OsString>,
    /// The number of seeds, from 1 to 1000000, counted from 0
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count::parse::<1_000_000>)]
    #[arg(allow_negative_numbers = true)]
    seeds: u32,
    #[command(flatten)]
    seed: SeedOption,
    /// The number of rungs to show, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = count::parse::<1000>)]
    #[arg(allow_negative_numbers = true)]
    rungs: u32,
    #[command(flatten)]
    set: Settings,
    #[command(flatten)]
    output: Output,
}

/// The comparison, for the header.
struct Request<'a> {
    verb: &'a Diff,
    clients: [&'a Client; 2],
    timeline: Option<Input>,
    seed: Seed,
    /// The dialect whose difference decided the setting of both sides.
    shown: Option<&'static str>,
}

impl Diff {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let timeline = self.timeline.clone().map(Input::from);
        let from_stdin = |input: Option<&Input>| usize::from(input == Some(&Input::Stdin));
        if from_stdin(self.a.file()) + from_stdin(self.b.file()) + from_stdin(timeline.as_ref()) > 1 {
            return Err(Refusal::from(DiffError::StdinTwice));
        }
        let climbed = u64::from(self.seeds) * u64::from(self.rungs);
        if climbed > MOST_CLIMBED {
            return Err(Refusal::from(DiffError::TooMuch { climbed }));
        }
        let first = self.a.choose(&self.set.settings, console)?;
        let second = self.b.choose(&self.set.settings, console)?;
        let script = timeline.as_ref().map(|input| script(input, console)).transpose()?;
        let file_seed = script.as_ref().and_then(|draft| draft.seed).or(first.seed);
        let seed = self.seed.choose(file_seed, console)?;

        let [mut a, mut b] = [first, second].map(|Chosen { client, .. }| client);
        let shown = self.show(&mut a, &mut b);
        // As given: a timeline may express the same outcomes differently.
        let given = [a.clone(), b.clone()];
        let [first, second] = self.timelines(script.as_ref(), timeline.as_ref(), a, b)?;
        let mut progress = Progress::new(console.progress, Some(self.seeds.into()));
        let question = Question {
            a: &first,
            b: &second,
            steps: timeline.is_none() && first.client.kind.shape() == Shape::Streaming,
            seed: seed.value,
            seeds: self.seeds.into(),
            rungs: self.rungs,
        };
        let tick = |tick| match tick {
            Tick::Records => progress.tick(),
            Tick::Seed => progress.advance(),
        };
        let found = diff(question, tick).map_err(SubjectError::NoBuiltIn)?;
        drop(progress);
        for client in [&first.client, &second.client] {
            if let Ok((_, Some(warning))) = retrylab_sim::build(&client.kind) {
                console.warn(format_args!("{}: {warning}", client.kind.name()))?;
            }
        }
        let request = Request { verb: self, clients: given.each_ref(), timeline, seed, shown };
        Refusal::unless_unread(match self.output.format {
            Format::Text => text::print(&request, &found, console.out),
            Format::Json => json::print(&request, &found, console.out),
        })?;
        Ok(if found.is_same() && found.is_whole() { Exit::Held } else { Exit::NotHeld })
    }

    /// Configures two named policies so that their difference shows, unless it was configured.
    fn show(&self, a: &mut Client, b: &mut Client) -> Option<&'static str> {
        let untouched = |setting: &Setting| setting.key() == "jitter";
        if self.a.file().or_else(|| self.b.file()).is_some() || !self.set.settings.iter().all(untouched) {
            return None;
        }
        let dialect = |client: &Client| match client.kind {
            PolicySpec::Dialect { dialect, .. } => showing(dialect).map(|seconds| (dialect, seconds)),
            _ => None,
        };
        let (dialect, value): (_, Seconds) = dialect(b).or_else(|| dialect(a))?;
        for client in [a, b] {
            if let Some(seconds) = client.kind.configured_mut() {
                *seconds = Some(value);
            }
        }
        Some(dialect.name())
    }

    /// Both clients before the same timeline.
    fn timelines(
        &self,
        script: Option<&Draft>,
        file: Option<&Input>,
        a: Client,
        b: Client,
    ) -> Result<[Timeline; 2], DiffError> {
        let shapes = [&a, &b].map(|client| client.kind.shape());
        if (shapes[0] == Shape::Streaming) != (shapes[1] == Shape::Streaming) {
            return Err(DiffError::Shapes { a: self.a.to_string(), b: self.b.to_string() });
        }
        // Polls and calls have common outcomes: the outage of polls, if one of them polls.
        let common = if shapes[1] == Shape::Polling { b.clone() } else { a.clone() };
        let draft = match script {
            None => outage(common),
            // Expectations are about the file's own client.
            Some(draft) => Draft { expect: None, catches: Vec::new(), ..draft.clone() },
        };
        let timeline = |client: Client, subject: &Subject| {
            let file = file.map_or_else(|| "the standard outage".to_owned(), Input::name);
            Timeline::new(Draft { client, ..draft.clone() }).map_err(|problems| DiffError::NotForClient {
                file,
                subject: subject.to_string(),
                problems,
            })
        };
        Ok([timeline(a, &self.a)?, timeline(b, &self.b)?])
    }
}

/// The maximum number of rungs climbed for the figures, over all seeds: each is kept in memory.
const MOST_CLIMBED: u64 = 100_000_000;

/// Reads the timeline of both.
fn script(input: &Input, console: &mut Console<'_>) -> Result<Draft, Refusal> {
    subject::read(input, console).map(|(draft, _)| draft).map_err(|error| match error {
        SubjectError::Unreadable { input, error } => Refusal::from(DiffError::Unreadable { input, error }),
        SubjectError::NoClient { input } => Refusal::from(DiffError::NotPlayed { input }),
        other => other.refusal(),
    })
}

impl Request<'_> {
    /// The command line that repeats the comparison.
    fn replay(&self, found: &Found) -> String {
        let Diff { a, b, timeline, seeds, rungs, set, .. } = self.verb;
        let mut line = CommandLine::new("diff").word(a.word()).word(b.word());
        if let Some(file) = timeline {
            line = line.option("--timeline", Input::from(file.clone()).word());
        }
        let seed = found.parted.map_or(self.seed.value, |parted| parted.seed);
        line = line.option("--seed", seed.to_string()).option("--seeds", seeds.to_string());
        line = line.option("--rungs", rungs.to_string());
        set.on(line).text()
    }
}

/// The reason why two policies cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// One is a stream, the other is not.
    #[error(
        "{a} and {b} cannot meet the same outcomes: one holds a stream, the other does not; \
         compare their ladders with `retrylab ladder`"
    )]
    Shapes {
        /// The first policy.
        a: String,
        /// The second policy.
        b: String,
    },
    /// The timeline has outcomes that do not fit a policy.
    #[error("{file} does not fit {subject}: {}", problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))]
    NotForClient {
        /// The timeline.
        file: String,
        /// The policy.
        subject: String,
        /// The problems.
        problems: Vec<Problem>,
    },
    /// The timeline cannot be read.
    #[error("--timeline: cannot read {input}: {error}")]
    Unreadable {
        /// The input.
        input: Input,
        /// The system's error.
        error: io::Error,
    },
    /// The file is marked as not played.
    #[error("--timeline: {input} has no [[timeline]], because it is marked as not played")]
    NotPlayed {
        /// The input.
        input: Input,
    },
    /// The figures would not fit into memory.
    #[error("--seeds times --rungs is {climbed}; it must be at most {MOST_CLIMBED}")]
    TooMuch {
        /// The number of rungs.
        climbed: u64,
    },
    /// Standard input can be read once.
    #[error("`-` is given more than once, and standard input can be read only once")]
    StdinTwice,
}
