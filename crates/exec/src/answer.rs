//! The responses of a subject.

use std::time::Duration;

use retrylab_core::GiveUp;
use retrylab_spec::decimal::{self, NoSeconds};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::fault::Wrong;
use crate::output::OutputExcerpt;
use crate::request::{EXPECTED_OF_FAILURE, EXPECTED_OF_NEW, EXPECTED_OF_OTHERS};

/// The response to `new`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The subject's warning about a configured value that it replaced.
    pub warning: Option<String>,
    /// Whether its jitter comes from its own draws.
    pub draws_own: bool,
}

/// The response to any other request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubjectResponse {
    /// The next delay, or the reason to give up.
    pub next: Result<Duration, GiveUp>,
    /// Whether the policy is in the extended regime; `None`: the subject does not report it.
    pub extended: Option<bool>,
}

impl Built {
    /// Parses the response to `new`: one line, without its end.
    ///
    /// # Errors
    ///
    /// If the subject refuses, or the line is not a valid response.
    pub fn parse(line: &[u8]) -> Result<Self, Wrong> {
        let raw = read(line, EXPECTED_OF_NEW)?;
        if let Some(why) = raw.refused {
            return Err(Wrong::Refused { why: OutputExcerpt::new(why.as_bytes()) });
        }
        if raw.ok != Some(true) {
            return Err(missing(line, "\"ok\":true", EXPECTED_OF_NEW));
        }
        let draws_own = match raw.draws.as_deref() {
            None | Some("given") => false,
            Some("own") => true,
            Some(other) => {
                let problem = format!("draws is {other:?}; allowed is \"own\", or no such field");
                return Err(garbage(line, problem, EXPECTED_OF_NEW));
            }
        };
        Ok(Self { warning: raw.warning, draws_own })
    }
}

impl SubjectResponse {
    /// Parses the response to a failure, which may give up: one line, without its end.
    ///
    /// ```
    /// use retrylab_exec::SubjectResponse;
    ///
    /// let response = SubjectResponse::after_failure(br#"{"delay_s": 1.5, "extended": false}"#)?;
    /// assert_eq!((response.next, response.extended), (Ok(std::time::Duration::from_millis(1500)), Some(false)));
    /// # Ok::<(), retrylab_exec::Wrong>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the line is not a valid response.
    pub fn after_failure(line: &[u8]) -> Result<Self, Wrong> {
        response(line, true, EXPECTED_OF_FAILURE)
    }

    /// Parses the response to a success or a read, which has a delay: one line, without its end.
    ///
    /// # Errors
    ///
    /// If the line is not a valid response.
    pub fn otherwise(line: &[u8]) -> Result<Self, Wrong> {
        response(line, false, EXPECTED_OF_OTHERS)
    }
}

fn response(line: &[u8], may_give_up: bool, expected: &'static str) -> Result<SubjectResponse, Wrong> {
    let raw = read(line, expected)?;
    let next = match (raw.delay_s, raw.give_up) {
        (Some(_), Some(_)) => return Err(garbage(line, "it has both delay_s and give_up".to_owned(), expected)),
        (Some(delay), None) => Ok(span(delay)?),
        (None, Some(why)) if may_give_up => Err(give_up(why)?),
        (None, _) => {
            return Err(missing(line, if may_give_up { "delay_s and no give_up" } else { "delay_s" }, expected));
        }
    };
    Ok(SubjectResponse { next, extended: raw.extended })
}

fn span(delay: &RawValue) -> Result<Duration, Wrong> {
    decimal::parse(delay.get()).map_err(|problem| no_delay(delay.get(), problem))
}

fn no_delay(given: &str, problem: NoSeconds) -> Wrong {
    Wrong::Delay { given: OutputExcerpt::new(given.as_bytes()), problem }
}

fn give_up(why: &RawValue) -> Result<GiveUp, Wrong> {
    Ok(match why.get() {
        "\"attempts\"" => GiveUp::Attempts,
        "\"elapsed\"" => GiveUp::Elapsed,
        "\"budget\"" => GiveUp::Budget,
        "\"terminal\"" => GiveUp::Terminal,
        other => return Err(Wrong::GiveUp { given: OutputExcerpt::new(other.as_bytes()) }),
    })
}

fn missing(line: &[u8], field: &'static str, expected: &'static str) -> Wrong {
    Wrong::Missing { line: OutputExcerpt::new(line), field, expected }
}

fn garbage(line: &[u8], problem: String, expected: &'static str) -> Wrong {
    Wrong::Garbage { line: OutputExcerpt::new(line), problem, expected }
}

/// The fields of any response. Unknown fields are ignored; null is not a valid value.
#[derive(Deserialize)]
struct Raw<'a> {
    ok: Option<bool>,
    refused: Option<String>,
    warning: Option<String>,
    draws: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    delay_s: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    give_up: Option<&'a RawValue>,
    extended: Option<bool>,
}

/// Takes null as a wrong value, not as an absent one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn read<'a>(line: &'a [u8], expected: &'static str) -> Result<Raw<'a>, Wrong> {
    // The derived parser would also accept a list of the values, by position.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(garbage(line, "it is not a JSON object".to_owned(), expected));
    }
    serde_json::from_slice(line).map_err(|error| match no_json_number(line) {
        Some(given) => no_delay(given, NoSeconds::NoNumber),
        None => garbage(line, without_line(&error), expected),
    })
}

/// The words that several languages print for a delay that is not a number, which JSON lacks.
fn no_json_number(line: &[u8]) -> Option<&'static str> {
    let text = str::from_utf8(line).ok()?;
    let value = text.split_once("\"delay_s\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| value.starts_with(word))
}

/// The text is a single line.
fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(line: &str) -> Result<SubjectResponse, String> {
        SubjectResponse::after_failure(line.as_bytes()).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn a_delay_is_exact_and_unknown_fields_are_ignored() {
        let wait = |nanos, extended| Ok(SubjectResponse { next: Ok(Duration::from_nanos(nanos)), extended });
        assert_eq!(failed(r#"{"delay_s":0.875}"#), wait(875_000_000, None));
        assert_eq!(
            failed(r#" { "delay_s" : 59.999999999, "extended":false, "note":[1,{}] } "#),
            wait(59_999_999_999, Some(false))
        );
        assert_eq!(failed(r#"{"delay_s":3e2,"extended":true}"#), wait(300_000_000_000, Some(true)));
    }

    #[test]
    fn giving_up_has_one_of_four_reasons_and_only_after_a_failure() {
        for (text, why) in [
            ("attempts", GiveUp::Attempts),
            ("elapsed", GiveUp::Elapsed),
            ("budget", GiveUp::Budget),
            ("terminal", GiveUp::Terminal),
        ] {
            assert_eq!(
                failed(&format!("{{\"give_up\":\"{text}\"}}")),
                Ok(SubjectResponse { next: Err(why), extended: None })
            );
        }
        assert_eq!(
            failed(r#"{"give_up":"tired"}"#).unwrap_err(),
            "give_up is `\"tired\"`; allowed are attempts, elapsed, budget, terminal"
        );
        assert_eq!(
            SubjectResponse::otherwise(br#"{"give_up":"attempts"}"#).unwrap_err().to_string(),
            r#"the response is `{"give_up":"attempts"}`, which has no delay_s; expected {"delay_s":1.5}"#
        );
    }

    #[test]
    fn an_invalid_delay_is_an_error_that_shows_it() {
        let delay = |given: &str| failed(&format!("{{\"delay_s\":{given}}}")).unwrap_err();
        let rest = "allowed is a number of seconds from 0";
        assert_eq!(delay("-1"), format!("delay_s is `-1`, which is below zero; {rest}"));
        assert_eq!(delay("1e309"), format!("delay_s is `1e309`, which is larger than any double; {rest}"));
        for given in ["NaN", "Infinity", "-Infinity", "null", "\"inf\"", "[1]"] {
            assert_eq!(delay(given), format!("delay_s is `{given}`, which is not a number; {rest}"));
        }
    }

    #[test]
    fn an_invalid_response_is_an_error_that_shows_the_expected_one() {
        let expected = r#"expected {"delay_s":1.5} or {"give_up":"attempts"}"#;
        assert_eq!(
            failed("hello").unwrap_err(),
            format!("the response is `hello`, which is invalid: it is not a JSON object; {expected}")
        );
        assert_eq!(
            failed("").unwrap_err(),
            format!("the response is ``, which is invalid: it is not a JSON object; {expected}")
        );
        assert_eq!(
            failed(r#"{"delay_s":1"#).unwrap_err(),
            format!(
                "the response is `{{\"delay_s\":1`, which is invalid: EOF while parsing an object at column 12; {expected}"
            )
        );
        assert_eq!(
            failed("{}").unwrap_err(),
            format!("the response is `{{}}`, which has no delay_s and no give_up; {expected}")
        );
        assert_eq!(
            failed(r#"{"delay_s":1,"give_up":"budget"}"#).unwrap_err(),
            format!(
                "the response is `{{\"delay_s\":1,\"give_up\":\"budget\"}}`, which is invalid: it has both delay_s and \
                 give_up; {expected}"
            )
        );
    }

    #[test]
    fn a_policy_is_built_with_or_without_a_warning() {
        let answer = |line: &str| Built::parse(line.as_bytes()).map_err(|wrong| wrong.to_string());
        assert_eq!(answer(r#"{"ok":true}"#), Ok(Built::default()));
        assert_eq!(
            answer(r#"{"ok":true,"warning":"replaced","draws":"own"}"#),
            Ok(Built { warning: Some("replaced".to_owned()), draws_own: true })
        );
        assert_eq!(
            answer(r#"{"refused":"no polling here"}"#).unwrap_err(),
            "the subject refuses to build this policy: `no polling here`"
        );
        for line in ["{}", r#"{"ok":false}"#, r#"{"delay_s":1}"#] {
            let wrong = answer(line).unwrap_err();
            assert_eq!(
                wrong,
                format!(
                    r#"the response is `{line}`, which has no "ok":true; expected {{"ok":true}} or {{"refused":"why"}}"#
                )
            );
        }
        assert!(answer(r#"{"ok":true,"draws":"mine"}"#).unwrap_err().contains("draws is \"mine\"; allowed is \"own\""));
    }
}
