//! The end of a subject, which leaves no process behind.

use std::fs;
use std::process::Command;
use std::thread;

use retrylab_exec::{Program, Subject};

use crate::subject::{LONG, at_a_failure, streaming, subject};

/// The behaviour of a child of a subject at the last request, when the subject itself ends.
const STAYS: &str = r#"
import json, sys, time
fifo = open(sys.argv[1], "w")
for line in sys.stdin:
    if json.loads(line)["op"] == "bye":
        sys.stdin.close()
        time.sleep(60)
        fifo.write("outlived it")
    print('{"ok":true,"delay_s":0}', flush=True)
"#;

/// The output of the subject's children that outlived it; waits until they are gone.
fn outlived(commands: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (script, fifo) = (path("stays.py"), path("fifo"));
    fs::write(&script, STAYS).expect("it can be written");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo can be started").success());
    // It ends when the last process that writes to it is gone.
    let output = thread::spawn({
        let fifo = fifo.clone();
        move || fs::read_to_string(fifo).expect("it can be read")
    });
    let words = ["sh", "-c", commands, &script, &fifo];
    let program: Program = shlex::try_join(words).expect("no NUL").parse().expect("a command line");
    let subject = Subject::start(program, LONG).expect("sh can be started");
    streaming(&subject).expect("it is built");
    drop(subject);
    output.join().expect("it is read to its end")
}

#[test]
#[cfg(unix)]
fn the_children_of_a_subject_are_killed_with_it() {
    assert_eq!(outlived(r#"python3 "$0" "$1"; true"#), "");
}

#[test]
#[cfg(unix)]
fn the_children_of_a_subject_are_killed_if_the_subject_ends_first() {
    // The shell passes its input to its child and ends.
    assert_eq!(outlived(r#"exec 3<&0; python3 "$0" "$1" <&3 3<&- & exit 0"#), "");
}

/// Whether this process exists, running or not reaped.
#[cfg(target_os = "linux")]
fn is_there(process: u32) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}

/// A subject that writes its number to a file, and then does this at each request.
#[cfg(target_os = "linux")]
fn numbered(then: &str) -> (Subject, u32) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pid");
    let body = format!(
        "open({:?}, 'w').write(str(os.getpid()))\n{}",
        file.display().to_string(),
        at_a_failure("print('{\"delay_s\":1}')").replace("ask['op'] != 'bye':", then)
    );
    let subject = subject(&body, LONG);
    streaming(&subject).expect("it is built");
    let process = std::fs::read_to_string(file).expect("it has written its number").parse().expect("a number");
    (subject, process)
}

#[test]
#[cfg(target_os = "linux")]
fn a_subject_ends_when_its_last_handle_is_dropped() {
    let (subject, process) = numbered("ask['op'] != 'bye':");
    assert!(is_there(process));
    drop(subject);
    assert!(!is_there(process));
}

#[test]
#[cfg(target_os = "linux")]
fn a_subject_that_does_not_end_is_killed_and_reaped() {
    let (subject, process) = numbered("ask['op'] == 'bye':\n        time.sleep(3600)\n    else:");
    assert!(is_there(process));
    drop(subject);
    assert!(!is_there(process));
}
