//! `retrylab probe`: one bounded call with scripted attempts.

use std::cell::RefCell;
use std::error::Error;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use retrylab_core::{Backoff, Call, CallRules, Classified, Fault, Instant, Jitter, Ladder};
use retrylab_driver::RetryError;
use retrylab_driver::blocking::Driver;
use retrylab_spec::suggest::nearest;

use crate::json::line;
use crate::{Console, Exit, Format, Refusal};

mod report;

use report::{Outcome, Report};

/// The maximum number of calls of a script: each but the last adds a sleep to the list.
const MOST_CALLS: u32 = 1_000_000;

/// The wait after the first failure; each later one is twice the one before.
const BASE: Duration = Duration::from_millis(500);

/// Make one bounded call with scripted attempts
///
/// The operation is a simulated fetch of a URL. Each attempt follows the next entry: `transient` fails with a
/// connection reset, `terminal` with a 404, anything else succeeds. At the end of the script, its last entry repeats.
///
/// The call is the real one, with exact waits: half a second, then twice as long each time, without jitter, up to the
/// longest wait of any platform (9223372036 s). The waits are recorded, not waited.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  retrylab probe --url https://example.org/flags --attempts 4 transient transient ok
  retrylab probe --url https://example.org/flags --attempts 4 --format json transient

Exit status: 0 for every outcome, which is one of ok, exhausted, terminal, refused.")]
pub(crate) struct Probe {
    /// The URL to fetch
    #[arg(long, value_name = "URL")]
    url: String,
    /// The maximum number of attempts, the first one included; below 1 the call is refused
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    attempts: Attempts,
    /// transient, terminal, or anything else for a success
    #[arg(required = true, value_name = "ENTRY")]
    script: Vec<Entry>,
    /// The output format: text, or json, which is one line with the sleeps in seconds
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    format: Format,
}

/// As given; a number below 1 is valid input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attempts(i64);

impl FromStr for Attempts {
    type Err = AttemptsError;

    fn from_str(text: &str) -> Result<Self, AttemptsError> {
        text.parse().map(Self).map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => AttemptsError::OutOfRange,
            _ => AttemptsError::NoWholeNumber,
        })
    }
}

/// An error: the text is not a number of attempts. clap's message shows the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum AttemptsError {
    #[error("attempts is an integer, such as 4")]
    NoWholeNumber,
    #[error("attempts is an integer from {} to {}", i64::MIN, i64::MAX)]
    OutOfRange,
}

/// The outcome of one attempt of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Transient,
    Terminal,
    /// Any other word; one that resembles the others may be a typing mistake.
    Succeeds {
        meant: Option<&'static str>,
    },
}

impl From<OsString> for Entry {
    fn from(entry: OsString) -> Self {
        match entry.to_str() {
            Some("transient") => Self::Transient,
            Some("terminal") => Self::Terminal,
            Some(other) => {
                let other = other.trim().to_lowercase();
                Self::Succeeds { meant: nearest(&other, ["transient", "terminal"]) }
            }
            None => Self::Succeeds { meant: None },
        }
    }
}

impl Probe {
    pub(crate) fn run(&self, console: &mut Console<'_>) -> Result<Exit, Refusal> {
        for (entry, number) in self.script.iter().zip(1..) {
            if let Entry::Succeeds { meant: Some(meant) } = entry {
                console.warn(format_args!("entry {number} is a success; did you mean `{meant}`?"))?;
            }
        }
        let Attempts(given) = self.attempts;
        let report = match u32::try_from(given.min(u32::MAX.into())) {
            Ok(attempts) => self.fetch(attempts)?,
            Err(_) => Report::refused(format!("attempts is {given}; at least 1 is allowed")),
        };
        Refusal::unless_unread(match self.format {
            Format::Text => report.print_text(console.out),
            Format::Json => line(&report, console.out),
        })?;
        Ok(Exit::Held)
    }

    fn fetch(&self, attempts: u32) -> Result<Report, ProbeError> {
        let calls = self.calls(attempts);
        if calls > MOST_CALLS {
            return Err(ProbeError::TooManyCalls { attempts: self.attempts.0 });
        }
        let ladder = Ladder::doubling(BASE, Duration::MAX);
        let rules = CallRules::builder().attempts(attempts).backoff(Backoff::new(ladder, Jitter::None)).build();
        let sleeps = RefCell::new(Vec::new());
        let mut called = 0;
        let answer = rules.map_err(RetryError::from).and_then(|rules| {
            let driver = Driver::new()
                .clock(|| Instant::ZERO)
                .sleeper(|delay| sleeps.borrow_mut().push(delay))
                .entropy(|| 0)
                .classify(CallError::classify)
                .target(self.url.clone());
            driver.retry(Call::new(rules), || {
                called += 1;
                self.call(called)
            })
        });
        Ok(Report::new(answer, called, sleeps.into_inner()))
    }

    /// The number of attempts: up to the first that is not transient, or to the last one allowed.
    fn calls(&self, attempts: u32) -> u32 {
        let ends = self.script.iter().position(|entry| *entry != Entry::Transient);
        let ends = ends.and_then(|index| u32::try_from(index + 1).ok());
        ends.map_or(attempts, |ends| ends.min(attempts))
    }

    /// The attempt of this number, from 1.
    fn call(&self, number: u32) -> Result<String, CallError> {
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        match self.script.get(index).or(self.script.last()) {
            Some(Entry::Transient) => Err(CallError::Reset(number)),
            Some(Entry::Terminal) => Err(CallError::NotFound(number)),
            Some(Entry::Succeeds { .. }) | None => Ok(format!("payload for {}", self.url)),
        }
    }
}

/// A failure of the operation, at this attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum CallError {
    #[error("connection reset on call {0}")]
    Reset(u32),
    #[error("404 on call {0}")]
    NotFound(u32),
}

impl CallError {
    fn classify(&self) -> Classified {
        match self {
            Self::Reset(_) => Classified::for_call_fault(Fault::Reset),
            Self::NotFound(_) => Classified::for_call_status(404),
        }
    }
}

impl Report {
    fn new(answer: Result<String, RetryError<CallError>>, calls: u32, sleeps: Vec<Duration>) -> Self {
        let error = match answer {
            Ok(payload) => return Self { result: Some(payload), calls, sleeps, ..Self::empty(Outcome::Ok) },
            Err(error) => error,
        };
        let outcome = match error {
            RetryError::Terminal(_) => Outcome::Terminal,
            RetryError::Refused(_) => Outcome::Refused,
            // Nothing cancels here, so the only other reason is exhaustion.
            _ => Outcome::Exhausted,
        };
        let source = error.source().map(ToString::to_string);
        Self { error: Some(error.to_string()), source, calls, sleeps, ..Self::empty(outcome) }
    }

    fn refused(error: String) -> Self {
        Self { error: Some(error), ..Self::empty(Outcome::Refused) }
    }
}

/// The reason why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The list of sleeps would be endless.
    #[error(
        "with --attempts {attempts} this script leads to more than {MOST_CALLS} calls; at most {MOST_CALLS} are listed, so \
         allow fewer attempts or end the script with `ok` or `terminal`"
    )]
    TooManyCalls {
        /// As given.
        attempts: i64,
    },
}
