//! The conformance vectors, against the decision and against the reference model.

use std::fs::File;
use std::io::BufReader;

use flate2::read::GzDecoder;
use retrylab_conform::{Tally, Vector, VectorSubject, VectorVerdict, Vectors, Warning, check, check_subject};
use retrylab_core::Policy;
use retrylab_laws::model::{Model, Rules};
use retrylab_spec::PolicySpec;

fn tally(judge: impl Fn(&Vector) -> VectorVerdict) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/conform/tests/data/retry-vectors.jsonl.gz");
    let file = File::open(path).expect("the file is in the repository");
    let mut tally = Tally::default();
    for vector in Vectors::read(BufReader::new(GzDecoder::new(file))) {
        let vector = vector.expect("a vector");
        let verdict = judge(&vector);
        if let VectorVerdict::Failed(mismatch) = &verdict {
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
        check_subject(vector, |spec| VectorSubject {
            policy: Box::new(Model::new(Rules::of(spec).expect("a vector has two regimes"))) as Box<dyn Policy>,
            warning: warning(spec),
        })
    };
    assert_eq!(tally(judge), "1920 vectors, 41676 steps, 0 failed, 1 skipped");
}

/// The warning of an unusable setting; the model itself gives none.
fn warning(spec: &PolicySpec) -> Option<Warning> {
    let (option, given) = (spec.option()?, spec.configured()?.as_f64());
    (!(given > 0.0 && given < f64::INFINITY)).then_some(Warning { option, default: option.default() })
}
