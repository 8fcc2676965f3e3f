//! The requests to a subject, one line each.

use std::fmt::Write as _;

use retrylab_core::{Failure, Instant};
use retrylab_spec::decimal::{Seconds, Unit};

use crate::Construction;

/// One line to the subject.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op<'a> {
    New {
        construction: &'a Construction,
        seed: u64,
    },
    /// With a status, the subject must classify it.
    Failure {
        failure: Failure,
        status: Option<i64>,
        at: Instant,
        draw: u64,
    },
    Success {
        at: Instant,
    },
    Read {
        at: Instant,
    },
}

/// The last request, which has no response.
pub(crate) const BYE: &str = "{\"op\":\"bye\"}\n";

/// The form of the responses, for messages.
pub(crate) const EXPECTED_OF_NEW: &str = r#"{"ok":true} or {"refused":"why"}"#;
pub(crate) const EXPECTED_OF_FAILURE: &str = r#"{"delay_s":1.5} or {"give_up":"attempts"}"#;
pub(crate) const EXPECTED_OF_OTHERS: &str = r#"{"delay_s":1.5}"#;

impl Op<'_> {
    /// Writes the line, with its end, in place of the buffer's content.
    pub(crate) fn write(&self, line: &mut String) {
        line.clear();
        // Writing to a string cannot fail. Only numbers and names are written, which need no escaping.
        let _ = match *self {
            Self::New { construction, seed } => writeln!(
                line,
                "{{\"op\":\"new\",\"constructor\":\"{}\",\"params\":{construction},\"seed\":{seed}}}",
                construction.name()
            ),
            Self::Failure { failure, status, at, draw } => {
                line.push_str("{\"op\":\"failure\",");
                let _ = match status {
                    Some(status) => write!(line, "\"status\":{status}"),
                    None => write!(line, "\"kind\":\"{}\"", failure.kind),
                };
                let _ = write!(line, ",\"at_s\":{},\"jitter_unit\":{}", Seconds(at.since_origin()), Unit(draw));
                if let Some(wait) = failure.retry_after {
                    let _ = write!(line, ",\"retry_after_s\":{}", Seconds(wait));
                }
                line.write_str("}\n")
            }
            Self::Success { at } => writeln!(line, "{{\"op\":\"success\",\"at_s\":{}}}", Seconds(at.since_origin())),
            Self::Read { at } => writeln!(line, "{{\"op\":\"read\",\"at_s\":{}}}", Seconds(at.since_origin())),
        };
    }

    /// The form of the response.
    pub(crate) const fn expected(&self) -> &'static str {
        match self {
            Self::New { .. } => EXPECTED_OF_NEW,
            Self::Failure { .. } => EXPECTED_OF_FAILURE,
            Self::Success { .. } | Self::Read { .. } => EXPECTED_OF_OTHERS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retrylab_core::FailureKind;
    use retrylab_spec::PolicySpec;
    use std::time::Duration;

    fn line(op: Op<'_>) -> String {
        let mut line = String::from("old content");
        op.write(&mut line);
        line
    }

    #[test]
    fn every_line_is_that_of_the_protocol() {
        let construction = Construction::of(&PolicySpec::Polling { poll_interval: None }).unwrap();
        assert_eq!(
            line(Op::New { construction: &construction, seed: u64::MAX }),
            "{\"op\":\"new\",\"constructor\":\"polling\",\"params\":{\"poll_interval\":30},\"seed\":18446744073709551615}\n"
        );
        let at = Instant::from_nanos(12_500_000_000);
        let failure = Failure::from(FailureKind::Normal);
        assert_eq!(
            line(Op::Failure { failure, status: None, at, draw: 1 << 62 }),
            "{\"op\":\"failure\",\"kind\":\"normal\",\"at_s\":12.5,\"jitter_unit\":0.25}\n"
        );
        let waits = Failure { retry_after: Some(Duration::from_millis(1250)), ..failure };
        assert_eq!(
            line(Op::Failure { failure: waits, status: Some(503), at: Instant::from_nanos(59_999_999_999), draw: 0 }),
            "{\"op\":\"failure\",\"status\":503,\"at_s\":59.999999999,\"jitter_unit\":0.0,\"retry_after_s\":1.25}\n"
        );
        assert_eq!(line(Op::Success { at: Instant::from_secs(73) }), "{\"op\":\"success\",\"at_s\":73}\n");
        assert_eq!(line(Op::Read { at: Instant::from_secs(80) }), "{\"op\":\"read\",\"at_s\":80}\n");
    }
}
