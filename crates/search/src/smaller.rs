//! The shrinking of breaches and faults.

use core::ops::ControlFlow;

use retrylab_sim::Finding;
use retrylab_spec::{Draft, Limits, Play, Timeline};

use crate::entries::scripted;
use crate::found::{Faulted, Found, Stage};
use crate::pinned::pinned;
use crate::seek::Search;
use crate::shrink::shrink_until;
use retrylab_laws::Law;
use retrylab_laws::Standing;
use retrylab_laws::{Subject, SubjectError};

impl Search {
    /// Shrinks a breach completely, or until `tell` breaks off.
    pub(crate) fn make_smaller(
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

    /// Shrinks a case in which the subject fails: any fault counts, since a process with fewer requests may fail
    /// differently.
    ///
    /// The subject has just been restarted, and is so again after each fault; a timeline counts only if the subject
    /// fails in it from its start, not because of earlier requests.
    pub(crate) fn make_fault_smaller(
        &self,
        subject: &dyn Subject,
        found: &mut Faulted,
        laws: &[&'static Law],
        tell: &mut impl FnMut(Stage<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // Most faults show in the run itself; comparing histories each time would take long.
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

    /// The fault of a fresh subject in a timeline, if there is one. The subject is then restarted.
    fn fault_again(
        &self,
        subject: &dyn Subject,
        timeline: &Timeline,
        laws: &[&'static Law],
    ) -> ControlFlow<(), Option<SubjectError>> {
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

    /// Whether a timeline violates a law. A subject that fails in it violates none, and is restarted; if it cannot be,
    /// there is no point in continuing.
    fn again(&self, subject: &dyn Subject, law: &'static Law, timeline: &Timeline) -> ControlFlow<(), Option<Finding>> {
        let Ok(judged) = self.hold(subject, timeline, &[law]) else {
            restarted(subject)?;
            return ControlFlow::Continue(None);
        };
        ControlFlow::Continue(match judged.of(law) {
            Some(Standing::Violated(breach)) => Some(breach.clone()),
            _ => None,
        })
    }
}

fn restarted(subject: &dyn Subject) -> ControlFlow<()> {
    let no_longer = |_: SubjectError| ControlFlow::Break(());
    subject.restart().map_or_else(no_longer, ControlFlow::Continue)
}

/// The same with less text: without the limits of a search where windows cannot make it long, without addresses that
/// are the default, and without a repeat beside the same entry; as far as `is_same` confirms that nothing else changed.
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
    attempt(&|draft| scripted(&mut draft.script).into_iter().for_each(|entry| entry.draw = None));
    attempt(&|draft| draft.script = joined(&draft.script));
    best
}

/// Merges a repeated entry with equal entries beside it.
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
    use retrylab_spec::{Entry, Outcome};

    use super::*;

    #[test]
    fn a_repeat_beside_the_same_entry_is_one_repeat() {
        let entry = |status| Play::Attempt(Entry::new(Outcome::Status { status, retry_after: None }));
        let repeat = |times, status| Play::Repeat { times, play: vec![entry(status)] };
        assert_eq!(joined(&[repeat(3, 503), entry(503)]), [repeat(4, 503)]);
        assert_eq!(joined(&[entry(503), repeat(2, 503), repeat(2, 401)]), [repeat(3, 503), repeat(2, 401)]);
        // An entry that is written out stays so.
        assert_eq!(joined(&[entry(503), entry(503)]), [entry(503), entry(503)]);
    }
}
