//! The arguments of the service's command line.

use std::time::Duration;

use clap::Parser;
use libtest_mimic::{Failed, Trial};

use crate::arguments::Arguments;
use crate::server::{self, Driver};

pub(crate) fn trials() -> Vec<Trial> {
    let trials: [(&str, fn()); 3] = [
        ("nothing is shortened unless it is asked for", nothing_is_shortened),
        ("waits are shortened as durations say", waits_are_shortened),
        ("arguments that cannot be right end with status 2", bad_arguments),
    ];
    let into_trial = |(name, test): (&str, fn())| {
        Trial::test(format!("command line/{name}"), move || {
            test();
            Ok::<(), Failed>(())
        })
    };
    trials.into_iter().map(into_trial).collect()
}

fn parse(arguments: &str) -> Result<Arguments, clap::Error> {
    Arguments::try_parse_from(["contract_service"].into_iter().chain(arguments.split_whitespace()))
}

fn nothing_is_shortened() {
    let arguments = parse("--driver tokio --port 9001").unwrap();
    assert_eq!((arguments.driver, arguments.port), (Driver::Tokio, 9001));
    assert_eq!(arguments.trial(), server::Trial::default());
}

fn waits_are_shortened() {
    let arguments = parse("--driver std --port 0 --extended-initial 2s --poll-interval 1500ms").unwrap();
    let extended_initial = Some(Duration::from_secs(2));
    let poll_interval = Some(Duration::from_millis(1500));
    assert_eq!(arguments.trial(), server::Trial { extended_initial, poll_interval });
}

fn bad_arguments() {
    for arguments in [
        "",
        "--driver std",
        "--port 9001",
        "--driver mio --port 9001",
        "--driver std --port 65536",
        "--driver std --port 9001 --poll-interval 0s",
        "--driver std --port 9001 --poll-interval=-1s",
        "--driver std --port 9001 --extended-initial 2",
        "--driver std --port 9001 --verbose",
    ] {
        assert_eq!(parse(arguments).unwrap_err().exit_code(), 2, "{arguments}");
    }
}
