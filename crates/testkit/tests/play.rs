//! What [`play`] says of a file that does not hold or cannot be played, reviewed as snapshots in `snapshots/testkit/`.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use retrylab_core::{Call, CallRules, Decision, Failure, Instant, Policy, Retry, RetryRules};
use retrylab_testkit::{PlayError, play, played};

/// Four attempts with waits of 0.5, 1 and 2 s at the longest.
fn policy() -> impl Policy {
    Call::new(CallRules::builder().build().expect("the default rules"))
}

fn error(file: &str) -> PlayError {
    played(format!("tests/data/{file}.toml"), policy).expect_err("it does not hold")
}

#[track_caller]
fn snapshot(name: &str, error: &PlayError) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots/testkit"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, error.to_string()));
}

#[test]
fn a_run_that_holds_returns_its_metrics() {
    let metrics = played("tests/data/holds.toml", policy).expect("it holds");
    assert_eq!((metrics.attempts, metrics.ended_at), (4, Duration::from_millis(3500)));
}

#[test]
fn a_file_is_played_exactly_twice_whether_or_not_it_holds() {
    for (file, holds) in [("holds", true), ("wrong-wait", false)] {
        let built = Cell::new(0);
        let counted = || {
            built.set(built.get() + 1);
            policy()
        };
        assert_eq!(played(format!("tests/data/{file}.toml"), counted).is_ok(), holds, "{file}");
        assert_eq!(built.get(), 2, "{file}");
    }
}

#[test]
fn a_wait_that_is_not_as_expected_shows_with_its_line_and_trace() {
    snapshot("wrong-wait", &error("wrong-wait"));
}

#[test]
#[should_panic = "expect.delays[1], value 2: expected 3s, got 1s (attempt 2, at 500ms)"]
fn play_panics_with_the_failure() {
    play("tests/data/wrong-wait.toml", policy);
}

/// A policy that counts the attempts of all clients.
struct Shared(Rc<Cell<u64>>);

impl Policy for Shared {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.0.set(self.0.get() + 1);
        Decision::RetryAfter(self.next_delay())
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Duration::from_secs(self.0.get())
    }
}

#[test]
fn two_runs_that_differ_are_shown_side_by_side() {
    let count = Rc::new(Cell::new(0));
    let result = played("tests/data/free.toml", || Shared(Rc::clone(&count)));
    snapshot("two-runs", &result.expect_err("the second run goes on counting"));
}

#[test]
fn a_file_that_expects_nothing_is_refused() {
    let error = error("nothing-expected");
    assert!(matches!(error, PlayError::NothingExpected { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "tests/data/nothing-expected.toml: it has no expectations; add an [expect], with keys such as \
         `attempts`, `delays` or `outcome`"
    );
}

/// Waits as the file that holds expects it, and says something else when it is asked again.
struct TwoAnswers(u32);

impl Policy for TwoAnswers {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.0 += 1;
        Decision::RetryAfter(Duration::from_millis(500) * 2u32.pow(self.0 - 1))
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn a_policy_that_stores_another_delay_than_it_decided_does_not_hold() {
    let error = played("tests/data/holds.toml", || TwoAnswers(0)).expect_err("its two answers differ");
    let text = error.to_string();
    assert!(
        text.contains("client: expected next_delay() to be the decided 500ms, got 0s (attempt 1, at 0s)"),
        "{text}"
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let text = error("nowhere").to_string();
    assert!(text.starts_with("cannot read tests/data/nowhere.toml: "), "{text}");
}

#[test]
fn a_file_with_a_mistake_shows_it() {
    snapshot("mistake", &error("mistake"));
}

#[test]
fn a_file_that_is_not_played_is_refused() {
    snapshot("not-played", &error("not-played"));
}

/// A built-in kind says what its client claims, and so may a policy of one's own be held to it.
#[test]
fn a_file_of_a_built_in_policy_holds_a_policy_to_its_rules() {
    let stream = |seconds| move || Retry::new(RetryRules::streaming(Duration::from_secs(seconds)));
    let holds = played("tests/data/built-in.toml", stream(1));
    assert_eq!(holds.map(|metrics| metrics.attempts).map_err(|error| error.to_string()), Ok(4));
    let error = played("tests/data/built-in.toml", stream(2)).expect_err("its waits are twice as long");
    snapshot("built-in", &error);
}

#[test]
fn a_law_that_is_not_applicable_is_refused() {
    snapshot("laws", &error("laws"));
}

/// Of every policy it is required that a server which keeps failing gets a pause.
#[test]
fn a_law_that_needs_no_claim_is_held() {
    let text = "why = \"Seventeen failures.\"\nclient = { kind = \"external\", name = \"mine\", as = \"call\" }\n\
                [[timeline]]\nrepeat = 17\nplay = [{ status = 503 }]\n[expect]\nlaws = [\"repeated-failures-get-a-pause\"]";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pause.toml");
    std::fs::write(&file, text).expect("it can be written");
    assert_eq!(played(&file, || Fixed(Duration::from_secs(1))).map(drop).map_err(|error| error.to_string()), Ok(()));
    let said = played(&file, || Fixed(Duration::ZERO)).expect_err("it never waits").to_string();
    assert!(said.contains("expect.laws[0]: expected ") && said.contains("repeated-failures-get-a-pause"), "{said}");
}

/// The same wait after each failure.
struct Fixed(Duration);

impl Policy for Fixed {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::RetryAfter(self.0)
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        self.0
    }
}

/// A policy does not log, so nothing can be said of what it logs.
#[test]
fn a_law_about_log_lines_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("logged.toml");
    let text = "why = \"A failure.\"\nclient.kind = \"streaming\"\nexpect.laws = [\"a-failure-is-logged-by-its-kind\"]\n\
                [[timeline]]\nplay = [{ status = 503 }]";
    std::fs::write(&file, text).expect("it can be written");
    let said = played(&file, || Retry::new(RetryRules::streaming(Duration::from_secs(1))))
        .expect_err("it logs nothing")
        .to_string();
    assert!(said.contains("`a-failure-is-logged-by-its-kind` is not applicable to such a client"), "{said}");
}
