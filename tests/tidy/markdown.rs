//! Tables in documents that checks read.

/// The rows below the head of the table whose first two columns have these titles; none if there is no such table.
pub(crate) fn table<'a>(document: &'a str, first: &str, second: &str) -> Vec<Vec<&'a str>> {
    document
        .lines()
        .map(cells)
        .skip_while(|cells| cells.first() != Some(&first) || cells.get(1) != Some(&second))
        .skip(2)
        .take_while(|cells| cells.len() >= 2)
        .collect()
}

/// What stands between back quotes.
pub(crate) fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The cells of a line of a table; none if it is no such line.
fn cells(line: &str) -> Vec<&str> {
    let Some(inner) = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
        return Vec::new();
    };
    inner.split('|').map(str::trim).collect()
}
