//! Names each fault of the catalogue from its behaviour alone: what is diagnosed of a policy that does not say which it is.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use retrylab_core::{Jitter, Policy, Retry};
use retrylab_faults::{CASES, Category, Diagnosis, FAULTS, KnownFault};
use retrylab_laws::{Claim, Described, Drawing, LAWS, Subject};
use retrylab_search::Search;
use retrylab_spec::{CallSpec, Client, PolicySpec, ResetSpec, TwoRegimes};

use super::{ROOT, built, built_in, drawing_for_itself, files, on_two_threads};

/// A fault, the client that it was diagnosed of, and the diagnosis.
static DIAGNOSED: LazyLock<Vec<(&'static KnownFault, Option<Diagnosis>)>> = LazyLock::new(|| {
    let files = files::caught();
    let caught = |fault: &KnownFault| files.iter().find(|caught| caught.fault == fault.name);
    let with_client = FAULTS
        .iter()
        .filter_map(|fault| Some((fault, fault.shown_by().or_else(|| Some(caught(fault)?.client.clone()))?)));
    on_two_threads(&with_client.collect::<Vec<_>>(), |(fault, client)| (*fault, of_fault(fault, client)))
});

fn of_fault(fault: &'static KnownFault, client: &PolicySpec) -> Option<Diagnosis> {
    let anonymous = || fault.build(client).expect("a client that can have it");
    match fault.category {
        // What is logged and reported is part of the fault.
        Category::Loop | Category::Configuration => {
            diagnose(client, &fault.of(client).expect("a client that can have it"))
        }
        _ => diagnose(client, &anonymous),
    }
}

fn diagnose(client: &PolicySpec, subject: &dyn Subject) -> Option<Diagnosis> {
    let client = Client::new(client.clone());
    Diagnosis::of(&Search::of(client.clone(), Claim::of(&client), LAWS), subject, [], CASES)
}

fn names(diagnosis: &Diagnosis) -> Vec<&'static str> {
    diagnosis.suspects.iter().map(|suspect| suspect.name()).collect()
}

#[test]
fn faults_are_named_from_their_behaviour_alone() {
    let row = |(fault, diagnosis): &(&KnownFault, Option<Diagnosis>)| match diagnosis {
        Some(diagnosis) => format!("{}\n  {diagnosis}", fault.name),
        // The diagnosis compares responses, and these differ between two equal runs.
        None if fault.law().is_some_and(|law| law.name == "same-inputs-same-outputs") => {
            format!("{}\n  no diagnosis: the same inputs have other outputs each time", fault.name)
        }
        None => format!("{}\n  no diagnosis", fault.name),
    };
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path([ROOT, "snapshots/faults"].iter().collect::<PathBuf>());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description("What is diagnosed of each fault whose name is not known.");
    settings.bind(|| insta::assert_snapshot!("diagnosis", DIAGNOSED.iter().map(row).collect::<Vec<_>>().join("\n")));
    // The faults that a plain policy has in one step, of which there were 82.
    let is_named = |(fault, diagnosis): &&(&KnownFault, Option<Diagnosis>)| {
        fault.law().is_some() && diagnosis.as_ref().is_some_and(|diagnosis| names(diagnosis).contains(&fault.name))
    };
    let named = DIAGNOSED.iter().filter(is_named).count();
    assert!(named >= 90, "only {named} are named");
}

#[test]
fn no_fault_is_given_the_name_of_another() {
    for (fault, diagnosis) in DIAGNOSED.iter() {
        if let Some(diagnosis) = diagnosis {
            assert!(names(diagnosis).contains(&fault.name), "{}: {diagnosis}", fault.name);
        }
    }
}

#[test]
fn a_right_policy_has_no_diagnosis() {
    for client in built_in() {
        let of = |subject: &dyn Subject| diagnose(&client, subject).map(|diagnosis| diagnosis.to_string());
        assert_eq!(of(&Described(Client::new(client.clone()))), None, "{client:?}");
        assert_eq!(of(&|| built(&client)), None, "{client:?}");
        let own = Claim::from(client.clone()).with_drawing(Drawing::Own);
        let search = Search::of(Client::new(client.clone()), own, LAWS);
        let diagnosis = Diagnosis::of(&search, &drawing_for_itself(|| built(&client)), [], 100);
        assert_eq!(diagnosis.map(|diagnosis| diagnosis.to_string()), None, "{client:?}");
    }
}

/// The diagnosis of a stream, of which these are the regimes.
fn of_regimes(change: impl FnOnce(&mut TwoRegimes)) -> String {
    let claimed = PolicySpec::Streaming { initial_reconnect_delay: None };
    let mut regimes = claimed.two_regimes().expect("a stream");
    change(&mut regimes);
    of_stream(&|| Retry::new(regimes.rules()))
}

fn of_stream(subject: &dyn Subject) -> String {
    let claimed = PolicySpec::Streaming { initial_reconnect_delay: None };
    diagnose(&claimed, subject).map_or_else(|| "no diagnosis".to_owned(), |diagnosis| diagnosis.to_string())
}

fn assert_says(diagnosis: &str, says: &str) {
    assert!(diagnosis.contains(says), "{diagnosis:?} does not say {says:?}");
}

#[test]
fn a_number_that_is_not_as_claimed_is_found() {
    let seconds = Duration::from_secs;
    let window = of_regimes(|regimes| regimes.reset = ResetSpec::HealthyFor(seconds(45)));
    assert_says(&window, "another-window (health of 45s already resets)");
    let longer = of_regimes(|regimes| regimes.reset = ResetSpec::HealthyFor(seconds(90)));
    assert_says(&longer, "another-window (health of less than 1m 30s does not reset)");
    assert_says(
        &of_regimes(|regimes| regimes.normal.1 = seconds(20)),
        "another-ceiling (waits grow to 20s, not to 30s)",
    );
    assert_says(
        &of_regimes(|regimes| regimes.normal.0 = seconds(2)),
        "another-first-wait (the first wait is 2s, not 1s)",
    );
    // 1 s doubled three times, and 300 s doubled three times.
    let capped = of_regimes(|regimes| (regimes.normal.1, regimes.extended.1) = (seconds(8), seconds(2400)));
    assert_says(&capped, "exponent-capped (the exponent stops at 3: waits grow to 8s, not to 30s)");
    assert_eq!(of_regimes(|_| {}), "no diagnosis");
}

#[test]
fn a_number_of_a_call_is_found() {
    let claimed = CallSpec { jitter: Jitter::None, attempts: Some(9), ..CallSpec::default() };
    let of = |change: &dyn Fn(&mut CallSpec)| {
        let mut spec = claimed.clone();
        change(&mut spec);
        let subject = || built(&PolicySpec::Call(spec.clone()));
        let diagnosis = diagnose(&PolicySpec::Call(claimed.clone()), &subject);
        diagnosis.map_or_else(|| "no diagnosis".to_owned(), |diagnosis| diagnosis.to_string())
    };
    assert_says(&of(&|spec| spec.attempts = Some(7)), "another-number-of-attempts (a call has 7 attempts, not 9)");
    assert_says(&of(&|spec| spec.attempts = Some(10)), "an-attempt-too-many (a call has 10 attempts, not 9)");
    let tripled = retrylab_spec::Ratio { numerator: 3, denominator: 1 };
    let factor = of(&|spec| {
        spec.ladder = retrylab_spec::LadderSpec::Exponential {
            base: Duration::from_millis(500),
            ratio: tripled,
            ceiling: Duration::from_secs(30),
        };
    });
    assert_says(&factor, "another-factor (each wait is 3 times the one before, not 2)");
    assert_eq!(of(&|_| {}), "no diagnosis");
}

/// Its waits are compared by their bands, which hold no number. How often it tries shows without them.
#[test]
fn the_number_of_attempts_is_found_though_the_policy_draws_for_itself() {
    let claimed = CallSpec { attempts: Some(9), ..CallSpec::default() };
    let of = |attempts| {
        let spec = PolicySpec::Call(CallSpec { attempts: Some(attempts), ..claimed.clone() });
        let client = PolicySpec::Call(claimed.clone());
        let claim = Claim::from(client.clone()).with_drawing(Drawing::Own);
        let search = Search::of(Client::new(client), claim, LAWS);
        let diagnosis = Diagnosis::of(&search, &drawing_for_itself(|| built(&spec)), [], CASES);
        diagnosis.map_or_else(|| "no diagnosis".to_owned(), |diagnosis| diagnosis.to_string())
    };
    assert_says(&of(7), "another-number-of-attempts (a call has 7 attempts, not 9)");
    assert_says(&of(7), "cases, by the bands of its waits, since it draws for itself");
    assert_eq!(of(9), "no diagnosis");
}

#[test]
fn a_fault_is_named_though_the_policy_draws_for_itself_or_explains_nothing() {
    let fault = |name: &str| KnownFault::find(name).expect("a fault");
    let stream = PolicySpec::Streaming { initial_reconnect_delay: None };
    for name in ["re-entering-pins-at-the-first-rung", "never-extended", "full-jitter", "jitter-lost"] {
        let build = || -> Box<dyn Policy> { fault(name).build(&stream).expect("a stream can have it") };
        let claim = Claim::from(stream.clone());
        let search = Search::of(Client::new(stream.clone()), claim.clone().with_drawing(Drawing::Own), LAWS);
        let own = Diagnosis::of(&search, &drawing_for_itself(build), [], CASES).map(|diagnosis| names(&diagnosis));
        assert!(own.as_ref().is_some_and(|names| names.contains(&name)), "{name}, drawing for itself: {own:?}");
        let search = Search::of(Client::new(stream.clone()), claim, LAWS);
        let mute = Diagnosis::of(&search, &|| super::Unexplained(build()), [], CASES);
        let mute = mute.map(|diagnosis| names(&diagnosis));
        assert!(mute.as_ref().is_some_and(|names| names.contains(&name)), "{name}, explaining nothing: {mute:?}");
    }
}
