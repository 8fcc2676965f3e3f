//! Measures the steps per second of a subject: `cargo run --release -p retrylab-exec --example speed -- 'python3 …'
//! [STEPS]`.
#![expect(clippy::disallowed_methods, reason = "measures")]
#![expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "measures")]

use std::error::Error;
use std::time::{Duration, Instant};

use retrylab_core::{FailureKind, Policy};
use retrylab_exec::{Construction, Subject};
use retrylab_spec::PolicySpec;

/// Steps of a run, as in a search.
const RUN: u64 = 25;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("name the subject, such as 'python3 crates/exec/examples/subject.py'")?;
    let steps: u64 = arguments.next().map_or(Ok(100_000), |steps| steps.parse())?;
    let subject = Subject::start(program.parse()?, Duration::from_secs(5))?;
    let streaming = Construction::of(&PolicySpec::Streaming { initial_reconnect_delay: None })?;
    let start = Instant::now();
    for run in 0..steps / RUN {
        let mut policy = subject.policy(&streaming, run)?;
        let mut now = retrylab_core::Instant::ZERO;
        for step in 0..RUN {
            now = now + policy.next_delay();
            if step % 4 == 3 {
                policy.record_success(now);
            } else {
                policy.record_failure(FailureKind::Normal.into(), now, step << 58);
            }
        }
    }
    if let Some(fault) = subject.fault() {
        return Err(fault.into());
    }
    let took = start.elapsed().as_secs_f64();
    println!("{steps} steps in {took:.2} s: {:.0} a second", steps as f64 / took);
    Ok(())
}
