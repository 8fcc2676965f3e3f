//! The shape of a vector's JSON, before its values are checked.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::seconds::AnySeconds;

/// A JSON object. What is derived would also take a list of its values, by position.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVector {
    pub(super) name: String,
    pub(super) constructor: Constructor,
    pub(super) params: serde_json::Value,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) expect_warning: Option<Object<RawWarning>>,
    // Absent and null differ: the default stands for the one, `None` for the other.
    #[serde(default = "one_nanosecond")]
    pub(super) tolerance_ns: Option<u64>,
    pub(super) steps: Vec<Object<RawStep>>,

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
    pub(super) reset_policy: Object<RawReset>,
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
