//! The table for people.

use std::io::{self, Write};
use std::time::Duration;

use retrylab_core::{Bounds, Rung};
use retrylab_scenario::JitterChoice;
use retrylab_scenario::duration::Text;
use retrylab_sim::ladder::{Climb, Spread};

use super::bar::{shade, solid};
use super::{Chosen, Header, SEEDS};
use crate::rounded::Rounded;
use crate::style::{BAR, QUIET, TITLE};
use crate::table::{Align, Table};

pub(super) fn print(header: &Header<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Header { name, option, value, .. } = *header;
    let from = header.file.map(|file| format!(" (client of {file})")).unwrap_or_default();
    writeln!(out, "policy  {name}, {option}={}{from}", Text(value))?;
    writeln!(out, "ladder  {}", describe(header))?;
    match &header.chosen {
        Chosen::One(seed, climb) => {
            writeln!(out, "seed    {seed}\n")?;
            one(climb, out)
        }
        Chosen::Many(spread) => {
            writeln!(out, "seeds   0 to {}\n", SEEDS - 1)?;
            many(spread, out)
        }
    }
}

fn describe(header: &Header<'_>) -> String {
    let Header { regime, bounds: Bounds { initial, ceiling }, cadence, .. } = *header;
    let growth = if initial == ceiling {
        format!("{} at every rung", Text(initial))
    } else {
        format!("{} doubling to {}", Text(initial), Text(ceiling))
    };
    let jitter = match header.jitter {
        JitterChoice::Own => "jitter subtracts up to half",
        JitterChoice::None => "no jitter",
    };
    let floor = if cadence.is_zero() { String::new() } else { format!(", never below {}", Text(cadence)) };
    format!("{regime}: {growth}, {jitter}{floor}")
}

/// The waits of one seed. The bar is solid up to the wait and shaded up to the longest one possible.
fn one(climb: &Climb, out: &mut dyn Write) -> io::Result<()> {
    let decimals = match finest(climb.rows.iter().map(|row| row.longest)) {
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
        let told = |tell: fn(Rung) -> Duration| row.rung.map(tell);
        let dash = || "-".to_owned();
        table.row([
            row.number.to_string(),
            told(|rung| rung.base).map_or_else(dash, |base| Text(base).to_string()),
            Text(rounded(row.shortest).value()).to_string(),
            Text(rounded(row.longest).value()).to_string(),
            told(|rung| rung.jitter).map_or_else(dash, |jitter| rounded(jitter).to_string()),
            rounded(row.wait).to_string(),
            rounded(row.total).to_string(),
            format!(
                "{BAR}{}{BAR:#}{QUIET}{}{QUIET:#}",
                solid(row.wait, longest),
                shade(row.wait, row.longest, longest)
            ),
        ]);
    }
    table.print(TITLE, out)?;
    match climb.gave_up {
        Some(why) => writeln!(out, "gives up at rung {} ({why})", climb.rows.len() + 1),
        None => Ok(()),
    }
}

fn many(spread: &[Spread], out: &mut dyn Write) -> io::Result<()> {
    // The longest wait of a rung is hardly above its 99th percentile, and may be the whole unit where that is not.
    let decimals = match finest(spread.iter().map(|rung| rung.wait.p99.saturating_mul(2))) {
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
    table.print(TITLE, out)
}

/// What the shortest wait of a table is measured in, which decides how many decimals all of it needs.
enum Size {
    Minutes,
    Seconds,
    Milliseconds,
    Less,
}

fn finest(waits: impl Iterator<Item = Duration>) -> Size {
    match waits.filter(|wait| !wait.is_zero()).min() {
        None => Size::Seconds,
        Some(wait) if wait >= Duration::from_secs(60) => Size::Minutes,
        Some(wait) if wait >= Duration::from_secs(1) => Size::Seconds,
        Some(wait) if wait >= Duration::from_millis(1) => Size::Milliseconds,
        Some(_) => Size::Less,
    }
}
