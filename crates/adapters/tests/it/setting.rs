//! Settings that no library can have.

use std::time::Duration;

use retrylab_adapters::{LONGEST, SUBJECTS, Subject};
use retrylab_core::Exponential;

use crate::{doubling, s, setting};

/// The error of each library, without its name.
fn refused(setting: Exponential) -> Vec<String> {
    let error = |subject: &Subject| {
        let error = subject.build(&setting, 0).err().expect("no library can have this").to_string();
        let fleet = subject.fleet(&setting, 0, 2).err().expect("nor can a fleet").to_string();
        assert_eq!(error, fleet);
        error.strip_prefix(&format!("{} cannot express ", subject.name())).expect("it names the library").to_owned()
    };
    let mut errors: Vec<String> = SUBJECTS.iter().map(error).collect();
    errors.dedup();
    errors
}

#[test]
fn each_error_names_the_field_the_value_and_the_allowed_range() {
    let too_long = LONGEST + Duration::from_nanos(1);
    assert_eq!(refused(doubling(s(0), s(30))), ["a base of 0s: it must be more than 0s"]);
    assert_eq!(refused(setting().attempts(0)), ["0 attempts: at least 1 is allowed"]);
    assert_eq!(
        refused(doubling(s(1), too_long)),
        ["a ceiling of 3153600000.000000001s: at most 3153600000s (100 years) is allowed"]
    );
    assert_eq!(
        refused(setting().elapsed(too_long)),
        ["a limit of 3153600000.000000001s: at most 3153600000s (100 years) is allowed"]
    );
}

#[test]
fn the_limits_of_a_setting_are_inclusive() {
    let nanosecond = Duration::from_nanos(1);
    let backon = Subject::from_name("backon").expect("a subject");
    for setting in [
        doubling(nanosecond, nanosecond).attempts(1).elapsed(Duration::ZERO),
        doubling(LONGEST, LONGEST).elapsed(LONGEST),
    ] {
        assert!(backon.build(&setting, 0).is_ok(), "{setting:?}");
    }
}
