//! Fields of results as JSON: times in whole nanoseconds, reasons by their names.

use core::time::Duration;

use retrylab_core::{GiveUp, nanos};
use serde::Serializer;

use crate::record::EndReason;

pub(crate) fn ns<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(nanos(*time))
}

pub(crate) fn why<S: Serializer>(why: &GiveUp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(why.name())
}

pub(crate) fn each_ns<S: Serializer>(times: &[Option<Duration>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(times.iter().map(|time| time.map(nanos)))
}

/// An empty text, if the run has no end.
pub(crate) fn end<S: Serializer>(reason: &Option<EndReason>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.map_or("", EndReason::name))
}
