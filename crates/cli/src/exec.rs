//! `--exec CMD`: a policy in another process, on the command line.

use std::time::Duration;

use clap::{Args, ValueEnum};
use retrylab_exec::{Bounded, Construction, Draws, ExecPolicy, Fault, NotExpressible, Program, StartError, Subject};
use retrylab_scenario::{CallSpec, ClientKind, duration};

/// The options of a subject in another process.
#[derive(Args, Clone, Debug)]
pub struct Exec {
    /// A policy in another process, in any language: this command is run once and answers JSON lines (see
    /// crates/exec/PROTOCOL.md)
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    exec: Option<Program>,
    /// With --exec: how long each answer may take; the first one may take 10s more
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time_limit, requires = "exec")]
    #[arg(allow_hyphen_values = true)]
    time_limit: Duration,
}

impl Exec {
    /// The program, if there is one.
    #[must_use]
    pub const fn program(&self) -> Option<&Program> {
        self.exec.as_ref()
    }

    /// The words that say this again, after their options.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let default = self.time_limit == DEFAULT_LIMIT;
        let limit = (!default).then(|| ("--time-limit", duration::print(self.time_limit)));
        let exec = self.exec.as_ref().map(|program| ("--exec", program.to_string()));
        exec.into_iter().flat_map(move |exec| [Some(exec), limit.clone()]).flatten()
    }

    /// Starts the program; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start(&self) -> Result<Option<Subject>, ExecError> {
        Ok(self.exec.clone().map(|program| Subject::start(program, self.time_limit)).transpose()?)
    }

    /// Starts the program as what it claims to be; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start_as(&self, claim: Claim) -> Result<Option<Claimed>, ExecError> {
        let Some(subject) = self.start()? else { return Ok(None) };
        let client = claim.client();
        let construction = claim.construction()?;
        Ok(Some(Claimed { subject, client, construction }))
    }
}

/// What `--time-limit` is by default.
const DEFAULT_LIMIT: Duration = Duration::from_secs(5);

fn time_limit(text: &str) -> Result<Duration, String> {
    match duration::parse(text) {
        Ok(Duration::ZERO) => Err("no answer takes no time; allowed is any longer time, such as 5s".to_owned()),
        Ok(limit) => Ok(limit),
        Err(error) => Err(format!("{error}; {}", error.help())),
    }
}

/// What a subject in another process claims to be, which decides the laws that it is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Claim {
    /// A stream that reconnects, with two regimes
    Streaming,
    /// A poller with two regimes
    Polling,
    /// Bounded calls, one after the other
    Call,
    /// Waits that grow, without a limit of attempts
    Ladder,
}

impl Claim {
    /// The built-in client that makes the same claim. A ladder is a call without a limit of attempts.
    #[must_use]
    pub fn client(self) -> ClientKind {
        match self {
            Self::Streaming => ClientKind::Streaming { initial_reconnect_delay: None },
            Self::Polling => ClientKind::Polling { poll_interval: None },
            Self::Call => ClientKind::Call(CallSpec::default()),
            Self::Ladder => ClientKind::Call(CallSpec::reconnect()),
        }
    }

    /// What the subject is asked to build.
    fn construction(self) -> Result<Construction, NotExpressible> {
        match self {
            Self::Ladder => Bounded::of(&CallSpec::reconnect()).map(Construction::Ladder),
            Self::Streaming | Self::Polling | Self::Call => Construction::of(&self.client()),
        }
    }
}

/// A subject that runs, with what it claims to be.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The process. It holds one policy at a time, and its first fault is kept.
    pub subject: Subject,
    /// The built-in client that makes the same claim.
    pub client: ClientKind,
    /// What the subject is asked to build.
    pub construction: Construction,
}

impl Claimed {
    /// A fresh policy for one run, which replaces the one before.
    ///
    /// # Errors
    ///
    /// If the subject refuses, or is at fault now or was before.
    pub fn policy(&self, seed: u64) -> Result<ExecPolicy, Fault> {
        self.subject.policy(&self.construction, seed)
    }

    /// The same where an error cannot be returned: it is kept as the subject's fault, to be asked for after the run.
    #[must_use]
    pub fn fresh(&self, seed: u64) -> ExecPolicy {
        self.subject.fresh(&self.construction, seed)
    }

    /// Whose draws the jitter is made of, which decides whether waits can be judged exactly. Builds a policy to know it.
    ///
    /// # Errors
    ///
    /// As for [`Claimed::policy`].
    pub fn draws(&self) -> Result<Draws, Fault> {
        self.policy(0).map(|policy| policy.draws())
    }
}

/// Why there is no subject in another process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The system cannot start it.
    #[error("--exec: {0}")]
    Start(#[from] StartError),
    /// What it claims to be cannot be said to it.
    #[error("--as: {0}")]
    NotExpressible(#[from] NotExpressible),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_is_a_client_and_a_constructor() {
        for (claim, name, params) in [
            (Claim::Streaming, "streaming", r#"{"initial_reconnect_delay":1}"#),
            (Claim::Polling, "polling", r#"{"poll_interval":30}"#),
            (Claim::Call, "call", r#"{"attempts":4,"base_s":0.5,"factor":2,"ceiling_s":30,"jitter":"full"}"#),
            (Claim::Ladder, "ladder", r#"{"attempts":null,"base_s":0.5,"factor":2,"ceiling_s":30,"jitter":"full"}"#),
        ] {
            let construction = claim.construction().unwrap();
            assert_eq!((construction.name(), construction.to_string().as_str()), (name, params));
        }
        assert_eq!(Claim::Ladder.client(), ClientKind::Call(CallSpec { attempts: None, ..CallSpec::default() }));
    }

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        exec: Exec,
    }

    fn line<const N: usize>(arguments: [&str; N]) -> Exec {
        <Line as clap::Parser>::try_parse_from([&["x"][..], &arguments].concat()).expect("a command line").exec
    }

    #[test]
    fn a_subject_is_started_as_what_it_claims_to_be() {
        // Builds ladders alone, and draws for itself.
        let script = "import sys\nfor line in sys.stdin: print('{\"ok\":true,\"draws\":\"own\",\"delay_s\":2}' if 'ladder' in line \
                      or 'read' in line else '{\"refused\":\"ladders only\"}', flush=True)";
        let program = shlex::try_join(["python3", "-c", script]).unwrap();
        let exec = line(["--exec", &program]);
        let claimed = exec.start_as(Claim::Ladder).expect("python3 can be started").expect("a subject is named");
        assert_eq!(claimed.draws(), Ok(Draws::Own));
        let policy = claimed.policy(7).unwrap();
        assert_eq!(retrylab_core::Policy::next_delay(&policy), Duration::from_secs(2));
        let claimed = exec.start_as(Claim::Call).expect("python3 can be started").expect("a subject is named");
        let refused = claimed.policy(7).unwrap_err();
        assert!(refused.to_string().ends_with("the subject refuses to build this policy: `ladders only`"), "{refused}");
    }

    #[test]
    fn without_the_option_there_is_no_subject() {
        assert!(line([]).start_as(Claim::Polling).unwrap().is_none());
        assert_eq!(line([]).words().count(), 0);
    }

    #[test]
    fn the_options_are_said_again_where_they_are_not_the_default() {
        let words = |exec: Exec| exec.words().collect::<Vec<_>>();
        assert_eq!(words(line(["--exec", "a 'b c'"])), [("--exec", "a 'b c'".to_owned())]);
        assert_eq!(
            words(line(["--exec", "a", "--time-limit", "90s"])),
            [("--exec", "a".to_owned()), ("--time-limit", "1m 30s".to_owned())]
        );
    }

    #[test]
    fn a_time_limit_is_some_time() {
        assert_eq!(time_limit("250ms"), Ok(Duration::from_millis(250)));
        assert!(time_limit("0s").is_err());
        assert!(time_limit("-1s").is_err());
        assert!(time_limit("5").is_err());
    }
}
