//! Laws of the passing of time.

use retrylab_sim::Event;

use super::{Check, Law, Need, Ruling, on, same, text, violated};

pub(super) const TIME_ALONE: Law = Law {
    name: "time-alone-changes-nothing",
    statement: "Neither regime nor rung changes without an outcome, however much time passes.",
    cite: "the rule that only outcomes change a state",
    about: |_| true,
    needs: &[Need::Place],
    check: Check::Record(on::OTHER, |moment| {
        let record = moment.record;
        let (Some(was), Some(is)) = (moment.past.shown, record.regime.zip(record.rung())) else {
            return Ruling::Silent;
        };
        // That a connection alone clears nothing is part of the reset rule, if the claim has one.
        if matches!(record.event, Event::Connected | Event::Opened) && moment.claim.reset().is_none() {
            return Ruling::Silent;
        }
        same(was, is, |(regime, rung)| format!("{regime}, rung {rung}"))
    }),
};

pub(super) const NO_ATTEMPT_BEFORE_ITS_TIME: Law = Law {
    name: "no-attempt-before-its-time",
    statement: "On the client's clock no attempt ends before the wait for it is over: neither a clock \
                step nor a suspend causes a burst of attempts.",
    cite: "the rule that a wait is measured on the monotonic clock",
    about: |_| true,
    needs: &[Need::Schedule],
    check: Check::Record(on::OUTCOME, |moment| {
        let (earliest, now) = (moment.past.earliest_ns, moment.record.clock_ns);
        match earliest {
            _ if now < earliest => violated(format!("not before {}", text(earliest)), text(now)),
            0 => Ruling::Silent,
            _ => Ruling::Holds,
        }
    }),
};
