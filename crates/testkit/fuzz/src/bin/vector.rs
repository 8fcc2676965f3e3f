//! Any bytes as lines of conformance vectors: what is read can be checked and written, and reads back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrylab_conform::{Op, Vector, VectorVerdict, Vectors, check, write};

/// Checking a vector takes a call a repetition, which is nothing that a parser gets wrong.
const MOST_CALLS: u64 = 1000;

fuzz_target!(|bytes: &[u8]| {
    let mut before = 0;
    for read in Vectors::read(bytes) {
        let line = match &read {
            Ok(vector) => vector.line,
            Err(error) => error.line,
        };
        assert!(line > before, "line {line} comes after line {before}");
        before = line;
        match read {
            Ok(vector) => holds(&vector),
            Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
        }
    }
});

fn holds(vector: &Vector) {
    assert!(vector.steps.is_sorted_by_key(|step| step.at), "time goes back");
    assert!(vector.steps.iter().all(|step| (step.op == Op::Advance) == step.expect.is_none()), "what is looked at");
    if vector.steps.iter().map(|step| u64::from(step.repeat)).sum::<u64>() <= MOST_CALLS
        && let VectorVerdict::Failed(mismatch) = check(vector)
    {
        assert!(!mismatch.to_string().is_empty(), "a mismatch says what differs");
    }
    let text = write(vector);
    assert!(!text.trim_end_matches('\n').contains('\n'), "a vector is one line");
    match Vector::parse(vector.line, text.trim_end_matches('\n')) {
        Ok(again) => assert_eq!(format!("{again:?}"), format!("{vector:?}"), "{text}"),
        Err(error) => panic!("what was written is no vector: {error}: {text}"),
    }
}
