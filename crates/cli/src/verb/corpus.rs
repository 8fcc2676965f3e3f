//! `retrylab corpus`: policies by kinds of bugs.

use std::fmt;

use clap::Args;
use clap::builder::PossibleValuesParser;
use retrylab_laws::SPECIMENS;
use retrylab_laws::corpus::{Maker, TRIALS, Trial, Verdict, built_in, kinds, specimen};
use retrylab_scenario::named;
use retrylab_scenario::suggest::nearest;

use crate::progress::Progress;
use crate::seed::{self, Seed};
use crate::{Console, Exit, Format, Refusal};

mod json;
#[cfg(feature = "peers")]
mod peers;
mod text;

/// The policies of other people's libraries, which are compiled in with the feature `peers`.
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

/// What the name of a specimen begins with.
const SPECIMEN: &str = "specimen:";

/// Say which known bugs a policy has
///
/// Each kind of bug is one that policies really had: a folder of sims/bugs, where the reports are. All policies are made
/// from one setting, 1 s doubling to 30 s, and put to the same trials with the same draws.
#[derive(Args, Debug)]
#[command(after_help = "\
Policies are the built-in ones, `specimen:NAME` for a formula that is known to be wrong, and with the feature `peers` other \
people's libraries.

Examples:
  retrylab corpus
  retrylab corpus call specimen:min-after-jitter
  retrylab corpus streaming:tls-unexpected --kind sticky-ceiling
  cargo run --release -p retrylab --features peers -- corpus backon tower")]
pub(crate) struct Corpus {
    /// Names of policies [default: all that are compiled in, without specimens]
    #[arg(value_name = "POLICY")]
    policies: Vec<String>,
    /// Only this kind of bug
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(kinds()), hide_possible_values = true)]
    kind: Option<String>,
    /// The seed of the jitter; before that of RETRYLAB_SEED
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// What came of all trials.
struct Results {
    seed: Seed,
    trials: Vec<&'static Trial>,
    policies: Vec<Judged>,
}

/// A policy and its verdict for each trial.
struct Judged {
    name: String,
    repeatable: bool,
    verdicts: Vec<Verdict>,
}

impl Corpus {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let seed = Seed::choose(self.seed, None, console.seed_variable.as_deref())?;
        let makers = self.makers()?;
        let chosen = |trial: &&Trial| self.kind.as_ref().is_none_or(|kind| trial.kind == kind);
        let trials: Vec<&Trial> = TRIALS.iter().filter(chosen).collect();

        let mut progress = Progress::new(console.progress, Some((makers.len() * trials.len()) as u64));
        let mut judge = |maker: &dyn Maker| {
            let verdict = |trial: &&Trial| {
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
        Refusal::unless_unread(match self.format {
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

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
                Verdict::Passes => totals.passed += 1,
                Verdict::Fails { .. } => totals.failed += 1,
                Verdict::NotApplicable { .. } => totals.not_applicable += 1,
            }
        }
        totals
    }

    fn must_say_something(&self) -> Result<(), CorpusError> {
        let Totals { passed: 0, failed: 0, .. } = self.totals() else { return Ok(()) };
        let why = |policy: &Judged| match policy.verdicts.first() {
            Some(Verdict::NotApplicable { why }) => Some((policy.name.clone(), why.clone())),
            _ => None,
        };
        Err(CorpusError::NothingApplies { why: self.policies.iter().filter_map(why).collect() })
    }

    /// The command line that puts a policy to the trials of a kind again.
    fn replay(&self, policy: &Judged, trial: &Trial) -> String {
        let seed = self.seed.value.to_string();
        let words = [program(&policy.name), &["corpus", &policy.name, "--kind", trial.kind, "--seed", &seed]].concat();
        shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
    }
}

/// The words that begin a command line about a policy: other people's libraries are in a build of their own.
fn program(policy: &str) -> &'static [&'static str] {
    const WITH_PEERS: &[&str] = &["cargo", "run", "--release", "-p", "retrylab", "--features", "peers", "--"];
    if PEERS.contains(&policy) { WITH_PEERS } else { &["retrylab"] }
}

/// Every policy that is compiled in, specimens aside.
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
    if let Some(specimen_name) = name.strip_prefix(SPECIMEN)
        && SPECIMENS.iter().any(|specimen| specimen.name == specimen_name)
    {
        let found = specimen(specimen_name).ok_or_else(|| CorpusError::NoTrial { name: name.to_owned() })?;
        return Ok(Box::new(found));
    }
    #[cfg(feature = "peers")]
    if let Some(found) = peers::maker(name) {
        return Ok(Box::new(found));
    }
    let compiled_out = PEERS.contains(&name) && !cfg!(feature = "peers");
    Err(CorpusError::Unknown { name: name.to_owned(), compiled_out })
}

/// Why nothing can be said about a policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// There is no such policy.
    #[error("there is no policy `{name}`{}", Instead { name, compiled_out: *compiled_out })]
    Unknown {
        /// As given.
        name: String,
        /// Whether it is one of a library that is not compiled in.
        compiled_out: bool,
    },
    /// The specimen is not about what a single policy shows.
    #[error("{name} is not about a policy alone, so no trial applies; a file of sims/bugs catches it")]
    NoTrial {
        /// As given.
        name: String,
    },
    /// No verdict at all.
    #[error("nothing was judged: {}", why.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("; "))]
    NothingApplies {
        /// The policies, and why the first trial does not apply to each.
        why: Vec<(String, String)>,
    },
}

/// What may have been meant, or what there is.
struct Instead<'a> {
    name: &'a str,
    compiled_out: bool,
}

impl fmt::Display for Instead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.compiled_out {
            return write!(
                f,
                " in this build; cargo run --release -p retrylab --features peers -- corpus {}",
                self.name
            );
        }
        let specimens: Vec<String> = SPECIMENS.iter().map(|specimen| format!("{SPECIMEN}{}", specimen.name)).collect();
        let names = names();
        let candidates = names.iter().chain(&specimens).map(String::as_str).chain(PEERS);
        match nearest(self.name, candidates) {
            Some(meant) => write!(f, "; did you mean {meant}?"),
            None if self.name.starts_with(SPECIMEN) => write!(f, "; there are {}", specimens.join(", ")),
            None => write!(f, "; there are {} and {SPECIMEN}NAME", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_about_a_library_is_one_that_has_it() {
        assert_eq!(program("backon").join(" "), "cargo run --release -p retrylab --features peers --");
        assert_eq!(program("streaming"), ["retrylab"]);
    }

    #[cfg(feature = "peers")]
    #[test]
    fn the_names_of_the_peers_are_those_of_the_adapters() {
        assert!(peers::names().eq(PEERS.map(str::to_owned)));
    }
}
