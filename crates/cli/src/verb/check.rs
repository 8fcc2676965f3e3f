//! `retrylab check`: a search for the shortest timeline that violates a law.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use retrylab_laws::{CannotReport, Claim, Described, LAWS, Law};
use retrylab_search::{NotSaved, StoreError};
use retrylab_sim::build;
use retrylab_sim::diff::showing;
use retrylab_spec::suggest::nearest;
use retrylab_spec::{Client, Draft, PolicySpec, Problem, Timeline};

use crate::count;
use crate::exec::{Claiming, Exec, ExecError, Role};
use crate::interrupt::Interrupt;
use crate::options::{Output, SeedOption, Settings, time};
use crate::paste::CommandLine;
use crate::remote::Remote;
use crate::seed::Seed;
use crate::setting::Setting;
use crate::subject::{Chosen, Subject, SubjectError};
use crate::{Console, Exit, Format, Refusal};

mod hunt;
mod json;
mod regression;
mod saved;
mod text;
mod walk;

use hunt::{Bounds, Outcome};
use regression::Folder;
use saved::Saved;

/// The default number of cases.
const CASES: u32 = 10_000;

/// The default number of cases for a policy in another process, whose responses take much longer.
const REMOTE_CASES: u32 = 300;

/// Search for the shortest timeline that violates a law
///
/// The search generates timelines with bursts, flaps near thresholds, long outages and recoveries, plays the policy
/// through them in virtual time, and tests each run against every applicable law. A counterexample is shrunk: it stays
/// the same run, because each failure keeps its draw. A search is vacuous if it never put a law to the test, or never
/// reached a coverage goal (a ceiling, a reset, a give-up that the policy claims to have); the report says so.
#[derive(Args, Debug)]
#[command(after_help = "\
The client of a file is checked. If the file expects laws, its own timeline is the first case; what else it expects has to hold \
before the search.

Ctrl-C, or the end of --time, ends the search and the shrinking; the shortest counterexample so far is printed. A second \
Ctrl-C ends the command at once.

A policy that panics, crashes, hangs or sends an invalid response ends the search, too. It is restarted, and the shortest \
timeline that makes it fail is printed.

With --save each counterexample is written as soon as it is found, and again when it is shrunk, as <law>-<hash>.toml. It is \
then a test that fails until the policy obeys the law: `check` replays the files of the policy before it searches, and \
`retrylab run sims/regressions` replays all files (with --exec those of a policy in another process). The folder has to exist, \
unless --allow-missing is given. Without --save, `check` replays sims/regressions if it exists.

Examples:
  retrylab check streaming
  retrylab check streaming:tls-unexpected --save
  retrylab check call --law gives-up-exactly-when-due --cases 100000
  retrylab check my-client.toml --time 5m --seed 7 --format json

JSON: first one line per saved file with check (the policy), file, verdict (held, failed), seed, unmet and fault; if all \
hold, one line per law with check, law, verdict (holds, broken, never-tested), tested (number of cases) and breach; the last \
line is a summary of the policy, with its diagnosis. Times are in integer nanoseconds.

Exit status: 0 every law holds; 1 a law is violated or vacuous, a coverage goal was missed, or the search was interrupted; \
2 wrong usage or invalid input, or a file cannot be written.")]
pub(crate) struct Check {
    /// Built-in policies, or timeline files (their clients); with --exec: files with the first timelines to
    /// play
    #[arg(value_name = "POLICY", required_unless_present = "exec")]
    policies: Vec<Subject>,
    #[command(flatten)]
    exec: Exec,
    #[command(flatten)]
    claiming: Claiming,
    /// Timelines to play for each policy, up to 1000000000, at least those of the files [default: 10000; with --exec
    /// 300]. With 0 only those of the files are played
    #[arg(long, value_name = "N", value_parser = cases, allow_negative_numbers = true)]
    cases: Option<u32>,
    /// Instead of a random search, walk every timeline of up to N entries over a small alphabet, with the laws of
    /// single runs
    #[arg(long, value_name = "DEPTH", value_parser = count::parse::<1_000_000_000>, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["cases", "seed", "exec"])]
    exhaustive: Option<u32>,
    /// End the search of each policy after this much real time, such as 90s
    #[arg(long, value_name = "TIME", value_parser = time, allow_hyphen_values = true)]
    time: Option<Duration>,
    /// Only this law; may be repeated
    #[arg(long = "law", value_name = "NAME", value_parser = law)]
    laws: Vec<&'static Law>,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    set: Settings,
    /// Replay the saved counterexamples of this folder first, and save new ones to it [default: sims/regressions]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = saved::FOLDER)]
    save: Option<PathBuf>,
    /// With --save: treat a missing folder as an empty one, and create it for the first counterexample
    #[arg(long, requires = "save")]
    allow_missing: bool,
    #[command(flatten)]
    output: Output,
}

/// The policy of a search.
struct Checked {
    /// A short description.
    name: String,
    /// The command line that repeats the check, without the options of the search.
    line: CommandLine,
    /// The options that start a policy in another process.
    exec: Vec<(&'static str, String)>,
    client: Client,
    claim: Claim,
    laws: Vec<&'static Law>,
    /// The setting that shows the difference of a dialect, unless it was configured.
    hint: Option<Setting>,
    /// The first timelines.
    own: Vec<Timeline>,
    /// The saved files, which are replayed before that.
    saved: Saved,
    /// The default number of cases.
    usual_cases: u32,
    seed: Seed,
    /// The exit status if it cannot be played.
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
        let checked = match self.remote(&subjects, console)? {
            Some(remote) => vec![remote],
            None => {
                let described = |subject: &Subject| Ok((self.described(subject, console)?, None));
                subjects.into_iter().map(described).collect::<Result<Vec<_>, Refusal>>()?
            }
        };
        let interrupt = Interrupt::listen().map_err(CheckError::Signal)?;
        let mut exit = Exit::Held;
        for (nth, (checked, remote)) in checked.iter().enumerate() {
            if interrupt.is_pressed() && nth > 0 {
                // This policy was not checked.
                exit = exit.max(Exit::NotHeld);
                break;
            }
            let cases = u64::from(self.cases.unwrap_or(checked.usual_cases));
            let bounds = Bounds {
                // No file is left out, however few the cases.
                cases: cases.max(checked.own.len() as u64),
                threads: if remote.is_some() { 1 } else { hunt::threads() },
                time: self.time,
                interrupted: &|| interrupt.is_pressed(),
                progress: console.progress,
                replay: self.cases == Some(0),
            };
            if self.output.format == Format::Text {
                // Even if the output is closed, counterexamples are saved, and the status reports them.
                Refusal::unless_unread(self.begin(nth, checked, console.out))?;
            }
            let replayed = checked.replay_saved(remote.as_ref());
            if self.output.format == Format::Text {
                Refusal::unless_unread(replayed.print(console.out).and_then(|()| console.out.flush()))?;
            } else {
                Refusal::unless_unread(json::replayed(checked, &replayed, console.out))?;
            }
            if !replayed.hold() {
                let outcome = Outcome::regressed(bounds.cases);
                if self.output.format == Format::Json {
                    Refusal::unless_unread(self.print(checked, &outcome, console.out))?;
                }
                exit = exit.max(outcome.exit(checked));
                continue;
            }
            if self.output.format == Format::Text && self.exhaustive.is_none() {
                Refusal::unless_unread(text::search(checked, &bounds, console.out).and_then(|()| console.out.flush()))?;
            }
            if let Some(depth) = self.exhaustive {
                exit = exit.max(self.walk(checked, depth, &interrupt, console)?);
                continue;
            }
            let mut folder = self.save.as_deref().map(Folder::at);
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

    /// The lines before the search.
    fn begin(&self, nth: usize, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        if nth > 0 {
            writeln!(out)?;
        }
        text::heading(checked, out)?;
        out.flush()
    }

    fn print(&self, checked: &Checked, outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
        match self.output.format {
            Format::Text => text::print(outcome, out)?,
            Format::Json => json::print(checked, outcome, out)?,
        }
        out.flush()
    }

    /// A policy built from a description.
    fn described(&self, subject: &Subject, console: &mut Console<'_>) -> Result<Checked, Refusal> {
        let Chosen { client, seed, timeline, locations } = subject.choose(&self.set.settings, console)?;
        let seed = self.seed.choose(seed, console)?;
        let (_, warning) = build(&client.kind).map_err(SubjectError::NoBuiltIn)?;
        let name = subject.describe(&client);
        if let Some(warning) = warning {
            console.warn(format_args!("{name}: {warning}"))?;
        }
        let claim = Claim::of(&client);
        let line = self.set.on(CommandLine::new("check").word(subject.word()));
        let expecting = match (subject.file(), &timeline) {
            (Some(input), Some(draft)) => {
                let draft = Draft { client: client.clone(), ..draft.clone() };
                saved::File::given(input, &draft, locations.as_ref(), &claim)?
            }
            _ => None,
        };
        let expects_laws = |draft: &Draft| draft.expect.as_ref().is_some_and(|expect| !expect.laws.is_empty());
        let own = timeline.filter(expects_laws).map(|draft| {
            let (client, seed) = (client.clone(), Some(seed.value));
            first_case(Draft { client, seed, ..draft }, subject)
        });
        let own: Vec<Timeline> = own.into_iter().collect::<Result<_, _>>()?;
        let saved = self.saved(&client, &claim)?.with(expecting);
        self.something_to_play(&own, &saved, &name)?;
        let laws = self.laws_about(&claim, &name)?;
        if self.exhaustive.is_some()
            && let Some(law) = self.laws.iter().find(|law| !walk::is_judged(law))
        {
            let allowed = LAWS.iter().filter(|law| law.applies(&claim) && walk::is_judged(law));
            return Err(CheckError::NotWalked { law: law.name, allowed: allowed.map(|law| law.name).collect() }.into());
        }
        let hint = telling(&client);
        // A panic of a built-in policy is a defect.
        let (usual_cases, exec) = (CASES, Vec::new());
        Ok(Checked { name, line, exec, client, claim, laws, hint, own, saved, usual_cases, seed, fault: Exit::Defect })
    }

    /// The role of a policy in another process: that of `--as`, or the client of the first file.
    fn role(&self, files: &[(&Subject, Chosen)], console: &mut Console<'_>) -> Result<Role, Refusal> {
        let client = files.first().map(|(_, chosen)| chosen.client.clone().as_played().kind);
        if let Some(role) = self.claiming.role(client.as_ref(), console)? {
            return Ok(self.claiming.rounded(role));
        }
        let role = match client {
            Some(PolicySpec::External { claims: Some(claims), .. }) => Role::of(*claims),
            None | Some(PolicySpec::External { .. }) => return Err(CheckError::NoClaim.into()),
            Some(spec) => Role::of(spec),
        };
        Ok(self.claiming.rounded(role.map_err(ExecError::from)?))
    }

    /// A policy in another process, with its saved counterexamples; `None` without `--exec`.
    fn remote(
        &self,
        files: &[&Subject],
        console: &mut Console<'_>,
    ) -> Result<Option<(Checked, Option<Remote>)>, Refusal> {
        if self.exec.program().is_none() {
            return Ok(None);
        }
        if !self.set.settings.is_empty() {
            return Err(CheckError::SetWithExec.into());
        }
        let chosen = files.iter().map(|file| Ok((*file, file.choose(&[], console)?)));
        let files = chosen.collect::<Result<Vec<_>, Refusal>>()?;
        let Some(remote) = self.exec.start_as(self.role(&files, console)?)?.map(Remote::new) else { return Ok(None) };
        let claim = remote.claim().map_err(CheckError::Remote)?;
        let client = remote.client(&claim);
        let (mut own, mut given) = (Vec::new(), Vec::new());
        let exec: Vec<_> = self.exec.words().chain(self.claiming.words()).collect();
        let mut line = CommandLine::new("check").options(exec.iter().map(|(name, value)| (*name, value)));
        for (file, Chosen { timeline, client: theirs, locations, .. }) in files {
            let Some(draft) = timeline.filter(|_| theirs.kind.shape() == client.kind.shape()) else {
                return Err(CheckError::NotItsFile { file: file.to_string(), shape: client.kind.shape().name() }.into());
            };
            line = line.word(file.word());
            let client = Client { kind: client.kind.clone(), jitter: theirs.jitter };
            let draft = Draft { client, ..draft };
            if let Some(input) = file.file() {
                given.extend(saved::File::given(input, &draft, locations.as_ref(), &claim)?);
            }
            own.push(first_case(draft, file)?);
        }
        let seed = self.seed.choose(None, console)?;
        let name = self.exec.program().map(ToString::to_string).unwrap_or_default();
        let laws = self.laws_about(&claim, &name)?;
        let saved = self.saved(&client, &claim)?.with(given);
        self.something_to_play(&own, &saved, &name)?;
        let (usual_cases, hint, fault) = (REMOTE_CASES, None, Exit::NotHeld);
        let checked = Checked { name, line, exec, client, claim, laws, hint, own, saved, usual_cases, seed, fault };
        Ok(Some((checked, Some(remote))))
    }

    /// With `--cases 0`, a timeline is required.
    fn something_to_play(&self, own: &[Timeline], saved: &Saved, policy: &str) -> Result<(), CheckError> {
        if self.cases == Some(0) && own.is_empty() && saved.files.is_empty() && saved.given.is_empty() {
            return Err(CheckError::NothingToPlay { policy: policy.to_owned() });
        }
        Ok(())
    }

    /// The laws that were selected, each once, or all.
    fn laws_about(&self, claim: &Claim, policy: &str) -> Result<Vec<&'static Law>, CheckError> {
        if let Some(law) = self.laws.iter().find(|law| !law.applies(claim)) {
            let allowed = LAWS.iter().filter(|law| law.applies(claim)).map(|law| law.name).collect();
            return Err(CheckError::SaysNothing { law: law.name, policy: policy.to_owned(), allowed });
        }
        let asked = |law: &Law| self.laws.is_empty() || self.laws.iter().any(|asked| asked.name == law.name);
        Ok(LAWS.iter().filter(|law| asked(law)).collect())
    }
}

/// The timeline of a file, to be judged by laws alone.
fn first_case(draft: Draft, file: &Subject) -> Result<Timeline, CheckError> {
    Timeline::new(Draft { expect: None, catches: Vec::new(), ..draft })
        .map_err(|problems| CheckError::NotForClient { file: file.to_string(), problems })
}

/// The setting that shows the difference of a dialect, if it depends on a setting that was not configured.
fn telling(client: &Client) -> Option<Setting> {
    let PolicySpec::Dialect { dialect, seconds: None } = client.kind else { return None };
    Some(Setting::of(dialect.option(), showing(dialect)?))
}

fn cases(text: &str) -> Result<u32, String> {
    const MOST: u32 = 1_000_000_000;
    let cases = text.parse().ok().filter(|cases| *cases <= MOST);
    cases.ok_or_else(|| format!("it must be an integer from 1 to {MOST}, or 0 to play only the timelines of files"))
}

fn law(name: &str) -> Result<&'static Law, String> {
    Law::find(name).ok_or_else(|| {
        let names = || LAWS.iter().map(|law| law.name);
        match nearest(name, names()) {
            Some(closest) => format!("there is no such law; did you mean `{closest}`?"),
            None => format!("there is no such law; there are {}", names().collect::<Vec<_>>().join(", ")),
        }
    })
}

/// The reason why a search cannot start, or cannot save its counterexample.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The law does not apply to the policy.
    #[error("--law: {law} is not applicable to {policy}; applicable are {}", allowed.join(", "))]
    SaysNothing {
        /// The law.
        law: &'static str,
        /// The policy.
        policy: String,
        /// The applicable laws.
        allowed: Vec<&'static str>,
    },
    /// The law needs more than a walk plays.
    #[error("--law: --exhaustive cannot test {law}, because it plays single runs by their outcomes alone; omit it, or use one of {}", allowed.join(", "))]
    NotWalked {
        /// The law.
        law: &'static str,
        /// The laws that a walk tests.
        allowed: Vec<&'static str>,
    },
    /// No timeline is generated, and none is given.
    #[error(
        "--cases: 0 plays only the timelines of files, and there is none for {policy}; name a file that expects laws"
    )]
    NothingToPlay {
        /// The policy.
        policy: String,
    },
    /// The claim is missing.
    #[error("--exec needs the claim of the policy: --as streaming, polling, call or ladder, or a file with its client")]
    NoClaim,
    /// The policy cannot be built.
    #[error("--exec: {0}")]
    Remote(retrylab_exec::SubjectFault),
    /// Only built-in policies have options.
    #[error("--set is for built-in policies; --as decides how a policy in another process is built")]
    SetWithExec,
    /// A missing folder.
    #[error("--save: there is no folder `{}`; create it, or give --allow-missing", crate::shown::line(&folder.to_string_lossy()))]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder, or a file of it, cannot be replayed.
    #[error("saved files: {0}")]
    Saved(#[from] StoreError),
    /// A saved file without expectations, which holds for every policy.
    #[error("saved file {file} has no [expect], so nothing could fail")]
    NothingExpected {
        /// The file.
        file: String,
    },
    /// A saved file that expects a law that is not applicable.
    #[error("saved file {file}: {cannot}")]
    SavedLaw {
        /// The file.
        file: String,
        /// The law.
        cannot: CannotReport,
    },
    /// The timeline does not fit the client.
    #[error("the timeline of {file} does not fit a {shape} client")]
    NotItsFile {
        /// The file.
        file: String,
        /// The kind of client.
        shape: &'static str,
    },
    /// With the options of the command line, the timeline is not valid.
    #[error("{file} does not fit the client to check: {}", problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; "))]
    NotForClient {
        /// The file.
        file: String,
        /// The problems.
        problems: Vec<Problem>,
    },
    /// The counterexample is printed, but could not be saved.
    #[error("--save: cannot write `{}`: {}", crate::shown::line(&.0.path.to_string_lossy()), .0.error)]
    NotSaved(#[from] NotSaved),
    /// Ctrl-C would lose the counterexample.
    #[error("cannot handle Ctrl-C: {0}")]
    Signal(#[from] ctrlc::Error),
}
