//! Instructions per step of the hot path, counted by callgrind. Unlike time, the count of this project's steps is the same
//! in every run, so two rows of it are a gate: the run ends with status 1 if one is above its limit. Peers that seed
//! themselves vary in their last digits.
//!
//! The binary starts itself under valgrind, once with a number of outages and once with twice as many. What a process
//! costs apart from its steps is in both counts, so the difference is the steps alone: the failure, the read of the
//! wait, the draw and the loop around them.
//!
//! Status 2: nothing was counted, and the message says why.

#![expect(clippy::float_arithmetic, reason = "a count divided for people to read; the gate compares whole numbers")]

mod contender;
mod steps;

use std::env;
use std::fmt;
use std::hint::black_box;
use std::io;
use std::process::{Command, ExitCode};

use retrylab_core::{BuiltInReset, FailureKind, HealthyFor, RetryRules, RetryState};

use contender::Contender;
use steps::own::{Draws, extended, normal, stepper};
use steps::{FAILURES, peers};

/// The most instructions a failure and its read may take with the draw given. A trial of the design took 26.
const LIMIT_DRAW_GIVEN: u64 = 32;

/// The most with ChaCha8 in the loop. A trial of the design took 47.
const LIMIT_CHACHA8: u64 = 55;

/// The same on a processor without AVX2: the generator uses the vectors that it finds, and takes 22 instructions more a
/// draw with SSE2 alone.
const LIMIT_CHACHA8_WITHOUT_AVX2: u64 = LIMIT_CHACHA8 + 22;

/// Outages in the shorter of the two runs that are counted for a row.
const OUTAGES: u64 = 4096;

/// The argument that makes the binary a run to be counted: `--count ROW OUTAGES`.
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

/// A line of the table. Only the process that runs it makes its contender, so that no row is counted with another's
/// set-up.
struct Row {
    make: fn() -> Contender,
    limit: Option<u64>,
}

/// The two rows with a limit, and what is shown beside them.
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
    RetryRules::streaming(1.0).0
}

/// Four normal failures, one unexpected, and so on: the regime changes within the outage and the kinds go on changing.
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

/// The instructions of a whole process that goes through this many outages.
fn count(row: usize, outages: u64) -> Result<u64, CountError> {
    // Padded, because the process reads its arguments too: they cost the same in both runs of a row.
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

/// Why there is no count.
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
            Self::NoTotal { stderr } => write!(f, "callgrind gave no total; it said:\n{stderr}"),
            Self::Arguments => write!(f, "`{COUNT}` takes the number of a row and a number of outages"),
            Self::Start(error) => write!(f, "valgrind could not be run: {error}"),
        }
    }
}
