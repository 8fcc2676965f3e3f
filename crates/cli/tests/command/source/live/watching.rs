//! The command while it runs.

use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::session::ROOT;

pub(crate) struct Watching {
    child: Child,
    lines: Option<Lines<BufReader<ChildStdout>>>,
}

impl Watching {
    /// Starts `retrylab source` with these arguments and this credential.
    pub(crate) fn start(arguments: &[&str], credential: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retrylab"));
        command.arg("source").args(arguments).current_dir(ROOT);
        command.env_remove("RETRYLAB_CREDENTIAL").envs(credential.map(|text| ("RETRYLAB_CREDENTIAL", text)));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("works");
        let lines = child.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        Self { child, lines }
    }

    /// Everything up to the first line that is such, which is the last of them.
    pub(crate) fn until(&mut self, such: impl Fn(&str) -> bool) -> Vec<String> {
        let mut seen = Vec::new();
        for line in self.lines.as_mut().expect("works") {
            seen.push(line.expect("works"));
            if seen.last().is_some_and(|line| such(line)) {
                return seen;
            }
        }
        panic!("the command ended without such a line: {seen:#?}");
    }

    /// As Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("works");
        assert!(sent.success());
    }

    /// Reads its output no more.
    pub(crate) fn close(&mut self) {
        self.lines = None;
    }

    /// Blocks until it has ended, which is with status 0. Returns the lines that were not read yet, and its errors.
    pub(crate) fn finish(mut self) -> (Vec<String>, String) {
        let rest = self.lines.take().into_iter().flatten().map(|line| line.expect("works")).collect();
        let mut errors = String::new();
        self.child.stderr.take().expect("works").read_to_string(&mut errors).expect("works");
        assert_eq!(self.child.wait().expect("works").code(), Some(0), "{errors}");
        (rest, errors)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
