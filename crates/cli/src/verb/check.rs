//! `retrylab check`: a search for the shortest timeline that breaks a law.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use retrylab_laws::{Claim, Described, LAWS, Law};
use retrylab_scenario::suggest::nearest;
use retrylab_scenario::{Client, Draft, Timeline, duration};
use retrylab_sim::build;

use crate::count;
use crate::exec::{self, Exec};
use crate::interrupt::Interrupt;
use crate::paste::CommandLine;
use crate::seed::{self, Seed};
use crate::setting::Setting;
use crate::style::WARNING;
use crate::subject::{Chosen, Subject, SubjectError};
use crate::{Console, Exit, Format, Refusal};

mod hunt;
mod json;
mod regression;
mod remote;
mod text;
mod walk;

use hunt::{Bounds, Outcome};
use regression::Folder;
use remote::Remote;

/// How many cases are played if nobody says how many.
const CASES: u32 = 10_000;

/// The same for a policy in another process, each of whose answers takes as long as many runs of a built-in one.
const REMOTE_CASES: u32 = 300;

/// Search for the shortest timeline that breaks a law
///
/// Made-up timelines with bursts, flaps near thresholds, long outages and recoveries are played in virtual time, and each
/// run is held against every law that says something about such a policy. What breaks one is made as short as it gets, as
/// the same run: each failure keeps its draw. A search that never put a law to the test, or never got to a place that the
/// policy claims to have (its ceiling, a reset, a give-up), has proved nothing, and says so.
#[derive(Args, Debug)]
#[command(after_help = "\
The client of a file is checked; if the file expects laws, its own timeline is the first case.

Ctrl-C, or the end of --time, ends the search, and the making shorter of what it found: the shortest so far is told. \
Pressed again, Ctrl-C ends the command at once.

A policy that cannot be played to its end, because it panicked, crashed, hung or answered nonsense, ends the search, too. \
It is started anew, and the shortest timeline in which it fails from its start is told.

With --save each breach is written the moment it is found, and again when it is as short as it gets, as <law>-<hash>.toml. \
From then on it is a test: `retrylab run sims/regressions` fails until the policy obeys the law there.

Examples:
  retrylab check streaming
  retrylab check streaming:tls-unexpected --save
  retrylab check call --law gives-up-exactly-when-due --cases 100000
  retrylab check my-client.toml --time 5m --seed 7 --format json

JSON: a line a law with check (the policy), law, verdict (holds, broken, never-tested), tested (in how many cases) and \
breach, the last one a summary of the policy. Times are whole nanoseconds.

Exit status: 0 every law holds, 1 one is broken, one was never put to the test, a place was never reached, or it was \
interrupted; 2 for wrong usage or input, and if a file cannot be written.")]
pub(crate) struct Check {
    /// Built-in policies, or timeline files, whose clients are taken; with --exec: files with the first timelines to play
    #[arg(value_name = "POLICY", required_unless_present = "exec")]
    policies: Vec<Subject>,
    #[command(flatten)]
    exec: Exec,
    /// With --exec: what the policy claims to be, which decides the laws that it is held to
    #[arg(long = "as", value_name = "KIND", requires = "exec")]
    claim: Option<exec::Claim>,
    /// How many timelines to play for each policy, from 1 to 1000000000 [default: 10000; with --exec 300]
    #[arg(long, value_name = "N", value_parser = count::parse::<1_000_000_000>, allow_negative_numbers = true)]
    cases: Option<u32>,
    /// Instead of a search by chance, walk every timeline of up to so many entries over a small alphabet, and hold each
    /// against the laws of a single run
    #[arg(long, value_name = "DEPTH", value_parser = count::parse::<1_000_000_000>, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["cases", "seed", "save", "exec"])]
    exhaustive: Option<u32>,
    /// End the search of each policy after this much real time, such as 90s
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Only this law; may be given several times
    #[arg(long = "law", value_name = "NAME", value_parser = law)]
    laws: Vec<&'static Law>,
    /// The seed of the search; before that of the file and of RETRYLAB_SEED
    #[arg(long, value_name = "N", value_parser = seed::parse, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Set an option of the client: initial_reconnect_delay, poll_interval or jitter
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<Setting>,
    /// Write what breaks a law to this folder [default: sims/regressions]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "sims/regressions")]
    save: Option<PathBuf>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Whom a search is about, whoever is played.
struct Checked {
    /// In a few words.
    name: String,
    /// The command line that checks it again, without what is said of the search.
    line: CommandLine,
    client: Client,
    claim: Claim,
    laws: Vec<&'static Law>,
    /// What is tried first.
    own: Vec<Timeline>,
    /// How many cases are played unless somebody says otherwise.
    usual_cases: u32,
    seed: Seed,
    /// How the command ends if it cannot be played.
    fault: Exit,
}

impl Check {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        let mut subjects: Vec<&Subject> = Vec::new();
        for subject in &self.policies {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        let checked = match self.exec.start_as(self.claimed()?)? {
            Some(claimed) => vec![self.remote(Remote::new(claimed), &subjects, console)?],
            None => {
                let described = |subject: &Subject| Ok((self.described(subject, console)?, None));
                subjects.into_iter().map(described).collect::<Result<Vec<_>, Refusal>>()?
            }
        };
        let interrupt = Interrupt::listen().map_err(CheckError::Signal)?;
        let mut exit = Exit::Held;
        for (nth, (checked, remote)) in checked.iter().enumerate() {
            if interrupt.is_asked() && nth > 0 {
                break;
            }
            if self.format == Format::Text {
                if nth > 0 {
                    writeln!(console.out)?;
                }
                text::heading(checked, console.out)?;
                if self.exhaustive.is_none() {
                    text::search(checked, self.cases.unwrap_or(checked.usual_cases), console.out)?;
                }
                console.out.flush()?;
            }
            if let Some(depth) = self.exhaustive {
                exit = exit.max(self.walk(checked, depth, &interrupt, console)?);
                continue;
            }
            let mut folder = self.save.as_deref().map(Folder::at);
            let bounds = Bounds {
                cases: self.cases.unwrap_or(checked.usual_cases).into(),
                threads: if remote.is_some() { 1 } else { hunt::threads() },
                time: self.time,
                interrupted: &|| interrupt.is_asked(),
                progress: console.progress,
            };
            let outcome = match remote {
                Some(remote) => hunt::hunt(checked, remote, &bounds, folder.as_mut()),
                None => hunt::hunt(checked, &Described(checked.client.clone()), &bounds, folder.as_mut()),
            };
            Refusal::unless_unread(self.print(checked, &outcome, console.out))?;
            if let Some(failed) = folder.and_then(Folder::failed) {
                return Err(CheckError::from(failed).into());
            }
            exit = exit.max(outcome.exit(checked));
        }
        Ok(exit)
    }

    fn print(&self, checked: &Checked, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Text => text::print(outcome, out)?,
            Format::Json => json::print(checked, outcome, out)?,
        }
        out.flush()
    }

    /// A policy that a description builds.
    fn described(&self, subject: &Subject, console: &mut Console<'_>) -> Result<Checked, Refusal> {
        let Chosen { client, seed, timeline } = subject.choose(&self.settings, console)?;
        let seed = Seed::choose(self.seed, seed, console.seed_variable.as_deref())?;
        let (_, warning) = build(&client.kind).map_err(SubjectError::NoBuiltIn)?;
        let name = subject.describe(&client);
        if let Some(warning) = warning {
            writeln!(console.err, "{WARNING}warning:{WARNING:#} {name}: {warning}")?;
        }
        let claim = Claim::of(&client);
        let mut line = CommandLine::new("check").word(subject.word());
        for setting in &self.settings {
            line = line.option("--set", setting.to_string());
        }
        let expects_laws = |draft: &Draft| draft.expect.as_ref().is_some_and(|expect| !expect.laws.is_empty());
        let own = timeline.filter(expects_laws).and_then(|draft| {
            let (client, seed) = (client.clone(), Some(seed.value));
            Timeline::new(Draft { client, seed, expect: None, catches: Vec::new(), ..draft }).ok()
        });
        let own = own.into_iter().collect();
        let laws = self.laws_about(&claim, &name)?;
        // Of a built-in policy a panic is a defect.
        Ok(Checked { name, line, client, claim, laws, own, usual_cases: CASES, seed, fault: Exit::Defect })
    }

    /// What a policy in another process claims to be.
    fn claimed(&self) -> Result<exec::Claim, CheckError> {
        match (self.claim, self.exec.program()) {
            (Some(claim), _) => Ok(claim),
            (None, Some(_)) => Err(CheckError::NoClaim),
            // There is nobody to claim anything.
            (None, None) => Ok(exec::Claim::Streaming),
        }
    }

    /// A policy in another process, with what was found of it before.
    fn remote(
        &self,
        remote: Remote,
        files: &[&Subject],
        console: &mut Console<'_>,
    ) -> Result<(Checked, Option<Remote>), Refusal> {
        if !self.settings.is_empty() {
            return Err(CheckError::SetWithExec.into());
        }
        let claim = remote.claim(self.claimed()?).map_err(CheckError::Remote)?;
        let client = remote.client();
        let mut own = Vec::new();
        let mut line = CommandLine::new("check");
        for (name, value) in self.exec.words() {
            line = line.option(name, value);
        }
        line = line.option("--as", claim_name(self.claimed()?));
        for file in files {
            let Chosen { timeline, client: theirs, .. } = file.choose(&[], console)?;
            let Some(draft) = timeline.filter(|_| theirs.kind.shape() == client.kind.shape()) else {
                return Err(CheckError::NotItsFile { file: file.to_string(), shape: client.kind.shape().name() }.into());
            };
            line = line.word(file.word());
            let client = Client { kind: client.kind.clone(), jitter: theirs.jitter };
            own.extend(Timeline::new(Draft { client, expect: None, catches: Vec::new(), ..draft }));
        }
        let seed = Seed::choose(self.seed, None, console.seed_variable.as_deref())?;
        let name = self.exec.program().map(ToString::to_string).unwrap_or_default();
        let laws = self.laws_about(&claim, &name)?;
        let usual_cases = REMOTE_CASES;
        let checked = Checked { name, line, client, claim, laws, own, usual_cases, seed, fault: Exit::NotHeld };
        Ok((checked, Some(remote)))
    }

    /// The laws that were asked for, each once, or all.
    fn laws_about(&self, claim: &Claim, policy: &str) -> Result<Vec<&'static Law>, CheckError> {
        if let Some(law) = self.laws.iter().find(|law| !law.applies(claim)) {
            let allowed = LAWS.iter().filter(|law| law.applies(claim)).map(|law| law.name).collect();
            return Err(CheckError::SaysNothing { law: law.name, policy: policy.to_owned(), allowed });
        }
        let asked = |law: &Law| self.laws.is_empty() || self.laws.iter().any(|asked| asked.name == law.name);
        Ok(LAWS.iter().filter(|law| asked(law)).collect())
    }
}

fn claim_name(claim: exec::Claim) -> String {
    claim.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn time(text: &str) -> Result<Duration, String> {
    duration::parse(text).map_err(|error| format!("{error}; {}", error.help()))
}

fn law(name: &str) -> Result<&'static Law, String> {
    Law::find(name).ok_or_else(|| {
        let names = || LAWS.iter().map(|law| law.name);
        match nearest(name, names()) {
            Some(closest) => format!("there is no such law; the closest is `{closest}`"),
            None => format!("there is no such law; there are {}", names().collect::<Vec<_>>().join(", ")),
        }
    })
}

/// Why a search cannot begin, or cannot keep what it found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The law is about other policies.
    #[error("--law: {law} says nothing about {policy}; allowed are {}", allowed.join(", "))]
    SaysNothing {
        /// The law.
        law: &'static str,
        /// The policy.
        policy: String,
        /// The laws that do apply.
        allowed: Vec<&'static str>,
    },
    /// Nobody says what it is held to.
    #[error("--exec: say with --as what the policy claims to be: streaming, polling, call or ladder")]
    NoClaim,
    /// It cannot even be built.
    #[error("--exec: {0}")]
    Remote(retrylab_exec::Fault),
    /// Only built-in policies have options.
    #[error("--set is for built-in policies; a policy in another process is built as --as says")]
    SetWithExec,
    /// A timeline that such a client cannot be played through.
    #[error("{file} is no timeline for a client that is played as {shape}")]
    NotItsFile {
        /// The file.
        file: String,
        /// What the policy is played as.
        shape: &'static str,
    },
    /// What was found is told, but not kept.
    #[error("--save: cannot write `{}`: {error}", crate::shown::line(&path.to_string_lossy()))]
    NotSaved {
        /// The file, or the folder for it.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Ctrl-C would lose what was found.
    #[error("cannot listen for Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
}
