//! What was found, made smaller.

use core::ops::ControlFlow;

use retrylab_scenario::{Draft, Limits, Play, Timeline};

use super::found::{Faulted, Found, Stage};
use super::pinned::pinned;
use super::seek::Search;
use super::shrink::shrink_until;
use crate::law::Law;
use crate::subject::{Fault, Subject};
use crate::trial::{Breach, Standing};

impl Search {
    /// Makes a breach as small as it gets, or as it is when `tell` breaks off.
    pub(super) fn make_smaller(
        &self,
        subject: &dyn Subject,
        found: &mut Found,
        tell: &mut impl FnMut(Stage<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let start = pinned(subject, &found.timeline);
        let shrunk = shrink_until(&start, self.most_tries, |timeline| {
            tell(Stage::Shrinking(found))?;
            found.tried += 1;
            let breach = self.again(subject, found.law, timeline)?;
            let breaks = breach.is_some();
            if let Some(breach) = breach {
                (found.timeline, found.breach) = (timeline.clone(), breach);
            }
            ControlFlow::Continue(breaks)
        });
        if !shrunk.broken_off {
            let run = |timeline: &Timeline| subject.play(timeline, timeline.seed.unwrap_or(0)).ok();
            let records = run(&found.timeline);
            let plain = plain(&found.timeline, |timeline| records.is_some() && run(timeline) == records);
            if let ControlFlow::Continue(Some(breach)) = self.again(subject, found.law, &plain) {
                (found.timeline, found.breach) = (plain, breach);
            }
        }
        let flow = tell(Stage::Shrunk(found));
        if shrunk.broken_off { ControlFlow::Break(()) } else { flow }
    }

    /// The same of a case in which the subject is at fault: any fault, since a process that is asked less may fail otherwise.
    ///
    /// The subject has just been started anew, and is so again after each fault; a timeline counts only if the subject is at
    /// fault in it from its start, and not for all that it was asked before.
    pub(super) fn make_fault_smaller(
        &self,
        subject: &dyn Subject,
        found: &mut Faulted,
        laws: &[&'static Law],
        tell: &mut impl FnMut(Stage<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Most faults show in the run itself; to tell every history anew each time would take long.
        let mut laws: &[&'static Law] = laws;
        for fewer in [&[], laws] {
            tell(Stage::ShrinkingFault(found))?;
            found.tried += 1;
            if let Err(fault) = self.hold(subject, &found.timeline, fewer) {
                (found.again, found.fault, laws) = (true, fault, fewer);
                break;
            }
        }
        if !found.again {
            return ControlFlow::Continue(());
        }
        if subject.restart().is_err() {
            return ControlFlow::Continue(());
        }
        let case = found.timeline.clone();
        let shrunk = shrink_until(&case, self.most_tries, |timeline| {
            tell(Stage::ShrinkingFault(found))?;
            found.tried += 1;
            let fault = self.fault_again(subject, timeline, laws)?;
            let faults = fault.is_some();
            if let Some(fault) = fault {
                (found.timeline, found.fault) = (timeline.clone(), fault);
            }
            ControlFlow::Continue(faults)
        });
        if shrunk.broken_off {
            return ControlFlow::Break(());
        }
        let mut plainer = None;
        let timeline = plain(&found.timeline, |timeline| {
            let ControlFlow::Continue(Some(fault)) = self.fault_again(subject, timeline, laws) else { return false };
            plainer = Some(fault);
            true
        });
        if let Some(fault) = plainer {
            (found.timeline, found.fault) = (timeline, fault);
        }
        ControlFlow::Continue(())
    }

    /// The fault of a subject in a timeline, if it has one there whatever it was asked before. It is started anew then.
    fn fault_again(
        &self,
        subject: &dyn Subject,
        timeline: &Timeline,
        laws: &[&'static Law],
    ) -> ControlFlow<(), Option<Fault>> {
        if self.hold(subject, timeline, laws).is_ok() {
            return ControlFlow::Continue(None);
        }
        restarted(subject)?;
        let fault = self.hold(subject, timeline, laws).err();
        if fault.is_some() {
            restarted(subject)?;
        }
        ControlFlow::Continue(fault)
    }

    /// Whether a timeline breaks a law. A subject at fault in it breaks none, and is started anew; if it cannot be, there is
    /// no point in going on.
    fn again(&self, subject: &dyn Subject, law: &'static Law, timeline: &Timeline) -> ControlFlow<(), Option<Breach>> {
        let Ok(judged) = self.hold(subject, timeline, &[law]) else {
            restarted(subject)?;
            return ControlFlow::Continue(None);
        };
        ControlFlow::Continue(match judged.of(law) {
            Some(Standing::Broken(breach)) => Some(breach.clone()),
            _ => None,
        })
    }
}

fn restarted(subject: &dyn Subject) -> ControlFlow<()> {
    let no_longer = |_: Fault| ControlFlow::Break(());
    subject.restart().map_or_else(no_longer, ControlFlow::Continue)
}

/// The same with less to read: without the limits of a search where windows cannot make it long, without the addresses of
/// draws that are their turn anyway, and without a repeat of an entry beside the same entry; as far as `is_same` says that nothing else changed.
fn plain(timeline: &Timeline, mut is_same: impl FnMut(&Timeline) -> bool) -> Timeline {
    let mut best = timeline.clone();
    let mut attempt = |change: &dyn Fn(&mut Draft)| {
        let mut draft = best.clone().into_draft();
        change(&mut draft);
        if let Ok(plainer) = Timeline::new(draft)
            && plainer != best
            && is_same(&plainer)
        {
            best = plainer;
        }
    };
    attempt(&|draft| {
        if draft.windows.is_empty() {
            draft.limits = Limits::default();
        }
    });
    attempt(&|draft| without_draws(&mut draft.script));
    attempt(&|draft| draft.script = joined(&draft.script));
    best
}

fn without_draws(script: &mut [Play]) {
    for play in script {
        match play {
            Play::Attempt(entry) => entry.draw = None,
            Play::Repeat { play, .. } => without_draws(play),
        }
    }
}

/// A repeated entry beside more of the same is repeated so much more often.
fn joined(script: &[Play]) -> Vec<Play> {
    let single = |play: &Play| match play {
        Play::Attempt(entry) => Some((1, *entry)),
        Play::Repeat { times, play } => match play[..] {
            [Play::Attempt(entry)] => Some((*times, entry)),
            _ => None,
        },
    };
    let mut joined: Vec<Play> = Vec::new();
    for play in script {
        let beside =
            joined.last().and_then(single).zip(single(play)).filter(|((_, before), (_, entry))| before == entry);
        match (beside, joined.last_mut()) {
            (Some(((before, entry), (times, _))), Some(last)) if before > 1 || times > 1 => {
                *last = Play::Repeat { times: before.saturating_add(times), play: vec![Play::Attempt(entry)] };
            }
            _ => joined.push(play.clone()),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use retrylab_scenario::{Entry, Outcome};

    use super::*;

    #[test]
    fn a_repeat_beside_the_same_entry_is_one_repeat() {
        let entry = |status| Play::Attempt(Entry::new(Outcome::Status { status, retry_after: None }));
        let repeat = |times, status| Play::Repeat { times, play: vec![entry(status)] };
        assert_eq!(joined(&[repeat(3, 503), entry(503)]), [repeat(4, 503)]);
        assert_eq!(joined(&[entry(503), repeat(2, 503), repeat(2, 401)]), [repeat(3, 503), repeat(2, 401)]);
        // What is written out stays so.
        assert_eq!(joined(&[entry(503), entry(503)]), [entry(503), entry(503)]);
    }
}
