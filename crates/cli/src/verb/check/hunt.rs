//! The search of one policy, until it is done, its time is over or somebody interrupts it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use retrylab_driver_std::{Clock, Monotonic};
use retrylab_laws::search::{Found, Progress as Played, Search, Searched};
use retrylab_laws::{Mark, Subject};
use retrylab_scenario::{ClientKind, Timeline};

use super::Checked;
use super::excerpt::Excerpt;
use super::regression::{self, Folder};
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
    pub(super) file: Timeline,
    pub(super) saved: Option<PathBuf>,
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
    let searched = search.run_on(bounds.threads, subject, |Played { cases, of, found }| {
        if let Some(found) = found {
            broken += 1;
            if let (Some(folder), Some(file)) =
                (&mut folder, regression::file(found, &checked.claim, &checked.find_again(found)))
            {
                folder.keep(found.law, &file);
            }
        }
        if (bounds.interrupted)() {
            ended = Ended::Interrupted;
        } else if found.is_none() && cases < of && bounds.time.is_some_and(|time| Monotonic.now().since(began) >= time)
        {
            ended = Ended::Time;
        }
        progress.reach(cases);
        if broken > 0 && found.is_none() {
            let last = cases >= of || ended != Ended::Complete;
            progress.say(if last { "made shorter now".to_owned() } else { format!("{broken} broken") });
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
        Ended::Complete | Ended::Time => searched.reached.missed(&checked.claim).collect(),
    };
    let breaches = searched.broken().filter_map(|found| checked.show(found, subject, folder.as_deref_mut())).collect();
    Outcome { searched, ended, of: bounds.cases, missed, breaches }
}

/// As many as the machine has to give.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl Checked {
    fn show(&self, found: &Found, subject: &impl Subject, folder: Option<&mut Folder>) -> Option<Shown> {
        let again = self.find_again(found);
        let file = regression::file(found, &self.claim, &again)?;
        let saved = folder.and_then(|folder| folder.keep(found.law, &file));
        let replay = match &saved {
            // Only its owner can play it.
            Some(path) if matches!(self.client.kind, ClientKind::External { .. }) => {
                let line = self.line.clone().word(Input::File(path.clone()).word());
                line.option("--law", found.law.name).option("--cases", "1").text()
            }
            Some(path) => CommandLine::new("run").word(Input::File(path.clone()).word()).text(),
            None => again,
        };
        let excerpt = Excerpt::of(found, &self.claim, subject);
        Some(Shown { found: found.clone(), excerpt, file, saved, replay })
    }

    /// The command line that finds it again.
    fn find_again(&self, found: &Found) -> String {
        let mut line = self.line.clone().option("--seed", self.seed.value.to_string()).option("--law", found.law.name);
        if found.case >= u64::from(self.usual_cases) {
            line = line.option("--cases", (found.case + 1).to_string());
        }
        line.text()
    }
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

    use retrylab_laws::{Answered, Claim, Described, Fault, LAWS, Told};
    use retrylab_scenario::named;
    use retrylab_sim::Record;

    use crate::seed::Seed;

    fn checked(policy: &str) -> Checked {
        let client = named::client(policy).unwrap();
        Checked {
            name: policy.to_owned(),
            line: CommandLine::new("check").word(policy),
            claim: Claim::of(&client.kind),
            client,
            laws: LAWS.iter().collect(),
            own: Vec::new(),
            usual_cases: crate::verb::check::CASES,
            seed: Seed::choose(None, None, None).unwrap(),
            fault: Exit::Defect,
        }
    }

    #[test]
    fn what_was_found_before_an_interruption_is_saved_made_shorter_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        let checked = checked("streaming:tls-unexpected");
        let subject = Described(checked.client.kind.clone());
        let mut kept = Folder::at(folder.path());
        let early = std::cell::RefCell::new(Vec::new());
        let interrupted = || {
            early.borrow_mut().extend(files());
            !early.borrow().is_empty()
        };
        let bounds = Bounds { cases: 1_000_000, threads: 2, time: None, interrupted: &interrupted, progress: false };
        let outcome = hunt(&checked, &subject, &bounds, Some(&mut kept));

        assert_eq!(outcome.ended, Ended::Interrupted);
        assert!(outcome.searched.cases < 1_000_000);
        assert_eq!(outcome.exit(&checked), Exit::NotHeld);
        let [shown] = &outcome.breaches[..] else { panic!("one law is broken") };
        assert_eq!(shown.found.law.name, "reset-exactly-when-due");
        // What was written before it was short is gone; the short one is there alone.
        assert_eq!(files(), [shown.saved.clone().unwrap()]);
        assert_ne!(early.borrow()[0], files()[0]);
        assert!(kept.failed().is_none());
    }

    #[test]
    fn a_search_that_is_interrupted_before_it_found_anything_did_not_hold() {
        let checked = checked("streaming");
        let subject = Described(checked.client.kind.clone());
        let bounds = Bounds { cases: 1000, threads: 2, time: None, interrupted: &|| true, progress: false };
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
        let bounds = Bounds { cases: 1000, threads: 2, time: None, interrupted: &|| false, progress: false };
        let outcome = hunt(&checked, &Gone, &bounds, None);
        assert_eq!((outcome.ended, outcome.exit(&checked)), (Ended::Fault, Exit::Defect));
        let (case, fault) = outcome.searched.fault.as_ref().unwrap();
        assert_eq!((case.number, fault.to_string()), (0, "it went away".to_owned()));
        let mut text = Vec::new();
        super::super::text::print(&outcome, &mut text).unwrap();
        let text = anstream::adapter::strip_bytes(&text).into_vec();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("\nnot played to its end in case 0: it went away\n\n  why = "), "{text}");
        assert!(text.ends_with("\n256 of 1000 cases, when it could not be played: 0 held, 0 broken, 25 never tested; 7 laws do not apply\n"), "{text}");
    }
}
