//! Each law holds of real runs, and those that a single trace can show are broken by a trace with the fault that they are
//! about.

use std::time::Duration;

use retrylab_core::{BuiltInReset, FailureKind, GiveUp, HealthyFor, Regime, Successes};
use retrylab_laws::{CannotReport, Claim, Described, LAWS, Law, Need, Standing, Trial, report, unreportable};
use retrylab_sim::{Event, Finding, Record, play};
use retrylab_spec::{CallSpec, File, LadderSpec, Shape, Timeline, parse};

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
        Some(Standing::Violated(breach)) => (Some((breach.expected.clone(), breach.got.clone())), true),
        Some(Standing::Held) => (None, true),
        Some(Standing::Untested) | None => (None, false),
    }
}

/// The breach that this change to the records makes.
fn breach(law: &str, timeline: &Timeline, change: impl FnOnce(&mut Vec<Record>)) -> (String, String) {
    let mut records: Vec<Record> = play(timeline, 0).expect("a built-in client").filter(Record::is_plain).collect();
    assert_eq!(hold(law, timeline, &records), (None, true), "{law} holds before the change");
    change(&mut records);
    hold(law, timeline, &records).0.unwrap_or_else(|| panic!("{law} holds in spite of the change"))
}

fn pair(expected: &str, got: &str) -> (String, String) {
    (expected.to_string(), got.to_string())
}

fn change(record: &mut Record, change: impl FnOnce(Record) -> Record) {
    *record = change(*record);
}

/// The nth failure, from 0.
fn failure(records: &mut [Record], nth: usize) -> &mut Record {
    records.iter_mut().filter(|record| record.is_failure()).nth(nth).expect("a failure")
}

#[test]
fn every_law_that_applies_holds_of_a_stream_and_of_a_poller() {
    for timeline in [stream(), poller()] {
        let claim = Claim::of(&timeline.client);
        let records: Vec<Record> = play(&timeline, 7).expect("a built-in client").collect();
        for law in LAWS.iter().filter(|law| law.applies(&claim)) {
            assert_eq!(hold(law.name, &timeline, &records).0, None, "{law}");
        }
    }
}

#[test]
fn a_wait_that_is_not_base_less_jitter_violates_wait_is_jittered_base_or_cadence() {
    let law = "wait-is-jittered-base-or-cadence";
    let (_, got) =
        breach(law, &stream(), |records| change(failure(records, 0), |record| record.with_wait_ns(Some(301 * S))));
    assert_eq!(got, "5m 1s");
    let broken =
        breach(law, &stream(), |records| change(failure(records, 0), |record| record.with_jitter_ns(Some(151 * S))));
    assert_eq!(broken, pair("at most half of the base 5m subtracted", "2m 31s"));
    // A poller's wait is never below its cadence, whatever the jitter: 503 on the normal ladder of 30 s.
    let broken =
        breach(law, &poller(), |records| change(failure(records, 2), |record| record.with_wait_ns(Some(20 * S))));
    assert_eq!(broken, pair("30s", "20s"));
}

#[test]
fn a_smaller_base_violates_base_never_decreases() {
    let broken = breach("base-never-decreases", &stream(), |records| {
        change(failure(records, 1), |record| record.with_base_ns(Some(299 * S)))
    });
    assert_eq!(broken, pair("at least 5m", "4m 59s"));
}

#[test]
fn an_early_return_to_normal_violates_extended_lasts_until_due() {
    let early = |records: &mut Vec<Record>| failure(records, 1).regime = Some(Regime::Normal);
    assert_eq!(breach("extended-lasts-until-due", &stream(), early), pair("extended", "normal"));
}

#[test]
fn a_reset_too_early_or_too_late_violates_reset_exactly_when_due() {
    let law = "reset-exactly-when-due";
    // The stream of 10 s is not healthy for long enough: its end is the second rung.
    let early = breach(law, &stream(), |records| {
        change(failure(records, 1), |mut record| {
            record.regime = Some(Regime::Normal);
            record.with_rung(Some(1))
        });
    });
    assert_eq!(early, pair("extended, rung 2", "normal, rung 1"));
    // That of 60 s is: its end is the first rung of the normal ladder.
    let late = breach(law, &stream(), |records| {
        change(failure(records, 3), |mut record| {
            record.regime = Some(Regime::Extended);
            record.with_rung(Some(4))
        });
    });
    assert_eq!(late, pair("normal, rung 1", "extended, rung 4"));
    // Two polls in a row clear the state at once.
    let late = breach(law, &poller(), |records| change(&mut records[3], |record| record.with_rung(Some(2))));
    assert_eq!(late, pair("normal, rung 0", "normal, rung 2"));
}

#[test]
fn a_wait_off_the_cadence_violates_success_restores_the_cadence() {
    let law = "success-restores-the-cadence";
    assert_eq!(
        breach(law, &poller(), |records| change(&mut records[2], |record| record.with_wait_ns(Some(600 * S)))),
        pair("30s", "10m")
    );
    assert_eq!(
        breach(law, &stream(), |records| change(&mut records[2], |record| record.with_wait_ns(Some(1)))),
        pair("0s", "1ns")
    );
}

#[test]
fn a_change_without_an_outcome_violates_time_alone_changes_nothing() {
    let (_, got) = breach("time-alone-changes-nothing", &stream(), |records| {
        let step = records.iter_mut().find(|record| matches!(record.event, Event::Step(_))).expect("a step");
        *step = step.with_rung(Some(9));
    });
    assert!(got.contains('9'), "{got}");
}

#[test]
fn giving_up_violates_always_a_next_attempt() {
    let law = "always-a-next-attempt";
    let gave_up = breach(law, &stream(), |records| {
        let cause = match failure(records, 2).event {
            Event::Failure { cause, .. } => cause,
            _ => unreachable!("a failure"),
        };
        failure(records, 2).event = Event::GaveUp { cause, kind: FailureKind::Normal, why: GiveUp::Budget };
    });
    assert_eq!(gave_up, pair("a wait", "gave up (budget)"));
    assert_eq!(
        breach(law, &stream(), |records| change(failure(records, 0), |record| record.with_wait_ns(None))),
        pair("a wait", "none")
    );
}

/// Four attempts are allowed; the fifth would come after the time is over as well.
#[test]
fn a_subject_without_reasons_gives_up_for_any_reason_that_is_due() {
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
    let untold = told.clone().without_reasons();
    assert!(stands(&told, &records).is_some_and(|standing| standing.is_violated()));
    assert_eq!(stands(&untold, &records), Some(Standing::Held));
    // One attempt fewer than it claims is still one too few.
    let limits = untold.limits().expect("a call has limits").clone();
    let early = Claim::call(&CallSpec { attempts: Some(4), ..limits }).without_reasons();
    assert!(stands(&early, &records).is_some_and(|standing| standing.is_violated()));
}

#[test]
fn a_ladder_that_falls_may_have_longer_waits_after_a_success() {
    let list = |seconds: [u64; 2]| LadderSpec::List(seconds.map(Duration::from_secs).to_vec());
    let claim = |seconds| Claim::anything(Shape::Polling).with_ladder(list(seconds)).without_end();
    for name in ["removing-a-success-never-shortens-a-wait", "a-success-more-never-lengthens-a-wait"] {
        let law = Law::find(name).expect("a law");
        assert!(law.applies(&claim([1, 10])) && !law.applies(&claim([10, 1])), "{name}");
    }
}

#[test]
fn a_policy_without_a_claimed_reset_rule_may_reset_at_a_connection() {
    let mut records: Vec<Record> = play(&stream(), 0).expect("a built-in client").filter(Record::is_plain).collect();
    let message = records.iter().position(|record| record.event == Event::Message).expect("a stream");
    let place = (Some(Regime::Normal), Some(0));
    let mut connected = records[message].with_wait_ns(None).with_rung(place.1);
    (connected.event, connected.regime) = (Event::Connected, place.0);
    records.insert(message, connected);
    let law = Law::find("time-alone-changes-nothing").expect("a law");
    let stands = |claim: &Claim| {
        let mut trial = Trial::new(claim, [law]);
        records.iter().for_each(|record| trial.observe(record));
        trial.finish(&Described(stream().client.clone())).of(law).cloned()
    };
    assert!(stands(&Claim::of(&stream().client)).is_some_and(|standing| standing.is_violated()));
    assert_eq!(stands(&Claim::anything(Shape::Streaming)), Some(Standing::Held));
}

#[test]
fn a_law_that_no_record_puts_to_the_test_is_not_held() {
    let timeline = timeline(
        "client.kind = \"polling\"
         timeline = [{ play = [{ ok = true }] }]
         expect.laws = [\"success-restores-the-cadence\", \"always-a-next-attempt\"]",
    );
    let report = report(&timeline, 0, |_| {}).expect("a report");
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let expected = "expect.laws[1]: expected a run that puts it to the test (always-a-next-attempt), \
                    got nothing that it is about (attempt 1, at 0s)";
    assert_eq!(findings, [expected]);
    assert_eq!(report.findings[0].record, None);
}

#[test]
fn an_unknown_law_is_refused_and_so_is_one_that_is_not_applicable() {
    let refused = |name: &str| {
        let timeline = timeline(&format!(
            "client.kind = \"polling\"\ntimeline = [{{ play = [{{ ok = true }}] }}]\nexpect.laws = [\"{name}\"]"
        ));
        report(&timeline, 0, |_| {}).expect_err("no such law")
    };
    for (name, said) in [
        ("never-fails", "expect.laws: there is no law `never-fails`; allowed are wait-is-jittered-base-or-cadence, "),
        ("wait-within-bound", "expect.laws: there is no law `wait-within-bound`; did you mean `wait-within-bounds`?"),
        ("budgets-conserve", "expect.laws: `budgets-conserve` is not applicable to such a client; allowed are "),
    ] {
        let refused = refused(name);
        assert!(matches!(&refused, CannotReport::Law { nth: 0, name: of, .. } if of == name), "{refused:?}");
        assert!(refused.to_string().starts_with(said), "{refused}");
    }
}

#[test]
fn the_claim_of_a_client_is_that_of_the_specification() {
    let claim =
        |client: &str| Claim::of(&timeline(&format!("{client}\n[[timeline]]\nplay = [{{ status = 401 }}]")).client);
    let healthy = |seconds| Some(BuiltInReset::HealthyFor(HealthyFor::new(Duration::from_secs(seconds))));
    let successes = |count| Some(BuiltInReset::Successes(Successes::new(count)));
    let told = |client: &str| {
        let claim = claim(client);
        (claim.cadence().map(|cadence| cadence.as_secs()), claim.reset(), claim.is_replaced())
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
fn all_laws_that_no_report_can_judge_are_named_at_once() {
    let text = "client.kind = \"call\"\n\
                [[timeline]]\nplay = [{ status = 503 }]\n[expect]\nlaws = [\"nope\", \"jitter-spreads\", \"neither\"]";
    let keys: Vec<String> = unreportable(&timeline(text)).iter().map(CannotReport::key).collect();
    assert_eq!(keys, ["expect.laws[0]", "expect.laws[2]"]);
}

/// A stream that is refused once, as a file that asks for this law.
fn refused(kind: &str, head: &str, law: &str) -> Vec<String> {
    let text = format!(
        "{head}\nclient.kind = \"{kind}\"\n[[timeline]]\nplay = [{{ status = 503 }}]\n[expect]\nlaws = [\"{law}\"]"
    );
    let report = report(&timeline(&text), 0, |_| {}).expect("a built-in client and a law that applies");
    let text = |finding: &Finding| format!("{:?}: {}, {}", finding.record, finding.required(), finding.got);
    report.findings.iter().map(text).collect()
}

#[test]
fn a_file_can_expect_a_law_of_the_log() {
    let law = "a-failure-is-logged-by-its-kind";
    assert_eq!(refused("streaming", "", law), [""; 0]);
    assert_eq!(refused("streaming:http-always-error", "", law), [format!("Some(2): warning ({law}), error")]);
}

#[test]
fn a_vacuous_law_fails_in_a_file_unless_a_search_wrote_it() {
    // One failure of many rungs: nowhere near the ceiling.
    let law = "ceiling-reached-and-kept";
    let unmet = format!("None: a run that puts it to the test ({law}), nothing that it is about");
    assert_eq!(refused("streaming", "", law), [unmet]);
    assert_eq!(refused("streaming", "found_by = \"a search\"", law), [""; 0]);
    // What a search found fails for as long as it is broken.
    let law = "a-failure-is-logged-by-its-kind";
    let found = refused("streaming:http-always-error", "found_by = \"a search\"", law);
    assert_eq!(found, [format!("Some(2): warning ({law}), error")]);
}

/// A file that a search of somebody else's policy has written expects a law that only its owner can hold it to.
#[test]
fn a_file_of_an_external_policy_may_expect_any_law_and_no_other_name() {
    let asked = |law: &str| {
        let text = format!(
            "why = \"A test.\"\nclient = {{ kind = \"external\", name = \"theirs\", as = \"streaming\" }}\n\
             timeline = [{{ play = [{{ status = 503 }}] }}]\nexpect.laws = [\"{law}\"]"
        );
        match parse("test.toml", &text).map(|parsed| parsed.file) {
            Ok(File::External(timeline)) => unreportable(&timeline),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(asked("success-restores-the-cadence"), []);
    assert_eq!(asked("never-fails").len(), 1);
}

#[test]
fn each_need_is_declared_by_the_laws_that_have_it_and_no_other() {
    let with = |need| LAWS.iter().filter(move |law| law.needs(need)).map(|law| law.name).collect::<Vec<_>>();
    assert_eq!(
        with(Need::Clients),
        ["jitter-spreads", "clients-differ", "drawn-waits-fill-the-band", "draws-are-independent"]
    );
    assert_eq!(with(Need::Place), ["base-never-decreases", "time-alone-changes-nothing"]);
    assert_eq!(with(Need::Schedule), ["no-attempt-before-its-time"]);
    let logged = [
        "a-replaced-configuration-is-told",
        "a-failure-is-logged-by-its-kind",
        "the-wait-that-is-logged-is-the-wait",
        "a-malformed-poll-is-of-no-known-kind",
        "valid-comes-with-all-data",
    ];
    assert_eq!(with(Need::Log), logged);
    // The laws of several runs are the last ones.
    let compared: Vec<_> = LAWS[22..].iter().map(|law| law.name).collect();
    assert_eq!((with(Need::Comparison), compared[0], compared.len()), (compared.clone(), "one-draw-a-failure", 14));
}
