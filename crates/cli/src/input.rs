//! Input files: `-` is standard input, gzip is unpacked.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use flate2::bufread::MultiGzDecoder;

use crate::progress::Progress;
use crate::shown;

/// The first two bytes of every gzip member (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The largest timeline file that is read: an endless one must not take all memory, and a parsed file takes more than a
/// hundred times its bytes.
const LARGEST_TIMELINE: u64 = 4 << 20;

/// An input on a command line.
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

/// The name in messages.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) if path.as_os_str().is_empty() => f.write_str(&self.name()),
            Self::File(path) => write!(f, "`{}`", shown::line(&path.to_string_lossy())),
        }
    }
}

impl Input {
    /// The name as given, for programs.
    pub(crate) fn argument(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) => path.to_string_lossy().into_owned(),
        }
    }

    /// The name for people.
    pub(crate) fn name(&self) -> String {
        match self.argument() {
            empty if empty.is_empty() => "`` (an empty name)".to_owned(),
            other => shown::line(&other).into_owned(),
        }
    }

    /// The name for a command line: every byte, and never mistaken for an option.
    pub(crate) fn word(&self) -> Cow<'_, OsStr> {
        match self {
            Self::Stdin => Cow::Borrowed(OsStr::new("-")),
            Self::File(path) if path.as_os_str().as_encoded_bytes().starts_with(b"-") => {
                Cow::Owned(PathBuf::from(".").join(path).into_os_string())
            }
            Self::File(path) => Cow::Borrowed(path.as_os_str()),
        }
    }

    /// All bytes of a timeline file.
    pub(crate) fn read(&self, stdin: &mut dyn Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(stdin, &Progress::new(false, None))?.take(LARGEST_TIMELINE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST_TIMELINE {
            let most = LARGEST_TIMELINE >> 20;
            return Err(io::Error::other(format!("it is larger than {most} MiB, the limit of a timeline file")));
        }
        Ok(bytes)
    }

    /// The number of bytes, for progress.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::File(path) => path.metadata().ok().map(|metadata| metadata.len()),
        }
    }

    /// Opens the input, and unpacks it if it begins like gzip, whatever its name.
    pub(crate) fn open<'a>(&self, stdin: &'a mut dyn Read, progress: &Progress) -> io::Result<Box<dyn BufRead + 'a>> {
        let mut reader: Box<dyn Read + 'a> = match self {
            Self::Stdin => Box::new(progress.reading(stdin)),
            Self::File(path) => Box::new(progress.reading(File::open(path)?)),
        };
        // A pipe may return a single byte at first, so checking one buffer is not enough.
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

    /// Returns one byte at a time, like a pipe.
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
    fn truncated_gzip_is_an_error() {
        let whole = packed("one\ntwo\n");
        let error = read(&whole[..whole.len() - 4]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn an_endless_file_is_an_error_at_the_limit() {
        let error = Input::Stdin.read(&mut io::repeat(b' ')).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 4 MiB, the limit of a timeline file");
        let bomb = packed(&" ".repeat((4 << 20) + 1));
        assert!(Input::Stdin.read(&mut &bomb[..]).is_err());
        let most = packed(&" ".repeat(4 << 20));
        assert_eq!(Input::Stdin.read(&mut &most[..]).unwrap().len(), 4 << 20);
    }

    #[test]
    fn a_file_is_never_taken_for_an_option() {
        let word = |name: &str| Input::from(OsString::from(name)).word().into_owned();
        assert_eq!(word("-x.toml"), "./-x.toml");
        assert_eq!(word("x.toml"), "x.toml");
        assert_eq!(word("-"), "-");
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Input::from(OsString::from("-")), Input::Stdin);
        assert_eq!(Input::from(OsString::from("./-")), Input::File(PathBuf::from("./-")));
    }
}
