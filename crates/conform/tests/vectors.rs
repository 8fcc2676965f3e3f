//! The conformance vectors that come with the project, and what becomes of broken ones.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use flate2::read::GzDecoder;
use retrylab_conform::{
    Answers, Difference, GivenFailure, Mismatch, Op, Step, Tally, Vector, VectorSubject, VectorVerdict, Vectors,
    Warning, check, check_answers, check_subject, record, write,
};
use retrylab_core::{ConfigOption, Decision, Failure, Instant, Policy, Regime, Rung};
use retrylab_spec::{PolicySpec, ResetSpec, Shape, TwoRegimes};

fn given_text() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/retry-vectors.jsonl.gz");
    let mut text = String::new();
    let file = File::open(path).expect("the file is in the repository");
    GzDecoder::new(file).read_to_string(&mut text).expect("it is compressed text");
    text
}

fn play(reader: impl BufRead) -> (Tally, Vec<Mismatch>) {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for vector in Vectors::read(reader) {
        let vector = vector.expect("a vector");
        let verdict = check(&vector);
        tally.add(&vector, &verdict);
        if let VectorVerdict::Failed(mismatch) = verdict {
            failures.push(mismatch);
        }
    }
    (tally, failures)
}

#[test]
fn every_given_vector_passes_but_the_one_that_shows_a_capped_exponent() {
    let (tally, failures) = play(BufReader::new(given_text().as_bytes()));
    assert_eq!(failures, []);
    assert_eq!(tally.to_string(), "1920 vectors, 41676 steps, 0 failed, 1 skipped");
}

#[test]
fn the_skipped_vector_is_the_tagged_one() {
    let text = given_text();
    let skipped: Vec<_> = Vectors::read(text.as_bytes())
        .map(Result::unwrap)
        .filter(|vector| check(vector) == VectorVerdict::Skipped)
        .collect();
    let [vector] = &skipped[..] else { panic!("{} are skipped", skipped.len()) };
    assert_eq!(vector.name, "streaming initial 1 ns: exponent cap keeps it under the ceiling for ever");
    assert_eq!(vector.tags, ["edge", "exponent-cap"]);
}

#[test]
fn one_changed_digit_fails_one_vector_at_that_step() {
    let text = given_text();
    let name = "extended: health that began at clock zero, one tick short";
    let (number, line) = text.lines().zip(1..).map(|(line, n)| (n, line)).find(|(_, l)| l.contains(name)).unwrap();
    let changed = text.replace(line, &line.replacen("\"expect_delay_s\":1200", "\"expect_delay_s\":1300", 1));
    assert_ne!(changed, text);

    let (tally, failures) = play(changed.as_bytes());
    assert_eq!(tally.to_string(), "1920 vectors, 41676 steps, 1 failed, 1 skipped");
    let difference =
        Difference::Delay { got: Duration::from_secs(1200), expected: Duration::from_secs(1300), tolerance_ns: 1 };
    assert_eq!(failures, [Mismatch { line: number, vector: name.to_owned(), step: Some(4), difference }]);
}

/// One streaming failure at draw zero, with this much replaced.
fn one_failure(from: &str, to: &str) -> String {
    let line = r#"{"name":"n","constructor":"streaming","params":{"initial_reconnect_delay":1},"steps":[{"op":"failure","kind":"normal","at_s":5,"jitter_unit":0,"expect_delay_s":1,"expect_extended":false,"expect_attempts":1}]}"#;
    let changed = line.replacen(from, to, 1);
    assert!(from == to || changed != line, "{from} is not in the line");
    changed
}

fn verdict_of(from: &str, to: &str) -> String {
    match check(&Vector::parse(7, &one_failure(from, to)).expect("a vector")) {
        VectorVerdict::Passed => "passed".to_owned(),
        VectorVerdict::Skipped => "skipped".to_owned(),
        VectorVerdict::Failed(mismatch) => mismatch.to_string(),
    }
}

#[test]
fn a_delay_may_be_off_by_the_tolerance_and_no_more() {
    assert_eq!(verdict_of("", ""), "passed");
    assert_eq!(verdict_of("\"expect_delay_s\":1", "\"expect_delay_s\":1.000000001"), "passed");
    assert_eq!(verdict_of("\"expect_delay_s\":1", "\"expect_delay_s\":0.999999999"), "passed");
    assert_eq!(
        verdict_of("\"expect_delay_s\":1", "\"expect_delay_s\":1.000000002"),
        "line 7, \"n\", step 1: got a delay of 1s, expected 1.000000002s within 1 ns"
    );
    assert_eq!(
        verdict_of("\"expect_delay_s\":1", "\"expect_delay_s\":0.999999998"),
        "line 7, \"n\", step 1: got a delay of 1s, expected 0.999999998s within 1 ns"
    );
}

#[test]
fn a_vector_brings_its_own_tolerance() {
    assert_eq!(verdict_of("\"steps\"", "\"tolerance_ns\":0,\"steps\""), "passed");
    let exact = one_failure("\"steps\"", "\"tolerance_ns\":0,\"steps\"");
    let off = exact.replacen("\"expect_delay_s\":1", "\"expect_delay_s\":1.000000001", 1);
    assert!(matches!(check(&Vector::parse(1, &off).unwrap()), VectorVerdict::Failed(_)));
}

#[test]
fn a_null_tolerance_leaves_the_delay_out_but_not_the_regime() {
    let free = one_failure("\"steps\"", "\"tolerance_ns\":null,\"steps\"");
    let off = free.replacen("\"expect_delay_s\":1", "\"expect_delay_s\":1e300", 1);
    assert_eq!(check(&Vector::parse(1, &off).unwrap()), VectorVerdict::Passed);

    let wrong_regime = off.replacen("false", "true", 1);
    let VectorVerdict::Failed(mismatch) = check(&Vector::parse(1, &wrong_regime).unwrap()) else { panic!("passed") };
    assert_eq!(mismatch.difference, Difference::Regime { got: Regime::Normal, expected: Regime::Extended });
}

#[test]
fn the_regime_and_the_attempts_are_held() {
    assert_eq!(
        verdict_of("false", "true"),
        "line 7, \"n\", step 1: got the normal regime, expected the extended regime"
    );
    assert_eq!(
        verdict_of("\"expect_attempts\":1", "\"expect_attempts\":2"),
        "line 7, \"n\", step 1: got 1 attempts, expected 2"
    );
}

#[test]
fn a_warning_is_held_in_both_directions() {
    assert_eq!(
        verdict_of(
            "\"steps\"",
            "\"expect_warning\":{\"option\":\"initial_reconnect_delay\",\"default_s\":1},\"steps\""
        ),
        "line 7, \"n\", at construction: got no warning, expected a warning that initial_reconnect_delay was replaced by 1s"
    );
    assert_eq!(
        verdict_of("\"initial_reconnect_delay\":1", "\"initial_reconnect_delay\":\"nan\""),
        "line 7, \"n\", at construction: got a warning that initial_reconnect_delay was replaced by 1s, expected no warning"
    );
    let warned = one_failure("\"initial_reconnect_delay\":1", "\"initial_reconnect_delay\":-2").replacen(
        "\"steps\"",
        "\"expect_warning\":{\"option\":\"initial_reconnect_delay\",\"default_s\":1},\"steps\"",
        1,
    );
    let vector = Vector::parse(1, &warned).unwrap();
    let expected = Warning { option: ConfigOption::InitialReconnectDelay, default: Duration::from_secs(1) };
    assert_eq!(vector.expect_warning, Some(expected));
    assert_eq!(check(&vector), VectorVerdict::Passed);
}

#[test]
fn a_repeated_step_happens_that_often_and_counts_once() {
    // 1 s doubled four times is 16 s, the fifth rung.
    let line = one_failure(
        "\"expect_delay_s\":1,\"expect_extended\":false,\"expect_attempts\":1",
        "\"repeat\":5,\"expect_delay_s\":16,\"expect_extended\":false,\"expect_attempts\":5",
    );
    let (tally, failures) = play(line.as_bytes());
    assert_eq!(failures, []);
    assert_eq!(tally, Tally { vectors: 1, steps: 1, failed: 0, skipped: 0 });
}

/// Says one thing and does another, or counts in a way of its own, according to taste.
#[derive(Clone, Copy)]
struct Odd {
    answer: Decision,
    next: Duration,
    rung: Option<Rung>,
}

impl Policy for Odd {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        self.answer
    }
    fn record_success(&mut self, _: Instant) {}
    fn next_delay(&self) -> Duration {
        self.next
    }
    fn explain(&self, _: u64) -> Option<Rung> {
        self.rung
    }
}

#[test]
fn a_custom_subject_is_checked_for_what_it_explains() {
    let vector = Vector::parse(1, &one_failure("", "")).unwrap();
    let one = Duration::from_secs(1);
    let rung = Rung { regime: Regime::Normal, number: 99, base: one, jitter: Duration::ZERO };
    let good = Odd { answer: Decision::RetryAfter(one), next: one, rung: Some(rung) };
    let verdict = |odd: Odd| {
        check_subject(&vector, |spec| {
            assert_eq!(*spec, PolicySpec::streaming_from_secs_f64(1.0));
            VectorSubject { policy: Box::new(odd), warning: None }
        })
    };
    let difference = |odd: Odd| match verdict(odd) {
        VectorVerdict::Failed(mismatch) => mismatch.difference.to_string(),
        other => panic!("{other:?}"),
    };

    assert_eq!(verdict(good), VectorVerdict::Passed, "attempts are informative");
    assert_eq!(verdict(Odd { rung: None, ..good }), VectorVerdict::Passed);
    assert_eq!(
        difference(Odd { next: Duration::from_millis(1500), ..good }),
        "answered a wait of 1s, but the next delay is 1.5s"
    );
    assert_eq!(
        difference(Odd { answer: Decision::GiveUp(retrylab_core::GiveUp::Budget), ..good }),
        "gave up (budget), expected another attempt"
    );
    assert_eq!(
        difference(Odd { rung: Some(Rung { regime: Regime::Extended, ..rung }), ..good }),
        "got the extended regime, expected the normal regime"
    );
}

fn error_of(from: &str, to: &str) -> String {
    Vector::parse(3, &one_failure(from, to)).expect_err("no vector").to_string()
}

/// 2^64 ns is 18446744073.709551616 s.
const SPANS: &str = "it must be from 0 to 18446744073.709551615 seconds, which is 584 years";

#[test]
fn an_error_names_line_place_field_and_allowed_values() {
    assert_eq!(error_of("\"at_s\":5", "\"at_s\":-5"), format!("line 3: step 1: at_s is -5; {SPANS}"));
    assert_eq!(
        error_of("\"jitter_unit\":0", "\"jitter_unit\":1"),
        "line 3: step 1: jitter_unit is 1; it must be 0 or more and less than 1"
    );
    assert_eq!(error_of("\"jitter_unit\":0,", ""), "line 3: step 1: failure needs jitter_unit");
    assert_eq!(error_of("\"kind\":\"normal\",", ""), "line 3: step 1: failure needs kind or status");
    assert_eq!(
        error_of("\"kind\":\"normal\",", "\"kind\":\"normal\",\"status\":503,"),
        "line 3: step 1: failure takes no status beside its kind"
    );
    assert_eq!(error_of("\"failure\"", "\"success\""), "line 3: step 1: success takes no kind");
    assert_eq!(
        error_of("\"failure\",\"kind\":\"normal\"", "\"success\""),
        "line 3: step 1: success takes no jitter_unit"
    );
    assert_eq!(
        error_of("\"failure\",\"kind\":\"normal\",\"at_s\":5,\"jitter_unit\":0", "\"advance\",\"at_s\":5"),
        "line 3: step 1: advance takes no expect_delay_s"
    );
    assert_eq!(error_of("\"expect_delay_s\":1,", ""), "line 3: step 1: failure needs expect_delay_s");
    assert_eq!(error_of("\"expect_extended\":false,", ""), "line 3: step 1: failure needs expect_extended");
    assert_eq!(
        error_of("\"expect_delay_s\":1", "\"expect_delay_s\":-1"),
        format!("line 3: step 1: expect_delay_s is -1; {SPANS}")
    );
    assert_eq!(
        error_of("\"jitter_unit\":0", "\"repeat\":0,\"jitter_unit\":0"),
        "line 3: step 1: repeat is 0; it must be from 1 to 10 million"
    );
    assert_eq!(
        error_of("\"initial_reconnect_delay\"", "\"poll_interval\""),
        "line 3: params: unknown field `poll_interval`, expected `initial_reconnect_delay`"
    );
    assert_eq!(
        error_of("\"initial_reconnect_delay\":1", "\"initial_reconnect_delay\":\"soon\""),
        "line 3: params: initial_reconnect_delay: invalid value: string \"soon\", expected a number of seconds, \"nan\", \"inf\" or \"-inf\""
    );
}

#[test]
fn an_error_of_the_json_names_the_column() {
    // In `{"name":"n","constructor":"tcp"` the value ends at the 31st character: 12 + 14 + 5.
    assert_eq!(
        error_of("\"streaming\"", "\"tcp\""),
        "line 3: column 31: constructor: unknown variant `tcp`, expected one of `streaming`, `polling`, `custom`"
    );
    assert_eq!(Vector::parse(1, "{\"name\":").unwrap_err().to_string(), "line 1: column 8: EOF while parsing a value");
    let text = error_of("\"failure\"", "\"sucess\"");
    assert!(
        text.ends_with("unknown variant `sucess`, expected one of `failure`, `success`, `read`, `advance`"),
        "{text}"
    );
    assert!(error_of("\"name\":\"n\",", "").ends_with("missing field `name`"));
    assert!(error_of("\"at_s\":5", "\"at\":5").contains("unknown field `at`"));
}

#[test]
fn a_vector_that_expects_nothing_is_refused() {
    let steps = |steps: &str| {
        let line = format!(
            r#"{{"name":"n","constructor":"streaming","params":{{"initial_reconnect_delay":1}},"steps":[{steps}]}}"#
        );
        Vector::parse(3, &line).expect_err("no vector").to_string()
    };
    let something = "at least one needs an expectation (failure, success or read)";
    assert_eq!(steps(""), format!("line 3: steps: there is none; {something}"));
    let advance = r#"{"op":"advance","at_s":1}"#;
    let one = steps(advance);
    assert_eq!(one, format!("line 3: steps: every one only advances; {something}"));
    assert_eq!(steps(&format!("{advance},{advance}")), one);
}

#[test]
fn a_list_of_values_is_not_an_object() {
    let object = "expected a JSON object";
    let list = r#"["n","streaming",{"initial_reconnect_delay":1},[],null,1,[["read",0]]]"#;
    for (text, column, given) in
        [(list, 1, "sequence"), ("[]", 1, "sequence"), ("null", 4, "null"), ("7", 1, "integer `7`")]
    {
        let error = Vector::parse(3, text).expect_err("no vector").to_string();
        assert_eq!(error, format!("line 3: column {column}: invalid type: {given}, {object}"), "{text}");
    }
    assert_eq!(
        error_of("{\"initial_reconnect_delay\":1}", "[1]"),
        format!("line 3: params: invalid type: sequence, {object}")
    );
    let text = error_of("[{\"op\"", "[[\"read\",0],{\"op\"");
    assert!(text.ends_with(&format!(": step 1: invalid type: sequence, {object}")), "{text}");
    let text = error_of("\"steps\"", "\"expect_warning\":[\"initial_reconnect_delay\",1],\"steps\"");
    assert!(text.ends_with(&format!(": expect_warning: invalid type: sequence, {object}")), "{text}");
    let custom = error_of(
        "\"streaming\",\"params\":{\"initial_reconnect_delay\":1}",
        "\"custom\",\"params\":{\"normal_initial_delay\":1,\"normal_ceiling_delay\":2,\"extended_initial_delay\":3,\
         \"extended_ceiling_delay\":4,\"operating_cadence\":0,\"reset_policy\":[\"after_healthy_for\",60]}",
    );
    assert_eq!(custom, format!("line 3: params: reset_policy: invalid type: sequence, {object}"));
}

#[test]
fn an_error_of_a_type_names_the_field_and_speaks_of_json() {
    for (from, to, said) in [
        ("\"at_s\":5", "\"at_s\":\"5\"", "step 1: at_s: invalid type: string \"5\", expected a number"),
        (
            "\"expect_attempts\":1",
            "\"expect_attempts\":-1",
            "step 1: expect_attempts: invalid value: integer `-1`, expected an integer from 0 to 4294967295",
        ),
        (
            "\"kind\":\"normal\"",
            "\"status\":503.5",
            "step 1: status: invalid type: floating point `503.5`, expected an integer from -9223372036854775808 to \
             9223372036854775807",
        ),
        ("false", "0", "step 1: expect_extended: invalid type: integer `0`, expected true or false"),
        ("\"name\":\"n\"", "\"name\":7", "name: invalid type: integer `7`, expected text"),
        ("\"steps\"", "\"tags\":{},\"steps\"", "tags: invalid type: map, expected a list"),
        ("\"steps\"", "\"tags\":[\"a\",1],\"steps\"", "tags: 2 in the list: invalid type: integer `1`, expected text"),
        (
            "\"steps\"",
            "\"tolerance_ns\":-1,\"steps\"",
            "tolerance_ns: invalid value: integer `-1`, expected an integer from 0 to 18446744073709551615",
        ),
    ] {
        let text = error_of(from, to);
        assert!(text.ends_with(&format!(": {said}")), "{text}");
    }
}

#[test]
fn seconds_beyond_584_years_are_refused_unless_the_longest_wait_is_meant() {
    for given in ["1e300", "18446744074"] {
        for field in ["at_s\":5", "expect_delay_s\":1"] {
            let (name, _) = field.split_once('"').unwrap();
            assert_eq!(
                error_of(&format!("\"{field}"), &format!("\"{name}\":{given}")),
                format!("line 3: step 1: {name} is {given}; {SPANS}")
            );
        }
    }
    assert!(Vector::parse(1, &one_failure("\"at_s\":5", "\"at_s\":18446744073")).is_ok());
    let tagged = |tag: &str| {
        let line = one_failure("\"expect_delay_s\":1,", "\"expect_delay_s\":1e300,");
        Vector::parse(1, &line.replacen("\"steps\"", &format!("\"tags\":[\"{tag}\"],\"steps\""), 1))
    };
    assert!(tagged("beyond-duration").is_ok());
    assert!(tagged("huge").is_err());
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_vector() {
    let good = one_failure("", "");
    let (tally, _) = play(format!("\u{feff}{good}\n").as_bytes());
    assert_eq!(tally.vectors, 1);
    let error = Vectors::read(format!("{good}\n\u{feff}{good}").as_bytes()).nth(1).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "line 2: column 1: expected value");
}

/// Goes on and on, without an end of line.
struct Endless;

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(b' ');
        Ok(buffer.len())
    }
}

#[test]
fn a_line_that_does_not_end_is_refused() {
    let mut vectors = Vectors::read(BufReader::new(Endless));
    let error = vectors.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "line 1: longer than 64 MiB, the limit of a vector");
    assert!(vectors.next().is_none());
}

#[test]
fn time_never_goes_back() {
    let first = r#"{"op":"advance","at_s":6.5},"#;
    let text = error_of(r#"[{"op""#, &format!(r#"[{first}{{"op""#));
    assert_eq!(text, "line 3: step 2: at_s is 5, but the step before is at 6.5; time never goes back");
}

#[test]
fn a_file_is_read_past_a_bad_line_and_blank_lines_count() {
    let good = one_failure("", "");
    let file = format!("{good}\n\n{{}}\n{good}\n");
    let lines: Vec<_> = Vectors::read(file.as_bytes())
        .map(|vector| match vector {
            Ok(vector) => vector.line.to_string(),
            Err(error) => error.to_string(),
        })
        .collect();
    assert_eq!(lines, ["1", "line 3: column 2: missing field `name`", "4"]);
}

#[test]
fn a_file_that_cannot_be_read_on_ends_with_that_error() {
    let mut file = one_failure("", "").into_bytes();
    file.extend_from_slice(b"\n\xff\n{}\n");
    let mut vectors = Vectors::read(&file[..]);
    assert!(vectors.next().is_some_and(|first| first.is_ok()));
    let error = vectors.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "line 2: cannot be read: stream did not contain valid UTF-8");
    assert!(vectors.next().is_none());
}

/// Constructions of every kind, ordinary and odd.
const SPECS: [PolicySpec; 8] = [
    PolicySpec::streaming_from_secs_f64(1.0),
    PolicySpec::streaming_from_secs_f64(45.5),
    PolicySpec::streaming_from_secs_f64(f64::NAN),
    PolicySpec::streaming_from_secs_f64(1e300),
    PolicySpec::polling_from_secs_f64(30.0),
    PolicySpec::polling_from_secs_f64(f64::NEG_INFINITY),
    PolicySpec::polling_from_secs_f64(1e10),
    PolicySpec::TwoRegimes(TwoRegimes {
        // With a cadence it polls.
        shape: Shape::Polling,
        normal: (Duration::from_millis(250), Duration::from_secs(20)),
        extended: (Duration::from_secs(10), Duration::from_secs(90)),
        reset: ResetSpec::HealthyFor(Duration::from_secs(45)),
        cadence: Duration::from_secs(2),
    }),
];

#[test]
fn below_2_pow_23_seconds_every_nanosecond_is_read_as_it_was_written() {
    let mut vector = record(&SPECS[0], 7).unwrap().next().unwrap();
    let mut read_again = |nanos| {
        vector.steps.truncate(1);
        vector.steps[0].at = Instant::from_nanos(nanos);
        Vector::parse(vector.line, &write(&vector)).unwrap().steps[0].at.since_origin().as_nanos()
    };
    const LIMIT: u64 = (1 << 23) * 1_000_000_000;
    for nanos in (LIMIT - 1000)..LIMIT {
        assert_eq!(read_again(nanos), u128::from(nanos));
    }
    // Doubles are 2^-29 s = 1.86 ns apart here: the one nearest to 1 ns is read as 2.
    assert_eq!(read_again(LIMIT + 1), u128::from(LIMIT + 2));
}

#[test]
fn a_recorded_and_written_vector_parses_back_equal_and_passes() {
    for spec in SPECS {
        for vector in record(&spec, 7).unwrap().take(50) {
            let line = write(&vector);
            let again = Vector::parse(vector.line, &line).unwrap_or_else(|error| panic!("{error}: {line}"));
            // NaN is not equal to itself, and beyond 104 days a double has too few digits.
            if format!("{spec:?}").contains("1e") {
                assert_eq!(again.steps.len(), vector.steps.len(), "{line}");
            } else {
                assert_eq!(format!("{again:?}"), format!("{vector:?}"), "{line}");
            }
            assert_eq!(check(&again), VectorVerdict::Passed, "{line}");
        }
    }
}

#[test]
fn a_seed_is_always_the_same_vectors_and_another_seed_is_others() {
    let lines = |seed| record(&SPECS[0], seed).unwrap().take(20).map(|vector| write(&vector)).collect::<Vec<_>>();
    assert_eq!(lines(7), lines(7));
    assert!(lines(7).iter().zip(&lines(8)).all(|(one, other)| one != other));
    // The first vectors of more vectors are those of few.
    assert_eq!(lines(7)[..5], record(&SPECS[0], 7).unwrap().take(5).map(|vector| write(&vector)).collect::<Vec<_>>());
}

#[test]
fn recorded_vectors_cover_common_bugs() {
    let vectors: Vec<_> = record(&SPECS[0], 0).unwrap().take(200).collect();
    let steps = || vectors.iter().flat_map(|vector| &vector.steps);
    let failure = |step: &&Step| matches!(step.op, Op::Failure(_));
    let window = Duration::from_secs(60);
    let (mut early, mut just, mut late) = (0, 0, 0);
    for vector in &vectors {
        let mut since = None;
        for step in &vector.steps {
            match (step.op, since) {
                (Op::Success, None) => since = Some(step.at),
                (Op::Failure(_), Some(first)) => {
                    let healthy = step.at.since(first);
                    let tick = Duration::from_nanos(1_953_125);
                    early += usize::from(healthy + tick == window);
                    just += usize::from(healthy == window);
                    late += usize::from(healthy == window + tick);
                    since = None;
                }
                _ => {}
            }
        }
    }
    for (what, times) in [
        ("failures a tick before the window is over", early),
        ("failures when it is over", just),
        ("failures a tick later", late),
        ("failures by status", steps().filter(|step| matches!(step.op, Op::Failure(f) if f.status.is_some())).count()),
        ("repeated failures", steps().filter(failure).filter(|step| step.repeat > 1).count()),
        ("looks", steps().filter(|step| step.op == Op::Read).count()),
        ("extended delays", steps().filter(|step| step.expect.is_some_and(|expect| expect.extended)).count()),
        ("failures without jitter", steps().filter(|step| matches!(step.op, Op::Failure(f) if f.draw == 0)).count()),
    ] {
        assert!(times >= 10, "{times} {what} in {} vectors", vectors.len());
    }
}

/// Answers as it is told, and remembers what it was asked.
struct Words(Vec<String>, bool);

impl Answers for &mut Words {
    fn warned(&self, expected: Option<Warning>) -> Result<(), Difference> {
        if self.1 == expected.is_some() { Ok(()) } else { Err(Difference::Warned { got: self.1, expected }) }
    }
    fn failure(&mut self, failure: GivenFailure, _: Instant) -> Result<(), Difference> {
        self.0.push(format!("{:?}", failure.status));
        Ok(())
    }
    fn success(&mut self, _: Instant) -> Result<(), Difference> {
        Ok(())
    }
    fn read(&mut self, _: Instant) -> Result<(), Difference> {
        self.0.push("read".to_owned());
        Err(Difference::Broke)
    }
    fn next_delay(&self) -> Duration {
        Duration::from_secs(1)
    }
    fn regime(&self) -> Option<Regime> {
        None
    }
    fn attempts(&self) -> Option<u32> {
        None
    }
}

#[test]
fn a_subject_that_is_no_policy_gets_each_step_with_the_given_status() {
    let line = one_failure("\"kind\":\"normal\"", "\"status\":503,\"repeat\":2")
        .replace("}]}", "},{\"op\":\"read\",\"at_s\":6,\"expect_delay_s\":1,\"expect_extended\":false}]}");
    let vector = Vector::parse(7, &line).unwrap();
    let mut words = Words(Vec::new(), false);
    let VectorVerdict::Failed(mismatch) = check_answers(&vector, |_| Ok(&mut words)) else { panic!("passed") };
    assert_eq!(mismatch.to_string(), "line 7, \"n\", step 2: no answer");
    assert_eq!(words.0, ["Some(503)", "Some(503)", "read"]);

    let mut warning = Words(Vec::new(), true);
    let VectorVerdict::Failed(mismatch) = check_answers(&vector, |_| Ok(&mut warning)) else { panic!("passed") };
    assert_eq!(mismatch.to_string(), "line 7, \"n\", at construction: got a warning, expected no warning");
    let refused: VectorVerdict = check_answers(&vector, |_| Err::<&mut Words, _>(Difference::Broke));
    assert!(matches!(refused, VectorVerdict::Failed(Mismatch { step: None, difference: Difference::Broke, .. })));
}
