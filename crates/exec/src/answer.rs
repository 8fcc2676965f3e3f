//! What a subject answers.

use std::time::Duration;

use retrylab_core::GiveUp;
use retrylab_scenario::decimal::{self, NoSeconds};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::fault::Wrong;
use crate::request::{EXPECTED_OF_FAILURE, EXPECTED_OF_NEW, EXPECTED_OF_OTHERS};
use crate::said::Excerpt;

/// An answer to `new`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// What it says of a configured value that it replaced.
    pub warning: Option<String>,
    /// Whether its jitter is of draws of its own.
    pub draws_own: bool,
}

/// An answer to anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The next delay, or why there is none.
    pub next: Result<Duration, GiveUp>,
    /// Whether it is in the extended regime; `None`: it does not say.
    pub extended: Option<bool>,
}

impl Built {
    /// Reads the answer to `new`: one line, without its end.
    ///
    /// # Errors
    ///
    /// If the subject refuses, or the line is no such answer.
    pub fn parse(line: &[u8]) -> Result<Self, Wrong> {
        built(line, EXPECTED_OF_NEW)
    }
}

impl Told {
    /// Reads the answer to a failure: one line, without its end. It may give up.
    ///
    /// ```
    /// use retrylab_exec::Told;
    ///
    /// let told = Told::after_failure(br#"{"delay_s": 1.5, "extended": false}"#)?;
    /// assert_eq!((told.next, told.extended), (Ok(std::time::Duration::from_millis(1500)), Some(false)));
    /// # Ok::<(), retrylab_exec::Wrong>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the line is no such answer.
    pub fn after_failure(line: &[u8]) -> Result<Self, Wrong> {
        told(line, true, EXPECTED_OF_FAILURE)
    }

    /// Reads the answer to a success or a read: one line, without its end. It has a delay.
    ///
    /// # Errors
    ///
    /// If the line is no such answer.
    pub fn otherwise(line: &[u8]) -> Result<Self, Wrong> {
        told(line, false, EXPECTED_OF_OTHERS)
    }
}

fn built(line: &[u8], expected: &'static str) -> Result<Built, Wrong> {
    let raw = read(line, expected)?;
    if let Some(why) = raw.refused {
        return Err(Wrong::Refused { why: Excerpt::new(why.as_bytes()) });
    }
    if raw.ok != Some(true) {
        return Err(missing(line, "\"ok\":true", expected));
    }
    let draws_own = match raw.draws.as_deref() {
        None | Some("given") => false,
        Some("own") => true,
        Some(other) => {
            return Err(garbage(line, format!("draws is {other:?}; allowed is \"own\", or no such field"), expected));
        }
    };
    Ok(Built { warning: raw.warning, draws_own })
}

fn told(line: &[u8], may_give_up: bool, expected: &'static str) -> Result<Told, Wrong> {
    let raw = read(line, expected)?;
    let next = match (raw.delay_s, raw.give_up) {
        (Some(_), Some(_)) => return Err(garbage(line, "it has both delay_s and give_up".to_owned(), expected)),
        (Some(delay), None) => Ok(span(delay)?),
        (None, Some(why)) if may_give_up => Err(give_up(why)?),
        (None, _) => {
            return Err(missing(line, if may_give_up { "delay_s and no give_up" } else { "delay_s" }, expected));
        }
    };
    Ok(Told { next, extended: raw.extended })
}

fn span(delay: &RawValue) -> Result<Duration, Wrong> {
    decimal::parse(delay.get()).map_err(|problem| no_delay(delay.get(), problem))
}

fn no_delay(given: &str, problem: NoSeconds) -> Wrong {
    Wrong::Delay { given: Excerpt::new(given.as_bytes()), problem }
}

fn give_up(why: &RawValue) -> Result<GiveUp, Wrong> {
    Ok(match why.get() {
        "\"attempts\"" => GiveUp::Attempts,
        "\"elapsed\"" => GiveUp::Elapsed,
        "\"budget\"" => GiveUp::Budget,
        "\"terminal\"" => GiveUp::Terminal,
        other => return Err(Wrong::GiveUp { given: Excerpt::new(other.as_bytes()) }),
    })
}

fn missing(line: &[u8], field: &'static str, expected: &'static str) -> Wrong {
    Wrong::Missing { line: Excerpt::new(line), field, expected }
}

fn garbage(line: &[u8], problem: String, expected: &'static str) -> Wrong {
    Wrong::Garbage { line: Excerpt::new(line), problem, expected }
}

/// Any answer. Fields that are not here are ignored; null is no value for those that are.
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

/// Takes null for what it is: a wrong value, not an absent one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

fn read<'a>(line: &'a [u8], expected: &'static str) -> Result<Raw<'a>, Wrong> {
    // What is derived would also take a list of the values, by position.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(garbage(line, "it is no JSON object".to_owned(), expected));
    }
    serde_json::from_slice(line).map_err(|error| match no_json_number(line) {
        Some(given) => no_delay(given, NoSeconds::NoNumber),
        None => garbage(line, without_line(&error), expected),
    })
}

/// What several languages print for a delay that is no number, though JSON has no such word.
fn no_json_number(line: &[u8]) -> Option<&'static str> {
    let text = str::from_utf8(line).ok()?;
    let value = text.split_once("\"delay_s\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| value.starts_with(word))
}

/// There is but one line.
fn without_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(line: &str) -> Result<Told, String> {
        Told::after_failure(line.as_bytes()).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn a_delay_is_exact_and_what_is_unknown_is_ignored() {
        let wait = |nanos, extended| Ok(Told { next: Ok(Duration::from_nanos(nanos)), extended });
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
            assert_eq!(failed(&format!("{{\"give_up\":\"{text}\"}}")), Ok(Told { next: Err(why), extended: None }));
        }
        assert_eq!(
            failed(r#"{"give_up":"tired"}"#).unwrap_err(),
            "give_up is `\"tired\"`; allowed are attempts, elapsed, budget, terminal"
        );
        assert_eq!(
            Told::otherwise(br#"{"give_up":"attempts"}"#).unwrap_err().to_string(),
            r#"the answer is `{"give_up":"attempts"}`, which has no delay_s; expected {"delay_s":1.5}"#
        );
    }

    #[test]
    fn a_delay_that_cannot_be_waited_is_shown_with_what_is_wrong() {
        let delay = |given: &str| failed(&format!("{{\"delay_s\":{given}}}")).unwrap_err();
        let rest = "allowed is a number of seconds from 0";
        assert_eq!(delay("-1"), format!("delay_s is `-1`, which is below zero; {rest}"));
        assert_eq!(delay("1e309"), format!("delay_s is `1e309`, which is larger than any double; {rest}"));
        for given in ["NaN", "Infinity", "-Infinity", "null", "\"inf\"", "[1]"] {
            assert_eq!(delay(given), format!("delay_s is `{given}`, which is not a number; {rest}"));
        }
    }

    #[test]
    fn what_is_no_answer_is_shown_with_what_was_expected() {
        let expected = r#"expected {"delay_s":1.5} or {"give_up":"attempts"}"#;
        assert_eq!(
            failed("hello").unwrap_err(),
            format!("the answer is `hello`, which is not understood: it is no JSON object; {expected}")
        );
        assert_eq!(
            failed("").unwrap_err(),
            format!("the answer is ``, which is not understood: it is no JSON object; {expected}")
        );
        assert_eq!(
            failed(r#"{"delay_s":1"#).unwrap_err(),
            format!(
                "the answer is `{{\"delay_s\":1`, which is not understood: EOF while parsing an object at column 12; {expected}"
            )
        );
        assert_eq!(
            failed("{}").unwrap_err(),
            format!("the answer is `{{}}`, which has no delay_s and no give_up; {expected}")
        );
        assert_eq!(
            failed(r#"{"delay_s":1,"give_up":"budget"}"#).unwrap_err(),
            format!(
                "the answer is `{{\"delay_s\":1,\"give_up\":\"budget\"}}`, which is not understood: it has both delay_s and \
                 give_up; {expected}"
            )
        );
    }

    #[test]
    fn a_policy_is_built_with_or_without_a_word_about_it() {
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
                    r#"the answer is `{line}`, which has no "ok":true; expected {{"ok":true}} or {{"refused":"why"}}"#
                )
            );
        }
        assert!(answer(r#"{"ok":true,"draws":"mine"}"#).unwrap_err().contains("draws is \"mine\"; allowed is \"own\""));
    }
}
