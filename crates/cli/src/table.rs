//! Aligned columns under titles.

use std::io::{self, Write};

use anstyle::Style;

/// Rows of `N` cells. All cells except those of the last column must be plain text.
pub(crate) struct Table<const N: usize> {
    columns: [(&'static str, Align); N],
    rows: Vec<[String; N]>,
}

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// Left-aligned, as the upper end of a range: two dots join it to the column before.
    Range,
}

impl<const N: usize> Table<N> {
    pub(crate) const fn new(columns: [(&'static str, Align); N]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: [String; N]) {
        self.rows.push(cells);
    }

    /// Prints the titles in a style, then the rows. No line ends with spaces.
    pub(crate) fn print(&self, title: Style, out: &mut dyn Write) -> io::Result<()> {
        let widths: [usize; N] = std::array::from_fn(|column| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.chain([self.columns[column].0.chars().count()]).max().unwrap_or(0)
        });
        let titles = self.columns.map(|(title, _)| title.to_owned());
        writeln!(out, "{title}{}{title:#}", self.line(&titles, widths))?;
        for row in &self.rows {
            writeln!(out, "{}", self.line(row, widths))?;
        }
        Ok(())
    }

    fn line(&self, cells: &[String; N], widths: [usize; N]) -> String {
        let mut line = String::new();
        for (index, ((cell, width), (_, align))) in cells.iter().zip(widths).zip(self.columns).enumerate() {
            if index > 0 {
                line.push_str(if align == Align::Range { ".." } else { "  " });
            }
            let cell = match align {
                Align::Right => format!("{cell:>width$}"),
                Align::Left | Align::Range if index + 1 == N => cell.clone(),
                Align::Left | Align::Range => format!("{cell:<width$}"),
            };
            line.push_str(&cell);
        }
        line.truncate(line.trim_end().len());
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_ranges_are_joined() {
        let mut table = Table::new([
            ("rung", Align::Right),
            ("least", Align::Right),
            ("most", Align::Range),
            ("wait", Align::Right),
            ("why", Align::Left),
        ]);
        table.row(["1", "500ms", "1s", "0.750s", "the first"].map(str::to_owned));
        table.row(["10", "1m 30s", "3m", "2m", ""].map(str::to_owned));
        let mut text = Vec::new();
        table.print(Style::new(), &mut text).unwrap();
        let expected = "\
rung   least..most    wait  why
   1   500ms..1s    0.750s  the first
  10  1m 30s..3m        2m
";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
