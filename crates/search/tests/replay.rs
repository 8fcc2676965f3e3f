//! A saved counterexample of any origin is the same run when it is read back.

use std::ops::ControlFlow;
use std::time::Duration;

use retrylab_core::{Decision, Failure, Instant, Policy};
use retrylab_laws::{Claim, Described, LAWS, Law, Subject};
use retrylab_search::{Found, Search, Store, exhaust};
use retrylab_sim::{Record, build};
use retrylab_spec::{Client, Dialect, PolicySpec, Seconds, named};

fn client(name: &str) -> Client {
    named::client(name).unwrap_or_else(|| panic!("{name} is a policy"))
}

/// Saves what was found, reads it back, and plays both: the records and the breach are the same in all their figures.
fn replays(found: &Found, claim: &Claim, search: &Search, subject: &dyn Subject) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = found.regression(claim, "a test").expect("a file can express it");
    Store::at(folder.path()).keep(&file).expect("it is saved");
    let [stored] = &Store::at(folder.path()).read().expect("it is read back")[..] else { panic!("one file") };
    assert_eq!(stored.timeline, file.timeline);
    // A file without a seed is the same run with any.
    let play = |timeline, seed| -> Vec<Record> { subject.play(timeline, seed).expect("it is played to its end") };
    let original = play(&found.timeline, found.timeline.seed.unwrap_or(0));
    assert_eq!(play(&stored.timeline, stored.timeline.seed.unwrap_or(12_345)), original, "{}", stored.timeline);
    assert_eq!(search.breach(subject, found.law, &stored.timeline).as_ref(), Some(&found.breach));
}

#[test]
fn a_counterexample_of_a_search_is_the_same_run_when_it_is_read_back() {
    for name in ["polling:cadence-not-restored", "streaming:tls-unexpected", "streaming:inverted-extended"] {
        let client = client(name);
        let claim = Claim::of(&client);
        let search = Search::of(client.clone(), claim.clone(), LAWS).cases(300);
        let subject = Described(client);
        let searched = search.run(&subject, |_| ControlFlow::Continue(()));
        for found in searched.broken() {
            replays(found, &claim, &search, &subject);
        }
        assert!(name.ends_with("extended") || searched.broken().count() > 0, "{name}");
    }
}

#[test]
fn a_counterexample_of_a_walk_is_the_same_run_when_it_is_read_back_with_its_extreme_draws() {
    let mut largest: usize = 0;
    for (dialect, seconds) in
        [(Dialect::CadenceNotRestored, 30), (Dialect::ClampInitial, 45), (Dialect::InvertedExtended, 400)]
    {
        let seconds = Some(Seconds::Text(Duration::from_secs(seconds)));
        let client = Client::new(PolicySpec::Dialect { dialect, seconds });
        let claim = Claim::of(&client);
        let (policy, _) = build(&client.kind).expect("a built-in policy");
        let laws: Vec<&'static Law> = LAWS.iter().collect();
        let walked = exhaust(&policy, &claim, &laws, 6, 2, |_| ControlFlow::Continue(()));
        let search = Search::of(client.clone(), claim.clone(), LAWS);
        for broken in &walked.broken {
            let found = broken.found(&client).expect("the player violates the law, too");
            assert_eq!((&found.breach.expected, &found.breach.got), (&broken.expected, &broken.got));
            let text = found.timeline.to_string();
            largest += usize::from(text.contains("draw = { value = \"0xfffffffffffff800\" }"));
            replays(&found, &claim, &search, &Described(client.clone()));
        }
    }
    // The lower bound of a wait shows with the largest draw alone.
    assert_eq!(largest, 1);
}

/// Waits a day after one of 16 draws, and a second after the others.
struct Sometimes(Duration);

impl Policy for Sometimes {
    fn record_failure(&mut self, _: Failure, _: Instant, draw: u64) -> Decision {
        self.0 = Duration::from_secs(if draw >> 60 == 5 { 86_400 } else { 1 });
        Decision::RetryAfter(self.0)
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        self.0
    }
}

#[test]
fn a_counterexample_of_an_external_policy_is_the_same_run_when_it_is_read_back() {
    let claim = Claim::streaming(Duration::from_secs(1));
    let search = Search::new("sometimes", claim.clone(), LAWS).cases(300);
    let subject = || Sometimes(Duration::ZERO);
    let searched = search.run(&subject, |_| ControlFlow::Continue(()));
    assert!(searched.broken().count() > 0);
    for found in searched.broken() {
        replays(found, &claim, &search, &subject);
    }
}
