//! The folder in which counterexamples are kept.

use std::fs;
use std::path::{Path, PathBuf};

use retrylab_laws::Law;
use retrylab_search::{Regression, Store, StoreError};
use retrylab_spec::{Draft, File, Timeline, parse};
use tempfile::TempDir;

/// So many failures of a stream, as a file that expects the law.
fn regression(law: &'static str, failures: u32) -> Regression {
    let text = format!(
        "why = \"A test.\"\nfound_by = \"somebody\"\nseed = 7\nclient.kind = \"streaming\"\nexpect.laws = [{law:?}]\n\
         [[timeline]]\nrepeat = {failures}\nplay = [{{ status = 503 }}]"
    );
    let Ok(File::Played(timeline)) = parse("test.toml", &text).map(|parsed| parsed.file) else {
        panic!("a timeline: {text}")
    };
    Regression { law: Law::find(law).expect("a law"), timeline }
}

const BOUNDS: &str = "wait-within-bounds";

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The names in the folder, in their order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn written(path: &Path) -> String {
    fs::read_to_string(path).expect("it is there")
}

#[test]
fn a_file_is_written_whole_into_a_folder_that_is_created_for_it() {
    let parent = folder();
    let folder = parent.path().join("a/b");
    let file = regression(BOUNDS, 3);
    let kept = Store::at(&folder).keep(&file).expect("it can be written");
    assert_eq!((kept.path, kept.beside), (folder.join(file.name()), None));
    assert_eq!(names(&folder), [file.name()], "no temporary file is left");
    assert_eq!(written(&folder.join(file.name())), file.to_string());
    let [stored] = &Store::at(&folder).read().expect("it can be read")[..] else { panic!("one file") };
    assert_eq!((&stored.path, &stored.timeline), (&folder.join(file.name()), &file.timeline));
}

/// Others are to read what is committed, which a temporary file is not for.
#[cfg(unix)]
#[test]
fn a_file_has_the_permissions_of_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let kept = Store::at(folder.path()).keep(&regression(BOUNDS, 3)).expect("it can be written");
    let other = folder.path().join("other");
    fs::write(&other, "").expect("it can be written");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
    assert_eq!(mode(&kept.path), mode(&other));
}

#[test]
fn an_equal_test_stays_as_it_is_with_its_comments() {
    let folder = folder();
    let file = regression(BOUNDS, 3);
    let mine = format!("# mine\n{}", file.to_string().replace("somebody", "me"));
    fs::write(folder.path().join(file.name()), &mine).expect("it can be written");
    let kept = Store::at(folder.path()).keep(&file).expect("nothing is to be written");
    assert_eq!((kept.path, kept.beside), (folder.path().join(file.name()), None));
    assert_eq!(names(folder.path()), [file.name()]);
    assert_eq!(written(&folder.path().join(file.name())), mine);
}

#[test]
fn a_file_that_differs_is_never_overwritten() {
    let folder = folder();
    let file = regression(BOUNDS, 3);
    let path = folder.path().join(file.name());
    fs::write(&path, "# mine\n").expect("it can be written");
    let second = folder.path().join(file.name().replace(".toml", "-2.toml"));
    // The second time the same test is there, beside the other file.
    for _ in 0..2 {
        let kept = Store::at(folder.path()).keep(&file).expect("it can be written");
        assert_eq!((&kept.path, &kept.beside), (&second, &Some(path.clone())));
        assert_eq!((written(&path).as_str(), written(&second)), ("# mine\n", file.to_string()));
        assert_eq!(names(folder.path()).len(), 2);
    }
}

#[test]
fn a_shorter_timeline_replaces_the_longer_one_of_its_law_that_the_same_search_wrote() {
    let folder = folder();
    let [long, short, other] = [regression(BOUNDS, 9), regression(BOUNDS, 3), regression("clients-differ", 2)];
    let mut before = Store::at(folder.path());
    before.keep(&regression(BOUNDS, 20)).expect("it can be written");
    let mut store = Store::at(folder.path());
    for file in [&long, &other, &short] {
        store.keep(file).expect("it can be written");
    }
    let mut expected = [regression(BOUNDS, 20).name(), short.name(), other.name()];
    expected.sort();
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let folder = folder();
    let below = folder.path().join("file");
    fs::write(&below, "").expect("it can be written");
    let file = regression(BOUNDS, 3);
    let failed = Store::at(&below).keep(&file).expect_err("a file is no folder");
    assert_eq!(failed.path, below.join(file.name()));
    assert!(failed.to_string().starts_with(&format!("cannot write {}: ", failed.path.display())), "{failed}");
}

#[test]
fn files_are_read_in_the_order_of_their_names_and_nothing_else_is() {
    let folder = folder();
    let file = regression(BOUNDS, 3).to_string();
    for name in ["b.toml", "a.toml", "c.txt", ".gitkeep"] {
        fs::write(folder.path().join(name), &file).expect("it can be written");
    }
    let read = Store::at(folder.path()).read().expect("two files");
    let paths: Vec<PathBuf> = read.into_iter().map(|stored| stored.path).collect();
    assert_eq!(paths, ["a.toml", "b.toml"].map(|name| folder.path().join(name)));
    assert_eq!(Store::at(self::folder().path()).read().map(|none| none.len()).ok(), Some(0));
}

#[test]
fn a_folder_or_a_file_that_replays_nothing_is_named() {
    let folder = folder();
    let missing = folder.path().join("none");
    let error = Store::at(&missing).read().expect_err("it is not there");
    assert!(matches!(&error, StoreError::NoFolder { folder } if *folder == missing), "{error}");
    assert_eq!(error.to_string(), format!("there is no folder {}", missing.display()));
    let file = folder.path().join("README.md");
    fs::write(&file, "Not a folder.").expect("it can be written");
    let error = Store::at(&file).read().expect_err("it is a file");
    assert_eq!(error.to_string(), format!("{} is a file, not a folder", file.display()));

    let path = folder.path().join("found.toml");
    let refused = |text: &str| {
        fs::write(&path, text).expect("it can be written");
        Store::at(folder.path()).read().expect_err("it is no test").to_string()
    };
    let text = refused("why = \"It waits.\"\nwaits_for = \"fleet\"");
    assert_eq!(text, format!("{} has no [client], since it is not played", path.display()));
    assert!(refused("why = 7").contains(&path.display().to_string()));
}

#[test]
fn another_sentence_is_the_same_test_under_the_same_name() {
    let folder = folder();
    let file = regression(BOUNDS, 3);
    let path = folder.path().join(file.name());
    let draft = Draft { why: "Another reason.".to_owned(), ..file.timeline.clone().into_draft() };
    let other = Regression { timeline: Timeline::new(draft).expect("a timeline"), ..file.clone() };
    assert_eq!(other.name(), file.name());
    fs::write(&path, other.to_string()).expect("it can be written");
    let kept = Store::at(folder.path()).keep(&file).expect("it can be written");
    assert_eq!((kept.path, kept.beside), (path.clone(), None));
    assert_eq!(fs::read_to_string(path).expect("it is there"), other.to_string(), "it stays as somebody has worded it");
}

/// What is compared is the test alone.
#[test]
fn another_timeline_or_expectation_is_another_test() {
    let folder = folder();
    let file = regression(BOUNDS, 3);
    let path = folder.path().join(file.name());
    let draft = file.timeline.clone().into_draft();
    for other in [Draft { seed: Some(8), ..draft.clone() }, Draft { expect: None, ..draft }] {
        let other = Timeline::new(other).expect("a timeline");
        fs::write(&path, other.to_string()).expect("it can be written");
        let kept = Store::at(folder.path()).keep(&file).expect("it can be written");
        assert_eq!(kept.beside.as_ref(), Some(&path));
        fs::remove_file(kept.path).expect("it was written");
    }
}
