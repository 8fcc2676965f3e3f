//! The command line of a subject.

use std::fmt;
use std::process::{Command, Stdio};
use std::str::FromStr;

/// A program and its arguments, split like in a shell; it runs without a shell.
///
/// ```
/// use retrylab_exec::Program;
///
/// let program: Program = "python3 'my policy.py' --fast".parse()?;
/// assert_eq!(program.words(), ["python3", "my policy.py", "--fast"]);
/// # Ok::<(), retrylab_exec::NoProgram>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    given: String,
    /// Never empty.
    words: Vec<String>,
}

impl Program {
    /// The program's name and its arguments.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The command, ready to start: both streams are pipes, errors go to the standard error of this process.
    pub(crate) fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        // Ctrl-C is for this process, which reports its results and then ends the child.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }
}

/// The text as given.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.given)
    }
}

impl FromStr for Program {
    type Err = NoProgram;

    fn from_str(text: &str) -> Result<Self, NoProgram> {
        let words = shlex::split(text).ok_or(NoProgram::Quotes)?;
        // An empty name could not be found, and its meaning is unknown.
        if words.first().is_none_or(String::is_empty) {
            return Err(NoProgram::Empty);
        }
        Ok(Self { given: text.to_owned(), words })
    }
}

/// An invalid command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoProgram {
    /// It contains no program.
    #[error("it contains no program; write it as in a shell, such as 'python3 my_policy.py'")]
    Empty,
    /// A quotation mark is never closed, or the last character is a backslash.
    #[error("a quotation is not closed; write it as in a shell, such as 'python3 my_policy.py'")]
    Quotes,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_command_line_is_refused() {
        for text in ["", "  ", "''", "# nothing"] {
            assert_eq!(text.parse::<Program>(), Err(NoProgram::Empty), "{text:?}");
        }
        for text in ["python3 'policy.py", "python3 \"", "python3 \\"] {
            assert_eq!(text.parse::<Program>(), Err(NoProgram::Quotes), "{text:?}");
        }
    }
}
