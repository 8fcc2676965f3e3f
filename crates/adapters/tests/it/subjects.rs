//! The list of subjects, and what each of them can be asked.

use std::collections::BTreeSet;
use std::time::Duration;

use retrylab_adapters::{Draws, LONGEST, SUBJECTS, Setting, Subject};
use retrylab_core::{FailureKind, Instant, Policy};

use crate::{fail, fail_with, ms, s, setting};

/// What a policy decides in three calls: one of 12 failures, one of 3 that then succeeds, one of 3 failures.
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
            ("backoff", Draws::Own),
            ("backon", Draws::Seeded),
            ("exponential-backoff", Draws::Seeded),
            ("google-cloud-gax", Draws::Own),
            ("retry-policies", Draws::Own),
            ("tokio-retry", Draws::Own),
            ("tokio-retry-from-millis", Draws::Own),
            ("tokio-retry2", Draws::Own),
            ("tower", Draws::Seeded),
        ]
    );
    for subject in SUBJECTS {
        assert_eq!(Subject::from_name(subject.name()).map(|found| found.name()), Some(subject.name()));
    }
    assert!(Subject::from_name("polly").is_none());
}

#[test]
fn draws_have_names_and_only_a_generator_of_its_own_makes_runs_differ() {
    assert_eq!([Draws::Given, Draws::Seeded, Draws::Own].map(Draws::name), ["given", "seeded", "own"]);
    assert_eq!([Draws::Given, Draws::Seeded, Draws::Own].map(Draws::is_repeatable), [true, true, false]);
}

#[test]
fn the_versions_are_those_that_are_built() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).expect("the workspace has a lock file");
    for subject in SUBJECTS {
        let (package, version) = (subject.package(), subject.version());
        let entry = format!("name = \"{package}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "{package} is not built in version {version}");
    }
}

#[test]
fn a_subject_that_can_be_seeded_repeats_itself_and_follows_its_seeds() {
    for subject in SUBJECTS.iter().filter(|subject| subject.draws().is_repeatable()) {
        let setting = Setting::new(ms(1500), 2.0, s(30)).expect("a sound setting");
        let run = |seed, first| {
            let mut policy = subject.build(&setting, seed).expect("every library can double");
            decisions(policy.as_mut(), |number| SPREAD.wrapping_mul(first + number))
        };
        assert_eq!(run(7, 1), run(7, 1), "{}", subject.name());
        assert_ne!(run(7, 1), run(8, 1_000), "{}", subject.name());
    }
}

#[test]
fn a_subject_with_a_generator_of_its_own_does_not_repeat_itself() {
    for subject in SUBJECTS.iter().filter(|subject| !subject.draws().is_repeatable()) {
        let run = || decisions(subject.build(&setting(), 7).expect("every library can double").as_mut(), |_| 0);
        // Eighteen waits that all agree by chance, at millions of values each, are out of the question.
        assert_ne!(run(), run(), "{}", subject.name());
    }
}

#[test]
fn without_jitter_every_subject_repeats_itself_but_for_the_one_that_reads_the_time_of_day() {
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
    let setting = Setting::new(ms(1500), 2.0, s(30)).expect("a sound setting");
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
            // Draws a whole percentage, 0 to 59, and half of each upper one: 0 to 29 less and 15 to 29 more, and what
            // is less is cut at the base.
            "exponential-backoff" => assert_eq!(first_waits.len(), 16),
            // The coarsest of the rest draws one of 2^23 values, so that 2,000 clients have 0.24 collisions
            // (2,000^2 / 2 / 2^23); ten of them are out of the question.
            name => assert!(first_waits.len() > 1_990, "{name}: {}", first_waits.len()),
        }
    }
}

#[test]
fn what_a_library_cannot_express_is_said_by_name() {
    let refused = |name: &str, setting: Setting| {
        let subject = Subject::from_name(name).expect("a subject");
        subject.build(&setting, 0).err().map(|refused| refused.to_string())
    };
    let half = Setting::new(s(1), 1.5, s(30)).expect("a sound setting");
    let fine = Setting::new(Duration::from_micros(1500), 2.0, s(30)).expect("a sound setting");
    let odd = Setting::new(ms(15), 2.0, s(30)).expect("a sound setting");
    let timed = setting().with_elapsed(s(60)).expect("a sound limit");
    let counted = setting().with_attempts(4).expect("a sound limit");
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
    // And everything else can be said.
    for setting in [half, fine, odd, timed, counted, exact] {
        for subject in SUBJECTS {
            let expected = cases.iter().any(|case| case.0 == setting && case.1 == subject.name());
            assert_eq!(refused(subject.name(), setting).is_some(), expected, "{} {setting:?}", subject.name());
        }
    }
}

#[test]
fn the_longest_setting_overflows_no_library() {
    let longest = Setting::new(LONGEST, 2.0, LONGEST).expect("100 years");
    let steepest = Setting::new(s(2), f64::from(u32::MAX) - 1.0, LONGEST).expect("a steep ladder");
    for setting in [longest, steepest, longest.without_jitter()] {
        for subject in SUBJECTS {
            let Ok(mut policy) = subject.build(&setting, 7) else { continue };
            for number in 0..100 {
                // What goes beyond the ceiling goes at most to twice of it.
                let wait = fail(policy.as_mut(), Instant::from_secs(number * 100_000_000)).delay();
                assert!(wait.is_some_and(|wait| wait <= LONGEST * 2), "{}: {wait:?}", subject.name());
            }
        }
    }
}
