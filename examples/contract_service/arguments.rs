//! The arguments of the command line.

use std::time::Duration;

use clap::Parser;
use retrylab_spec::duration;

use crate::server::{Driver, Trial};

/// Data sources behind the HTTP protocol of a public conformance harness, until `DELETE /`.
#[derive(Debug, Parser)]
#[command(name = "contract_service")]
pub(crate) struct Arguments {
    /// What the sources run on: threads, or tokio
    #[arg(long)]
    pub(crate) driver: Driver,
    /// Where to listen, on 127.0.0.1; 0: any port that is free, which the first line says
    #[arg(long)]
    pub(crate) port: u16,
    /// The first wait after an unexpected failure, in place of 5 min
    #[arg(long, value_name = "DURATION", value_parser = positive)]
    pub(crate) extended_initial: Option<Duration>,
    /// The wait between polls where a client names none, and the shortest that it may name, in place of 30 s
    #[arg(long, value_name = "DURATION", value_parser = positive)]
    pub(crate) poll_interval: Option<Duration>,
}

impl Arguments {
    /// What is shortened.
    pub(crate) fn trial(&self) -> Trial {
        Trial { extended_initial: self.extended_initial, poll_interval: self.poll_interval }
    }
}

fn positive(text: &str) -> Result<Duration, String> {
    match duration::parse(text) {
        Ok(Duration::ZERO) => Err("a duration above zero is allowed, such as 500ms or 2s".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(format!("{error}; one above zero is allowed, such as 500ms or 2s")),
    }
}
