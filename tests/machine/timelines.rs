//! Made-up timelines, played in virtual time: every call that the player makes is answered as the model says, every run
//! obeys the laws, and a second run is the same.

use std::time::Duration;

use proptest::prelude::*;
use retrylab_core::{Decision, Failure, Instant, Policy, Rung};
use retrylab_sim::{BuiltIn, Player, Record, build, first_divergence, play};
use retrylab_spec::{PolicySpec, Timeline};
use retrylab_testkit::laws::model::{Model, Rules};
use retrylab_testkit::laws::{Claim, Described, LAWS, Standing, Trial};
use retrylab_testkit::search;
use retrylab_testkit::timeline::{Reach, timelines};

use crate::FOUND;

/// A policy beside its model: told the same, they have to say the same.
struct Beside {
    policy: BuiltIn,
    model: Model,
}

impl Policy for Beside {
    fn record_failure(&mut self, failure: Failure, now: Instant, draw: u64) -> Decision {
        let decision = self.policy.record_failure(failure, now, draw);
        assert_eq!(decision, self.model.record_failure(failure, now, draw));
        self.compare(draw);
        decision
    }

    fn record_success(&mut self, now: Instant) {
        self.policy.record_success(now);
        self.model.record_success(now);
        self.compare(0);
    }

    fn next_delay(&self) -> Duration {
        self.policy.next_delay()
    }

    fn explain(&self, draw: u64) -> Option<Rung> {
        self.policy.explain(draw)
    }
}

impl Beside {
    fn compare(&self, draw: u64) {
        assert_eq!(self.policy.next_delay(), self.model.next_delay());
        assert_eq!(self.policy.explain(draw), self.model.explain(draw));
    }
}

fn model(client: &PolicySpec) -> Model {
    Model::new(Rules::of(client).expect("the model is of streaming and polling clients"))
}

fn records(timeline: &Timeline, seed: u64) -> impl Iterator<Item = Record> {
    play(timeline, seed).expect("a built-in client")
}

proptest! {
    #![proptest_config(search(FOUND))]

    #[test]
    fn a_played_timeline_agrees_with_the_model(timeline in timelines(Reach::Playable), seed: u64) {
        let (policy, warning) = build(&timeline.client.kind).expect("a built-in client");
        let beside = Beside { policy, model: model(&timeline.client.kind) };
        let count = Player::new(&timeline, beside, warning, seed).count();
        prop_assert!(count > 0, "a run has at least its end");
    }

    #[test]
    fn a_run_obeys_every_law(timeline in timelines(Reach::Playable), seed: u64) {
        let claim = Claim::of(&timeline.client);
        let mut trial = Trial::new(&claim, LAWS);
        for record in play(&timeline, seed).expect("a built-in client") {
            trial.observe(&record);
        }
        let judged = trial.finish(&Described(timeline.client.clone()));
        for (law, standing) in judged.standings {
            if let Standing::Violated(breach) = standing {
                prop_assert!(false, "{law}: {breach:?}");
            }
        }
        prop_assert_eq!(judged.fault, None);
    }

    #[test]
    fn a_timeline_plays_the_same_twice(timeline in timelines(Reach::Playable), seed: u64) {
        prop_assert_eq!(first_divergence(records(&timeline, seed), records(&timeline, seed)), None);
    }
}
