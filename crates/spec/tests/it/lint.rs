//! Each rule of the lint: what it warns of, word for word, and what it leaves alone.

use proptest::prelude::*;
use retrylab_spec::lint::{Place, Rule, lint, refused};
use retrylab_spec::{Draft, File, parse, print};

use crate::timeline::{Reach, timelines};

pub(super) fn draft(text: &str) -> Draft {
    match parse("test.toml", text).unwrap_or_else(|error| panic!("{error}")).file {
        File::Played(timeline) | File::External(timeline) => timeline.into_draft(),
        other => panic!("not a timeline: {other:?}"),
    }
}

/// The warnings about a client with a script of one failure, without that about its jitter.
pub(super) fn warnings(client: &str) -> Vec<String> {
    let draft = draft(&format!("why = \"A test.\"\n{client}\n[[timeline]]\nplay = [{{ status = 503 }}]\n"));
    lint(&draft).iter().filter(|warning| warning.rule != Rule::HiddenJitter).map(ToString::to_string).collect()
}

pub(super) fn call(keys: &str) -> Vec<String> {
    warnings(&format!("[client]\nkind = \"call\"\n{keys}"))
}

/// Warnings about a script of streams, by the number of the entry.
fn script(client: &str, play: &str) -> Vec<(usize, String)> {
    let text = format!("why = \"A test.\"\nclient = {{ {client} }}\n[[timeline]]\nplay = [{play}]\n");
    let entry = |place: &Place| match place {
        Place::Entry(index) => *index,
        Place::Key(key) => panic!("{key}"),
    };
    lint(&draft(&text)).iter().map(|warning| (entry(&warning.place), warning.message.clone())).collect()
}

pub(super) fn problems(client: &str) -> Vec<String> {
    let text = format!("why = \"A test.\"\nclient = {{ {client} }}\n[[timeline]]\nplay = [{{ status = 503 }}]\n");
    refused(&draft(&text)).iter().map(ToString::to_string).collect()
}

pub(super) const NOTHING: [&str; 0] = [];

#[test]
fn the_default_clients_have_no_warning_except_for_a_pollers_jitter() {
    assert_eq!(warnings("client.kind = \"streaming\""), NOTHING);
    assert_eq!(call(""), NOTHING);
    assert_eq!(warnings("client = { kind = \"reconnect\", reset = { healthy_for = \"60s\" } }"), NOTHING);
    let external = "client = { kind = \"external\", name = \"mine\", as = \"streaming\" }";
    assert_eq!(warnings(external), NOTHING);
}

#[test]
fn a_ceiling_at_or_below_the_first_rung_leaves_a_flat_ladder() {
    assert_eq!(
        call("ladder = { exponential = \"45s\" }"),
        ["client.ladder.ceiling: a ceiling of \"30s\" is not above the first rung of \"45s\": every rung is 30s; \
          write a ceiling above \"45s\", or `ladder = { constant = \"30s\" }` [flat-ladder]"]
    );
    assert_eq!(call("ladder = { fibonacci = \"5s\", ceiling = \"5s\" }").len(), 1);
    assert_eq!(call("ladder = { linear = \"5s\", step = \"1s\", ceiling = \"5s\" }").len(), 1);
    assert_eq!(call("ladder = { fibonacci = \"5s\", ceiling = \"5.000000001s\" }"), NOTHING);
    assert_eq!(call("ladder = { constant = \"45s\" }"), NOTHING);
}

#[test]
fn a_stream_that_starts_at_its_ceiling_has_a_flat_ladder() {
    assert_eq!(
        warnings("client = { kind = \"streaming\", initial_reconnect_delay = 45 }"),
        ["client.initial_reconnect_delay: \"45s\" is not below the ceiling of \"30s\", so the normal ladder has one \
          rung: every wait is 45s; write a first rung below the ceiling, such as \"1s\" [flat-ladder]"]
    );
    let clamped = warnings("client = { kind = \"streaming:clamp-initial\", initial_reconnect_delay = \"45s\" }");
    assert!(clamped[0].contains("every wait is 30s"), "{clamped:?}");
    assert_eq!(warnings("client = { kind = \"streaming\", initial_reconnect_delay = \"29s\" }"), NOTHING);
}

#[test]
fn a_poller_as_slow_as_the_extended_ceiling_has_a_flat_ladder() {
    assert_eq!(
        warnings("client = { kind = \"polling\", poll_interval = \"2h\" }"),
        ["client.poll_interval: \"2h\" is not below the ceiling of \"1h\", so the extended ladder has one rung, the \
          interval itself; write an interval below \"1h\" [flat-ladder]"]
    );
    assert_eq!(warnings("client = { kind = \"polling\", poll_interval = \"59m\" }"), NOTHING);
}

#[test]
fn a_ladder_that_does_not_grow_never_reaches_its_ceiling() {
    assert_eq!(
        call("ladder = { exponential = \"1s\", ratio = 1, ceiling = \"10s\" }"),
        ["client.ladder.ceiling: the ladder does not grow, so its ceiling of \"10s\" is never reached; \
          write `ladder = { constant = \"1s\" }` [unreachable-ceiling]"]
    );
    assert_eq!(call("ladder = { linear = \"1s\", step = \"0s\", ceiling = \"10s\" }").len(), 1);
    assert_eq!(call("ladder = { exponential = \"1s\", ratio = \"3/2\", ceiling = \"10s\" }"), NOTHING);
}

#[test]
fn rungs_of_a_list_after_the_last_attempt_are_never_used() {
    // Four attempts wait three times.
    assert_eq!(
        call("ladder = { list = [\"1s\", \"2s\", \"5s\", \"10s\", \"30s\"] }\nattempts = 4"),
        [
            "client.ladder.list[3]: 4 attempts wait 3 times, so of the 5 rungs this one is never used, nor any after it; \
          write `attempts = 6`, or omit the other rungs [unreachable-rungs]"
        ]
    );
    assert_eq!(call("ladder = { list = [\"1s\", \"2s\", \"5s\"] }\nattempts = 4"), NOTHING);
    assert_eq!(call("ladder = { list = [\"1s\", \"2s\", \"5s\"] }\nattempts = \"unlimited\""), NOTHING);
}

#[test]
fn attempts_beyond_the_time_limit_are_warned_about() {
    // At least 0.5, 1, 2 and 4 s: 7.5 s before the fifth attempt.
    let ladder = "ladder = { exponential = \"1s\" }\njitter = \"equal\"\nattempts = 6";
    assert_eq!(
        call(&format!("{ladder}\nelapsed = \"7s\"")),
        [
            "client.attempts: attempt 5 is never made: the waits before it are at least \"7.5s\" together, and `elapsed` \
          is \"7s\"; write `attempts = 4`, or at least `elapsed = \"7.5s\"` [unreachable-attempts]"
        ]
    );
    // And 8 s: 15.5 s before the sixth. The shorter limit is the one that matters.
    let both = call(&format!("{ladder}\nelapsed = \"1h\"\ndeadline = \"15.499999999s\""));
    assert_eq!(both.len(), 1);
    assert!(both[0].contains("attempt 6 is never made") && both[0].contains("`deadline` is"), "{both:?}");
    assert_eq!(call(&format!("{ladder}\nelapsed = \"15.5s\"")), NOTHING);
    // Full jitter may wait next to nothing, so any number of attempts may fit.
    assert_eq!(call("attempts = 50\nelapsed = \"10s\""), NOTHING);
    assert_eq!(call("jitter = \"equal\"\nattempts = \"unlimited\"\nelapsed = \"10s\""), NOTHING);
}

#[test]
fn a_retry_after_may_be_shorter_than_the_ladder() {
    let keys =
        "jitter = \"equal\"\nretry_after = { most = \"2s\", beyond = \"clamp\", spread = \"1ns\", least = \"zero\" }";
    // At least 0.5, 1, 2 and 4 s before the fifth attempt.
    assert_eq!(
        call(&format!("ladder = {{ exponential = \"1s\" }}\nattempts = 6\nelapsed = \"7s\"\n{keys}")),
        ["client.attempts: attempt 5 is made only after a shorter retry_after: the waits before it are at least \
          \"7.5s\" together, and `elapsed` is \"7s\"; write `attempts = 4`, or at least `elapsed = \"7.5s\"` \
          [unreachable-attempts]"]
    );
    let first = call(&format!("ladder = {{ exponential = \"20s\" }}\nelapsed = \"7s\"\n{keys}"));
    assert!(first[0].contains("only by chance") && first.len() == 1, "{first:?}");
    let list = "ladder = { list = [\"1s\", \"1h\"] }\nattempts = \"unlimited\"\nelapsed = \"1m\"";
    assert_eq!(call(&format!("{list}\n{keys}")), NOTHING);
}

#[test]
fn rungs_of_a_list_beyond_the_time_limit_are_warned_about() {
    let list = "ladder = { list = [\"1s\", \"4s\", \"1h\", \"2h\"] }\nattempts = \"unlimited\"";
    assert_eq!(
        call(&format!("{list}\njitter = \"equal\"\nelapsed = \"30m\"")),
        ["client.ladder.list[2]: this rung is never waited, nor any after it: with those before it that is at least \
          \"30m 2.5s\", and `elapsed` is \"30m\"; omit them, or write at least `elapsed = \"30m 2.5s\"` \
          [unreachable-rungs]"]
    );
    // Half of 1 s, 4 s and 1 h are 1,802.5 s, and of 2 h another hour.
    let last = call(&format!("{list}\njitter = \"equal\"\nelapsed = \"30m 2.5s\""));
    assert!(last[0].starts_with("client.ladder.list[3]: "), "{last:?}");
    assert_eq!(call(&format!("{list}\njitter = \"equal\"\nelapsed = \"1h 30m 2.5s\"")), NOTHING);
    assert_eq!(call(&format!("{list}\nelapsed = \"30m\"")), NOTHING, "full jitter may wait next to nothing");
}

#[test]
fn decorrelated_jitter_waits_at_least_the_first_rung_each_time() {
    // Three waits of at least 5 s before the fourth attempt.
    let found = call("ladder = { exponential = \"5s\" }\njitter = \"decorrelated\"\nattempts = 4\nelapsed = \"15s\"");
    assert_eq!(found, NOTHING);
    let found = call("ladder = { exponential = \"4s\" }\njitter = \"decorrelated\"\nattempts = 5\nelapsed = \"15.9s\"");
    assert!(found[0].starts_with("client.attempts: attempt 5 is never made: the waits before it are at least \"16s\""));
}

#[test]
fn a_limit_below_the_first_wait_allows_no_retry() {
    assert_eq!(
        call("jitter = \"equal\"\nelapsed = \"100ms\""),
        ["client.elapsed: \"100ms\" ends before the first wait, so no call is ever retried; write at least \
          `elapsed = \"500ms\"`, or shorten the first rung [no-retry]"]
    );
    assert_eq!(
        call("deadline = \"100ms\""),
        ["client.deadline: \"100ms\" is shorter than a first wait of up to \"500ms\": a call is retried \
          only by chance; write at least `deadline = \"500ms\"`, or shorten the first rung [no-retry]"]
    );
    assert_eq!(call("deadline = \"500ms\""), NOTHING);
    // A call of one attempt does not want to be retried.
    assert_eq!(call("attempts = 1\nelapsed = \"100ms\""), NOTHING);
}

#[test]
fn a_retry_after_that_ends_the_call_is_warned_about() {
    assert_eq!(
        call("elapsed = \"30s\"\nretry_after = { most = \"1m\", beyond = \"clamp\" }"),
        ["client.retry_after.most: a retry_after of \"1m\" is accepted, and ends the call: `elapsed` \
          is \"30s\"; write `most = \"30s\"` or less [unreachable-server-wait]"]
    );
    assert_eq!(call("deadline = \"30s\"\nretry_after = { most = \"1m\", beyond = \"refuse\" }").len(), 1);
    assert_eq!(call("elapsed = \"1m\"\nretry_after = { most = \"1m\", beyond = \"clamp\" }"), NOTHING);
    assert_eq!(call("retry_after = { most = \"1m\", beyond = \"clamp\" }"), NOTHING);
}

#[test]
fn a_retry_after_must_fit_together_with_its_spread() {
    let server = |most: &str, spread: &str| {
        let keys = format!("most = \"{most}\", beyond = \"clamp\", spread = \"{spread}\"");
        call(&format!("elapsed = \"60s\"\nretry_after = {{ {keys} }}"))
    };
    assert_eq!(
        server("60s", "10s"),
        ["client.retry_after.most: a retry_after of \"1m\" is accepted, and with a spread of up to \
          \"10s\" on top may end the call: `elapsed` is \"1m\"; write `most = \"50s\"` or less [unreachable-server-wait]"]
    );
    assert_eq!(server("50.000000001s", "10s").len(), 1);
    assert_eq!(server("50s", "10s"), NOTHING);
    let above = server("2m", "10s");
    assert!(above[0].contains("and ends the call") && above[0].contains("write `most = \"50s\"`"), "{above:?}");
    for spread in ["60s", "2m"] {
        let wide = server("1s", spread);
        assert!(wide[0].contains("; write a shorter spread, and with it at most \"1m\" ["), "{wide:?}");
    }
}

#[test]
fn a_reset_after_zero_successes_leaves_no_ladder_to_climb() {
    let resets = |reset: &str| warnings(&format!("client = {{ kind = \"reconnect\", reset = {{ {reset} }} }}"));
    assert_eq!(
        resets("successes = 0"),
        ["client.reset.successes: an outage that takes 0 successes to end is over at its next failure: every wait is \
          the first rung, and no limit of attempts or time is ever reached; write `successes = 1` or more, or \
          `reset = { healthy_for = \"60s\" }` [unreachable-rungs]"]
    );
    assert_eq!(resets("successes = 1"), NOTHING);
    // Any success is health enough, also that of a stream which breaks in the same instant.
    assert_eq!(
        resets("healthy_for = \"0s\""),
        [
            "client.reset.healthy_for: an outage that takes \"0s\" of health to end is over at the first message: a stream that \
          breaks at once, each time, waits the first rung each time; write a health such as `healthy_for = \"60s\"` \
          [unreachable-rungs]"
        ]
    );
    assert_eq!(resets("healthy_for = \"1ns\""), NOTHING);
}

#[test]
fn a_budget_that_is_smaller_than_one_retry_pays_for_none() {
    assert_eq!(
        call("budget = { tokens = 5, cost = 10 }"),
        ["client.budget[0]: a full budget of 5 does not pay for a retry of 10, so there is none; \
          write at least `tokens = 10` [no-retry]"]
    );
    let after_a_timeout = call("budget = { tokens = 30, cost = 5, timeout_cost = 40 }");
    assert!(after_a_timeout[0].contains("a retry of 40, so there is none after a timeout"), "{after_a_timeout:?}");
    let but_a_timeout = call("budget = { tokens = 30, cost = 40, timeout_cost = 5 }");
    assert!(but_a_timeout[0].contains("so there is none unless the failure was a timeout"), "{but_a_timeout:?}");
    assert_eq!(
        call("budget = { ratio = 0 }"),
        ["client.budget[0]: a ratio of 0 without a reserve pays for no retry; \
          write a ratio such as `ratio = \"1/5\"`, or a `reserve` [no-retry]"]
    );
    assert_eq!(call("budget = { ratio = 0, reserve = 10 }"), NOTHING);
}

#[test]
fn a_budget_for_fewer_retries_than_a_call_has_is_warned_about() {
    // 10 tokens at 4 a retry: two retries of the three.
    assert_eq!(
        call("budget = [{ tokens = 500 }, { tokens = 10, cost = 4 }]"),
        ["client.budget[1]: a full budget pays for 2 retries, so a call makes at most 3 of its 4 attempts; \
          write `attempts = 3`, or a larger budget [unreachable-attempts]"]
    );
    assert_eq!(call("budget = { tokens = 12, cost = 4 }"), NOTHING);
    assert_eq!(call("attempts = \"unlimited\"\nbudget = { tokens = 12, cost = 4 }"), NOTHING);
    assert_eq!(call("attempts = 1\nbudget = { tokens = 1, cost = 4 }"), NOTHING);
}

#[test]
fn a_budget_that_allows_more_than_it_seems_to_is_generous() {
    assert_eq!(
        call("budget = { tokens = 500, cost = 5, refill = 6 }"),
        ["client.budget[0]: a success refills 6, more than the cost of a retry, 5: the budget hardly ever runs out; \
          write `refill = 5` or less [generous-budget]"]
    );
    assert_eq!(call("budget = { tokens = 500, cost = 5, timeout_cost = 10, refill = 5 }"), NOTHING);
    assert_eq!(
        call("budget = { ratio = 2 }"),
        ["client.budget[0]: a ratio of 2 allows more retries than requests: it multiplies an outage; \
          write a ratio below 1, such as `ratio = \"1/5\"` [generous-budget]"]
    );
    // Three retries at most.
    assert_eq!(
        call("budget = { ratio = 3 }"),
        ["client.budget[0]: a ratio of 3 never refuses: a request makes at most 3 retries; \
          write a ratio below 1, such as `ratio = \"1/5\"` [generous-budget]"]
    );
    assert_eq!(call("budget = { ratio = 0.2, reserve = 10 }"), NOTHING);
    assert_eq!(call("budget = { ratio = 1 }"), NOTHING);
}

#[test]
fn an_extended_ladder_below_the_normal_one_is_inverted() {
    let inverted = warnings("client = { kind = \"streaming:inverted-extended\", initial_reconnect_delay = \"10m\" }");
    assert_eq!(
        inverted[1],
        "client.initial_reconnect_delay: the extended ladder starts at \"5m\", below the normal one at \"10m\": a \
         rejected key is retried sooner than a busy server; write at most \"5m\", or `kind = \"streaming\"`, which \
         raises the extended ladder [inverted-extended]"
    );
    let raised = warnings("client = { kind = \"streaming\", initial_reconnect_delay = \"10m\" }");
    assert_eq!(raised.len(), 1);
    let low = warnings("client = { kind = \"streaming:inverted-extended\", initial_reconnect_delay = \"5m\" }");
    assert_eq!(low.len(), 1);
    assert!(raised[0].ends_with("[flat-ladder]") && low[0].ends_with("[flat-ladder]"));
}

#[test]
fn a_wait_that_is_too_long_for_timers_is_warned_about() {
    // 2^31 - 1 ms are 24 days, 20 hours, 31 minutes and 23.647 seconds.
    assert_eq!(
        call("ladder = { exponential = \"1s\", ceiling = \"25d\" }"),
        ["client.ladder.ceiling: \"25d\" is too long for timers: JavaScript fires a longer timer at \
          once; its maximum is \"24d 20h 31m 23.647s\"; write at most \"24d 20h 31m 23.647s\" [beyond-timer]"]
    );
    assert_eq!(call("ladder = { exponential = \"1s\", ceiling = \"24d 20h 31m 23.647s\" }"), NOTHING);
    // 292 years; 9223372036 s are 106751 days, 23 hours, 47 minutes and 16 seconds.
    let server = call("retry_after = { most = \"106751d 23h 47m 16s\", beyond = \"clamp\", spread = \"1ns\" }");
    assert_eq!(
        server,
        ["client.retry_after.most: \"106751d 23h 47m 16.000000001s\" is too long for timers: no timer on Linux \
          waits longer than \"106751d 23h 47m 16s\"; write at most \"24d 20h 31m 23.647s\" [beyond-timer]"]
    );
    let listed = call("ladder = { list = [\"1s\", \"25d\"] }");
    assert!(listed[0].starts_with("client.ladder.list[1]: "), "{listed:?}");
    let poller = warnings("client = { kind = \"polling\", poll_interval = 1e300 }");
    assert!(
        poller[1].starts_with("client.poll_interval: \"213503d 23h 34m 33.709551615s\" is too long for timers"),
        "{poller:?}"
    );
}

#[test]
fn layers_multiply_their_attempts() {
    let stack = |stack: &str| warnings(&format!("client.kind = \"call\"\nstack = {{ {stack} }}"));
    assert_eq!(
        stack("most = 35, sdk = 3, app = 12"),
        ["stack: sdk (3) × app (12) make 36 attempts of one operation; at most 35 are allowed; \
          retry in one layer only, with 1 attempt in each of the others [tall-stack]"]
    );
    assert_eq!(stack("most = 36, sdk = 3, app = 12"), NOTHING);
    let saturated = stack("most = 1, a = 9223372036854775807, b = 9223372036854775807");
    assert!(saturated[0].contains("make at least 18446744073709551615 attempts"), "{saturated:?}");
}

#[test]
fn jitter_hidden_by_the_cadence_is_warned_about() {
    let hidden = |keys: &str| {
        let text = format!("why = \"A test.\"\nthen = \"succeed\"\nuntil = \"1h\"\nclient = {{ {keys} }}\n");
        lint(&draft(&text)).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        hidden("kind = \"polling\""),
        ["client.kind: jitter never shows on the normal ladder: after a failure the wait is the interval of \"30s\" \
          exactly; start the clients at different times, or give each an interval of its own [hidden-jitter]"]
    );
    // The first extended rung is 150 to 300 s.
    assert!(!hidden("kind = \"polling\", poll_interval = 150")[0].contains("extended"));
    let cut = hidden("kind = \"polling\", poll_interval = 200");
    assert!(cut[0].contains("exactly, which also cuts the first rung of the extended one;"), "{cut:?}");
    let whole = hidden("kind = \"polling:cadence-not-restored\", poll_interval = 300");
    assert!(whole[0].contains("exactly, and so is the first rung of the extended one;"), "{whole:?}");
    assert!(!hidden("kind = \"polling\", jitter = \"none\"")[0].contains("[hidden-jitter]"));
}

#[test]
fn decorrelated_jitter_needs_room_between_the_first_rung_and_the_ceiling() {
    let hidden = |ladder: &str, jitter: &str| {
        let text = format!(
            "why = \"A test.\"\nclient = {{ kind = \"call\", ladder = {{ {ladder} }}, jitter = \"{jitter}\" }}\n\
             timeline = [{{ play = [{{ status = 503 }}] }}]\n"
        );
        let warnings = lint(&draft(&text));
        warnings
            .iter()
            .filter(|warning| warning.rule == Rule::HiddenJitter)
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        hidden("constant = \"1s\"", "decorrelated"),
        [
            "client.jitter: decorrelated jitter never shows: it is drawn between the first rung and the ceiling, and both \
          are \"1s\"; write `jitter = \"full\"`, or a ceiling above the first rung [hidden-jitter]"
        ]
    );
    // The longest of a list is its ceiling.
    assert_eq!(hidden("list = [\"5s\", \"1s\"]", "decorrelated-published").len(), 1);
    assert_eq!(hidden("exponential = \"45s\"", "decorrelated").len(), 1);
    assert_eq!(hidden("exponential = \"29s\"", "decorrelated"), NOTHING);
    assert_eq!(hidden("constant = \"1s\"", "equal"), NOTHING);
}

#[test]
fn no_jitter_is_warned_about_outside_of_tests() {
    let none = "client = { kind = \"streaming\", jitter = \"none\" }";
    assert_eq!(
        warnings(none),
        ["client.jitter: without jitter, clients that failed together return together; leave `jitter` out, or add \
          an [expect] if the file is a test [no-jitter]"]
    );
    assert_eq!(
        call("jitter = \"none\""),
        ["client.jitter: without jitter, clients that failed together return together; write `jitter = \"full\"`, \
          or add an [expect] if the file is a test [no-jitter]"]
    );
    assert_eq!(warnings(&format!("{none}\nexpect = {{ attempts = 1 }}")), NOTHING);
    assert_eq!(call("jitter = \"equal\""), NOTHING);
}

#[test]
fn nothing_follows_a_stream_that_stays_up() {
    let stream = "kind = \"streaming\"";
    assert_eq!(
        script(stream, "{ status = 503 }, { up = true }, { status = 503 }"),
        [(2, "no attempt reaches this: the stream before it stays up".to_owned())]
    );
    assert_eq!(
        script(stream, "{ repeat = 2, play = [{ status = 503 }, { up = true }] }"),
        [(1, "no attempt reaches this again: the stream before it stays up".to_owned())]
    );
    assert_eq!(script(stream, "{ status = 503 }, { up = true }"), []);
    assert_eq!(script(stream, "{ up = \"1m\", end = \"close\" }, { status = 503 }"), []);
    let cut = "why = \"A test.\"\nclient.kind = \"streaming\"\n[[timeline]]\nplay = [{ up = true }, { status = 503 }]\n\
               [[window]]\nfrom = \"1m\"\nuntil = \"2m\"\nstatus = 503\ncut = true\n";
    assert_eq!(lint(&draft(cut)), []);
}

#[test]
fn nothing_follows_the_end_of_a_reconnecting_loop() {
    let loops = |attempts: &str| format!("kind = \"reconnect\", reset = {{ successes = 1 }}, attempts = {attempts}");
    assert_eq!(
        script(&loops("3"), "{ repeat = 3, play = [{ status = 503 }] }, { up = true }"),
        [(1, "no attempt reaches this: the client gives up before it, after 3 failed attempts".to_owned())]
    );
    assert_eq!(script(&loops("4"), "{ repeat = 3, play = [{ status = 503 }] }, { up = true }"), []);
    // The end of the stream is the first failure of the next outage.
    let flapping = "{ status = 503 }, { up = \"1m\", end = \"close\" }, { status = 503 }, { status = 503 }";
    assert_eq!(script(&loops("4"), flapping), []);
    // Each failure is the first of an outage, so three attempts are never used up; one is, by the first.
    let always = |attempts: u32| {
        let client = format!("kind = \"reconnect\", reset = {{ successes = 0 }}, attempts = {attempts}");
        let text = format!(
            "why = \"A test.\"\nclient = {{ {client} }}\n[[timeline]]\nplay = [{{ repeat = 3, play = [{{ status = 503 }}] }}, \
             {{ up = true }}]\n"
        );
        lint(&draft(&text)).iter().filter(|warning| warning.rule == Rule::UnreachableEntry).count()
    };
    assert_eq!([1, 3].map(always), [1, 0]);
    assert_eq!(
        script(&loops("\"unlimited\""), "{ status = 401 }, { status = 503 }"),
        [(1, "no attempt reaches this: status 401 before it is terminal for `kind = \"reconnect\"`".to_owned())]
    );
}

#[test]
fn unusable_configured_seconds_are_errors() {
    assert_eq!(
        problems("kind = \"streaming\", initial_reconnect_delay = nan"),
        ["client.initial_reconnect_delay: NaN is not a positive finite number of seconds \
          (write a wait such as \"1s\", the default in its place)"]
    );
    assert_eq!(
        problems("kind = \"polling\", poll_interval = -1"),
        ["client.poll_interval: -1 is not a positive finite number of seconds \
          (write a wait such as \"30s\", the default in its place)"]
    );
    for value in ["0", "-0.0", "inf", "-inf", "\"0s\""] {
        assert_eq!(problems(&format!("kind = \"streaming\", initial_reconnect_delay = {value}")).len(), 1, "{value}");
        let dialect = format!("kind = \"streaming:zero-literal\", initial_reconnect_delay = {value}");
        assert_eq!(problems(&dialect).len(), 1, "{value}");
    }
    for value in ["1", "5e-324", "\"1ns\"", "1e300"] {
        let usable = format!("kind = \"streaming\", initial_reconnect_delay = {value}");
        assert_eq!(problems(&usable), NOTHING, "{value}");
    }
}

#[test]
fn a_ladder_on_which_every_wait_is_zero_is_refused() {
    let ladder = |ladder: &str| problems(&format!("kind = \"call\", ladder = {{ {ladder} }}"));
    assert_eq!(
        ladder("exponential = \"0s\""),
        [
            "client.ladder.exponential: every wait is \"0s\", so the client hammers the server (write a first wait such as \"500ms\")"
        ]
    );
    for (key, zero) in [
        ("constant", "constant = \"0s\""),
        ("fibonacci", "fibonacci = \"0s\""),
        ("linear", "linear = \"0s\", step = \"0s\""),
        ("list", "list = [\"0s\", \"0s\"]"),
        ("ceiling", "exponential = \"1s\", ceiling = \"0s\""),
    ] {
        let found = ladder(zero);
        assert!(found[0].starts_with(&format!("client.ladder.{key}: every wait")), "{found:?}");
    }
    // The first retry at once, the others not.
    assert_eq!(ladder("linear = \"0s\", step = \"1s\""), NOTHING);
    assert_eq!(ladder("list = [\"0s\", \"1s\"]"), NOTHING);
}

#[test]
fn a_ladder_from_zero_is_refused_with_decorrelated_jitter() {
    let client = |ladder: &str, jitter: &str| {
        problems(&format!("kind = \"call\", ladder = {{ {ladder} }}, jitter = \"{jitter}\""))
    };
    let list = "list = [\"0s\", \"1s\"]";
    assert_eq!(
        client(list, "decorrelated"),
        ["client.ladder.list: decorrelated jitter grows from the first rung, and from \"0s\" every wait is \"0s\" \
          (write a first wait such as \"500ms\", or `jitter = \"full\"`)"]
    );
    let linear = client("linear = \"0s\", step = \"1s\"", "decorrelated-published");
    assert!(linear[0].starts_with("client.ladder.linear: decorrelated-published jitter grows"), "{linear:?}");
    assert_eq!(client(list, "equal"), NOTHING);
    assert_eq!(client("list = [\"1s\", \"0s\"]", "decorrelated"), NOTHING);
    assert_eq!(client("constant = \"0s\"", "decorrelated").len(), 1, "said once");
}

#[test]
fn a_call_without_an_attempt_is_refused() {
    assert_eq!(
        problems("kind = \"call\", attempts = 0"),
        ["client.attempts: 0 attempts are refused (write at least 1)"]
    );
    assert_eq!(problems("kind = \"call\", attempts = 1"), NOTHING);
}

#[test]
fn a_retry_after_cut_to_zero_is_refused() {
    let server =
        |keys: &str| problems(&format!("kind = \"call\", retry_after = {{ most = \"0s\", least = \"zero\", {keys} }}"));
    assert_eq!(
        server("beyond = \"clamp\""),
        ["client.retry_after.most: every retry_after is cut to \"0s\", so the client hammers the server \
          (write the longest wait to accept, such as \"1m\", or `retry_after = \"ignore\"`)"]
    );
    assert_eq!(server("beyond = \"clamp\", spread = \"0s\"").len(), 1);
    assert_eq!(server("beyond = \"clamp\", spread = \"1s\""), NOTHING, "a wait up to a second");
    assert_eq!(server("beyond = \"refuse\""), NOTHING, "a server that requests a wait ends the call");
    let rung = problems("kind = \"call\", retry_after = { most = \"0s\", beyond = \"clamp\" }");
    assert_eq!(rung, NOTHING, "the wait is at least the rung");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_finding_has_its_place_in_the_file(timeline in timelines(Reach::Anything)) {
        let parsed = parse("printed.toml", &print(&timeline)).expect("what is printed reads back");
        for problem in refused(&timeline) {
            prop_assert!(parsed.locations.position(problem.path()).is_some(), "{problem}");
        }
        for warning in lint(&timeline) {
            let position = match &warning.place {
                Place::Key(key) => parsed.locations.position(key),
                Place::Entry(index) => parsed.locations.entry(*index),
            };
            prop_assert!(position.is_some(), "{warning}");
        }
    }
}
