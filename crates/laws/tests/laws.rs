//! Each law holds of real runs, and those that a single trace can show are broken by a trace with the fault that they are
//! about.

use std::time::Duration;

use retrylab_core::{BuiltInReset, FailureKind, GiveUp, HealthyFor, Regime, Successes};
use retrylab_laws::{
    CallLimits, CannotReport, Claim, Described, LAWS, Law, Standing, Trial, report, reportable, unreportable,
};
use retrylab_scenario::{File, LadderSpec, Shape, Timeline, parse};
use retrylab_sim::{Event, Record, play};

const S: u64 = 1_000_000_000;

fn timeline(text: &str) -> Timeline {
    let text = format!("why = \"A test.\"\n{text}");
    match parse("test.toml", &text).map(|parsed| parsed.file) {
        Ok(File::Played(timeline)) => timeline,
        other => panic!("{other:?}"),
    }
}

/// 401 at 0 (300 s, less jitter); a stream that lives for 10 s, then 503 on the extended ladder; a stream that lives for
/// 60 s, which resets; two failures on the normal ladder.
fn stream() -> Timeline {
    timeline(
        "client.kind = \"streaming\"
         [[timeline]]
         play = [{ status = 401 }, { up = \"10s\", end = \"close\" }, { status = 503 }, { up = \"60s\", end = \"reset\" }, { status = 503 }]
         [[clock]]
         at = \"1s\"
         step = \"+1s\"",
    )
}

fn poller() -> Timeline {
    timeline(
        "client.kind = \"polling\"
         [[timeline]]
         play = [{ status = 401 }, { status = 503 }, { ok = true }, { ok = true }, { status = 503 }, { status = 503 }]",
    )
}

/// The first breach of the law in these records, and whether the law was put to the test at all.
fn hold(law: &str, timeline: &Timeline, records: &[Record]) -> (Option<(String, String)>, bool) {
    let claim = Claim::of(&timeline.client);
    let law = Law::find(law).expect("a law");
    assert!(law.applies(&claim), "{law} is about something else");
    let mut trial = Trial::new(&claim, [law]);
    records.iter().for_each(|record| trial.observe(record));
    let judged = trial.finish(&Described(timeline.client.clone()));
    match judged.of(law) {
        Some(Standing::Broken(breach)) => (Some((breach.expected.clone(), breach.got.clone())), true),
        Some(Standing::Held) => (None, true),
        Some(Standing::Untested) | None => (None, false),
    }
}

/// The breach that this change to the records makes.
fn breach(law: &str, timeline: &Timeline, change: impl FnOnce(&mut Vec<Record>)) -> (String, String) {
    let mut records: Vec<Record> = play(timeline, 0).expect("a built-in client").collect();
    assert_eq!(hold(law, timeline, &records), (None, true), "{law} holds before the change");
    change(&mut records);
    hold(law, timeline, &records).0.unwrap_or_else(|| panic!("{law} holds in spite of the change"))
}

fn pair(expected: &str, got: &str) -> (String, String) {
    (expected.to_string(), got.to_string())
}

/// The nth failure, from 0.
fn failure(records: &mut [Record], nth: usize) -> &mut Record {
    records.iter_mut().filter(|record| record.is_failure()).nth(nth).expect("a failure")
}

#[test]
fn every_law_that_applies_holds_of_a_stream_and_of_a_poller() {
    for timeline in [stream(), poller()] {
        let claim = Claim::of(&timeline.client);
        let records: Vec<Record> = play(&timeline, 7).expect("a built-in client").full().collect();
        for law in LAWS.iter().filter(|law| law.applies(&claim)) {
            assert_eq!(hold(law.name, &timeline, &records).0, None, "{law}");
        }
    }
}

#[test]
fn a_wait_that_is_not_base_less_jitter_breaks_wait_is_jittered_base_or_cadence() {
    let law = "wait-is-jittered-base-or-cadence";
    let (_, got) = breach(law, &stream(), |records| failure(records, 0).wait_ns = Some(301 * S));
    assert_eq!(got, "5m 1s");
    let broken = breach(law, &stream(), |records| failure(records, 0).jitter_ns = Some(151 * S));
    assert_eq!(broken, pair("at most half of the base 5m subtracted", "2m 31s"));
    // A poller's wait is never below its cadence, whatever the jitter: 503 on the normal ladder of 30 s.
    let broken = breach(law, &poller(), |records| failure(records, 2).wait_ns = Some(20 * S));
    assert_eq!(broken, pair("30s", "20s"));
}

#[test]
fn a_smaller_base_breaks_base_never_decreases() {
    let broken = breach("base-never-decreases", &stream(), |records| failure(records, 1).base_ns = Some(299 * S));
    assert_eq!(broken, pair("at least 5m", "4m 59s"));
}

#[test]
fn an_early_return_to_normal_breaks_extended_lasts_until_due() {
    let early = |records: &mut Vec<Record>| failure(records, 1).regime = Some(Regime::Normal);
    assert_eq!(breach("extended-lasts-until-due", &stream(), early), pair("extended", "normal"));
}

#[test]
fn a_reset_too_early_or_too_late_breaks_reset_exactly_when_due() {
    let law = "reset-exactly-when-due";
    // The stream of 10 s is not healthy for long enough: its end is the second rung.
    let early = breach(law, &stream(), |records| {
        (failure(records, 1).regime, failure(records, 1).rung) = (Some(Regime::Normal), Some(1));
    });
    assert_eq!(early, pair("extended, rung 2", "normal, rung 1"));
    // That of 60 s is: its end is the first rung of the normal ladder.
    let late = breach(law, &stream(), |records| {
        (failure(records, 3).regime, failure(records, 3).rung) = (Some(Regime::Extended), Some(4));
    });
    assert_eq!(late, pair("normal, rung 1", "extended, rung 4"));
    // Two polls in a row clear the state at once.
    let late = breach(law, &poller(), |records| records[3].rung = Some(2));
    assert_eq!(late, pair("normal, rung 0", "normal, rung 2"));
}

#[test]
fn a_wait_off_the_cadence_breaks_success_restores_the_cadence() {
    let law = "success-restores-the-cadence";
    assert_eq!(breach(law, &poller(), |records| records[2].wait_ns = Some(600 * S)), pair("30s", "10m"));
    assert_eq!(breach(law, &stream(), |records| records[2].wait_ns = Some(1)), pair("0s", "1ns"));
}

#[test]
fn a_change_without_an_outcome_breaks_time_alone_changes_nothing() {
    let (_, got) = breach("time-alone-changes-nothing", &stream(), |records| {
        let step = records.iter_mut().find(|record| matches!(record.event, Event::Step(_))).expect("a step");
        step.rung = Some(9);
    });
    assert!(got.contains('9'), "{got}");
}

#[test]
fn giving_up_breaks_always_a_next_attempt() {
    let law = "always-a-next-attempt";
    let gave_up = breach(law, &stream(), |records| {
        let cause = match failure(records, 2).event {
            Event::Failure { cause, .. } => cause,
            _ => unreachable!("a failure"),
        };
        failure(records, 2).event = Event::GaveUp { cause, kind: FailureKind::Normal, why: GiveUp::Budget };
    });
    assert_eq!(gave_up, pair("a wait", "gave up (budget)"));
    assert_eq!(breach(law, &stream(), |records| failure(records, 0).wait_ns = None), pair("a wait", "none"));
}

/// Four attempts are allowed; the fifth would come after the time is over as well.
#[test]
fn a_subject_that_does_not_say_why_it_gives_up_only_has_to_do_so_when_it_is_due() {
    let call = timeline(
        "client = { kind = \"call\", attempts = 3, jitter = \"none\" }
         [[timeline]]
         repeat = 3
         play = [{ status = 503 }]",
    );
    let mut records: Vec<Record> = play(&call, 0).expect("a built-in client").collect();
    let last =
        records.iter_mut().find(|record| matches!(record.event, Event::GaveUp { .. })).expect("the last attempt");
    let Event::GaveUp { why, .. } = &mut last.event else { panic!("{last:?}") };
    assert_eq!(*why, GiveUp::Attempts);
    *why = GiveUp::Budget;
    let law = Law::find("gives-up-exactly-when-due").expect("a law");
    let stands = |claim: &Claim, records: &[Record]| {
        let mut trial = Trial::new(claim, [law]);
        records.iter().for_each(|record| trial.observe(record));
        trial.finish(&Described(call.client.clone())).of(law).cloned()
    };
    let told = Claim::of(&call.client);
    let untold = Claim { says_why: false, ..told.clone() };
    assert!(stands(&told, &records).is_some_and(|standing| standing.is_broken()));
    assert_eq!(stands(&untold, &records), Some(Standing::Held));
    // One attempt fewer than it claims is still one too few.
    let more = match &untold.limits {
        Some(limits) => CallLimits { attempts: Some(4), ..limits.clone() },
        None => panic!("a call has limits"),
    };
    let early = Claim { limits: Some(more), ..untold };
    assert!(stands(&early, &records).is_some_and(|standing| standing.is_broken()));
}

#[test]
fn a_ladder_that_falls_may_have_longer_waits_after_a_success() {
    let list = |seconds: [u64; 2]| LadderSpec::List(seconds.map(Duration::from_secs).to_vec());
    let claim = |seconds| Claim {
        endless: true,
        reset: Some(BuiltInReset::Successes(Successes::new(1))),
        ..Claim::anything(Shape::Polling).with_ladder(list(seconds))
    };
    for name in ["removing-a-success-never-shortens-a-wait", "a-success-more-never-lengthens-a-wait"] {
        let law = Law::find(name).expect("a law");
        assert!(law.applies(&claim([1, 10])) && !law.applies(&claim([10, 1])), "{name}");
    }
}

#[test]
fn who_says_nothing_of_what_clears_its_state_may_clear_it_at_a_connection() {
    let mut records: Vec<Record> = play(&stream(), 0).expect("a built-in client").collect();
    let message = records.iter().position(|record| record.event == Event::Message).expect("a stream");
    let place = (Some(Regime::Normal), Some(0));
    let connected = Record { event: Event::Connected, regime: place.0, rung: place.1, ..records[message] };
    records.insert(message, connected);
    let law = Law::find("time-alone-changes-nothing").expect("a law");
    let stands = |claim: &Claim| {
        let mut trial = Trial::new(claim, [law]);
        records.iter().for_each(|record| trial.observe(record));
        trial.finish(&Described(stream().client.clone())).of(law).cloned()
    };
    assert!(stands(&Claim::of(&stream().client)).is_some_and(|standing| standing.is_broken()));
    assert_eq!(stands(&Claim::anything(Shape::Streaming)), Some(Standing::Held));
}

#[test]
fn a_law_that_nothing_in_the_run_puts_to_the_test_is_not_held() {
    let timeline = timeline(
        "client.kind = \"polling\"
         timeline = [{ play = [{ ok = true }] }]
         expect.laws = [\"success-restores-the-cadence\", \"always-a-next-attempt\"]",
    );
    let unmet = report(&timeline, 0, |_| {}).expect("a report").unmet;
    let told: Vec<_> = unmet.iter().map(|unmet| (&*unmet.key, &*unmet.expected)).collect();
    assert_eq!(told, [("expect.laws[1]", "a run that puts always-a-next-attempt to the test")]);
}

#[test]
fn a_name_that_is_no_laws_is_refused_and_so_is_a_law_about_something_else() {
    let refused = |name: &str| {
        let timeline = timeline(&format!(
            "client.kind = \"polling\"\ntimeline = [{{ play = [{{ ok = true }}] }}]\nexpect.laws = [\"{name}\"]"
        ));
        report(&timeline, 0, |_| {}).expect_err("no such law")
    };
    for (name, said) in [
        ("never-fails", "expect.laws: there is no law `never-fails`; allowed are wait-is-jittered-base-or-cadence, "),
        ("budgets-conserve", "expect.laws: `budgets-conserve` says nothing about such a client; allowed are "),
    ] {
        let refused = refused(name);
        assert!(matches!(&refused, CannotReport::Law { nth: 0, name: of, .. } if of == name), "{refused:?}");
        assert!(refused.to_string().starts_with(said), "{refused}");
    }
}

#[test]
fn what_a_client_claims_is_what_the_specification_says() {
    let claim =
        |client: &str| Claim::of(&timeline(&format!("{client}\n[[timeline]]\nplay = [{{ status = 401 }}]")).client);
    let healthy = |seconds| Some(BuiltInReset::HealthyFor(HealthyFor::new(Duration::from_secs(seconds))));
    let successes = |count| Some(BuiltInReset::Successes(Successes::new(count)));
    let told = |client: &str| {
        let claim = claim(client);
        (claim.cadence.map(|cadence| cadence.as_secs()), claim.reset, claim.replaced)
    };
    assert_eq!(told("client.kind = \"streaming\""), (Some(0), healthy(60), Some(false)));
    assert_eq!(
        told("client = { kind = \"streaming\", initial_reconnect_delay = 45 }"),
        (Some(0), healthy(60), Some(false))
    );
    assert_eq!(told("client.kind = \"polling\""), (Some(30), successes(2), Some(false)));
    assert_eq!(
        told("client = { kind = \"polling\", poll_interval = \"10m\" }"),
        (Some(600), successes(2), Some(false))
    );
    assert_eq!(told("client = { kind = \"polling\", poll_interval = nan }"), (Some(30), successes(2), Some(true)));
    assert_eq!(told("client.kind = \"call\""), (Some(0), successes(1), None));
}

#[test]
fn a_specimen_that_there_is_not_is_told_with_the_one_that_was_meant_if_one_was() {
    let told = |name: &str| {
        let text =
            format!("catches = [\"{name}\"]\n[client]\nkind = \"call\"\n[[timeline]]\nplay = [{{ status = 503 }}]");
        reportable(&timeline(&text)).unwrap_err().to_string()
    };
    assert_eq!(
        told("shift-wraps-to-none"),
        "catches: there is no specimen `shift-wraps-to-none`; the closest is `shift-wraps-to-zero`"
    );
    let others = told("nobody-wrote-this-fault");
    let list = others.strip_prefix("catches: there is no specimen `nobody-wrote-this-fault`; allowed are ");
    let list: Vec<&str> = list.expect(&others).split(", ").collect();
    // A call can sleep once too often; it has no connection that could reset it.
    assert!(list.contains(&"sleep-after-the-last-failure") && !list.contains(&"reset-on-connect"), "{list:?}");
    // That is why it is not allowed, though there is one.
    let others = told("reset-on-connect");
    assert!(others.starts_with("catches: a client that is described so cannot be `reset-on-connect`; allowed are "));
    assert!(others.ends_with(&list.join(", ")), "{others}");
}

#[test]
fn all_that_no_report_can_tell_is_told_at_once() {
    let text = "catches = [\"a\", \"sleep-after-the-last-failure\", \"b\"]\nclient.kind = \"call\"\n\
                [[timeline]]\nplay = [{ status = 503 }]\n[expect]\nlaws = [\"nope\", \"jitter-spreads\", \"neither\"]";
    let keys: Vec<String> = unreportable(&timeline(text)).iter().map(CannotReport::key).collect();
    assert_eq!(keys, ["catches[0]", "catches[2]", "expect.laws[0]", "expect.laws[2]"]);
}

/// A stream that is refused once, as a file that asks for this law.
fn refused(kind: &str, head: &str, law: &str) -> Vec<String> {
    let text = format!(
        "{head}\nclient.kind = \"{kind}\"\n[[timeline]]\nplay = [{{ status = 503 }}]\n[expect]\nlaws = [\"{law}\"]"
    );
    let report = report(&timeline(&text), 0, |_| {}).expect("a built-in client and a law that applies");
    report.unmet.iter().map(|unmet| format!("{}: {}, {}", unmet.record, unmet.expected, unmet.got)).collect()
}

#[test]
fn a_file_can_ask_for_a_law_about_what_is_logged() {
    let law = "a-failure-is-logged-by-its-kind";
    assert_eq!(refused("streaming", "", law), [""; 0]);
    assert_eq!(refused("streaming:http-always-error", "", law), [format!("0: warning ({law}), error")]);
}

#[test]
fn a_law_that_is_not_put_to_the_test_fails_in_a_file_unless_a_search_wrote_it() {
    // One failure of many rungs: nowhere near the ceiling.
    let law = "ceiling-reached-and-kept";
    let unmet = format!("{}: a run that puts {law} to the test, nothing that it is about", u64::MAX);
    assert_eq!(refused("streaming", "", law), [unmet]);
    assert_eq!(refused("streaming", "found_by = \"a search\"", law), [""; 0]);
    // What a search found fails for as long as it is broken.
    let law = "a-failure-is-logged-by-its-kind";
    let found = refused("streaming:http-always-error", "found_by = \"a search\"", law);
    assert_eq!(found, [format!("0: warning ({law}), error")]);
}

/// A file that a search of somebody else's policy has written expects a law that only its owner can hold it to.
#[test]
fn any_law_can_be_asked_of_a_policy_of_somebody_elses_and_no_other_name() {
    let asked = |law: &str| {
        let text = format!(
            "why = \"A test.\"\nclient = {{ kind = \"external\", name = \"theirs\", as = \"streaming\" }}\n\
             timeline = [{{ play = [{{ status = 503 }}] }}]\nexpect.laws = [\"{law}\"]"
        );
        match parse("test.toml", &text).map(|parsed| parsed.file) {
            Ok(File::External(timeline)) => reportable(&timeline),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked("success-restores-the-cadence"), Ok(()));
    assert!(asked("never-fails").is_err());
}
