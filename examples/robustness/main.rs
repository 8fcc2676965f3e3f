//! Robustness: both drivers against a server that means ill, over real sockets and in real time. Nothing that it sends ends a
//! source, none of it is called what it is not, and none of it stays in memory. Prints a table of figures; the exit status
//! is 1 if something did not hold.
//!
//! ```console
//! $ cargo run --release --example robustness
//! $ cargo run --release --example robustness -- "reset at each byte"   # only what is called so
//! ```
//!
//! * [`attacks`]: what the server does, and what a source has to take it for. [`trial`] puts a source to one of them.
//! * [`offsets`]: an answer that breaks off at each of its bytes.
//! * [`flapping`]: a thousand sources on one runtime for a minute.
#![forbid(unsafe_code)]

mod attacks;
mod certificates;
mod flapping;
mod offsets;
mod process;
mod server;
mod subject;
mod trial;

use std::env;
use std::process::ExitCode;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::process::Counts;
use crate::subject::{Driver, Form};

/// What takes less than a second on an idle machine counts as stuck after this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// What may stay in memory of all attacks together, in KiB: fragments, and what allocators keep for the next one.
const LEFT_BEHIND: u64 = 16 << 10;

fn main() -> ExitCode {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let only = env::args().nth(1).unwrap_or_default();
    match run(&runtime, |name| name.contains(&only)) {
        Ok(()) => {
            println!("everything held");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(runtime: &Runtime, is_wanted: impl Fn(&str) -> bool) -> Result<(), String> {
    // Once unmeasured, so that what is made once and kept does not count.
    for driver in Driver::ALL {
        for form in Form::ALL {
            trial::put_to(&attacks::warm_up(form), driver, runtime)?;
        }
    }
    let before = Counts::now()?;
    println!("{:<44} {:<9} {:<5} {:>8} {:>10}  taken for", "the server", "source", "on", "attempts", "peak KiB");
    let mut attempts = 0;
    for attack in attacks::all().iter().filter(|attack| is_wanted(attack.name)) {
        for driver in Driver::ALL {
            attempts += row(attack.name, attack.form, driver, trial::put_to(attack, driver, runtime))?;
        }
    }
    for cut in offsets::all().iter().filter(|cut| is_wanted(&cut.name())) {
        for driver in Driver::ALL {
            attempts += row(&cut.name(), cut.form, driver, offsets::sweep(cut, driver, runtime))?;
        }
    }
    let after = Counts::now()?;
    println!("\n{attempts} attempts; before them {before}; after them {after}");
    if after.threads != before.threads || after.sockets != before.sockets {
        return Err("a thread or a socket is left".to_owned());
    }
    if after.resident > before.resident + LEFT_BEHIND {
        return Err(format!("more than {LEFT_BEHIND} KiB are left"));
    }
    if is_wanted(flapping::NAME) {
        println!("\n{}", flapping::run()?);
    }
    Ok(())
}

fn row(name: &str, form: Form, driver: Driver, result: Result<trial::Figures, String>) -> Result<u64, String> {
    let (form, driver) = (form.name(), driver.name());
    let figures = result.map_err(|problem| format!("{name}, {form} on {driver}: {problem}"))?;
    let trial::Figures { attempts, peak, taken_for } = figures;
    println!("{name:<44} {form:<9} {driver:<5} {attempts:>8} {peak:>10}  {taken_for}");
    Ok(attempts)
}
