//! The bounds of a stream or a poller in `[client]`: `normal`, `extended`, `cadence` and `reset`.

use core::time::Duration;

use retrylab_core::ConfigOption;

use super::policy;
use super::walk::{Field, Fields, Walk};
use crate::policy::{PolicySpec, Seconds, Shape, TwoRegimes};
use crate::problem::Problem;

/// The keys that make it more than a preset.
const BOUNDS: [&str; 4] = ["normal", "extended", "cadence", "reset"];

pub(super) const STREAMING: &[&str] =
    &["kind", "initial_reconnect_delay", "normal", "extended", "cadence", "reset", "jitter"];
pub(super) const POLLING: &[&str] = &["kind", "poll_interval", "normal", "extended", "cadence", "reset", "jitter"];

/// The same of what a policy claims to be, which has the jitter of the rules.
pub(super) const STREAMING_CLAIM: &[&str] = STREAMING.split_at(STREAMING.len() - 1).0;
pub(super) const POLLING_CLAIM: &[&str] = POLLING.split_at(POLLING.len() - 1).0;

/// The preset with these seconds, or what its bounds make of it: each that is not named is as the preset has it.
pub(super) fn source(
    walk: &mut Walk,
    fields: &Fields<'_>,
    shape: Shape,
    option: ConfigOption,
    seconds: Option<Seconds>,
) -> PolicySpec {
    let preset = match shape {
        Shape::Polling => PolicySpec::Polling { poll_interval: seconds },
        Shape::Streaming | Shape::Call => PolicySpec::Streaming { initial_reconnect_delay: seconds },
    };
    let Some(named) = BOUNDS.into_iter().find(|key| fields.get(key).is_some()) else { return preset };
    if let Some(field) = fields.get(option.name()) {
        contradictions(walk, fields, option);
        if preset.is_replaced() {
            let message =
                format!("not a positive finite number of seconds, and beside `{named}` no default takes its place");
            let problem = Problem::new(&*field.path, message);
            let default = option.default().as_secs();
            walk.refuse(&field, problem.help(format!("write \"{default}s\" for the default, or leave the key out")));
        }
    }
    let (initial, ceiling) = bounds(walk, fields, "normal");
    let first = initial.or(seconds.and_then(Seconds::usable)).unwrap_or(option.default());
    let mut regimes = TwoRegimes::preset(shape, first);
    regimes.normal.1 = ceiling.unwrap_or(regimes.normal.1);
    let (initial, ceiling) = bounds(walk, fields, "extended");
    regimes.extended = (initial.unwrap_or(regimes.extended.0), ceiling.unwrap_or(regimes.extended.1));
    if let Some(cadence) = fields.get("cadence").and_then(|field| walk.duration(&field)) {
        regimes.cadence = cadence;
    }
    if let Some(reset) = fields.get("reset").and_then(|field| policy::reset(walk, &field)) {
        regimes.reset = reset;
    }
    PolicySpec::TwoRegimes(regimes)
}

/// What the configured seconds set already.
fn contradictions(walk: &mut Walk, fields: &Fields<'_>, option: ConfigOption) {
    let set: &[&str] = match option {
        ConfigOption::InitialReconnectDelay => &["normal"],
        ConfigOption::PollInterval => &["normal", "cadence"],
    };
    for key in set {
        if let Some(field) = fields.get(key) {
            let problem = Problem::new(field.path, format!("`{key}` contradicts `{option}`, which sets it"));
            walk.report(fields.key(key), problem.help(format!("leave out `{key}` or `{option}`")));
        }
    }
}

/// First wait and ceiling, as far as they are named.
fn bounds(walk: &mut Walk, fields: &Fields<'_>, key: &str) -> (Option<Duration>, Option<Duration>) {
    let Some(field) = fields.get(key) else { return (None, None) };
    let Some(table) = walk.table(&field, &["initial", "ceiling"]) else { return (None, None) };
    let [initial, ceiling] = ["initial", "ceiling"].map(|bound| table.get(bound));
    if initial.is_none() && ceiling.is_none() {
        let help = format!("such as `{key} = {{ initial = \"1s\", ceiling = \"30s\" }}`");
        walk.refuse(&field, Problem::new(&*field.path, "neither `initial` nor `ceiling`").help(help));
    }
    let mut read = |bound: Option<Field<'_>>| bound.and_then(|field| walk.duration(&field));
    (read(initial), read(ceiling))
}
