//! `retrylab ladder`: what a policy waits, rung after rung, if every attempt fails.

use std::ffi::OsString;
use std::io;
use std::iter::repeat_with;
use std::time::Duration;

use clap::Args;
use retrylab_core::{Bounds, ConfigOption, FailureKind, Policy, Regime};
use retrylab_scenario::{Client, ClientKind, File, JitterChoice, Timeline, parse_bytes};
use retrylab_sim::ladder::{Climb, Spread, Unjittered, climb, spread};
use retrylab_sim::{BuiltIn, Entropy, NoBuiltIn, build};

use crate::progress::Progress;
use crate::seed::{self, Seed};
use crate::setting::Setting;
use crate::style::WARNING;
use crate::{Console, Exit, Format, Input, Refusal};

mod bar;
mod json;
mod text;

/// The seeds that `--percentiles` climbs with: 0 to 999.
const SEEDS: u64 = 1000;

/// Show what a policy waits, rung after rung, if every attempt fails
///
/// Each failure comes as soon as the wait before it is over. The waits are those of one seed, or with `--percentiles`
/// their spread over a thousand. Text is rounded; JSON is exact.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab ladder streaming
  retrylab ladder polling --unexpected --seed 7
  retrylab ladder streaming --percentiles --set initial_reconnect_delay=5s

The seed is that of --seed, else the file's, else that of the environment variable RETRYLAB_SEED, else 0.")]
pub(crate) struct Ladder {
    /// `streaming`, `polling`, or a timeline file, whose client is taken
    #[arg(value_name = "POLICY")]
    policy: Subject,
    /// Unexpected failures (a rejected key): the extended ladder instead of the normal one
    #[arg(long)]
    unexpected: bool,
    /// How many rungs
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rungs: u32,
    /// The seed of the jitter
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    #[arg(conflicts_with = "percentiles")]
    seed: Option<u64>,
    /// Instead of one seed: percentiles of the wait and of the total over the seeds 0 to 999
    #[arg(long)]
    percentiles: bool,
    /// Set an option of the client: initial_reconnect_delay, poll_interval (a duration, or a number of seconds), jitter
    /// (own, none)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<Setting>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Whose ladder it is.
#[derive(Clone, Debug)]
enum Subject {
    Streaming,
    Polling,
    File(Input),
}

impl From<OsString> for Subject {
    fn from(argument: OsString) -> Self {
        match argument.to_str() {
            Some("streaming") => Self::Streaming,
            Some("polling") => Self::Polling,
            _ => Self::File(Input::from(argument)),
        }
    }
}

/// What is shown: the policy in words, and its waits.
struct Header<'a> {
    name: &'static str,
    /// The policy's one option, and the value that is used for it.
    option: ConfigOption,
    value: Duration,
    regime: Regime,
    bounds: Bounds,
    cadence: Duration,
    jitter: JitterChoice,
    /// The file that the client comes from.
    file: Option<&'a Input>,
    chosen: Chosen,
}

/// What the table is about.
enum Chosen {
    One(Seed, Climb),
    Many(Vec<Spread>),
}

impl Ladder {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let (mut client, file_seed, file) = match &self.policy {
            Subject::Streaming => (Client::new(ClientKind::Streaming { initial_reconnect_delay: None }), None, None),
            Subject::Polling => (Client::new(ClientKind::Polling { poll_interval: None }), None, None),
            Subject::File(input) => {
                let timeline = read(input, console)?;
                (timeline.client.clone(), timeline.seed, Some(input))
            }
        };
        for setting in &self.settings {
            setting.apply(&mut client)?;
        }
        let (policy, warning) = build(&client.kind).map_err(LadderError::NoBuiltIn)?;
        if let Some(warning) = warning {
            writeln!(console.err, "{WARNING}warning:{WARNING:#} {warning}")?;
        }
        let chosen = match client.jitter {
            JitterChoice::Own => self.climb(&policy, file_seed, console)?,
            JitterChoice::None => self.climb(&Unjittered(policy.clone()), file_seed, console)?,
        };
        let header = self.header(&policy, client.jitter, file, chosen)?;
        match self.format {
            Format::Text => text::print(&header, console.out)?,
            Format::Json => json::print(&header, console.out)?,
        }
        Ok(Exit::Held)
    }

    fn climb<P: Policy + Clone>(
        &self,
        policy: &P,
        file_seed: Option<u64>,
        console: &Console<'_>,
    ) -> Result<Chosen, Refusal> {
        let with = |seed| {
            let mut draws = Entropy::new(seed).client(0);
            climb(policy, self.kind(), self.rungs, repeat_with(move || draws.next_draw()))
        };
        if self.percentiles {
            return Ok(Chosen::Many(spread((0..SEEDS).map(with))));
        }
        let seed = Seed::choose(self.seed, file_seed, console.seed_variable.as_deref())?;
        Ok(Chosen::One(seed, with(seed.value)))
    }

    fn header<'a>(
        &self,
        policy: &BuiltIn,
        jitter: JitterChoice,
        file: Option<&'a Input>,
        chosen: Chosen,
    ) -> Result<Header<'a>, LadderError> {
        let regime = if self.unexpected { Regime::Extended } else { Regime::Normal };
        let (name, option, [normal, bounds], cadence) = match policy {
            BuiltIn::Streaming(retry) => (
                "streaming",
                ConfigOption::InitialReconnectDelay,
                [Regime::Normal, regime].map(|regime| retry.rules().bounds(regime)),
                retry.rules().cadence(),
            ),
            BuiltIn::Polling(retry) => (
                "polling",
                ConfigOption::PollInterval,
                [Regime::Normal, regime].map(|regime| retry.rules().bounds(regime)),
                retry.rules().cadence(),
            ),
            BuiltIn::Call(_) | BuiltIn::Reconnect(_) | BuiltIn::Dialect(_) | BuiltIn::Refused(_) => {
                return Err(LadderError::NotTwoRegimes);
            }
        };
        Ok(Header { name, option, value: normal.initial, regime, bounds, cadence, jitter, file, chosen })
    }

    const fn kind(&self) -> FailureKind {
        if self.unexpected { FailureKind::Unexpected } else { FailureKind::Normal }
    }
}

fn read(input: &Input, console: &mut Console<'_>) -> Result<Timeline, Refusal> {
    let mut bytes = Vec::new();
    input
        .open(console.stdin, &Progress::new(false, None))
        .and_then(|mut reader| reader.read_to_end(&mut bytes))
        .map_err(|error| LadderError::Unreadable { input: input.clone(), error })?;
    match parse_bytes(&input.argument(), &bytes)?.file {
        File::Played(timeline) | File::External(timeline) => Ok(timeline),
        File::WaitsFor { .. } | File::Outside { .. } => {
            Err(Refusal::from(LadderError::NoClient { input: input.clone() }))
        }
    }
}

/// Why there is no ladder to show.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// Not a built-in policy, and no readable file either.
    #[error("cannot read {input}: {error}; the policy has to be streaming, polling or a timeline file")]
    Unreadable {
        /// Which input.
        input: Input,
        /// What the system says.
        error: io::Error,
    },
    /// The file says itself that it is not played.
    #[error("{input} has no [client], since it is not played")]
    NoClient {
        /// Which input.
        input: Input,
    },
    /// Neither streaming nor polling.
    #[error("the client is neither streaming nor polling")]
    NotTwoRegimes,
    /// The client's policy is its owner's.
    #[error(transparent)]
    NoBuiltIn(NoBuiltIn),
}
