//! `retrylab ladder`: the waits of a policy, rung by rung, if every attempt fails.

use std::iter::{repeat, repeat_with};
use std::time::Duration;

use clap::Args;
use retrylab_core::{FailureKind, Policy, Regime};
use retrylab_sim::ladder::{Climb, Fit, Spread, Unjittered, climb, fit, spread};
use retrylab_sim::{BuiltIn, Entropy, build};
use retrylab_spec::{Client, JitterChoice};

use crate::count;
use crate::options::{Output, SeedOption, Settings, time};
use crate::seed::Seed;
use crate::subject::{Subject, SubjectError};
use crate::{Console, Exit, Format, Input, Refusal};

mod bar;
mod describe;
mod json;
mod summary;
mod text;

use describe::Bounds;

/// The seeds of `--percentiles`: 0 to 999.
const SEEDS: u64 = 1000;

/// Print the waits of a policy, rung by rung, if every attempt fails
///
/// Each failure comes at the end of the wait before it. The waits are those of one seed, or with `--percentiles` their
/// spread over a thousand. Below the table: the longest and the shortest total wait, the attempts before a deadline,
/// and the reason to give up. Text is rounded; JSON is exact.
#[derive(Args, Debug)]
#[command(after_help = "\
Policies: streaming, polling, call, reconnect, the dialects of other implementations (streaming:clamp-initial and \
others; an unknown name lists them), or a timeline file (its client).

Examples:
  retrylab ladder streaming
  retrylab ladder call --deadline 10s
  retrylab ladder polling --unexpected --seed 7
  retrylab ladder streaming --percentiles --set initial_reconnect_delay=5s

The seed is that of --seed, else the file's, else that of the environment variable RETRYLAB_SEED, else 0.")]
pub(crate) struct Ladder {
    /// A built-in policy, or a timeline file
    #[arg(value_name = "POLICY")]
    policy: Subject,
    /// Unexpected failures (a rejected key): the extended ladder instead of the normal one; they end a call
    #[arg(long)]
    unexpected: bool,
    /// The number of rungs, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count::parse::<1000>)]
    #[arg(allow_negative_numbers = true)]
    rungs: u32,
    /// Also print the attempts that start within this time of the first, such as 10s
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    deadline: Option<Duration>,
    #[command(flatten)]
    seed: SeedOption,
    /// Instead of one seed: percentiles of the wait and of the total over the seeds 0 to 999
    #[arg(long, conflicts_with = "seed")]
    percentiles: bool,
    #[command(flatten)]
    set: Settings,
    #[command(flatten)]
    output: Output,
}

/// The policy, and its waits.
struct Header<'a> {
    client: &'a Client,
    bounds: Bounds,
    regime: Regime,
    /// The file that the client comes from.
    file: Option<&'a Input>,
    chosen: Chosen,
    /// The rungs shown, with the shortest wait of each.
    shortest: Climb,
    /// The same with draw 0.
    longest: Climb,
    rungs: u32,
    within: Option<Within>,
}

/// The number of attempts within a time.
struct Within {
    time: Duration,
    longest: Fit,
    shortest: Fit,
}

/// The header of the table.
enum Chosen {
    One(Seed, Climb),
    Many(Vec<Spread>),
}

impl Ladder {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let chosen = self.policy.choose(&self.set.settings, console)?;
        let (policy, warning) = build(&chosen.client.kind).map_err(SubjectError::NoBuiltIn)?;
        if let Some(warning) = warning {
            console.warn(warning)?;
        }
        let header = match chosen.client.jitter {
            JitterChoice::Own | JitterChoice::Coarse => {
                self.header(&policy, &policy, &chosen.client, chosen.seed, console)?
            }
            JitterChoice::None => {
                self.header(&policy, &Unjittered(policy.clone()), &chosen.client, chosen.seed, console)?
            }
        };
        Refusal::unless_unread(match self.output.format {
            Format::Text => text::print(&header, console.out),
            Format::Json => json::print(&header, console.out),
        })?;
        Ok(Exit::Held)
    }

    /// `climber` is the policy, or the policy without its jitter.
    fn header<'a, P: Policy + Clone>(
        &'a self,
        policy: &BuiltIn,
        climber: &P,
        client: &'a Client,
        file_seed: Option<u64>,
        console: &Console<'_>,
    ) -> Result<Header<'a>, Refusal> {
        let (kind, regime) = match self.unexpected {
            true => (FailureKind::Unexpected, Regime::Extended),
            false => (FailureKind::Normal, Regime::Normal),
        };
        let within = self.deadline.map(|time| Within {
            time,
            longest: fit(climber, kind, time, 0),
            shortest: fit(climber, kind, time, u64::MAX),
        });
        Ok(Header {
            client,
            bounds: Bounds::of(policy, client, kind),
            regime,
            file: match &self.policy {
                Subject::Named(_) => None,
                Subject::File(input) => Some(input),
            },
            chosen: self.climb(climber, kind, file_seed, console)?,
            shortest: climb(climber, kind, self.rungs, repeat(u64::MAX)),
            longest: climb(climber, kind, self.rungs, repeat(0)),
            rungs: self.rungs,
            within,
        })
    }

    fn climb<P: Policy + Clone>(
        &self,
        policy: &P,
        kind: FailureKind,
        file_seed: Option<u64>,
        console: &Console<'_>,
    ) -> Result<Chosen, Refusal> {
        let with = |seed| {
            let mut draws = Entropy::new(seed).client(0);
            climb(policy, kind, self.rungs, repeat_with(move || draws.next_draw()))
        };
        if self.percentiles {
            return Ok(Chosen::Many(spread((0..SEEDS).map(with))));
        }
        let seed = self.seed.choose(file_seed, console)?;
        Ok(Chosen::One(seed, with(seed.value)))
    }
}
