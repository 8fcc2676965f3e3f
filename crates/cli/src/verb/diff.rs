//! `retrylab diff`: two policies under the same outcomes and draws.

use std::io;

use clap::Args;
use retrylab_scenario::{Client, ClientKind, Draft, Problem, Seconds, Shape, Timeline, named};
use retrylab_sim::diff::{Diff as Found, Question, Tick, diff, outage, showing};

use crate::count;
use crate::paste::CommandLine;
use crate::progress::Progress;
use crate::seed::{self, Seed};
use crate::setting::Setting;
use crate::style::WARNING;
use crate::subject::{self, Chosen, Subject, SubjectError};
use crate::{Console, Exit, Format, Input, Refusal};

mod json;
mod text;

/// Show how two policies differ under the same outcomes and draws
///
/// Both are played through the same timeline with the same seeds. Shown are the first record that differs, both ladders,
/// and over all seeds how long they wait in total, how soon they recover, and how well each rung spreads its clients.
#[derive(Args, Debug)]
#[command(after_help = "\
Without --timeline both meet the standard outage of their kind:
  streams  a busy server, 60 refused connections, a hint to come back in 10 s, 90 s of heartbeats
           without a message, a TLS failure, a rejected key, two healthy minutes after each;
           a day later 20 minutes of 503
  polls    20 minutes of 503, a single failure, a rejected key, a body that cannot be read,
           five failures
  calls    a minute of 503, a 404, failures that a retry heals, a Retry-After of 2 s,
           a hang of 10 s, refused connections
Streams that do not differ there are also told what no timeline can say: a second message, and a clock that still shows \
zero at the second attempt.

Of each rung are shown the longest wait and, over the seeds, the median; how many of them wait within the same millisecond, the \
commonest one (together, in per cent); and how many different waits there are, to the nanosecond (distinct).

A dialect that differs only with some configuration is shown with that, on both sides, unless --set says otherwise.

Examples:
  retrylab diff streaming streaming:tls-unexpected
  retrylab diff streaming streaming:clamp-initial --set initial_reconnect_delay=45s
  retrylab diff old-client.toml new-client.toml --timeline incident.toml --seeds 100

Exit status: 0 no difference was found, 1 they differ, or a limit ended a run before its end.")]
pub(crate) struct Diff {
    /// A built-in policy, or a timeline file, whose client is taken
    #[arg(value_name = "A")]
    a: Subject,
    /// The policy that it is compared with
    #[arg(value_name = "B")]
    b: Subject,
    /// What both meet: a timeline file, whose client is not taken
    #[arg(long, value_name = "FILE")]
    timeline: Option<std::ffi::OsString>,
    /// How many seeds the figures are over, from 1 to 1000000: 0 to N - 1
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count::parse::<1_000_000>)]
    #[arg(allow_negative_numbers = true)]
    seeds: u32,
    /// The seed of the runs in which the first difference is looked for
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// How many rungs to show, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = count::parse::<1000>)]
    #[arg(allow_negative_numbers = true)]
    rungs: u32,
    /// Set an option of both clients: initial_reconnect_delay, poll_interval or jitter
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<Setting>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// What was compared, for the header.
struct Asked<'a> {
    verb: &'a Diff,
    clients: [&'a Client; 2],
    timeline: Option<Input>,
    seed: Seed,
    /// The dialect that both sides were configured to show.
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
        let first = self.a.choose(&self.settings, console)?;
        let second = self.b.choose(&self.settings, console)?;
        let script = timeline.as_ref().map(|input| script(input, console)).transpose()?;
        let file_seed = script.as_ref().and_then(|draft| draft.seed).or(first.seed);
        let seed = Seed::choose(self.seed, file_seed, console.seed_variable.as_deref())?;

        let [mut a, mut b] = [first, second].map(|Chosen { client, .. }| client);
        let shown = self.show(&mut a, &mut b);
        // As they are given: a timeline may say the same of them in another way.
        let given = [a.clone(), b.clone()];
        let [first, second] = self.timelines(script.as_ref(), timeline.as_ref(), a, b)?;
        let mut progress = Progress::new(console.progress, Some(self.seeds.into()));
        let question = Question {
            a: &first,
            b: &second,
            told: timeline.is_none() && first.client.kind.shape() == Shape::Streaming,
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
                let kind = named::name(&client.kind);
                writeln!(console.err, "{WARNING}warning:{WARNING:#} {kind}: {warning}")?;
            }
        }
        let asked = Asked { verb: self, clients: given.each_ref(), timeline, seed, shown };
        Refusal::unless_unread(match self.format {
            Format::Text => text::print(&asked, &found, console.out),
            Format::Json => json::print(&asked, &found, console.out),
        })?;
        Ok(if found.is_same() && found.is_whole() { Exit::Held } else { Exit::NotHeld })
    }

    /// Configures two policies that are named so that the difference shows, unless somebody has configured them.
    fn show(&self, a: &mut Client, b: &mut Client) -> Option<&'static str> {
        let untouched = |setting: &Setting| matches!(setting, Setting::Jitter(_));
        if self.a.file().or_else(|| self.b.file()).is_some() || !self.settings.iter().all(untouched) {
            return None;
        }
        let dialect = |client: &Client| match client.kind {
            ClientKind::Dialect { dialect, .. } => showing(dialect).map(|seconds| (dialect, seconds)),
            _ => None,
        };
        let (dialect, value): (_, Seconds) = dialect(b).or_else(|| dialect(a))?;
        for client in [a, b] {
            if let Some(seconds) = subject::seconds(&mut client.kind) {
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
        // Polls and calls can meet the same: the outage of polls, if one of them polls.
        let common = if shapes[1] == Shape::Polling { b.clone() } else { a.clone() };
        let draft = match script {
            None => outage(common),
            // Expectations are about the client that is not taken.
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

/// The most rungs that are climbed for the figures, over all seeds: each is remembered.
const MOST_CLIMBED: u64 = 100_000_000;

/// Reads the timeline that both meet.
fn script(input: &Input, console: &mut Console<'_>) -> Result<Draft, Refusal> {
    subject::read(input, console).map_err(|error| match error {
        SubjectError::Unreadable { input, error } => Refusal::from(DiffError::Unreadable { input, error }),
        SubjectError::NoClient { input } => Refusal::from(DiffError::NotPlayed { input }),
        other => other.refusal(),
    })
}

impl Asked<'_> {
    /// The command line that shows the same again.
    fn replay(&self, found: &Found) -> String {
        let Diff { a, b, timeline, seeds, rungs, settings, .. } = self.verb;
        let mut line = CommandLine::new("diff").word(a.word()).word(b.word());
        if let Some(file) = timeline {
            line = line.option("--timeline", Input::from(file.clone()).word());
        }
        let seed = found.parted.map_or(self.seed.value, |parted| parted.seed);
        line = line.option("--seed", seed.to_string()).option("--seeds", seeds.to_string());
        line = line.option("--rungs", rungs.to_string());
        for setting in settings {
            line = line.option("--set", setting.to_string());
        }
        line.text()
    }
}

/// Why two policies cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A stream, and something that is none.
    #[error(
        "{a} and {b} cannot meet the same outcomes: one holds a stream, the other does not; \
         their ladders can be looked at with `retrylab ladder`"
    )]
    Shapes {
        /// The first policy.
        a: String,
        /// The second policy.
        b: String,
    },
    /// The timeline has outcomes that a policy cannot meet.
    #[error("{file} is not for {subject}: {}", problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))]
    NotForClient {
        /// The timeline.
        file: String,
        /// The policy.
        subject: String,
        /// What is wrong.
        problems: Vec<Problem>,
    },
    /// The timeline is not there or cannot be read.
    #[error("--timeline: cannot read {input}: {error}")]
    Unreadable {
        /// Which input.
        input: Input,
        /// What the system says.
        error: io::Error,
    },
    /// The timeline's file says itself that it is not played.
    #[error("--timeline: {input} has no [[timeline]] that both could meet, since it is not played")]
    NotPlayed {
        /// Which input.
        input: Input,
    },
    /// The figures would not fit.
    #[error("--seeds times --rungs is {climbed}; it has to be at most {MOST_CLIMBED}")]
    TooMuch {
        /// How many rungs would have to be climbed.
        climbed: u64,
    },
    /// Standard input can be read once.
    #[error("`-` is given more than once, and standard input can be read only once")]
    StdinTwice,
}
