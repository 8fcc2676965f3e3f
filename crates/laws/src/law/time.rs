//! Laws of what the passing of time does, and does not.

use core::time::Duration;

use retrylab_scenario::duration::Text;
use retrylab_sim::Event;

use super::{Check, Finding, Law, broken};

pub(super) const TIME_ALONE: Law = Law {
    name: "time-alone-changes-nothing",
    statement: "Neither regime nor rung changes without an outcome, however much time passes.",
    cite: "the rule that only outcomes change a state",
    about: |_| true,
    check: Check::Moment(|moment| {
        let record = moment.record;
        let place = record.regime.zip(record.rung);
        let (Some(was), Some(is)) = (moment.past.shown, place) else { return Finding::Silent };
        if record.is_success() || record.is_failure() || record.event.is_aside() {
            return Finding::Silent;
        }
        // That a connection alone clears nothing is part of what clears the state, if anything is said of that.
        if record.event == Event::Connected && moment.claim.reset.is_none() {
            return Finding::Silent;
        }
        let text = |(regime, rung)| format!("{regime}, rung {rung}");
        if was == is { Finding::Holds } else { broken(text(was), text(is)) }
    }),
};

pub(super) const NO_ATTEMPT_BEFORE_ITS_TIME: Law = Law {
    name: "no-attempt-before-its-time",
    statement: "On the client's clock no attempt comes to an end before the wait for it was over: neither a clock that \
                steps nor a machine that slept makes a burst of attempts.",
    cite: "the rule that a wait is measured on the monotonic clock",
    about: |_| true,
    check: Check::Moment(|moment| {
        let record = moment.record;
        if !record.is_success() && !record.is_failure() {
            return Finding::Silent;
        }
        let earliest = moment.past.earliest_ns;
        if record.clock_ns >= earliest {
            return if earliest > 0 { Finding::Holds } else { Finding::Silent };
        }
        broken(format!("not before {}", text(earliest)), text(record.clock_ns))
    }),
};

fn text(ns: u64) -> Text {
    Text(Duration::from_nanos(ns))
}
