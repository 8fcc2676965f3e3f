//! The shape of a vector's JSON, before its values are checked.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::seconds::AnySeconds;

/// A JSON object. The derived parser would also accept a list of its values, by position.
pub(crate) struct Object<T>(pub(crate) T);

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
pub(crate) struct RawVector {
    pub(crate) name: String,
    pub(crate) constructor: Constructor,
    pub(crate) params: serde_json::Value,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) expect_warning: Option<Object<RawWarning>>,
    // Absent and null differ: absent means the default, null means `None`.
    #[serde(default = "one_nanosecond")]
    pub(crate) tolerance_ns: Option<u64>,
    pub(crate) steps: Vec<Object<RawStep>>,

    // For people; parsed so that a misspelt field is still an error.
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
pub(crate) enum Constructor {
    Streaming,
    Polling,
    Custom,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawStreaming {
    pub(crate) initial_reconnect_delay: AnySeconds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPolling {
    pub(crate) poll_interval: AnySeconds,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCustom {
    pub(crate) normal_initial_delay: f64,
    pub(crate) normal_ceiling_delay: f64,
    pub(crate) extended_initial_delay: f64,
    pub(crate) extended_ceiling_delay: f64,
    pub(crate) reset_policy: Object<RawReset>,
    pub(crate) operating_cadence: f64,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RawReset {
    AfterHealthyFor { seconds: f64 },
    AfterConsecutiveSuccesses { count: u32 },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawWarning {
    pub(crate) option: RawOption,
    pub(crate) default_s: f64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawOption {
    InitialReconnectDelay,
    PollInterval,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawStep {
    pub(crate) op: RawOp,
    pub(crate) at_s: f64,
    pub(crate) kind: Option<RawKind>,
    pub(crate) status: Option<i64>,
    pub(crate) jitter_unit: Option<f64>,
    pub(crate) repeat: Option<u32>,
    pub(crate) expect_delay_s: Option<f64>,
    pub(crate) expect_extended: Option<bool>,
    pub(crate) expect_attempts: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RawOp {
    Failure,
    Success,
    Read,
    Advance,
}

impl RawOp {
    pub(crate) const fn name(self) -> &'static str {
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
pub(crate) enum RawKind {
    Normal,
    Unexpected,
}
