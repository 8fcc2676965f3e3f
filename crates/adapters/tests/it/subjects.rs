//! The list of subjects, and the settings that each supports.

use std::collections::BTreeSet;
use std::time::Duration;

use retrylab_adapters::{LONGEST, Randomness, SUBJECTS, Subject};
use retrylab_core::{Exponential, FailureKind, Instant, Policy};

use crate::{doubling, fail, fail_with, ms, s, setting};

/// The decisions of a policy in three calls: one of 12 failures, one of 3 failures and a success, one of 3 failures.
fn decisions(policy: &mut dyn Policy, draw: impl Fn(u64) -> u64) -> Vec<retrylab_core::Decision> {
    let mut decisions = Vec::new();
    for number in 0..18 {
        if number == 15 {
            policy.record_success(Instant::from_secs(15 * 60));
        }
        decisions.push(fail_with(policy, Instant::from_secs(number * 60), draw(number)));
        if number == 11 {
            policy.record_failure(FailureKind::Unexpected.into(), Instant::from_secs(number * 60), draw(number));
        }
    }
    decisions
}

/// Odd, so that multiples of it are spread over all of `u64` (2^64 divided by the golden ratio).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[test]
fn the_subjects_are_the_eight_libraries_and_the_trap_in_one_of_them() {
    let rows: Vec<_> = SUBJECTS.iter().map(|subject| (subject.name(), subject.draws())).collect();
    assert_eq!(
        rows,
        [
            ("backoff", Randomness::Own),
            ("backon", Randomness::Seeded),
            ("exponential-backoff", Randomness::Seeded),
            ("google-cloud-gax", Randomness::Own),
            ("retry-policies", Randomness::Own),
            ("tokio-retry", Randomness::Own),
            ("tokio-retry-from-millis", Randomness::Own),
            ("tokio-retry2", Randomness::Own),
            ("tower", Randomness::Seeded),
        ]
    );
    for subject in SUBJECTS {
        assert_eq!(Subject::from_name(subject.name()).map(|found| found.name()), Some(subject.name()));
    }
    assert!(Subject::from_name("polly").is_none());
}

#[test]
fn sources_of_draws_have_names_and_only_an_unseeded_generator_makes_runs_differ() {
    assert_eq!(
        [Randomness::Given, Randomness::Seeded, Randomness::Own].map(Randomness::name),
        ["given", "seeded", "own"]
    );
    assert_eq!(
        [Randomness::Given, Randomness::Seeded, Randomness::Own].map(Randomness::is_repeatable),
        [true, true, false]
    );
}

#[test]
fn the_versions_match_the_lock_file() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).expect("the workspace has a lock file");
    for subject in SUBJECTS {
        let (package, version) = (subject.package(), subject.version());
        let entry = format!("name = \"{package}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "{package} is not locked at version {version}");
    }
}

#[test]
fn a_seeded_subject_repeats_itself_and_depends_on_its_seeds() {
    for subject in SUBJECTS.iter().filter(|subject| subject.draws().is_repeatable()) {
        let setting = doubling(ms(1500), s(30));
        let run = |seed, first| {
            let mut policy = subject.build(&setting, seed).expect("every library can double");
            decisions(policy.as_mut(), |number| SPREAD.wrapping_mul(first + number))
        };
        assert_eq!(run(7, 1), run(7, 1), "{}", subject.name());
        assert_ne!(run(7, 1), run(8, 1_000), "{}", subject.name());
    }
}

#[test]
fn an_unseeded_subject_does_not_repeat_itself() {
    for subject in SUBJECTS.iter().filter(|subject| !subject.draws().is_repeatable()) {
        let run = || decisions(subject.build(&setting(), 7).expect("every library can double").as_mut(), |_| 0);
        // Eighteen waits that all agree by chance, at millions of values each, are practically impossible.
        assert_ne!(run(), run(), "{}", subject.name());
    }
}

#[test]
fn without_jitter_every_subject_repeats_itself_except_the_one_that_reads_the_time_of_day() {
    for subject in SUBJECTS.iter().filter(|subject| subject.name() != "retry-policies") {
        let Ok(mut one) = subject.build(&setting().without_jitter(), 7) else {
            assert_eq!(subject.name(), "google-cloud-gax");
            continue;
        };
        let mut other = subject.build(&setting().without_jitter(), 8).expect("the seed is no part of the setting");
        assert_eq!(decisions(one.as_mut(), |_| 1), decisions(other.as_mut(), |_| 2), "{}", subject.name());
    }
}

#[test]
fn clients_of_a_fleet_wait_differently_except_those_of_tower() {
    // A base of 1.5 s, because tower spreads whole seconds by whole seconds.
    let setting = doubling(ms(1500), s(30));
    for subject in SUBJECTS {
        let fleet = subject.fleet(&setting, 7, 2_000).expect("every library can double");
        assert_eq!(fleet.len(), 2_000);
        let first_waits: BTreeSet<_> = fleet
            .into_iter()
            .zip(1..)
            .map(|(mut client, number)| fail_with(client.as_mut(), Instant::ZERO, SPREAD.wrapping_mul(number)).delay())
            .collect();
        match subject.name() {
            "tower" => assert_eq!(first_waits.len(), 1),
            // It draws a whole percentage, 0 to 59, and halves the upper ones: 0 to 29 less and 15 to 29 more, and
            // anything less is cut at the base.
            "exponential-backoff" => assert_eq!(first_waits.len(), 16),
            // The coarsest of the others draws one of 2^23 values, so that 2,000 clients have 0.24 collisions (2,000^2
            // / 2 / 2^23); ten of them are practically impossible.
            name => assert!(first_waits.len() > 1_990, "{name}: {}", first_waits.len()),
        }
    }
}

#[test]
fn an_unsupported_setting_is_an_error_that_names_the_library() {
    let refused = |name: &str, setting: Exponential| {
        let subject = Subject::from_name(name).expect("a subject");
        subject.build(&setting, 0).err().map(|refused| refused.to_string())
    };
    let half = doubling(s(1), s(30)).growing_by(3, 2);
    let fine = doubling(Duration::from_micros(1500), s(30));
    let odd = doubling(ms(15), s(30));
    let timed = setting().elapsed(s(60));
    let counted = setting().attempts(4);
    let exact = setting().without_jitter();
    let cases = [
        (half, "exponential-backoff", "a factor of 1.5: it takes whole numbers up to 4294967295"),
        (half, "retry-policies", "a factor of 1.5: it takes whole numbers up to 4294967295"),
        (half, "tokio-retry", "a factor of 1.5: it takes whole numbers up to 4294967295"),
        (half, "tower", "a factor of 1.5: it doubles"),
        (fine, "tokio-retry", "a base of 1.5ms: it takes whole milliseconds"),
        (fine, "tokio-retry-from-millis", "a base of 1.5ms: it takes whole milliseconds"),
        (fine, "tokio-retry2", "a base of 1.5ms: it takes whole milliseconds"),
        (
            odd,
            "tokio-retry",
            "a base of 15ms with a factor of 2: its waits are a whole number of milliseconds times powers of the factor",
        ),
        (timed, "exponential-backoff", "a limit of 60s on the time of a call: it limits attempts alone"),
        (
            timed,
            "google-cloud-gax",
            "a limit of 60s on the time of a call: it counts by the system's clock, which cannot be replaced",
        ),
        (timed, "tokio-retry", "a limit of 60s on the time of a call: it limits attempts alone"),
        (timed, "tokio-retry-from-millis", "a limit of 60s on the time of a call: it limits attempts alone"),
        (
            timed,
            "tokio-retry2",
            "a limit of 60s on the time of a call: it counts by the system's clock, which cannot be replaced",
        ),
        (timed, "tower", "a limit of 60s on the time of a call: it limits attempts alone"),
        (counted, "backoff", "a limit of 4 attempts: it limits time alone"),
        (exact, "google-cloud-gax", "waits without jitter: it always spreads them"),
    ];
    for &(setting, name, what) in &cases {
        assert_eq!(refused(name, setting), Some(format!("{name} cannot express {what}")));
    }
    // Every other setting is supported.
    for setting in [half, fine, odd, timed, counted, exact] {
        for subject in SUBJECTS {
            let expected = cases.iter().any(|case| case.0 == setting && case.1 == subject.name());
            assert_eq!(refused(subject.name(), setting).is_some(), expected, "{} {setting:?}", subject.name());
        }
    }
}

#[test]
fn the_longest_setting_overflows_no_library() {
    let longest = doubling(LONGEST, LONGEST);
    let steepest = doubling(s(2), LONGEST).growing_by(u32::MAX - 1, 1);
    for setting in [longest, steepest, longest.without_jitter()] {
        for subject in SUBJECTS {
            let Ok(mut policy) = subject.build(&setting, 7) else { continue };
            for number in 0..100 {
                // A wait above the ceiling is at most twice the ceiling.
                let wait = fail(policy.as_mut(), Instant::from_secs(number * 100_000_000)).delay();
                assert!(wait.is_some_and(|wait| wait <= LONGEST * 2), "{}: {wait:?}", subject.name());
            }
        }
    }
}
