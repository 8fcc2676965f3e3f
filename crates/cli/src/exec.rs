//! `--exec CMD`: a policy in another process, on the command line.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::time::Duration;

use clap::{Args, ValueEnum};
use retrylab_core::{Beyond, ServerDelay, nanos};
use retrylab_exec::{Construction, ExecPolicy, NotExpressible, Program, StartError, Subject, SubjectFault};
use retrylab_spec::{CallSpec, PolicySpec, duration};

use crate::options::time;
use crate::subject::{self, SubjectError};
use crate::{Console, Input, Refusal};

/// The options of a subject in another process.
#[derive(Args, Clone, Debug)]
pub struct Exec {
    /// Run a policy in another process, in any language: this command is started once and answers requests in JSON
    /// lines (see crates/exec/PROTOCOL.md)
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    exec: Option<Program>,
    /// With --exec: the time limit for each response; the first one may take 10s more
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time_limit, requires = "exec")]
    #[arg(allow_hyphen_values = true)]
    time_limit: Duration,
}

impl Exec {
    /// The program, if one was given.
    #[must_use]
    pub const fn program(&self) -> Option<&Program> {
        self.exec.as_ref()
    }

    /// The options in words, to repeat them.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let default = self.time_limit == DEFAULT_LIMIT;
        let limit = (!default).then(|| ("--time-limit", duration::print(self.time_limit)));
        let exec = self.exec.as_ref().map(|program| ("--exec", program.to_string()));
        exec.into_iter().flat_map(move |exec| [Some(exec), limit.clone()]).flatten()
    }

    /// Starts the program; `None` if none was given.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start(&self) -> Result<Option<Subject>, ExecError> {
        Ok(self.exec.clone().map(|program| Subject::start(program, self.time_limit)).transpose()?)
    }

    /// Starts the program with a claim; `None` if none was given.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start_as(&self, role: Role) -> Result<Option<Claimed>, ExecError> {
        let Some(subject) = self.start()? else { return Ok(None) };
        Ok(Some(Claimed { subject, role }))
    }
}

/// The default of `--time-limit`.
const DEFAULT_LIMIT: Duration = Duration::from_secs(5);

fn time_limit(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err("it must be more than 0s, such as 5s".to_owned()),
        limit => Ok(limit),
    }
}

/// The claim of a subject in another process, which selects the laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NamedClaim {
    /// A stream that reconnects, with two regimes
    Streaming,
    /// A poller with two regimes
    Polling,
    /// Bounded calls, one after the other
    Call,
    /// Waits that grow, without a limit of attempts
    Ladder,
}

impl NamedClaim {
    /// The built-in client with the same claim. A ladder is a call without a limit on attempts.
    #[must_use]
    pub fn client(self) -> PolicySpec {
        match self {
            Self::Streaming => PolicySpec::Streaming { initial_reconnect_delay: None },
            Self::Polling => PolicySpec::Polling { poll_interval: None },
            Self::Call => PolicySpec::Call(CallSpec::default()),
            Self::Ladder => PolicySpec::Call(CallSpec::reconnect()),
        }
    }

    /// The role of the subject.
    ///
    /// # Errors
    ///
    /// If the protocol has no words for it.
    pub fn role(self) -> Result<Role, NotExpressible> {
        self.role_with(self.client())
    }

    /// The same with the numbers of this client, which is of the same kind.
    fn role_with(self, client: PolicySpec) -> Result<Role, NotExpressible> {
        let role = Role::of(client)?;
        match role.client.call() {
            // A ladder has no kinds of failures and no end.
            Some(call) if self == Self::Ladder => {
                let construction = Construction::ladder(call);
                Ok(Role { construction, claim: role.claim.without_end(), ..role })
            }
            _ => Ok(role),
        }
    }
}

/// The options of a claim, with `--exec`.
#[derive(Args, Clone, Debug)]
pub struct Claiming {
    /// With --exec: the claim of the policy, which selects the laws: streaming, polling, call or ladder, with the numbers of
    /// the first file's client; or a timeline file, whose client it is [default: the client, or the `claims`, of the file]
    #[arg(long = "as", value_name = "KIND|FILE", requires = "exec")]
    claim: Option<ClaimOption>,
    /// With --exec: the policy rounds its waits to multiples of this, up or down, such as 1ms for timers of JavaScript
    #[arg(long, value_name = "TIME", value_parser = time_limit, requires = "exec", allow_hyphen_values = true)]
    rounds_to: Option<Duration>,
}

impl Claiming {
    /// The options in words, to repeat them.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let claim = self.claim.as_ref().map(|claim| ("--as", claim.to_string()));
        claim.into_iter().chain(self.rounds_to.map(|grain| ("--rounds-to", duration::print(grain))))
    }

    /// The role that `--as` gives; `None` without it.
    pub(crate) fn role(&self, client: Option<&PolicySpec>, console: &mut Console<'_>) -> Result<Option<Role>, Refusal> {
        self.claim.as_ref().map(|claim| claim.role(client, console)).transpose()
    }

    /// The same role, with waits that may be rounded.
    pub(crate) fn rounded(&self, role: Role) -> Role {
        match self.rounds_to {
            Some(grain) => Role { claim: role.claim.with_tolerance_ns(nanos(grain)), ..role },
            None => role,
        }
    }
}

/// The claim on a command line: a kind, or a timeline file, which means its client.
#[derive(Clone, Debug)]
pub enum ClaimOption {
    /// A kind, with its default numbers.
    Named(NamedClaim),
    /// A file.
    File(Input),
}

impl From<OsString> for ClaimOption {
    fn from(argument: OsString) -> Self {
        let named = argument.to_str().and_then(|name| NamedClaim::from_str(name, false).ok());
        named.map_or_else(|| Self::File(Input::from(argument)), Self::Named)
    }
}

/// As `--as` has it.
impl fmt::Display for ClaimOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(named) => f.write_str(named.to_possible_value().as_ref().map_or("", |value| value.get_name())),
            Self::File(input) => f.write_str(&input.argument()),
        }
    }
}

impl ClaimOption {
    /// The role of the subject. A kind has the numbers of `client`, if that is of this kind.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or claims nothing, or the protocol has no words for the claim.
    pub(crate) fn role(&self, client: Option<&PolicySpec>, console: &mut Console<'_>) -> Result<Role, Refusal> {
        let role = match self {
            Self::Named(named) => {
                let is_of_its_kind = |client: &&PolicySpec| client.shape() == named.client().shape();
                let described = client.filter(|client| !matches!(client, PolicySpec::External { .. }));
                named.role_with(described.filter(is_of_its_kind).cloned().unwrap_or_else(|| named.client()))
            }
            Self::File(input) => {
                let unknown = |error: SubjectError| match error {
                    SubjectError::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound => {
                        Refusal::from(ExecError::NoClaim { given: self.to_string() })
                    }
                    other => other.refusal(),
                };
                let (draft, _) = subject::read(input, console).map_err(unknown)?;
                match draft.client.as_played().kind {
                    PolicySpec::External { claims: Some(claims), .. } => Role::of(*claims),
                    PolicySpec::External { .. } => {
                        return Err(Refusal::from(ExecError::ClaimsNothing { file: input.clone() }));
                    }
                    described => Role::of(described),
                }
            }
        };
        Ok(role.map_err(ExecError::from)?)
    }
}

/// The policy that a subject builds, and its claim.
#[derive(Clone, Debug)]
pub struct Role {
    /// The built-in client with the same claim.
    pub client: PolicySpec,
    /// The policy that the subject builds.
    pub construction: Construction,
    /// Its claim.
    pub claim: retrylab_laws::Claim,
}

impl Role {
    /// The role of a built-in client.
    ///
    /// # Errors
    ///
    /// If the protocol has no words for it.
    pub fn of(client: PolicySpec) -> Result<Self, NotExpressible> {
        let construction = Construction::claimed(&client)?;
        let claim = retrylab_laws::Claim::from(client.clone());
        // The protocol has no word for a refused retry_after.
        let refuses = matches!(claim.retry_after(), Some(ServerDelay::Honour { beyond: Beyond::Refuse, .. }));
        Ok(Self { claim: if refuses { claim.without_reasons() } else { claim }, construction, client })
    }
}

/// A running subject, with its claim.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The process. It holds one policy at a time, and its first fault is kept.
    pub subject: Subject,
    /// Its role.
    pub role: Role,
}

impl Claimed {
    /// Builds a policy for one run, which replaces the one before.
    ///
    /// # Errors
    ///
    /// If the subject refuses, or has a fault, now or before.
    pub fn policy(&self, seed: u64) -> Result<ExecPolicy, SubjectFault> {
        self.subject.policy(&self.role.construction, seed)
    }

    /// Like [`Claimed::policy`], for callers that cannot return an error: it is kept as the subject's fault.
    #[must_use]
    pub fn fresh(&self, seed: u64) -> ExecPolicy {
        self.subject.fresh(&self.role.construction, seed)
    }

    /// Whether the subject has draws of its own, so that laws judge no exact waits. Builds a policy to find out.
    ///
    /// # Errors
    ///
    /// See [`Claimed::policy`].
    pub fn draws_own(&self) -> Result<bool, SubjectFault> {
        self.policy(0).map(|policy| policy.draws_own())
    }
}

/// The reason why a subject could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The system cannot start it.
    #[error("--exec: {0}")]
    Start(#[from] StartError),
    /// The protocol has no parameters for its claim.
    #[error("--exec: {0}")]
    NotExpressible(#[from] NotExpressible),
    /// Neither a kind nor a file.
    #[error(
        "--as: there is no kind and no file `{given}`; kinds are streaming, polling, call and ladder, and a timeline file \
             means its client"
    )]
    NoClaim {
        /// The given text.
        given: String,
    },
    /// The client of the file is external, and claims nothing.
    #[error("--as: the client of {file} is external and has no `claims`")]
    ClaimsNothing {
        /// The file.
        file: Input,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_spec::{ResetSpec, TwoRegimes};

    #[test]
    fn every_claim_is_a_client_and_a_constructor() {
        for (claim, name, params) in [
            (NamedClaim::Streaming, "streaming", r#"{"initial_reconnect_delay":1}"#),
            (NamedClaim::Polling, "polling", r#"{"poll_interval":30}"#),
            (NamedClaim::Call, "call", r#"{"attempts":4,"base_s":0.5,"factor":2,"ceiling_s":30,"jitter":"full"}"#),
            (
                NamedClaim::Ladder,
                "ladder",
                r#"{"attempts":null,"base_s":0.5,"factor":2,"ceiling_s":30,"jitter":"full"}"#,
            ),
        ] {
            let construction = claim.role().unwrap().construction;
            assert_eq!((construction.name(), construction.to_string().as_str()), (name, params));
        }
        let own = TwoRegimes { reset: ResetSpec::Successes(3), ..TwoRegimes::polling(Duration::from_secs(60)) };
        assert_eq!(Role::of(own.into()).unwrap().construction.name(), "custom");
        assert_eq!(NamedClaim::Ladder.client(), PolicySpec::Call(CallSpec { attempts: None, ..CallSpec::default() }));
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
    fn a_subject_is_started_with_its_claim() {
        // It builds ladders alone, with draws of its own.
        let script = "import sys\nfor line in sys.stdin: print('{\"ok\":true,\"draws\":\"own\",\"delay_s\":2}' if 'ladder' in line \
                      or 'read' in line else '{\"refused\":\"ladders only\"}', flush=True)";
        let program = shlex::try_join(["python3", "-c", script]).unwrap();
        let exec = line(["--exec", &program]);
        let claimed = exec
            .start_as(NamedClaim::Ladder.role().unwrap())
            .expect("python3 can be started")
            .expect("a subject is named");
        assert_eq!(claimed.draws_own(), Ok(true));
        let policy = claimed.policy(7).unwrap();
        assert_eq!(retrylab_core::Policy::next_delay(&policy), Duration::from_secs(2));
        let claimed = exec
            .start_as(NamedClaim::Call.role().unwrap())
            .expect("python3 can be started")
            .expect("a subject is named");
        let refused = claimed.policy(7).unwrap_err();
        assert!(refused.to_string().ends_with("the subject refuses to build this policy: `ladders only`"), "{refused}");
    }

    #[test]
    fn without_the_option_there_is_no_subject() {
        assert!(line([]).start_as(NamedClaim::Polling.role().unwrap()).unwrap().is_none());
        assert_eq!(line([]).words().count(), 0);
    }

    #[test]
    fn options_other_than_the_default_are_repeated() {
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
