//! The search of one policy, until it is done, its time is over or somebody interrupts it.

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use retrylab_driver_std::{Clock, Monotonic};
use retrylab_laws::search::{
    Broken, Excerpt, Faulted, Found, Progress as Reached, Regression, Search, Searched, Stage,
};
use retrylab_laws::{Claim, Described, Mark, Subject};
use retrylab_scenario::ClientKind;

use super::Checked;
use super::regression::{Folder, Kept};
use crate::Exit;
use crate::Input;
use crate::paste::CommandLine;
use crate::progress::Progress;

/// How long a search goes on.
pub(super) struct Bounds<'a> {
    pub(super) cases: u64,
    /// What is found does not depend on how many there are.
    pub(super) threads: usize,
    /// Of real time.
    pub(super) time: Option<Duration>,
    /// Whether somebody wants it to end.
    pub(super) interrupted: &'a dyn Fn() -> bool,
    /// Whether a bar would be seen.
    pub(super) progress: bool,
    /// Whether only timelines of files are played, which need not get everywhere, and where a policy that is mended may
    /// never get to what a law is about.
    pub(super) replay: bool,
}

/// What came of a search, to be told.
pub(super) struct Outcome {
    pub(super) searched: Searched,
    pub(super) ended: Ended,
    /// So many cases were to be played.
    pub(super) of: u64,
    /// What is claimed and was never reached.
    pub(super) missed: Vec<Mark>,
    /// The laws that are broken, in their order.
    pub(super) breaches: Vec<Shown>,
    /// The command line that shows the fault again.
    pub(super) fault_again: Option<String>,
    /// Whether only timelines of files were to be played.
    pub(super) replay: bool,
}

/// Why a search is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Complete,
    /// No law was left that could still be broken.
    AllBroken,
    Time,
    Interrupted,
    /// The policy could not be played.
    Fault,
}

/// A broken law, and all that is shown of it.
pub(super) struct Shown {
    pub(super) found: Found,
    pub(super) excerpt: Excerpt,
    /// The file that it is, or would be.
    pub(super) file: Regression,
    pub(super) saved: Option<Kept>,
    /// The fewest entries that break the law, if every timeline was walked.
    pub(super) walked: Option<usize>,
    /// The command line that shows it again.
    pub(super) replay: String,
}

/// How the laws stand, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) held: usize,
    pub(super) broken: usize,
    pub(super) never_tested: usize,
    pub(super) not_applicable: usize,
}

pub(super) fn hunt<S: Subject + Sync>(
    checked: &Checked,
    subject: &S,
    bounds: &Bounds<'_>,
    mut folder: Option<&mut Folder>,
) -> Outcome {
    let search = Search::of(checked.client.clone(), checked.claim.clone(), checked.laws.iter().copied())
        .cases(bounds.cases)
        .seed(checked.seed.value)
        .beginning_with(checked.own.iter().cloned());
    let began = Monotonic.now();
    let mut progress = Progress::new(bounds.progress, Some(bounds.cases));
    let (mut ended, mut broken) = (Ended::Complete, 0_u64);
    let mut keep = |found: &Found| {
        if let (Some(folder), Some(file)) = (&mut folder, found.regression(&checked.claim, &checked.find_again(found)))
        {
            folder.keep(&file);
        }
    };
    let searched = search.run_on(bounds.threads, subject, |Reached { cases, of, stage }| {
        match stage {
            Stage::Found(found) => {
                broken += 1;
                keep(found);
            }
            Stage::Shrunk(found) => keep(found),
            _ => {}
        }
        if matches!(stage, Stage::Shrinking(_) | Stage::ShrinkingFault(_)) {
            progress.say("made shorter now".to_owned());
        } else {
            progress.reach(cases);
            if broken > 0 {
                progress.say(format!("{broken} broken"));
            }
        }
        let is_done = cases >= of && matches!(stage, Stage::Played);
        if (bounds.interrupted)() {
            ended = Ended::Interrupted;
        } else if ended == Ended::Complete
            && !is_done
            && bounds.time.is_some_and(|time| Monotonic.now().since(began) >= time)
        {
            ended = Ended::Time;
        }
        if ended == Ended::Complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    drop(progress);
    if ended == Ended::Complete && searched.cases < bounds.cases {
        ended = Ended::AllBroken;
    }
    if searched.fault.is_some() && ended != Ended::Interrupted {
        ended = Ended::Fault;
    }
    let missed = match ended {
        // Whoever interrupts knows that there was more to come; a law that is broken says enough.
        Ended::Interrupted | Ended::Fault | Ended::AllBroken => Vec::new(),
        _ if bounds.replay => Vec::new(),
        Ended::Complete | Ended::Time => searched.reached.missed(&checked.claim).collect(),
    };
    let breaches = searched.broken().filter_map(|found| checked.show(found, subject, folder.as_deref_mut())).collect();
    let fault_again = searched.fault.as_ref().map(|fault| checked.fault_again(fault));
    Outcome { searched, ended, of: bounds.cases, missed, breaches, fault_again, replay: bounds.replay }
}

/// As many as the machine has to give.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl Checked {
    fn show(&self, found: &Found, subject: &impl Subject, folder: Option<&mut Folder>) -> Option<Shown> {
        let again = self.find_again(found);
        let file = found.regression(&self.claim, &again)?;
        let saved = folder.and_then(|folder| folder.keep(&file));
        let replay = match &saved {
            // Only its owner can play it.
            Some(kept) if matches!(self.client.kind, ClientKind::External { .. }) => {
                let line = self.line.clone().word(Input::File(kept.path.clone()).word());
                line.option("--law", found.law.name).option("--cases", "0").text()
            }
            Some(kept) => run_again(kept),
            None => again,
        };
        let excerpt = Excerpt::of(found, &self.claim, subject);
        Some(Shown { found: found.clone(), excerpt, file, saved, walked: None, replay })
    }

    /// What a walk found, if a file can say it.
    pub(super) fn show_walked(&self, broken: &Broken, folder: Option<&mut Folder>) -> Option<Shown> {
        let found = broken.found(&self.client)?;
        let entries = broken.script.len();
        let line = self.line.clone().option("--law", found.law.name);
        let again = line.option("--exhaustive", entries.to_string()).text();
        let client = &found.timeline.client;
        let claim = Claim::of(client);
        let file = found.regression(&claim, &again)?;
        let saved = folder.and_then(|folder| folder.keep(&file));
        let replay = saved.as_ref().map_or(again, run_again);
        let excerpt = Excerpt::of(&found, &claim, &Described(client.clone()));
        Some(Shown { excerpt, file, saved, walked: Some(entries), replay, found })
    }

    /// The command line that finds it again.
    fn find_again(&self, found: &Found) -> String {
        let mut line = self.line.clone().option("--seed", self.seed.value.to_string()).option("--law", found.law.name);
        if found.case >= u64::from(self.usual_cases) {
            line = line.option("--cases", (found.case + 1).to_string());
        }
        line.text()
    }

    /// The same of a fault, which is no law's.
    fn fault_again(&self, fault: &Faulted) -> String {
        let mut line = self.line.clone().option("--seed", self.seed.value.to_string());
        if fault.case >= u64::from(self.usual_cases) {
            line = line.option("--cases", (fault.case + 1).to_string());
        }
        line.text()
    }
}

/// The command line that plays what is kept.
fn run_again(kept: &Kept) -> String {
    CommandLine::new("run").word(Input::File(kept.path.clone()).word()).text()
}

impl Outcome {
    pub(super) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for verdict in &self.searched.verdicts {
            match verdict {
                verdict if !verdict.applies => totals.not_applicable += 1,
                verdict if verdict.found.is_some() => totals.broken += 1,
                verdict if verdict.tested == 0 => totals.never_tested += 1,
                _ => totals.held += 1,
            }
        }
        totals
    }

    pub(super) fn exit(&self, checked: &Checked) -> Exit {
        let Totals { held, broken, never_tested, .. } = self.totals();
        match self.ended {
            Ended::Fault => checked.fault,
            Ended::Interrupted => Exit::NotHeld,
            _ if self.replay => {
                if broken == 0 {
                    Exit::Held
                } else {
                    Exit::NotHeld
                }
            }
            // That nothing was said of the policy is no praise of it.
            _ if broken + never_tested + self.missed.len() > 0 || held == 0 => Exit::NotHeld,
            _ => Exit::Held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    use retrylab_laws::search::events;
    use retrylab_laws::{Answered, Fault, LAWS, Told};
    use retrylab_scenario::{Timeline, named};
    use retrylab_sim::Record;

    use crate::seed::Seed;

    fn checked(policy: &str) -> Checked {
        let client = named::client(policy).unwrap();
        Checked {
            name: policy.to_owned(),
            line: CommandLine::new("check").word(policy),
            claim: Claim::of(&client),
            client,
            laws: LAWS.iter().collect(),
            own: Vec::new(),
            hint: None,
            usual_cases: crate::verb::check::CASES,
            seed: Seed::choose(None, None, None).unwrap(),
            fault: Exit::Defect,
        }
    }

    /// How many events are told if it is interrupted when it was asked so often since something was found.
    fn interrupted_after(asks: u64) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        let checked = checked("streaming:tls-unexpected");
        let subject = Described(checked.client.clone());
        let mut kept = Folder::at(folder.path());
        let asked = std::cell::Cell::new(0);
        let interrupted = || {
            asked.set(if files().is_empty() { 0 } else { asked.get() + 1 });
            asked.get() > asks
        };
        let bounds = Bounds {
            cases: 1_000_000,
            threads: 2,
            time: None,
            interrupted: &interrupted,
            progress: false,
            replay: false,
        };
        let outcome = hunt(&checked, &subject, &bounds, Some(&mut kept));

        assert_eq!(outcome.ended, Ended::Interrupted);
        assert!(outcome.searched.cases < 1_000_000);
        assert_eq!(outcome.exit(&checked), Exit::NotHeld);
        let [shown] = &outcome.breaches[..] else { panic!("one law is broken") };
        assert_eq!(shown.found.law.name, "reset-exactly-when-due");
        // What was written before it was so short is gone; what is told is there alone.
        let saved = shown.saved.clone().unwrap().path;
        assert_eq!(fs::read_to_string(&saved).unwrap(), shown.file.to_string());
        assert_eq!(files(), [saved]);
        assert!(kept.failed().is_none());
        events(&shown.found.timeline)
    }

    #[test]
    fn what_was_found_before_an_interruption_is_saved_and_told_as_short_as_it_is_by_then() {
        let (at_once, soon, later) = (interrupted_after(0), interrupted_after(20), interrupted_after(40));
        assert!(at_once > soon && soon >= later, "{at_once} {soon} {later}");
    }

    #[test]
    fn a_search_whose_time_is_over_makes_nothing_shorter() {
        let checked = checked("streaming:tls-unexpected");
        let subject = Described(checked.client.clone());
        let time = Some(Duration::ZERO);
        let bounds = Bounds { cases: 1000, threads: 2, time, interrupted: &|| false, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, None);
        assert_eq!((outcome.ended, outcome.searched.cases), (Ended::Time, 256));
        let [shown] = &outcome.breaches[..] else { panic!("one law is broken") };
        assert_eq!((shown.found.tried, events(&shown.found.timeline)), (0, shown.found.events_found));
    }

    #[test]
    fn what_a_slow_policy_broke_is_saved_at_an_interruption_right_after_its_case() {
        let folder = tempfile::tempdir().unwrap();
        let is_saved = || fs::read_dir(folder.path()).unwrap().next().is_some();
        let checked = checked("streaming:tls-unexpected");
        let subject = Described(checked.client.clone());
        let mut kept = Folder::at(folder.path());
        // As for a policy in another process: one thread.
        let bounds =
            Bounds { cases: 1000, threads: 1, time: None, interrupted: &is_saved, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, Some(&mut kept));
        let [shown] = &outcome.breaches[..] else { panic!("one law is broken") };
        assert_eq!((outcome.ended, outcome.searched.cases), (Ended::Interrupted, shown.found.case + 1));
        assert_eq!(fs::read_to_string(&shown.saved.as_ref().unwrap().path).unwrap(), shown.file.to_string());
    }

    #[test]
    fn a_search_of_a_slow_policy_whose_time_is_over_plays_no_other_case() {
        let checked = checked("streaming");
        let subject = Described(checked.client.clone());
        let time = Some(Duration::ZERO);
        let bounds = Bounds { cases: 1000, threads: 1, time, interrupted: &|| false, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, None);
        assert_eq!((outcome.ended, outcome.searched.cases), (Ended::Time, 1));
    }

    #[test]
    fn a_search_that_is_interrupted_before_it_found_anything_did_not_hold() {
        let checked = checked("streaming");
        let subject = Described(checked.client.clone());
        let bounds =
            Bounds { cases: 1000, threads: 2, time: None, interrupted: &|| true, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, None);
        assert_eq!(
            (outcome.ended, outcome.totals().broken, outcome.exit(&checked)),
            (Ended::Interrupted, 0, Exit::NotHeld)
        );
        assert_eq!(outcome.missed, []);
    }

    /// A process that is gone.
    struct Gone;

    impl Subject for Gone {
        fn play(&self, _: &Timeline, _: u64) -> Result<Vec<Record>, Fault> {
            Err(Fault("it went away".to_owned()))
        }

        fn tell(&self, _: &[Told]) -> Option<Result<Vec<Answered>, Fault>> {
            None
        }
    }

    #[test]
    fn a_policy_that_cannot_be_played_is_told_with_the_case_and_has_a_status_of_its_own() {
        let checked = checked("streaming");
        let bounds =
            Bounds { cases: 1000, threads: 2, time: None, interrupted: &|| false, progress: false, replay: false };
        let outcome = hunt(&checked, &Gone, &bounds, None);
        assert_eq!((outcome.ended, outcome.exit(&checked)), (Ended::Fault, Exit::Defect));
        let fault = outcome.searched.fault.as_ref().unwrap();
        assert_eq!((fault.case, fault.fault.to_string()), (0, "it went away".to_owned()));
        let mut text = Vec::new();
        super::super::text::print(&outcome, &mut text).unwrap();
        let text = anstream::adapter::strip_bytes(&text).into_vec();
        let text = String::from_utf8(text).unwrap();
        let found = format!(
            "\n  found     with {} events; shortened to {}\n\n  why = ",
            fault.events_found,
            events(&fault.timeline)
        );
        let said = format!("\nnot played to its end in case 0: it went away{found}");
        assert!(text.contains(&said), "{text}");
        assert!(text.ends_with("\n256 of 1000 cases, when it could not be played: 0 held, 0 broken, 26 never tested; 7 laws do not apply\n"), "{text}");
    }
}
