//! `retrylab corpus`: policies by kinds of bugs.

use std::fmt;

use clap::Args;
use clap::builder::PossibleValuesParser;
use retrylab_faults::corpus::{BugTrial, BugVerdict, Maker, TRIALS, built_in, fault, kinds};
use retrylab_faults::{FAULTS, KnownFault};
use retrylab_spec::named;
use retrylab_spec::suggest::nearest;
use serde::Serialize;

use crate::options::{Output, SeedOption};
use crate::progress::Progress;
use crate::seed::Seed;
use crate::{Console, Exit, Format, Refusal};

mod json;
#[cfg(feature = "peers")]
mod peers;
mod text;

/// The policies of other libraries, which are compiled in with the feature `peers`.
const PEERS: [&str; 9] = [
    "backoff",
    "backon",
    "exponential-backoff",
    "google-cloud-gax",
    "retry-policies",
    "tokio-retry",
    "tokio-retry-from-millis",
    "tokio-retry2",
    "tower",
];

/// The prefix of the name of a faulty policy.
const FAULT: &str = "fault:";

/// Its former prefix.
const SPECIMEN: &str = "specimen:";

/// Test policies for known bugs
///
/// Each kind of bug occurred in real policies: the folders of sims/bugs have the reports. All policies have one
/// setting, 1 s doubling to 30 s, and run through the same trials with the same draws.
#[derive(Args, Debug)]
#[command(after_help = "\
Policies are the built-in ones, `fault:NAME` for a policy with a known bug, and with the feature `peers` those of other \
libraries.

Examples:
  retrylab corpus
  retrylab corpus call fault:min-after-jitter
  retrylab corpus streaming:tls-unexpected --kind sticky-ceiling
  cargo run --release -p retrylab-cli --features peers -- corpus backon tower")]
pub(crate) struct Corpus {
    /// Names of policies [default: all that are compiled in, without faulty ones]
    #[arg(value_name = "POLICY")]
    policies: Vec<String>,
    /// Only this kind of bug
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(kinds()), hide_possible_values = true)]
    kind: Option<String>,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    output: Output,
}

/// The results of all trials.
struct Results {
    seed: Seed,
    trials: Vec<&'static BugTrial>,
    policies: Vec<Judged>,
}

/// A policy and its verdict for each trial.
#[derive(Serialize)]
struct Judged {
    name: String,
    repeatable: bool,
    #[serde(skip)]
    verdicts: Vec<BugVerdict>,
}

impl Corpus {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let seed = self.seed.choose(None, console)?;
        let makers = self.makers()?;
        let chosen = |trial: &&BugTrial| self.kind.as_ref().is_none_or(|kind| trial.kind == kind);
        let trials: Vec<&BugTrial> = TRIALS.iter().filter(chosen).collect();

        let mut progress = Progress::new(console.progress, Some((makers.len() * trials.len()) as u64));
        let mut judge = |maker: &dyn Maker| {
            let verdict = |trial: &&BugTrial| {
                progress.advance();
                trial.run(maker, seed.value)
            };
            let verdicts = trials.iter().map(verdict).collect();
            Judged { name: maker.name().to_owned(), repeatable: maker.is_repeatable(), verdicts }
        };
        let policies = makers.iter().map(|maker| judge(maker.as_ref())).collect();
        drop(progress);

        let results = Results { seed, trials, policies };
        results.must_say_something()?;
        Refusal::unless_unread(match self.output.format {
            Format::Text => text::print(&results, console.out),
            Format::Json => json::print(&results, console.out),
        })?;
        Ok(if results.totals().failed == 0 { Exit::Held } else { Exit::NotHeld })
    }

    fn makers(&self) -> Result<Vec<Box<dyn Maker>>, CorpusError> {
        if self.policies.is_empty() {
            return names().into_iter().map(|name| maker(&name)).collect();
        }
        let mut seen: Vec<&str> = Vec::new();
        let mut makers = Vec::new();
        for name in &self.policies {
            if !seen.contains(&name.as_str()) {
                seen.push(name);
                makers.push(maker(name)?);
            }
        }
        Ok(makers)
    }
}

/// The number of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
struct Totals {
    passed: usize,
    failed: usize,
    not_applicable: usize,
}

impl Results {
    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for verdict in self.policies.iter().flat_map(|policy| &policy.verdicts) {
            match verdict {
                BugVerdict::Passes => totals.passed += 1,
                BugVerdict::Fails { .. } => totals.failed += 1,
                BugVerdict::NotApplicable { .. } => totals.not_applicable += 1,
            }
        }
        totals
    }

    fn must_say_something(&self) -> Result<(), CorpusError> {
        let Totals { passed: 0, failed: 0, .. } = self.totals() else { return Ok(()) };
        let why = |policy: &Judged| match policy.verdicts.first() {
            Some(BugVerdict::NotApplicable { why }) => Some((policy.name.clone(), why.clone())),
            _ => None,
        };
        Err(CorpusError::NothingApplies { why: self.policies.iter().filter_map(why).collect() })
    }

    /// The command line that repeats the trials of a kind.
    fn replay(&self, policy: &Judged, trial: &BugTrial) -> String {
        let seed = self.seed.value.to_string();
        let words = [program(&policy.name), &["corpus", &policy.name, "--kind", trial.kind, "--seed", &seed]].concat();
        shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
    }
}

/// The beginning of a command line about a policy: other libraries need a build of their own.
fn program(policy: &str) -> &'static [&'static str] {
    const WITH_PEERS: &[&str] = &["cargo", "run", "--release", "-p", "retrylab-cli", "--features", "peers", "--"];
    if PEERS.contains(&policy) { WITH_PEERS } else { &["retrylab"] }
}

/// Every compiled policy, without faulty ones.
fn names() -> Vec<String> {
    let names = named::all().map(str::to_owned);
    #[cfg(feature = "peers")]
    let names = names.chain(peers::names());
    names.collect()
}

fn maker(name: &str) -> Result<Box<dyn Maker>, CorpusError> {
    if let Some(found) = built_in(name) {
        return Ok(Box::new(found));
    }
    if let Some(faulty) = name.strip_prefix(FAULT)
        && KnownFault::find(faulty).is_some()
    {
        let found = fault(faulty).ok_or_else(|| CorpusError::NoTrial { name: name.to_owned() })?;
        return Ok(Box::new(found));
    }
    if let Some(today) = today(name) {
        return Err(CorpusError::Renamed { name: name.to_owned(), today });
    }
    #[cfg(feature = "peers")]
    if let Some(found) = peers::maker(name) {
        return Ok(Box::new(found));
    }
    let compiled_out = PEERS.contains(&name) && !cfg!(feature = "peers");
    Err(CorpusError::Unknown { name: name.to_owned(), compiled_out })
}

/// The present name of a policy with a former one.
fn today(name: &str) -> Option<String> {
    let faulty = name.strip_prefix(SPECIMEN).or_else(|| name.strip_prefix(FAULT))?;
    let today = KnownFault::renamed(faulty).or_else(|| KnownFault::find(faulty).map(|fault| fault.name))?;
    Some(format!("{FAULT}{today}"))
}

/// The reason why a policy could not be tested.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// The policy is unknown.
    #[error("there is no policy `{name}`{}", Instead { name, compiled_out: *compiled_out })]
    Unknown {
        /// The name given.
        name: String,
        /// Whether its library is not compiled in.
        compiled_out: bool,
    },
    /// The policy has another name today.
    #[error("there is no policy `{name}`; it is called `{today}` now")]
    Renamed {
        /// The name given.
        name: String,
        /// Its name.
        today: String,
    },
    /// The fault is in the loop around a policy.
    #[error("no trial applies to {name}, which is a fault of the loop around a policy")]
    NoTrial {
        /// The name given.
        name: String,
    },
    /// There is no verdict at all.
    #[error("no trial applies: {}", why.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("; "))]
    NothingApplies {
        /// The policies, and why the first trial does not apply to each.
        why: Vec<(String, String)>,
    },
}

/// A suggestion, or the list of names.
struct Instead<'a> {
    name: &'a str,
    compiled_out: bool,
}

impl fmt::Display for Instead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.compiled_out {
            return write!(
                f,
                " in this build; cargo run --release -p retrylab-cli --features peers -- corpus {}",
                self.name
            );
        }
        let faults: Vec<String> = FAULTS.iter().map(|fault| format!("{FAULT}{}", fault.name)).collect();
        let names = names();
        let candidates = names.iter().chain(&faults).map(String::as_str).chain(PEERS);
        match nearest(self.name, candidates) {
            Some(meant) => write!(f, "; did you mean {meant}?"),
            None if self.name.starts_with(FAULT) => write!(f, "; there are {}", faults.join(", ")),
            None => write!(f, "; there are {} and {FAULT}NAME", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_about_a_library_is_one_that_has_it() {
        assert_eq!(program("backon").join(" "), "cargo run --release -p retrylab-cli --features peers --");
        assert_eq!(program("streaming"), ["retrylab"]);
    }

    #[cfg(feature = "peers")]
    #[test]
    fn the_names_of_the_peers_are_those_of_the_adapters() {
        assert!(peers::names().eq(PEERS.map(str::to_owned)));
    }
}
