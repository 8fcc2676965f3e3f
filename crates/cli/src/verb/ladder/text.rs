//! The table for people.

use std::io::{self, Write};
use std::time::Duration;

use retrylab_core::Rung;
use retrylab_sim::ladder::{Climb, Spread};
use retrylab_spec::duration::Text;

use super::bar::{shade, solid};
use super::{Chosen, Header, SEEDS, describe, summary};
use crate::rounded::{Rounded, Size};
use crate::style::{BAR, QUIET, TITLE};
use crate::table::{Align, Table};

pub(super) fn print(header: &Header<'_>, out: &mut dyn Write) -> io::Result<()> {
    let from = header.file.map(|file| format!(" (client of {file})")).unwrap_or_default();
    writeln!(out, "policy  {}{from}", describe::policy(header))?;
    writeln!(out, "ladder  {}", describe::ladder(header))?;
    for (title, limits) in describe::limits(&header.client.kind) {
        writeln!(out, "{title}  {limits}")?;
    }
    let decimals = match &header.chosen {
        Chosen::One(seed, climb) => {
            writeln!(out, "seed    {seed}")?;
            one(climb, out)
        }
        Chosen::Many(spread) => {
            writeln!(out, "seeds   0 to {}", SEEDS - 1)?;
            many(spread, out)
        }
    }?;
    summary::print(header, decimals, out)
}

/// The waits of one seed, and their decimals. The bar is solid up to the wait and shaded up to the longest possible
/// one.
fn one(climb: &Climb, out: &mut dyn Write) -> io::Result<usize> {
    let decimals = match Size::finest(climb.rows.iter().map(|row| row.longest)) {
        Size::Minutes => 1,
        Size::Seconds => 3,
        Size::Milliseconds => 6,
        Size::Less => 9,
    };
    let rounded = |duration| Rounded::new(duration, decimals);
    let longest = climb.rows.iter().map(|row| row.longest).max().unwrap_or_default();
    let mut table = Table::new([
        ("rung", Align::Right),
        ("base", Align::Right),
        ("lowest", Align::Right),
        ("highest", Align::Range),
        ("jitter", Align::Right),
        ("wait", Align::Right),
        ("total", Align::Right),
        ("", Align::Left),
    ]);
    for row in &climb.rows {
        let part = |get: fn(Rung) -> Duration| row.rung.map(get);
        let dash = || "-".to_owned();
        table.row([
            row.number.to_string(),
            part(|rung| rung.base).map_or_else(dash, |base| Text(base).to_string()),
            Text(rounded(row.shortest).value()).to_string(),
            Text(rounded(row.longest).value()).to_string(),
            part(|rung| rung.jitter).map_or_else(dash, |jitter| rounded(jitter).to_string()),
            rounded(row.wait).to_string(),
            rounded(row.total).to_string(),
            format!(
                "{BAR}{}{BAR:#}{QUIET}{}{QUIET:#}",
                solid(row.wait, longest),
                shade(row.wait, row.longest, longest)
            ),
        ]);
    }
    if !climb.rows.is_empty() {
        writeln!(out)?;
        table.print(TITLE, out)?;
    }
    Ok(decimals)
}

fn many(spread: &[Spread], out: &mut dyn Write) -> io::Result<usize> {
    // The longest wait of a rung is hardly above its 99th percentile, but may be a full unit where that is not.
    let decimals = match Size::finest(spread.iter().map(|rung| rung.wait.p99.saturating_mul(2))) {
        Size::Minutes => 0,
        Size::Seconds => 2,
        Size::Milliseconds => 5,
        Size::Less => 9,
    };
    let mut table = Table::new([
        ("rung", Align::Right),
        ("wait p10", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
        ("total p10", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
    ]);
    for Spread { number, wait, total, .. } in spread {
        let rounded = |duration| Rounded::new(duration, decimals).to_string();
        table.row([
            number.to_string(),
            rounded(wait.p10),
            rounded(wait.p50),
            rounded(wait.p90),
            rounded(wait.p99),
            rounded(total.p10),
            rounded(total.p50),
            rounded(total.p90),
            rounded(total.p99),
        ]);
    }
    if !spread.is_empty() {
        writeln!(out)?;
        table.print(TITLE, out)?;
    }
    Ok(decimals)
}
