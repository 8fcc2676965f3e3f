//! The conformance vectors, against the decision and against the model that it is compared with elsewhere.

use std::fs::File;
use std::io::BufReader;

use flate2::read::GzDecoder;
use retrylab_core::{ConfigOption, Policy};
use retrylab_laws::model::{Model, Rules};
use retrylab_laws::vectors::{Setup, Subject, Tally, Vector, Vectors, Verdict, Warning, check, check_subject};

fn tally(judge: impl Fn(&Vector) -> Verdict) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/laws/tests/data/retry-vectors.jsonl.gz");
    let file = File::open(path).expect("the file is in the repository");
    let mut tally = Tally::default();
    for vector in Vectors::read(BufReader::new(GzDecoder::new(file))) {
        let vector = vector.expect("a vector");
        let verdict = judge(&vector);
        if let Verdict::Failed(mismatch) = &verdict {
            println!("{mismatch}");
        }
        tally.add(&vector, &verdict);
    }
    tally.to_string()
}

#[test]
fn the_decision_passes_every_vector() {
    assert_eq!(tally(check), "1920 vectors, 41676 steps, 0 failed, 1 skipped");
}

#[test]
fn the_model_passes_every_vector() {
    let judge = |vector: &Vector| {
        check_subject(vector, |setup| Subject {
            policy: Box::new(Model::new(Rules::from(setup))) as Box<dyn Policy>,
            warning: warning(setup),
        })
    };
    assert_eq!(tally(judge), "1920 vectors, 41676 steps, 0 failed, 1 skipped");
}

/// The model has nobody to warn.
fn warning(setup: Setup) -> Option<Warning> {
    let (option, given) = match setup {
        Setup::Streaming { initial_reconnect_delay } => (ConfigOption::InitialReconnectDelay, initial_reconnect_delay),
        Setup::Polling { poll_interval } => (ConfigOption::PollInterval, poll_interval),
        Setup::Custom { .. } => return None,
    };
    (!(given > 0.0 && given < f64::INFINITY)).then_some(Warning { option, default: option.default() })
}
