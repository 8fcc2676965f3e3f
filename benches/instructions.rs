//! Instructions per step of the hot path, counted by callgrind. Unlike time, the count of this project's steps is the
//! same in every run, so two rows are a gate: the run ends with status 1 if one is above its limit. Counts of peers
//! that seed themselves vary in their last digits.
//!
//! The binary starts itself under valgrind, once with a number of outages and once with twice as many. The fixed cost
//! of a process is in both counts, so the difference is the steps alone: the failure, the read of the wait, the draw
//! and the loop around them.
//!
//! Status 2: the count failed, and the message says why.

#![expect(clippy::float_arithmetic, reason = "divides counts for display; the gate compares integers")]

mod contender;
mod steps;

use std::env;
use std::fmt;
use std::hint::black_box;
use std::io;
use std::process::{Command, ExitCode};
use std::time::Duration;

use retrylab_core::{BuiltInReset, FailureKind, HealthyFor, RetryRules, RetryState};

use contender::Contender;
use steps::own::{Draws, extended, normal, stepper};
use steps::{FAILURES, peers};

/// The maximum number of instructions of a failure and its read, with the draw given. A trial of the design took 26.
const LIMIT_DRAW_GIVEN: u64 = 32;

/// The maximum with ChaCha8 in the loop. A trial of the design took 47.
const LIMIT_CHACHA8: u64 = 55;

/// The maximum with ChaCha8 on a processor without AVX2: with SSE2 alone, the generator takes 22 instructions more per
/// draw.
const LIMIT_CHACHA8_WITHOUT_AVX2: u64 = LIMIT_CHACHA8 + 22;

/// Outages in the shorter of the two counted runs of a row.
const OUTAGES: u64 = 4096;

/// The argument that makes the binary a counted run: `--count ROW OUTAGES`.
const COUNT: &str = "--count";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    let outcome = match &arguments[..] {
        [first, row, outages] if first == COUNT => run_to_be_counted(row, outages).map(|()| true),
        _ if given("--list") => Ok(true),
        _ if given("--bench") && !given("--test") => count_all(),
        // `cargo test --all-targets` runs every bench once, without `--bench`: no valgrind, no gate.
        _ => {
            rows().iter().for_each(|row| (row.make)().run(1));
            Ok(true)
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::from(2)
        }
    }
}

/// A row of the table. Only the counted process builds its contender, so that no row includes the set-up of another.
struct Row {
    make: fn() -> Contender,
    limit: Option<u64>,
}

/// The two rows with a limit, and others for comparison.
///
/// The workload of the first two: the default streaming rules, 16 normal failures 1 s apart from a fresh state, inlined,
/// read in nanoseconds.
fn rows() -> Vec<Row> {
    let chacha8 = if has_avx2() { LIMIT_CHACHA8 } else { LIMIT_CHACHA8_WITHOUT_AVX2 };
    let gated: [(fn() -> Contender, u64); 2] =
        [(|| nanoseconds(Draws::Given), LIMIT_DRAW_GIVEN), (|| nanoseconds(Draws::ChaCha8), chacha8)];
    let shown: [fn() -> Contender; 6] = [
        || stepper("Duration", Draws::Given, streaming(), normal, RetryState::next_delay),
        || stepper("Duration", Draws::ChaCha8, streaming(), normal, RetryState::next_delay),
        || stepper("extended", Draws::Given, streaming(), extended, RetryState::next_delay_nanos),
        || stepper("mixed kinds", Draws::Given, streaming(), mixed, RetryState::next_delay_nanos),
        || stepper("state in memory", Draws::Given, streaming(), normal, |state| black_box(state).next_delay_nanos()),
        || {
            let rules = RetryRules::<BuiltInReset>::from(streaming());
            stepper("rule chosen at run time", Draws::Given, rules, normal, RetryState::next_delay_nanos)
        },
    ];
    let gated = gated.into_iter().map(|(make, limit)| Row { make, limit: Some(limit) });
    gated.chain(shown.into_iter().chain(peers::ALL).map(|make| Row { make, limit: None })).collect()
}

fn nanoseconds(draws: Draws) -> Contender {
    stepper("nanoseconds", draws, streaming(), normal, RetryState::next_delay_nanos)
}

fn streaming() -> RetryRules<HealthyFor> {
    RetryRules::streaming(Duration::from_secs(1))
}

/// Four normal failures, one unexpected, and so on: the regime changes within the outage, and so do the kinds.
const fn mixed(number: u32) -> FailureKind {
    if number % 5 == 4 { FailureKind::Unexpected } else { FailureKind::Normal }
}

/// Prints the table; whether every row is within its limit.
fn count_all() -> Result<bool, CountError> {
    callgrind().arg("--version").output().map_err(CountError::from_start)?;
    let steps = OUTAGES * u64::from(FAILURES);
    println!("Instructions a failure and the read of its wait take, counted over {steps} failures.\n");
    println!("{:<36}{:>14}{:>8}", "", "instructions", "limit");
    let mut all_within = true;
    for (index, row) in rows().iter().enumerate() {
        let instructions = count(index, 2 * OUTAGES)?.saturating_sub(count(index, OUTAGES)?);
        let within = row.limit.is_none_or(|limit| instructions <= limit * steps);
        all_within &= within;
        let name = (row.make)().name;
        let limit = row.limit.map_or_else(String::new, |limit| limit.to_string());
        let verdict = if within { "" } else { "  above the limit" };
        println!("{name:<36}{:>14.2}{limit:>8}{verdict}", instructions as f64 / steps as f64);
    }
    if !has_avx2() {
        println!("\nThis processor lacks AVX2: ChaCha8 has {LIMIT_CHACHA8_WITHOUT_AVX2} instead of {LIMIT_CHACHA8}.");
    }
    Ok(all_within)
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

#[cfg(not(target_arch = "x86_64"))]
const fn has_avx2() -> bool {
    false
}

fn callgrind() -> Command {
    let mut command = Command::new("valgrind");
    command.arg("--tool=callgrind");
    command
}

/// The instructions of a whole process with this many outages.
fn count(row: usize, outages: u64) -> Result<u64, CountError> {
    // Padded, because the process reads its arguments too: they must cost the same in both runs of a row.
    let (row, outages) = (row.to_string(), format!("{outages:08}"));
    let output = callgrind()
        .arg("--callgrind-out-file=/dev/stdout")
        .arg(env::current_exe().map_err(CountError::Start)?)
        .args([COUNT, &row, &outages])
        .output()
        .map_err(CountError::from_start)?;
    let written = String::from_utf8_lossy(&output.stdout);
    let total = written.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    match total {
        Some(total) if output.status.success() => Ok(total),
        _ => Err(CountError::NoTotal { stderr: String::from_utf8_lossy(&output.stderr).into_owned() }),
    }
}

fn run_to_be_counted(row: &str, outages: &str) -> Result<(), CountError> {
    let numbers = (row.parse::<usize>().ok(), outages.parse().ok());
    let (Some(index), Some(outages)) = numbers else { return Err(CountError::Arguments) };
    let rows = rows();
    let row = rows.get(index).ok_or(CountError::Arguments)?;
    (row.make)().run(outages);
    Ok(())
}

/// The reason why there is no count.
#[derive(Debug)]
enum CountError {
    NoValgrind,
    Start(io::Error),
    NoTotal { stderr: String },
    Arguments,
}

impl CountError {
    fn from_start(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::NoValgrind } else { Self::Start(error) }
    }
}

impl fmt::Display for CountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValgrind => f.write_str("valgrind is missing; install it (`apt-get install valgrind`)"),
            Self::NoTotal { stderr } => write!(f, "callgrind gave no total; its output:\n{stderr}"),
            Self::Arguments => write!(f, "`{COUNT}` takes the number of a row and a number of outages"),
            Self::Start(error) => write!(f, "valgrind could not be run: {error}"),
        }
    }
}
