//! The search of one policy, until it is complete, its time is over, or Ctrl-C.

use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::Duration;

use retrylab_driver::{Clock, Monotonic};
use retrylab_faults::Diagnosis;
use retrylab_laws::{Claim, Described, Mark, Marks, Subject};
use retrylab_search::{
    Broken, Excerpt, Faulted, Found, Kept, Progress as Reached, Regression, Search, Searched, Stage,
};
use serde::Serialize;

use super::Checked;
use super::regression::Folder;
use crate::Exit;
use crate::Input;
use crate::paste::CommandLine;
use crate::progress::Progress;

/// The bounds of a search.
pub(super) struct Bounds<'a> {
    pub(super) cases: u64,
    /// The number of threads, which does not change the results.
    pub(super) threads: usize,
    /// The limit of real time.
    pub(super) time: Option<Duration>,
    /// The Ctrl-C flag.
    pub(super) interrupted: &'a dyn Fn() -> bool,
    /// Whether a progress bar is visible.
    pub(super) progress: bool,
    /// Whether only timelines of files are played. They need not reach the coverage goals, and a law may be vacuous
    /// there, because a repaired policy may never reach the old breach.
    pub(super) replay: bool,
}

/// The result of a search, for printing.
pub(super) struct Outcome {
    pub(super) searched: Searched,
    pub(super) ended: Ended,
    /// The number of cases requested.
    pub(super) of: u64,
    /// The missed coverage goals.
    pub(super) missed: Vec<Mark>,
    /// The violated laws: with a diagnosis the law that names the fault first, then in order.
    pub(super) breaches: Vec<Shown>,
    /// The known faults that explain the breaches.
    pub(super) diagnosis: Option<Diagnosis>,
    /// The command line that repeats the failure.
    pub(super) fault_again: Option<String>,
    /// Whether only timelines of files were played.
    pub(super) replay: bool,
}

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ended {
    Complete,
    /// Every law is violated.
    AllBroken,
    Time,
    Interrupted,
    /// The policy failed.
    Fault,
    /// A saved file does not hold, so it did not begin.
    Regressed,
}

/// A violated law, with everything that is printed about it.
pub(super) struct Shown {
    pub(super) found: Found,
    pub(super) excerpt: Excerpt,
    /// The timeline file.
    pub(super) file: Regression,
    pub(super) saved: Option<Kept>,
    /// The smallest number of entries that violates the law, if every timeline was walked.
    pub(super) walked: Option<usize>,
    /// The command line that repeats it.
    pub(super) replay: String,
}

/// The laws, counted by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
    let search = checked.search().cases(bounds.cases).beginning_with(checked.own.iter().cloned());
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
            progress.say("shrinking".to_owned());
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
        // After an interruption more cases were due anyway; a violated law is result enough.
        Ended::Interrupted | Ended::Fault | Ended::Regressed | Ended::AllBroken => Vec::new(),
        _ if bounds.replay => Vec::new(),
        Ended::Complete | Ended::Time => searched.reached.missed(&checked.claim).collect(),
    };
    let mut breaches: Vec<Shown> =
        searched.broken().filter_map(|found| checked.show(found, subject, folder.as_deref_mut())).collect();
    // A subject in another process that crashes or is slow repeats only what it has already been through, and after Ctrl-C
    // only the counterexamples.
    let known = match ended {
        Ended::Fault => searched.sound_cases(),
        Ended::Interrupted if !checked.exec.is_empty() => 0,
        Ended::Interrupted => searched.sound_cases(),
        _ => checked.usual_cases.into(),
    };
    let diagnosis = checked.diagnose(&search, subject, &mut breaches, known);
    let fault_again = searched.fault.as_ref().map(|fault| checked.fault_again(fault));
    Outcome { searched, ended, of: bounds.cases, missed, breaches, diagnosis, fault_again, replay: bounds.replay }
}

/// The maximum number of cases of a diagnosis, which takes a moment for a built-in policy.
const DIAGNOSED: u64 = 300;

/// The number of processors.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl Checked {
    /// The search of this policy.
    pub(super) fn search(&self) -> Search {
        Search::of(self.client.clone(), self.claim.clone(), self.laws.iter().copied()).seed(self.seed.value)
    }

    /// The known faults that explain the breaches, by up to so many cases. The law that names the fault moves to the front.
    pub(super) fn diagnose(
        &self,
        search: &Search,
        subject: &dyn Subject,
        breaches: &mut [Shown],
        cases: u64,
    ) -> Option<Diagnosis> {
        let found =
            breaches.iter().map(|shown| &shown.found).filter(|found| found.law.shows_in_one_client(&self.claim));
        let timelines: Vec<_> = found.map(|found| found.timeline.clone()).collect();
        if timelines.is_empty() {
            return None;
        }
        let diagnosis = Diagnosis::of(search, subject, &timelines, cases.min(DIAGNOSED))?;
        if let Some(law) = diagnosis.law() {
            breaches.sort_by_key(|shown| shown.found.law.name != law.name);
        }
        Some(diagnosis)
    }

    fn show(&self, found: &Found, subject: &impl Subject, folder: Option<&mut Folder>) -> Option<Shown> {
        let again = self.find_again(found);
        let file = found.regression(&self.claim, &again)?;
        let saved = folder.and_then(|folder| folder.keep(&file));
        let replay = match &saved {
            Some(kept) => self.replay_line(&kept.path, None),
            None => again,
        };
        let excerpt = Excerpt::of(found, subject);
        Some(Shown { found: found.clone(), excerpt, file, saved, walked: None, replay })
    }

    /// The counterexample of a walk, if a file can express it.
    pub(super) fn show_walked(&self, broken: &Broken, folder: Option<&mut Folder>) -> Option<Shown> {
        let found = broken.found(&self.client)?;
        let entries = broken.script.len();
        let line = self.line.clone().option("--law", found.law.name);
        let again = line.option("--exhaustive", entries.to_string()).text();
        let client = &found.timeline.client;
        let claim = Claim::of(client);
        let file = found.regression(&claim, &again)?;
        let saved = folder.and_then(|folder| folder.keep(&file));
        let replay = saved.as_ref().map_or(again, |kept| self.replay_line(&kept.path, None));
        let excerpt = Excerpt::of(&found, &Described(client.clone()));
        Some(Shown { excerpt, file, saved, walked: Some(entries), replay, found })
    }

    /// The command line that replays a saved file; `seed`: that of a file without one.
    pub(super) fn replay_line(&self, file: &Path, seed: Option<u64>) -> String {
        let line = CommandLine::new("run").options(self.exec.iter().map(|(name, value)| (*name, value)));
        let line = line.word(Input::File(file.to_owned()).word());
        line.options(seed.map(|seed| ("--seed", seed.to_string()))).text()
    }

    /// The command line that finds it again.
    fn find_again(&self, found: &Found) -> String {
        let mut line = self.line.clone().option("--seed", self.seed.value.to_string()).option("--law", found.law.name);
        if found.case >= u64::from(self.usual_cases) {
            line = line.option("--cases", (found.case + 1).to_string());
        }
        line.text()
    }

    /// The command line for a failure of the policy.
    fn fault_again(&self, fault: &Faulted) -> String {
        let mut line = self.line.clone().option("--seed", self.seed.value.to_string());
        if fault.case >= u64::from(self.usual_cases) {
            line = line.option("--cases", (fault.case + 1).to_string());
        }
        line.text()
    }
}

impl Outcome {
    /// Of a search of so many cases that did not begin.
    pub(super) fn regressed(of: u64) -> Self {
        let searched =
            Searched { verdicts: Vec::new(), missed: Vec::new(), reached: Marks::default(), cases: 0, fault: None };
        Self {
            searched,
            ended: Ended::Regressed,
            of,
            missed: Vec::new(),
            breaches: Vec::new(),
            diagnosis: None,
            fault_again: None,
            replay: false,
        }
    }

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
            Ended::Interrupted | Ended::Regressed => Exit::NotHeld,
            _ if self.replay => {
                if broken == 0 {
                    Exit::Held
                } else {
                    Exit::NotHeld
                }
            }
            // A policy without a tested law does not hold.
            _ if broken + never_tested + self.missed.len() > 0 || held == 0 => Exit::NotHeld,
            _ => Exit::Held,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    use retrylab_laws::{LAWS, SubjectError};
    use retrylab_search::events;
    use retrylab_sim::{Input, Record, Response};
    use retrylab_spec::{Timeline, named};

    use super::super::saved::Saved;
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
            saved: Saved::default(),
            exec: Vec::new(),
            hint: None,
            usual_cases: crate::verb::check::CASES,
            seed: Seed::choose(None, None, None).unwrap(),
            fault: Exit::Defect,
        }
    }

    fn names_the_bug(outcome: &Outcome) -> bool {
        outcome.diagnosis.as_ref().is_some_and(|diagnosis| diagnosis.to_string().contains("tls-unexpected"))
    }

    /// The events printed if Ctrl-C comes after this many checks since the counterexample was found.
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
        let [shown] = &outcome.breaches[..] else { panic!("one law is violated") };
        assert_eq!(shown.found.law.name, "reset-exactly-when-due");
        // The file from before the shrinking is gone; the printed one is the only one.
        let saved = shown.saved.clone().unwrap().path;
        assert_eq!(fs::read_to_string(&saved).unwrap(), shown.file.to_string());
        assert_eq!(files(), [saved]);
        assert!(kept.failed().is_none());
        assert!(names_the_bug(&outcome));
        events(&shown.found.timeline)
    }

    #[test]
    fn an_interrupted_search_saves_and_prints_the_shortest_counterexample_so_far() {
        let (at_once, soon, later) = (interrupted_after(0), interrupted_after(20), interrupted_after(40));
        assert!(at_once > soon && soon >= later, "{at_once} {soon} {later}");
    }

    #[test]
    fn a_search_whose_time_is_over_does_not_shrink() {
        let checked = checked("streaming:tls-unexpected");
        let subject = Described(checked.client.clone());
        let time = Some(Duration::ZERO);
        let bounds = Bounds { cases: 1000, threads: 2, time, interrupted: &|| false, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, None);
        assert_eq!((outcome.ended, outcome.searched.cases), (Ended::Time, 256));
        let [shown] = &outcome.breaches[..] else { panic!("one law is violated") };
        assert_eq!((shown.found.tried, events(&shown.found.timeline)), (0, shown.found.events_found));
    }

    #[test]
    fn an_interruption_saves_the_counterexample_of_a_slow_policy_right_after_its_case() {
        let folder = tempfile::tempdir().unwrap();
        let is_saved = || fs::read_dir(folder.path()).unwrap().next().is_some();
        let checked = checked("streaming:tls-unexpected");
        let subject = Described(checked.client.clone());
        let mut kept = Folder::at(folder.path());
        // As for a policy in another process: one thread.
        let bounds =
            Bounds { cases: 1000, threads: 1, time: None, interrupted: &is_saved, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, Some(&mut kept));
        let [shown] = &outcome.breaches[..] else { panic!("one law is violated") };
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
    fn an_interrupted_search_without_a_counterexample_does_not_hold() {
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

    /// A stream whose failed handshakes are unexpected, and which crashes in its last play of this many, once.
    struct Crashes(Described, AtomicU32);

    impl Subject for Crashes {
        fn play(&self, timeline: &Timeline, seed: u64) -> Result<Vec<Record>, SubjectError> {
            match self.1.fetch_sub(1, Ordering::Relaxed) {
                1 => Err(SubjectError("it crashed".to_owned())),
                _ => self.0.play(timeline, seed),
            }
        }

        fn respond(&self, inputs: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
            self.0.respond(inputs)
        }
    }

    #[test]
    fn a_policy_that_fails_is_diagnosed_by_the_cases_before_it() {
        let checked = checked("streaming:tls-unexpected");
        let subject = Crashes(Described(checked.client.clone()), AtomicU32::new(250));
        let bounds =
            Bounds { cases: 1000, threads: 1, time: None, interrupted: &|| false, progress: false, replay: false };
        let outcome = hunt(&checked, &subject, &bounds, None);
        assert_eq!((outcome.ended, outcome.searched.sound_cases()), (Ended::Fault, 249));
        assert!(names_the_bug(&outcome));
        // Without a violated law there is nothing to explain.
        let right = hunt(&self::checked("streaming"), &Gone, &bounds, None);
        assert!(right.diagnosis.is_none());
    }

    /// A process that has ended.
    struct Gone;

    impl Subject for Gone {
        fn play(&self, _: &Timeline, _: u64) -> Result<Vec<Record>, SubjectError> {
            Err(SubjectError("it went away".to_owned()))
        }

        fn respond(&self, _: &[Input]) -> Option<Result<Vec<Response>, SubjectError>> {
            None
        }
    }

    #[test]
    fn a_policy_that_fails_is_reported_with_its_case_and_a_status_of_its_own() {
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
            "\n  found     shrunk from {} events to {}\n\n  why = ",
            fault.events_found,
            events(&fault.timeline)
        );
        let message = format!("\npolicy failed in case 0: it went away{found}");
        assert!(text.contains(&message), "{text}");
        assert!(
            text.ends_with(
                "\n1 of 1000 cases (policy failed): 0 held, 0 violated, 27 vacuous; 9 laws not applicable\n"
            ),
            "{text}"
        );
    }
}
