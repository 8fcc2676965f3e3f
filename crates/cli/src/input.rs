//! Input files: `-` is standard input, gzip is read as what it holds.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use flate2::bufread::MultiGzDecoder;

use crate::progress::Progress;

/// The first two bytes of every gzip member (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// An input that a command line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `-`.
    Stdin,
    /// Anything else.
    File(PathBuf),
}

impl From<OsString> for Input {
    fn from(argument: OsString) -> Self {
        if argument == "-" { Self::Stdin } else { Self::File(argument.into()) }
    }
}

/// As messages name it.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => write!(f, "`{}`", path.display()),
        }
    }
}

impl Input {
    /// As a command line names it.
    pub(crate) fn argument(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The bytes that progress is measured by.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::File(path) => path.metadata().ok().map(|metadata| metadata.len()),
        }
    }

    /// Opens the input, unpacked if it begins like gzip, whatever its name.
    pub(crate) fn open<'a>(&self, stdin: &'a mut dyn Read, progress: &Progress) -> io::Result<Box<dyn BufRead + 'a>> {
        let mut reader: Box<dyn Read + 'a> = match self {
            Self::Stdin => Box::new(progress.reading(stdin)),
            Self::File(path) => Box::new(progress.reading(File::open(path)?)),
        };
        // A pipe may hand over a single byte at first, so looking at one buffer of it would not do.
        let mut head = Vec::with_capacity(GZIP.len());
        reader.by_ref().take(GZIP.len() as u64).read_to_end(&mut head)?;
        let packed = head == GZIP;
        let whole = BufReader::new(io::Cursor::new(head).chain(reader));
        Ok(if packed { Box::new(BufReader::new(MultiGzDecoder::new(whole))) } else { Box::new(whole) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    /// Hands over one byte at a time, as a pipe may.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    fn read(bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        let progress = Progress::new(false, None);
        Input::Stdin.open(&mut Drip(bytes), &progress)?.read_to_string(&mut text)?;
        Ok(text)
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn plain_text_is_read_as_it_is() {
        for text in ["", "{", "one\ntwo\n"] {
            assert_eq!(read(text.as_bytes()).unwrap(), text);
        }
    }

    #[test]
    fn gzip_is_unpacked_even_if_it_comes_byte_by_byte_and_in_several_members() {
        let both = [packed("one\n"), packed("two\n")].concat();
        assert_eq!(read(&both).unwrap(), "one\ntwo\n");
    }

    #[test]
    fn gzip_that_breaks_off_is_an_error() {
        let whole = packed("one\ntwo\n");
        let error = read(&whole[..whole.len() - 4]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Input::from(OsString::from("-")), Input::Stdin);
        assert_eq!(Input::from(OsString::from("./-")), Input::File(PathBuf::from("./-")));
    }
}
