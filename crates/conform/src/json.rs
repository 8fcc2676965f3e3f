//! Fields of results as JSON: times in whole nanoseconds, the rest by its names.

use std::time::Duration;

use retrylab_core::{ConfigOption, GiveUp, Regime, nanos};
use serde::Serializer;

pub(crate) fn ns<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(nanos(*time))
}

pub(crate) fn regime<S: Serializer>(regime: &Regime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(regime.name())
}

pub(crate) fn why<S: Serializer>(why: &GiveUp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(why.name())
}

pub(crate) fn option<S: Serializer>(option: &ConfigOption, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(option.name())
}
