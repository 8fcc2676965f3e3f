//! Any bytes as a timeline file: every problem is located inside of the text, and what is read prints and reads back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrylab_spec::{Cursor, File, MOST_PROBLEMS, ParseError, Parsed, Position, Timeline, lint, parse_bytes, print};

/// Scripts may be endless.
const MOST_ENTRIES: usize = 1000;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match parse_bytes("any.toml", bytes) {
        Ok(parsed) => {
            assert!(str::from_utf8(bytes).is_ok(), "a file is UTF-8");
            holds(&parsed, &text);
        }
        Err(error) => is_located(&error, &text),
    }
});

fn holds(Parsed { file, locations }: &Parsed, text: &str) {
    let (File::Played(timeline) | File::External(timeline)) = file else { return };
    let lines = Lines::of(text);
    for scripted in Cursor::new(&timeline.script).take(MOST_ENTRIES) {
        match locations.entry(scripted.index) {
            Some(position) => lines.assert_inside(position),
            None => panic!("entry {} is nowhere", scripted.index),
        }
    }
    let _ = lint::lint(timeline);
    let _ = locations.show("why", "shown", "here");
    assert_eq!(&read(&print(timeline)), timeline, "{}", print(timeline));
}

fn read(printed: &str) -> Timeline {
    match parse_bytes("printed.toml", printed.as_bytes()) {
        Ok(Parsed { file: File::Played(timeline) | File::External(timeline), .. }) => timeline,
        Ok(_) => panic!("what was printed is no timeline: {printed}"),
        Err(error) => panic!("what was printed cannot be read: {error}"),
    }
}

fn is_located(error: &ParseError, text: &str) {
    let problems = error.problems();
    assert!((1..=MOST_PROBLEMS).contains(&problems.len()), "{} problems", problems.len());
    assert!(problems.is_sorted_by_key(|located| located.position), "{problems:?}");
    let lines = Lines::of(text);
    for located in problems {
        assert!(!located.problem.message().is_empty(), "a problem says what is wrong");
        lines.assert_inside(located.position);
    }
    assert!(error.to_string().starts_with("error: "), "{error}");
}

/// How many characters each line has, without its end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.split('\n').map(|line| line.chars().count()).collect())
    }

    /// The place behind the last character of a line is one, too: there something is missing. So is that behind its end.
    fn assert_inside(&self, position: Position) {
        let line = position.line.checked_sub(1).and_then(|line| self.0.get(line));
        assert!(
            line.is_some_and(|characters| (1..=characters + 1).contains(&position.column)),
            "{position:?} is outside of the text"
        );
    }
}
