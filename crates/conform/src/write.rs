//! The JSON line of a vector.

use std::fmt::{self, Write as _};
use std::time::Duration;

use retrylab_spec::decimal::{self, Unit};
use retrylab_spec::wire::Construction;

use crate::{Op, Step, Vector};

/// The line of a vector, without its end, in the group `random`. Parsed again, it is the same vector as long as no time
/// or delay is 97 days (2^23 s) or longer: there doubles are further apart than nanoseconds. A parsed vector is written
/// back exactly at any length.
///
/// ```
/// use retrylab_conform::{Vector, record, write};
/// use retrylab_spec::PolicySpec;
///
/// let mut vectors = record(&PolicySpec::polling_from_secs_f64(30.0), 7).expect("a preset");
/// let vector = vectors.next().expect("there is no end of them");
/// assert_eq!(Vector::parse(vector.line, &write(&vector))?, vector);
/// # Ok::<(), retrylab_conform::VectorError>(())
/// ```
#[must_use]
pub fn write(vector: &Vector) -> String {
    let mut line = String::new();
    // Writing to a string cannot fail.
    let _ = put(vector, &mut line);
    line
}

fn put(vector: &Vector, line: &mut String) -> fmt::Result {
    write!(line, "{{\"name\":{},\"group\":\"random\"", text(&vector.name))?;
    // The wire has every policy that a vector is about.
    let construction = Construction::of(&vector.spec).map_err(|_| fmt::Error)?;
    write!(line, ",\"constructor\":\"{}\",\"params\":{construction}", construction.name())?;
    if !vector.tags.is_empty() {
        let tags: Vec<String> = vector.tags.iter().map(|tag| text(tag)).collect();
        write!(line, ",\"tags\":[{}]", tags.join(","))?;
    }
    if let Some(warning) = vector.expect_warning {
        let default = decimal::Seconds(warning.default);
        write!(line, ",\"expect_warning\":{{\"option\":\"{}\",\"default_s\":{default}}}", warning.option)?;
    }
    match vector.tolerance_ns {
        // The default of the format.
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
