//! Plays the side of a conformance harness: the contract service and a made-up server, both on the loopback, with every
//! check of the harness's `streaming` and `polling` groups in our own words, on both drivers.
//!
//! What takes the harness minutes is shortened here by the service's own options, except for two rows whose minutes decide
//! something: [`minutes`] plays those at full length, on a stepped clock that the service's sources are given.
#![expect(clippy::unwrap_used, reason = "a test may stop at once; clippy knows a test only by cargo's own harness")]

#[path = "../../examples/contract_service/arguments.rs"]
mod arguments;
#[path = "../../examples/contract_service/server/mod.rs"]
mod server;

mod command_line;
mod data;
mod minutes;
mod polling;
mod protocol;
mod requests;
mod service;
mod streams;
mod updates;
mod upstream;
mod validation;
mod wanted;

use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use libtest_mimic::{Arguments, Trial};

use crate::server::Driver;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let rooms = [
        protocol::rows(),
        requests::rows(),
        updates::rows(),
        streams::rows(),
        validation::rows(),
        polling::rows(),
        minutes::rows(),
    ];
    let rows: Vec<Row> = rooms.into_iter().flatten().collect();
    let mut trials = command_line::trials();
    for driver in Driver::value_variants() {
        for Row { name, play } in &rows {
            let play = Arc::clone(play);
            let driver = *driver;
            trials.push(Trial::test(format!("{driver}/{name}"), move || {
                play(driver);
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// One thing that is checked, on whichever driver. It panics if it does not hold.
struct Row {
    name: String,
    play: Arc<dyn Fn(Driver) + Send + Sync>,
}

fn row(name: impl Into<String>, play: impl Fn(Driver) + Send + Sync + 'static) -> Row {
    Row { name: name.into(), play: Arc::new(play) }
}
