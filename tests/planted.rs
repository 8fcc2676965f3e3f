//! Ten bugs are planted, each with the smallest timeline that is known by hand: the files of `sims/planted/`, named after
//! the fault, which say in `expect.laws` which law it breaks.
//!
//! From ten seeds each, the search finds the bug, and the shrink makes of what it found at most as many events as the file
//! has. What is left breaks the law with the fault and with nothing else. Saved as a file it fails as a test with the fault,
//! and holds with the right policy.

use std::ops::ControlFlow;
use std::path::Path;

use retrylab_faults::{Faulty, KnownFault};
use retrylab_laws::{Claim, Described, Law, Subject, Trial, report};
use retrylab_search::{Search, events};
use retrylab_spec::{File, Timeline, parse};

const SEEDS: u64 = 10;

/// A bug that takes more cases than these is not found.
const CASES: u64 = 2000;

struct Planted {
    faulty: Faulty,
    law: &'static Law,
    /// The smallest timeline known by hand.
    by_hand: Timeline,
}

/// What is planted, by name.
fn planted() -> Vec<Planted> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sims/planted");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths.iter().map(|path| Planted::read(path)).collect()
}

impl Planted {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).expect("a text");
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let File::Played(by_hand) = parse(name, &text).expect("a timeline").file else {
            panic!("{name} is not played")
        };
        let fault = KnownFault::find(name).unwrap_or_else(|| panic!("{name} is no fault"));
        let laws = by_hand.expect.as_ref().map(|expect| expect.laws.clone()).unwrap_or_default();
        let [law] = &laws[..] else { panic!("{name} names {} laws", laws.len()) };
        let law = Law::find(law).unwrap_or_else(|| panic!("{law} is no law"));
        assert!(by_hand.why.contains(fault.name) && by_hand.why.contains(law.name), "{name} says why");
        assert_eq!(Some(&by_hand.client.kind), fault.shown_by().as_ref(), "{name} is of the client that shows it");
        let faulty = fault.of(&by_hand.client.kind).unwrap_or_else(|| panic!("{name} is no fault of its client"));
        Self { faulty, law, by_hand }
    }

    fn name(&self) -> &'static str {
        self.faulty.fault().name
    }

    fn search(&self) -> Search {
        Search::of(self.by_hand.client.clone(), Claim::of(&self.by_hand.client), [self.law]).cases(CASES)
    }

    /// Whether the timeline breaks the law with the fault, and not with the right policy.
    fn assert_tells(&self, timeline: &Timeline) {
        let (search, right) = (self.search(), Described(self.by_hand.client.clone()));
        assert_eq!(search.breach(&right, self.law, timeline), None, "the right policy breaks {}: {timeline}", self.law);
        let wrong = search.breach(&self.faulty, self.law, timeline);
        assert!(wrong.is_some(), "{} keeps {}: {timeline}", self.name(), self.law);
    }

    /// What is found from this seed, made smaller.
    fn find(&self, seed: u64) -> Timeline {
        let searched = self.search().seed(seed).run(&self.faulty, |_| ControlFlow::Continue(()));
        let found = searched.broken().next();
        found.unwrap_or_else(|| panic!("{} is not found from seed {seed}", self.name())).timeline.clone()
    }
}

/// Plays a file that was saved, as a test: holds the run of this subject against the laws that the file expects.
fn fails_as_a_test(path: &Path, subject: &dyn Subject) -> bool {
    let text = std::fs::read_to_string(path).expect("a file");
    let File::Played(timeline) = parse("saved.toml", &text).expect("a timeline").file else { panic!("it is played") };
    let claim = Claim::of(&timeline.client);
    let names = timeline.expect.as_ref().map(|expect| expect.laws.clone()).unwrap_or_default();
    assert!(!names.is_empty(), "it expects a law");
    let mut trial = Trial::new(&claim, names.iter().map(|name| Law::find(name).expect("a law")));
    let seed = timeline.seed.expect("it names its seed");
    subject.play(&timeline, seed).expect("it can be played").iter().for_each(|record| trial.observe(record));
    trial.finish(subject).standings.iter().any(|(_, standing)| standing.is_violated())
}

#[test]
fn a_counterexample_is_saved_and_fails_until_the_bug_is_fixed() {
    let folder = tempfile::tempdir().expect("a folder");
    for bug in planted() {
        let searched = bug.search().run(&bug.faulty, |_| ControlFlow::Continue(()));
        let found = searched.broken().next().unwrap_or_else(|| panic!("{} is not found", bug.name()));
        let claim = Claim::of(&bug.by_hand.client);
        let file = found.regression(&claim, "a search for planted bugs").expect("a file says it");
        let path = folder.path().join(file.name());
        std::fs::write(&path, file.to_string()).expect("it can be written");
        assert!(fails_as_a_test(&path, &bug.faulty), "{} passes {file}", bug.name());
        let mended = Described(bug.by_hand.client.clone());
        assert!(!fails_as_a_test(&path, &mended), "the right policy fails {file}");
        // The same as `retrylab run` does with the file.
        let File::Played(saved) = parse("saved.toml", &file.to_string()).expect("a timeline").file else {
            panic!("it is played")
        };
        let report = report(&saved, saved.seed.unwrap_or(0), |_| {}).expect("it can be reported");
        assert!(report.holds(), "{report:?}: {file}");
    }
}

#[test]
fn ten_bugs_are_planted_and_their_files_show_them() {
    let planted = planted();
    assert_eq!(planted.len(), 10);
    planted.iter().for_each(|bug| bug.assert_tells(&bug.by_hand));
}

#[test]
fn each_is_found_from_ten_seeds_and_made_as_small_as_by_hand() {
    let planted = planted();
    let (first, second) = planted.split_at(planted.len() / 2);
    let find = |bugs: &[Planted]| {
        for bug in bugs {
            for seed in 0..SEEDS {
                let found = bug.find(seed);
                bug.assert_tells(&found);
                let (is, by_hand) = (events(&found), events(&bug.by_hand));
                assert!(is <= by_hand, "{}, seed {seed}: {is} events, {by_hand} by hand: {found}", bug.name());
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| find(first));
        find(second);
    });
}
