//! The shape of a vector's JSON, before its values are checked.

use serde::Deserialize;

use super::seconds::AnySeconds;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVector {
    pub(super) name: String,
    pub(super) constructor: Constructor,
    pub(super) params: serde_json::Value,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) expect_warning: Option<RawWarning>,
    // Absent and null differ: the default stands for the one, `None` for the other.
    #[serde(default = "one_nanosecond")]
    pub(super) tolerance_ns: Option<u64>,
    pub(super) steps: Vec<RawStep>,

    // For people; read so that a misspelt field is still an error.
    #[serde(default)]
    #[expect(dead_code, reason = "for people")]
    group: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "for people")]
    family: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "for people")]
    note: Option<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "the field's type")]
fn one_nanosecond() -> Option<u64> {
    Some(1)
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Constructor {
    Streaming,
    Polling,
    Custom,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStreaming {
    pub(super) initial_reconnect_delay: AnySeconds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPolling {
    pub(super) poll_interval: AnySeconds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCustom {
    pub(super) normal_initial_delay: f64,
    pub(super) normal_ceiling_delay: f64,
    pub(super) extended_initial_delay: f64,
    pub(super) extended_ceiling_delay: f64,
    pub(super) reset_policy: RawReset,
    pub(super) operating_cadence: f64,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum RawReset {
    AfterHealthyFor { seconds: f64 },
    AfterConsecutiveSuccesses { count: u32 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawWarning {
    pub(super) option: RawOption,
    pub(super) default_s: f64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RawOption {
    InitialReconnectDelay,
    PollInterval,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStep {
    pub(super) op: RawOp,
    pub(super) at_s: f64,
    pub(super) kind: Option<RawKind>,
    pub(super) status: Option<i64>,
    pub(super) jitter_unit: Option<f64>,
    pub(super) repeat: Option<u32>,
    pub(super) expect_delay_s: Option<f64>,
    pub(super) expect_extended: Option<bool>,
    pub(super) expect_attempts: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawOp {
    Failure,
    Success,
    Read,
    Advance,
}

impl RawOp {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Success => "success",
            Self::Read => "read",
            Self::Advance => "advance",
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawKind {
    Normal,
    Unexpected,
}
