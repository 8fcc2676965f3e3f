//! `lint` of clients that hammer a server, or stop retrying it, by a setting that looks harmless.

use retrylab_spec::lint::{Place, Rule, lint, silent_ceiling};

use super::lint::{NOTHING, call, draft, problems};

#[test]
fn a_server_that_may_request_no_wait_is_warned_about() {
    let server = |keys: &str| call(&format!("retry_after = {{ most = \"1m\", beyond = \"clamp\"{keys} }}"));
    assert_eq!(
        server(", least = \"zero\""),
        [
            "client.retry_after.least: a server that requests a wait of \"0s\" gets the next attempt at once, each time; \
          leave `least` out, so that the wait is at least the rung, or add a spread such as `spread = \"1s\"` [hot-loop]"
        ]
    );
    assert_eq!(server(", least = \"zero\", spread = \"1s\""), NOTHING);
    assert_eq!(server(", least = \"rung\""), NOTHING);
    assert_eq!(server(""), NOTHING);
}

#[test]
fn a_budget_that_is_never_refilled_is_warned_about() {
    // 500 tokens pay for 100 retries at 5 each.
    assert_eq!(
        call("budget = { tokens = 500, cost = 5, refill = 0 }"),
        [
            "client.budget[0]: no success refills the budget: after 100 retries of all calls together, no call is retried \
          again; leave `refill` out, so that a success refills 1 [no-retry]"
        ]
    );
    assert_eq!(call("budget = { tokens = 500, cost = 5, refill = 1 }"), NOTHING);
}

#[test]
fn waits_below_a_millisecond_are_refused_as_zero_waits_are() {
    let ladder = |ladder: &str| problems(&format!("kind = \"call\", ladder = {ladder}"));
    assert_eq!(
        ladder("{ constant = \"999us\" }"),
        [
            "client.ladder: no wait is longer than \"999us\", so the client hammers the server (write a first wait such as \
          \"500ms\")"
        ]
    );
    assert_eq!(ladder("{ exponential = \"1us\", ceiling = \"1us\" }").len(), 1);
    assert_eq!(ladder("{ constant = \"1ms\" }"), NOTHING);
    assert_eq!(ladder("{ exponential = \"1us\", ceiling = \"1s\" }"), NOTHING);
}

/// Rungs of 3, 6, 12, 24 and 48 s.
#[test]
fn the_first_rung_that_the_default_ceiling_cuts_is_known() {
    let silent = |keys: &str| {
        let text = format!(
            "why = \"A test.\"\nclient = {{ kind = \"call\", {keys} }}\ntimeline = [{{ play = [{{ status = 503 }}] }}]"
        );
        draft(&text).client.kind.call().and_then(silent_ceiling).map(|warning| warning.message)
    };
    let doubling = "ladder = { exponential = \"3s\", ratio = 2 }";
    assert_eq!(
        silent(&format!("{doubling}, attempts = 7")).as_deref(),
        Some("no ceiling is written, so it is \"30s\", which cuts rungs 5 to 6: \"48s\" without it")
    );
    assert_eq!(silent(&format!("{doubling}, attempts = 5")), None, "four rungs are below it");
    assert_eq!(silent(&format!("{doubling}, attempts = \"unlimited\"")), None, "every such ladder reaches a ceiling");
    assert_eq!(silent("ladder = { list = [\"1m\"] }, attempts = 9"), None);
}

#[test]
fn calls_that_succeed_in_one_instant_for_ever_are_warned_about() {
    let lints = |head: &str, play: &str| {
        let text = format!("why = \"A test.\"\n{head}\nclient.kind = \"call\"\ntimeline = [{{ play = [{play}] }}]");
        lint(&draft(&text))
            .into_iter()
            .filter(|warning| warning.rule == Rule::Flood)
            .map(|warning| warning.place)
            .collect::<Vec<_>>()
    };
    let repeats = "then = \"repeat-last\"\nuntil = \"1h\"";
    assert_eq!(lints(repeats, "{ status = 503 }, { ok = true }"), [Place::Entry(1)]);
    assert_eq!(lints(repeats, "{ ok = true, latency = \"1s\" }"), []);
    assert_eq!(lints(repeats, "{ status = 503 }"), []);
    assert_eq!(lints("then = \"succeed\"\nuntil = \"1h\"", "{ status = 503 }"), [Place::Key("then".to_owned())]);
    assert_eq!(lints("then = \"stop\"", "{ ok = true }"), []);
}

#[test]
fn a_retry_after_at_a_client_that_ignores_it_is_warned_about_in_a_file_that_is_no_test() {
    let lints = |client: &str, expect: &str| {
        let play = "{ status = 503, retry_after = \"1s\" }";
        let text = format!("why = \"A test.\"\nclient = {{ {client} }}\ntimeline = [{{ play = [{play}] }}]\n{expect}");
        lint(&draft(&text)).iter().filter(|warning| warning.rule == Rule::IgnoredRetryAfter).count()
    };
    assert_eq!(lints("kind = \"call\"", ""), 1);
    assert_eq!(lints("kind = \"streaming\"", ""), 1);
    assert_eq!(lints("kind = \"call\"", "expect.attempts = 1"), 0);
    assert_eq!(lints("kind = \"call\", retry_after = { most = \"1m\", beyond = \"clamp\" }", ""), 0);
}
