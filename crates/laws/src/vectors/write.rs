//! From a vector to its line of JSON.

use std::fmt::{self, Write as _};
use std::time::Duration;

use retrylab_core::BuiltInReset;
use retrylab_scenario::decimal::{self, AnySeconds, Unit};

use super::{Op, Setup, Step, Vector};

/// The line of a vector, without its end, of the group `random`. Read again, it is the same vector as long as no time or
/// delay is 97 days (2^23 s) or longer: there doubles are further apart than nanoseconds. One that was itself read is the
/// same at any length.
///
/// ```
/// use retrylab_laws::vectors::{Setup, Vector, record, write};
///
/// let vector = record(Setup::Polling { poll_interval: 30.0 }, 7).next().expect("there is no end of them");
/// assert_eq!(Vector::parse(vector.line, &write(&vector))?, vector);
/// # Ok::<(), retrylab_laws::vectors::VectorError>(())
/// ```
#[must_use]
pub fn write(vector: &Vector) -> String {
    let mut line = String::new();
    // Writing to a string does not fail.
    let _ = put(vector, &mut line);
    line
}

fn put(vector: &Vector, line: &mut String) -> fmt::Result {
    write!(line, "{{\"name\":{},\"group\":\"random\"", text(&vector.name))?;
    line.push_str(",\"constructor\":");
    put_setup(&vector.setup, line)?;
    if !vector.tags.is_empty() {
        let tags: Vec<String> = vector.tags.iter().map(|tag| text(tag)).collect();
        write!(line, ",\"tags\":[{}]", tags.join(","))?;
    }
    if let Some(warning) = vector.expect_warning {
        let default = decimal::Seconds(warning.default);
        write!(line, ",\"expect_warning\":{{\"option\":\"{}\",\"default_s\":{default}}}", warning.option)?;
    }
    match vector.tolerance_ns {
        // What is meant where nothing is said.
        Some(1) => {}
        Some(tolerance) => write!(line, ",\"tolerance_ns\":{tolerance}")?,
        None => line.push_str(",\"tolerance_ns\":null"),
    }
    for (step, number) in vector.steps.iter().zip(0..) {
        line.push_str(if number == 0 { ",\"steps\":[" } else { "," });
        put_step(step, line)?;
    }
    line.push_str("]}");
    Ok(())
}

fn put_setup(setup: &Setup, line: &mut String) -> fmt::Result {
    let number = |seconds| AnySeconds(retrylab_scenario::Seconds::Number(seconds));
    match *setup {
        Setup::Streaming { initial_reconnect_delay } => {
            let delay = number(initial_reconnect_delay);
            write!(line, "\"streaming\",\"params\":{{\"initial_reconnect_delay\":{delay}}}")
        }
        Setup::Polling { poll_interval } => {
            write!(line, "\"polling\",\"params\":{{\"poll_interval\":{}}}", number(poll_interval))
        }
        Setup::Custom { normal, extended, reset, cadence } => {
            line.push_str("\"custom\",\"params\":{");
            for (name, delay) in [
                ("normal_initial_delay", normal.0),
                ("normal_ceiling_delay", normal.1),
                ("extended_initial_delay", extended.0),
                ("extended_ceiling_delay", extended.1),
                ("operating_cadence", cadence),
            ] {
                write!(line, "\"{name}\":{},", decimal::Seconds(delay))?;
            }
            line.push_str("\"reset_policy\":{\"type\":");
            match reset {
                BuiltInReset::HealthyFor(rule) => {
                    write!(line, "\"after_healthy_for\",\"seconds\":{}}}}}", decimal::Seconds(rule.window()))
                }
                BuiltInReset::Successes(rule) => {
                    write!(line, "\"after_consecutive_successes\",\"count\":{}}}}}", rule.count())
                }
            }
        }
    }
}

fn put_step(step: &Step, line: &mut String) -> fmt::Result {
    let at = decimal::Seconds(step.at.since_origin());
    match step.op {
        Op::Failure(failure) => {
            match failure.status {
                Some(status) => write!(line, "{{\"op\":\"failure\",\"status\":{status}")?,
                None => write!(line, "{{\"op\":\"failure\",\"kind\":\"{}\"", failure.kind)?,
            }
            write!(line, ",\"at_s\":{at},\"jitter_unit\":{}", Unit(failure.draw))?;
        }
        Op::Success => write!(line, "{{\"op\":\"success\",\"at_s\":{at}")?,
        Op::Read => write!(line, "{{\"op\":\"read\",\"at_s\":{at}")?,
        Op::Advance => write!(line, "{{\"op\":\"advance\",\"at_s\":{at}")?,
    }
    if step.repeat != 1 {
        write!(line, ",\"repeat\":{}", step.repeat)?;
    }
    if let Some(expect) = step.expect {
        let delay = decimal::Seconds(Duration::from_nanos(expect.delay_ns));
        write!(line, ",\"expect_delay_s\":{delay},\"expect_extended\":{}", expect.extended)?;
        if let Some(attempts) = expect.attempts {
            write!(line, ",\"expect_attempts\":{attempts}")?;
        }
    }
    line.push('}');
    Ok(())
}

fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
