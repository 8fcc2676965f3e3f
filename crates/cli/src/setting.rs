//! `--set KEY=VALUE`: a key of `[client]`, written as in a file.

use std::fmt;
use std::str::FromStr;

use retrylab_core::ConfigOption;
use retrylab_spec::{Client, Problem, Seconds, set};

/// A key of the client from the command line. Its value replaces that of the file.
///
/// ```
/// use retrylab_cli::setting::Setting;
/// use retrylab_spec::{PolicySpec, Seconds, named};
///
/// let mut client = named::client("polling").expect("a policy");
/// "poll_interval=1m".parse::<Setting>()?.apply(&mut client)?;
/// let minute = Seconds::Text(std::time::Duration::from_secs(60));
/// assert_eq!(client.kind, PolicySpec::Polling { poll_interval: Some(minute) });
/// # Ok::<(), retrylab_cli::setting::SettingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    key: String,
    value: String,
}

impl Setting {
    /// The one option of a preset.
    pub(crate) fn of(option: ConfigOption, seconds: Seconds) -> Self {
        Self { key: option.name().to_owned(), value: seconds.to_string() }
    }

    /// Sets the key.
    ///
    /// # Errors
    ///
    /// If the client has no such key, or the key no such value.
    pub fn apply(&self, client: &mut Client) -> Result<(), SettingError> {
        *client = set(client, &self.key, &self.value)
            .map_err(|problem| SettingError::Refused { setting: self.clone(), problem: Box::new(problem) })?;
        Ok(())
    }

    /// The key, with the path of an inner table.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

/// As it is given: `KEY=VALUE`.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

impl FromStr for Setting {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let (key, value) = text.split_once('=').ok_or(SettingError::NoEquals)?;
        Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned() })
    }
}

/// Why a text is no setting, or not one of this client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// Not of the form `KEY=VALUE`.
    #[error("write KEY=VALUE, such as initial_reconnect_delay=5s or normal.ceiling=1m")]
    NoEquals,
    /// The client has no such key, or the key no such value.
    #[error("--set {setting}: {}{}", problem.message(), Allowed(setting, problem))]
    Refused {
        /// As given.
        setting: Setting,
        /// As a file with it would be refused.
        problem: Box<Problem>,
    },
}

/// What to write instead.
struct Allowed<'a>(&'a Setting, &'a Problem);

impl fmt::Display for Allowed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(setting, problem) = self;
        let own = if setting.key == "jitter" { ", or `own`" } else { "" };
        problem.advice().map_or(Ok(()), |advice| write!(f, "; {advice}{own}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_core::Jitter;
    use retrylab_spec::{JitterChoice, LadderSpec, PolicySpec, ResetSpec, named};
    use std::time::Duration;

    /// The client of this name with these settings, one after the other.
    fn set<const N: usize>(name: &str, settings: [&str; N]) -> Result<Client, String> {
        let mut client = named::client(name).expect("a policy");
        for setting in settings {
            let setting: Setting = setting.parse().map_err(|error: SettingError| error.to_string())?;
            setting.apply(&mut client).map_err(|error| error.to_string())?;
        }
        Ok(client)
    }

    #[test]
    fn a_value_is_a_duration_or_a_number_of_seconds() {
        let read = |value: &str| set("polling", [&format!("poll_interval={value}")]).map(|client| client.kind);
        let interval = |seconds| Ok(PolicySpec::Polling { poll_interval: Some(seconds) });
        assert_eq!(read("1m 30s"), interval(Seconds::Text(Duration::from_secs(90))));
        assert_eq!(read("\"1m 30s\""), interval(Seconds::Text(Duration::from_secs(90))));
        assert_eq!(read("90"), interval(Seconds::Number(90.0)));
        assert_eq!(read("-1"), interval(Seconds::Number(-1.0)));
        assert_eq!(read("inf"), interval(Seconds::Number(f64::INFINITY)));
        assert_eq!(read("nan"), interval(Seconds::Number(f64::NAN)));
    }

    #[test]
    fn jitter_is_set_on_every_client() {
        let jitter = |settings| set("streaming", settings).map(|client| client.jitter);
        assert_eq!(jitter(["jitter=none", "jitter=none"]), Ok(JitterChoice::None));
        assert_eq!(jitter(["jitter=none", "jitter=own"]), Ok(JitterChoice::Own));
        let call = set("call", ["jitter=equal"]).expect("a call describes its jitter");
        assert_eq!(call.kind.jitter(), Some(Jitter::EQUAL));
    }

    #[test]
    fn bounds_of_a_preset_are_set_one_by_one_and_the_others_stay() {
        let regimes = |settings| match set("streaming", settings).map(|client| client.kind) {
            Ok(PolicySpec::TwoRegimes(regimes)) => regimes,
            other => panic!("{other:?}"),
        };
        let s = Duration::from_secs;
        let two = regimes(["normal.initial=2s", "normal.ceiling=1m"]);
        assert_eq!((two.normal, two.extended, two.cadence), ((s(2), s(60)), (s(300), s(3600)), s(0)));
        // Of a preset with another first wait, all that follows from it stays.
        let slow = regimes(["initial_reconnect_delay=10m", "normal.initial=2s"]);
        assert_eq!((slow.normal, slow.extended), ((s(2), s(600)), (s(600), s(3600))));
        let reset = regimes(["reset.successes=2", "reset.healthy_for=5s"]).reset;
        assert_eq!(reset, ResetSpec::HealthyFor(s(5)));
        let contradiction = set("streaming", ["normal.initial=2s", "initial_reconnect_delay=5s"]);
        let because = "--set initial_reconnect_delay=5s: `normal` contradicts `initial_reconnect_delay`, which sets it; leave \
                       out `normal` or `initial_reconnect_delay`";
        assert_eq!(contradiction, Err(because.to_owned()));
    }

    #[test]
    fn every_key_of_a_call_can_be_set() {
        let call = set(
            "call",
            [
                "attempts=6",
                "ladder.ceiling=1m",
                "ladder.ratio=3/2",
                "elapsed=1h",
                "deadline=2h",
                "retry_after={ most = \"1m\", beyond = \"clamp\" }",
                "budget={ tokens = 500, cost = 5 }",
                "idempotent=false",
            ],
        );
        let call = call.expect("keys of a call").kind.call().expect("a call").clone();
        let LadderSpec::Exponential { base, ratio, ceiling } = call.ladder else { panic!("{call:?}") };
        assert_eq!(
            (base, ratio.to_string(), ceiling),
            (Duration::from_millis(500), "3/2".into(), Duration::from_secs(60))
        );
        assert_eq!((call.attempts, call.elapsed), (Some(6), Some(Duration::from_secs(3600))));
        assert_eq!((call.deadline, call.budgets.len()), (Some(Duration::from_secs(7200)), 1));
        assert!(call.retry_after != retrylab_core::ServerDelay::Ignore && !call.idempotent);
        let other = set("reconnect", ["ladder={ constant = \"5s\" }", "attempts=unlimited"]).expect("keys of a loop");
        assert_eq!(other.kind.normal(), Some(LadderSpec::Constant(Duration::from_secs(5))));
    }

    #[test]
    fn a_dialect_has_the_option_of_its_original() {
        let (stream, poller) = ("streaming:clamp-initial", "polling:cadence-not-restored");
        let configured = |name, setting| set(name, [setting]).map(|client| client.kind.configured());
        assert_eq!(configured(stream, "initial_reconnect_delay=45"), Ok(Some(Seconds::Number(45.0))));
        assert_eq!(configured(poller, "poll_interval=45"), Ok(Some(Seconds::Number(45.0))));
        assert_eq!(
            configured(stream, "poll_interval=45"),
            Err("--set poll_interval=45: this key is for `kind = \"polling\"`; allowed here: `kind`, \
                 `initial_reconnect_delay`, `jitter`"
                .to_owned())
        );
    }

    #[test]
    fn every_refusal_names_the_key_the_value_and_what_is_allowed() {
        let because = |text: &str| Err(text.to_owned());
        let refused = |name: &str, setting: &str| set(name, [setting]).map(|_| ());
        let allowed = "allowed here: `kind`, `poll_interval`, `normal`, `extended`, `cadence`, `reset`, `jitter`";
        for (name, setting, text) in [
            ("polling", "jitter", "write KEY=VALUE, such as initial_reconnect_delay=5s or normal.ceiling=1m"),
            (
                "polling",
                "poll-interval=5s",
                &format!("--set poll-interval=5s: unknown key; did you mean `poll_interval`? {allowed}"),
            ),
            (
                "polling",
                "attempts=6",
                &format!("--set attempts=6: this key is for `kind = \"call\"` and `kind = \"reconnect\"`; {allowed}"),
            ),
            ("polling", "jitter=full", "--set jitter=full: \"full\" is not a jitter; a jitter is \"none\", or `own`"),
            ("polling", "kind=call", "--set kind=call: which policy it is cannot be set; name another policy"),
            (
                "polling",
                "poll_interval=1 month",
                "--set poll_interval=1 month: \"1 month\" is a duration in years or months; years and months have no fixed \
                 length; write days, such as \"365d\" or \"30d\"",
            ),
            (
                "streaming",
                "normal.initial=2",
                "--set normal.initial=2: expected a duration in text, found an integer; such as \"1m 30s\"",
            ),
            (
                "streaming",
                "cadence.a=2",
                "--set cadence.a=2: expected a duration in text, found a table; such as \"1m 30s\"",
            ),
            ("call", "attempts.a=2", "--set attempts.a=2: not a table; set `attempts` itself"),
            (
                "call",
                "attempts=many",
                "--set attempts=many: \"many\" is not a limit in text; a limit in text is \"unlimited\"",
            ),
        ] {
            assert_eq!(refused(name, setting), because(text), "{setting}");
        }
    }
}
