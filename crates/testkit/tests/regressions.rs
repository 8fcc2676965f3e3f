//! The folder of counterexamples that a check replays first, and saves to.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use retrylab_core::{Call, CallRules, Decision, Failure, Instant, Policy};
use retrylab_laws::Subject;
use retrylab_testkit::laws::{Claim, Law};
use retrylab_testkit::scenario::CallSpec;
use retrylab_testkit::{Check, CheckFailed, check, played};
use tempfile::TempDir;

/// Calls that wait 10 s after each failure, whatever fails, without an end.
struct Fixed;

impl Policy for Fixed {
    fn record_failure(&mut self, _: Failure, _: Instant, _: u64) -> Decision {
        Decision::RetryAfter(self.next_delay())
    }

    fn record_success(&mut self, _: Instant) {}

    fn next_delay(&self) -> Duration {
        Duration::from_secs(10)
    }
}

/// The same policy, mended: four attempts.
fn mended() -> Call {
    Call::new(CallRules::builder().build().expect("the default rules"))
}

const LAW: &str = "gives-up-exactly-when-due";

/// A check of what ends a call.
fn of<P: Policy>(policy: impl Fn() -> P) -> Check<impl Subject> {
    let law = Law::find(LAW).expect("a law");
    check(policy).named("mine").claims(Claim::call(&CallSpec::default())).laws([law]).cases(300)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    files
}

fn failed(check: Check<impl Subject>) -> CheckFailed {
    *check.outcome().expect_err("it does not hold")
}

#[track_caller]
fn holds(check: Check<impl Subject>) {
    let outcome = check.outcome();
    assert!(outcome.is_ok(), "{}", outcome.map(drop).expect_err("it does not hold"));
}

/// A folder with what a check of the wrong policy saved there.
fn saved() -> (TempDir, PathBuf) {
    let folder = folder();
    let failed = failed(of(|| Fixed).regressions(folder.path()));
    assert!(failed.searched().is_some(), "it is found by the search");
    let [file] = &files(folder.path())[..] else { panic!("one law is broken") };
    (folder, file.clone())
}

#[test]
fn a_counterexample_is_saved_and_replayed_first_by_the_next_check() {
    let (folder, file) = saved();
    let text = fs::read_to_string(&file).expect("it was saved");
    let failed = failed(of(|| Fixed).regressions(folder.path()));
    assert!(failed.searched().is_none(), "the search is not begun: {failed}");
    let said = failed.to_string();
    assert!(said.starts_with("mine: of 1 saved file, 1 does not hold, so nothing was searched\n\n"), "{said}");
    assert!(said.contains(&format!("{} does not hold, seed ", file.display())), "{said}");
    assert!(said.contains("error: expect.laws[0]: expected ") && said.contains(LAW), "{said}");
    assert_eq!(files(folder.path()), std::slice::from_ref(&file));
    assert_eq!(fs::read_to_string(&file).ok(), Some(text));
    // The mended policy holds there, and in the search.
    holds(of(mended).regressions(folder.path()));
}

#[test]
fn a_saved_file_is_a_test_by_itself() {
    let (_folder, file) = saved();
    let said = played(&file, || Fixed).expect_err("it never gives up").to_string();
    assert!(said.contains(&format!("{} does not hold, seed ", file.display())), "{said}");
    assert!(said.contains("error: expect.laws[0]: expected ") && said.contains(LAW), "{said}");
    let metrics = played(&file, mended);
    assert!(metrics.is_ok(), "{}", metrics.map(drop).expect_err("it is mended"));
}

/// It is the same test with a comment, and not another one with its name.
#[test]
fn a_file_that_differs_is_kept_and_the_new_one_stands_beside_it() {
    let (folder, file) = saved();
    let text = fs::read_to_string(&file).expect("it was saved");
    // What it does there is expected, and no law: the script is over after one failure.
    let mine = text.replace(&format!("laws = [\"{LAW}\"]"), "attempts = 1");
    assert_ne!(mine, text);
    fs::write(&file, &mine).expect("it can be written");
    let failed = failed(of(|| Fixed).regressions(folder.path()));
    let beside = PathBuf::from(file.to_string_lossy().replace(".toml", "-2.toml"));
    let said = failed.to_string();
    let kept = format!(
        "saved in {}, and replayed first from now on\n{} has other content and stays",
        beside.display(),
        file.display()
    );
    assert!(said.contains(&kept), "{said}");
    assert_eq!((fs::read_to_string(&file).ok(), fs::read_to_string(&beside).ok()), (Some(mine), Some(text)));
}

#[test]
fn an_expectation_beside_the_laws_is_held_too() {
    let (folder, file) = saved();
    let text = fs::read_to_string(&file).expect("it was saved");
    // The shortest counterexample is one terminal failure, with which the mended call ends.
    assert!(text.contains("play = [{ status = 401 }]"), "{text}");
    fs::write(&file, format!("{text}attempts = 1\n")).expect("it can be written");
    holds(of(mended).regressions(folder.path()));
    fs::write(&file, format!("{text}attempts = 2\n")).expect("it can be written");
    let said = failed(of(mended).regressions(folder.path())).to_string();
    assert!(said.contains("error: expect.attempts: expected 2, got 1 "), "{said}");
}

#[test]
fn a_law_of_a_file_is_held_though_the_check_is_about_others() {
    let (folder, _) = saved();
    let other = Law::find("same-inputs-same-outputs").expect("a law");
    let said = failed(of(|| Fixed).laws([other]).regressions(folder.path())).to_string();
    assert!(said.contains("expect.laws[0]"), "{said}");
}

#[test]
fn a_folder_that_does_not_exist_is_named_unless_it_may_be_missing() {
    let parent = folder();
    let missing = parent.path().join("none");
    let failed = failed(of(mended).regressions(&missing));
    let shown = missing.display();
    let expected = format!(
        "mine: there is no folder {shown}: create it (`mkdir -p {shown}`) and commit a file in it, such as `.gitkeep`; or say \
         `.regressions_if_any({missing:?})`, which takes a missing folder for an empty one"
    );
    assert_eq!(failed.to_string(), expected);
    holds(of(mended).regressions_if_any(&missing));
    assert!(!missing.exists(), "nothing was found, so nothing is created");
    fs::create_dir(&missing).expect("it can be created");
    fs::write(missing.join(".gitkeep"), "").expect("it can be written");
    holds(of(mended).regressions(&missing));
}

#[test]
fn the_first_counterexample_creates_a_folder_that_may_be_missing() {
    let parent = folder();
    let missing = parent.path().join("found/mine");
    assert!(failed(of(|| Fixed).regressions_if_any(&missing)).searched().is_some());
    assert_eq!(files(&missing).len(), 1);
    assert!(failed(of(|| Fixed).regressions_if_any(&missing)).searched().is_none(), "it is replayed first");
}

#[test]
fn a_file_of_another_policy_is_named_unless_others_may_lie_there() {
    let (folder, file) = saved();
    let check = || of(mended).named("yours").regressions(folder.path());
    let expected = format!(
        "yours: {} is of the policy `mine`, and this check is of `yours`: give each policy a folder of its own, call this one \
         `.named(\"mine\")`, or say `.among_others()`",
        file.display()
    );
    assert_eq!(failed(check()).to_string(), expected);
    holds(check().among_others());
    // What is of this policy is still replayed.
    assert!(failed(of(|| Fixed).regressions(folder.path()).among_others()).searched().is_none());
}

/// What is of a built-in policy, the command replays.
#[test]
fn a_file_of_a_built_in_policy_is_one_of_another() {
    let folder = folder();
    let text = "why = \"A stream.\"\nclient.kind = \"streaming\"\nexpect.attempts = 1\n[[timeline]]\nplay = [{ status = 503 }]";
    fs::write(folder.path().join("stream.toml"), text).expect("it can be written");
    let said = failed(of(mended).regressions(folder.path())).to_string();
    assert!(said.contains("stream.toml is of the policy `streaming`, and this check is of `mine`"), "{said}");
}

#[test]
fn a_file_that_replays_nothing_is_named() {
    let folder = folder();
    let file = folder.path().join("found.toml");
    let said = |text: &str| {
        fs::write(&file, text).expect("it can be written");
        let failed = failed(of(mended).regressions(folder.path()));
        assert!(failed.searched().is_none());
        failed.to_string()
    };
    let head = "why = \"A test.\"\nclient = { kind = \"external\", name = \"mine\", as = \"call\" }\n";
    let script = "[[timeline]]\nplay = [{ status = 503 }]\n";
    let name = file.display();
    assert_eq!(
        said("why = \"It waits.\"\nwaits_for = \"fleet\""),
        format!("mine: {name} has no [client], since it is not played")
    );
    assert!(said(&format!("{head}{script}")).starts_with(&format!("mine: {name}: it has no expectations; ")));
    let silent = said(&format!("{head}{script}[expect]\nlaws = [\"extended-lasts-until-due\"]"));
    let expected =
        format!("mine: {name}: expect.laws: `extended-lasts-until-due` is not applicable to such a client; ");
    assert!(silent.starts_with(&expected), "{silent}");
    let stream = said(&format!("{}{script}[expect]\nattempts = 1", head.replace("\"call\"", "\"streaming\"")));
    let expected = format!("mine: {name} has `mine` as a streaming client, but this check claims call; ");
    assert!(stream.starts_with(&expected), "{stream}");
    assert!(said("why = 7").contains(&name.to_string()));
    // And one that replays something is none of these.
    fs::write(&file, format!("{head}{script}[expect]\nattempts = 1")).expect("it can be written");
    holds(of(mended).regressions(folder.path()));
}

/// A policy that nobody names is told apart from that of another test by the name of its test.
#[test]
fn a_policy_without_a_name_has_that_of_its_test() {
    let folder = folder();
    let law = Law::find(LAW).expect("a law");
    let claimed = || check(|| Fixed).claims(Claim::call(&CallSpec::default())).laws([law]);
    assert!(claimed().regressions(folder.path()).outcome().is_err());
    let [file] = &files(folder.path())[..] else { panic!("one law is broken") };
    let text = fs::read_to_string(file).expect("it was saved");
    let name = "name = \"regressions::a_policy_without_a_name_has_that_of_its_test\"";
    assert!(text.contains(name), "{text}");
    // Of the thread of no test the file says where.
    let elsewhere = std::thread::scope(|scope| {
        let other = scope.spawn(|| claimed_elsewhere(folder.path()));
        other.join().expect("no panic")
    });
    assert!(elsewhere.contains("and this check is of `regressions`: "), "{elsewhere}");
}

fn claimed_elsewhere(folder: &Path) -> String {
    failed(check(|| Fixed).claims(Claim::call(&CallSpec::default())).regressions(folder)).to_string()
}

#[test]
fn saved_files_are_played_alone_with_zero_cases() {
    let (folder, _) = saved();
    let searched = of(mended).regressions(folder.path()).cases(0).outcome();
    assert_eq!(searched.map(|searched| searched.cases).map_err(|failed| failed.to_string()), Ok(1));
    let none = self::folder();
    let said = failed(of(mended).regressions(none.path()).cases(0)).to_string();
    assert!(said.contains("no timeline was played"), "{said}");
}
