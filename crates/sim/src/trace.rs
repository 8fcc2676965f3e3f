//! A trace for people: aligned columns for review, with repeats folded.

use core::fmt;
use core::time::Duration;

use retrylab_spec::duration;

use crate::fold::{Cycle, Folded, Folder, Line};
use crate::record::Record;

/// The text of a trace: one row a record or folded cycle.
///
/// Columns: true time, event, kind, regime, attempt (ordinal in the run from 1), rung (the state's failure count), base,
/// jitter (the part that the draw subtracted, even where the cadence hides it) and wait. Eight or more repeats of a cycle equal in
/// event, kind, regime and base are one row, marked `× N`, with first and last attempt and rung, and the lowest and
/// highest jitter and wait where they differ. Statuses and log lines of a full trace are rows of time and text only.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    rows: Vec<Row>,
    /// Of the columns of rows that are printed already.
    printed: Option<[usize; COLUMNS]>,
}

/// The cells of a row, in the order of [`HEADINGS`], and the mark of a fold.
#[derive(Clone, Debug)]
struct Row {
    cells: [String; COLUMNS],
    times: Option<u64>,
    /// Only time and event, and the event takes whatever room it needs.
    aside: bool,
}

const COLUMNS: usize = 9;
const HEADINGS: [&str; COLUMNS] = ["time", "event", "kind", "regime", "attempt", "rung", "base", "jitter", "wait"];
/// Which columns are words, set to the left; the others are figures, set to the right.
const WORDS: [bool; COLUMNS] = [false, true, true, true, false, false, false, false, false];

impl Trace {
    /// The text of a whole run, folded.
    #[must_use]
    pub fn fold(records: impl IntoIterator<Item = Record>) -> Self {
        let mut trace = Self::default();
        let mut folder = Folder::new();
        let mut add = |line: Line| trace.push(&line);
        for record in records {
            folder.push(record, &mut add);
        }
        folder.finish(&mut add);
        trace
    }

    /// The text of some records, each on its own row.
    #[must_use]
    pub fn unfolded(records: impl IntoIterator<Item = Record>) -> Self {
        let rows = records.into_iter().map(|record| Row::of_record(&record)).collect();
        Self { rows, printed: None }
    }

    /// Adds a row.
    pub fn push(&mut self, line: &Line) {
        self.rows.push(match line {
            Line::Record(record) => Row::of_record(record),
            Line::Folded(folded) => Row::of_folded(folded),
        });
    }

    /// The number of rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows.len()
    }

    /// To be called after the rows so far are printed: forgets them, so that a long trace needs little memory.
    /// Later rows have no heading and stand below the earlier ones; their columns may only be wider.
    pub fn go_on(&mut self) {
        self.printed = Some(self.widths());
        self.rows.clear();
    }

    fn widths(&self) -> [usize; COLUMNS] {
        let mut widths = self.printed.unwrap_or_else(|| HEADINGS.map(|heading| heading.chars().count()));
        for row in &self.rows {
            let counted = if row.aside { 1 } else { COLUMNS };
            for (width, cell) in widths.iter_mut().zip(&row.cells).take(counted) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let heading = Row { cells: HEADINGS.map(str::to_string), times: None, aside: false };
        let heading = Some(&heading).filter(|_| self.printed.is_none());
        for row in heading.into_iter().chain(&self.rows) {
            let mut line = String::new();
            let shown = if row.aside { 2 } else { COLUMNS };
            for ((cell, width), words) in row.cells.iter().zip(widths).zip(WORDS).take(shown) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                line.push_str(&if words { format!("{cell:<width$}") } else { format!("{cell:>width$}") });
            }
            if let Some(times) = row.times {
                line.push_str(&format!("  × {times}"));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Row {
    fn of_record(record: &Record) -> Self {
        let span = |ns: Option<u64>| ns.map(text);
        Self::new(
            record,
            record.event.to_string(),
            [
                Some(record.attempt.to_string()).filter(|_| record.attempt > 0),
                record.shown_place().1.map(|rung| rung.to_string()),
                span(record.base_ns()),
                span(record.jitter_ns()),
                span(record.wait_ns()),
            ],
        )
    }

    fn of_folded(folded: &Folded) -> Self {
        let [Some(first), Some(last)] = [folded.cycle.first(), folded.cycle.last()] else {
            return Self { cells: Default::default(), times: Some(folded.times), aside: false };
        };
        let each = |cell: &dyn Fn(&Cycle) -> Option<String>| {
            let mut cells: Vec<String> = Vec::new();
            for cell in folded.cycle.iter().filter_map(cell) {
                if cells.last() != Some(&cell) {
                    cells.push(cell);
                }
            }
            Some(cells.join(", ")).filter(|joined| !joined.is_empty())
        };
        let mut row = Self::new(
            &first.first,
            each(&|cycle| Some(cycle.first.event.outline().to_string())).unwrap_or_default(),
            [
                Some(range(first.first.attempt, last.last.attempt, |attempt| attempt.to_string())),
                each(&|cycle| {
                    let (from, to) = (cycle.first.shown_place().1?, cycle.last.shown_place().1?);
                    Some(range(from, to, |rung| rung.to_string()))
                }),
                each(&|cycle| cycle.first.base_ns().map(text)),
                each(&|cycle| cycle.jitter_ns.map(|(low, high)| range(low, high, text))),
                each(&|cycle| cycle.wait_ns.map(|(low, high)| range(low, high, text))),
            ],
        );
        row.cells[2] = each(&|cycle| cycle.first.kind().map(|kind| kind.to_string())).unwrap_or_else(dash);
        row.times = Some(folded.times);
        row.aside = false;
        row
    }

    fn new(record: &Record, event: String, figures: [Option<String>; 5]) -> Self {
        let kind = record.kind().map_or_else(dash, |kind| kind.to_string());
        let regime = record.shown_place().0.map_or_else(dash, |regime| regime.to_string());
        let [attempt, rung, base, jitter, wait] = figures.map(|figure| figure.unwrap_or_else(dash));
        Self {
            cells: [text(record.time_ns), event, kind, regime, attempt, rung, base, jitter, wait],
            times: None,
            aside: record.event.is_aside(),
        }
    }
}

fn text(ns: u64) -> String {
    duration::print(Duration::from_nanos(ns))
}

fn dash() -> String {
    "-".to_string()
}

fn range<T: PartialEq + Copy>(low: T, high: T, show: impl Fn(T) -> String) -> String {
    if low == high { show(low) } else { format!("{}..{}", show(low), show(high)) }
}
