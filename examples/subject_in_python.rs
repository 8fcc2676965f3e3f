//! Checks a policy in Python, `crates/exec/examples/subject.py`, by the laws: it runs as a process and answers JSON lines.
//! `cargo run --example subject_in_python`
//!
//! The same from the shell: `cargo run --release -- check --exec 'python3 crates/exec/examples/subject.py' --as streaming`

use std::error::Error;

use retrylab::exec::{Construction, PolicySpec, Program, Subject};
use retrylab::{FailureKind, Instant, Policy, secs};

fn main() -> Result<(), Box<dyn Error>> {
    let program: Program = "python3 crates/exec/examples/subject.py".parse()?;
    let subject = Subject::start(program, secs(10))?;
    let streaming = Construction::of(&PolicySpec::streaming(secs(1)))?;
    let mut policy = subject.policy(&streaming, 7)?;
    let mut now = Instant::ZERO;
    for kind in [FailureKind::Normal, FailureKind::Normal, FailureKind::Unexpected, FailureKind::Normal] {
        // A draw of zero: the longest wait.
        policy.record_failure(kind.into(), now, 0);
        println!("{kind:<10}  waits {:?}", policy.next_delay());
        now = now + policy.next_delay();
    }
    match subject.fault() {
        Some(fault) => Err(fault.into()),
        None => Ok(()),
    }
}
