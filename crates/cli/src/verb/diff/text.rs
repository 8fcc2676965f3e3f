//! The comparison for people.

use std::io::{self, Write};
use std::time::Duration;

use retrylab_core::GiveUp;
use retrylab_sim::Trace;
use retrylab_sim::diff::{By, COMPARED, Diff, LadderDifference, Parted, Rungs, Side, Step};
use retrylab_sim::ladder::Percentiles;
use retrylab_spec::duration::Text;

use super::Request;
use crate::count::counted;
use crate::rounded::{Rounded, Size};
use crate::style::{GOOD, QUIET, TITLE, WARNING};
use crate::table::{Align, Table};

pub(super) fn print(request: &Request<'_>, found: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let [a, b] = request.clients;
    writeln!(out, "a         {}", request.verb.a.describe(a))?;
    writeln!(out, "b         {}", request.verb.b.describe(b))?;
    if let Some(dialect) = request.shown {
        writeln!(out, "          configured to show the difference of {dialect}; --set overrides it")?;
    }
    match &request.timeline {
        Some(file) => writeln!(out, "timeline  {file}")?,
        None => writeln!(out, "timeline  the standard outage")?,
    }
    writeln!(out, "seed      {}, figures over the seeds 0 to {}\n", request.seed, request.verb.seeds - 1)?;
    match &found.parted {
        Some(parted) => divergence(request, parted, out)?,
        None if found.is_whole() => writeln!(out, "{GOOD}no difference{GOOD:#} in the traces")?,
        None => writeln!(out, "no difference in the traces {WARNING}before a limit ends them{WARNING:#}")?,
    }
    let [first, second] = &found.sides;
    for (a, b) in first.ladders.iter().zip(&second.ladders) {
        let difference = found.ladders.iter().find(|difference| difference.kind == a.kind);
        ladders(a, b, difference, out)?;
    }
    figures(first, second, out)?;
    if found.is_same() { Ok(()) } else { writeln!(out, "\n{QUIET}{}{QUIET:#}", request.replay(found)) }
}

fn divergence(request: &Request<'_>, parted: &Parted, out: &mut dyn Write) -> io::Result<()> {
    let Parted { by, seed, divergence } = parted;
    let records = counted(divergence.index, "equal record");
    let other = if *seed == request.seed.value { String::new() } else { format!(", with seed {seed}") };
    let place = match by {
        By::Timeline => "",
        By::Reported => ", not in the waits but in log lines and statuses",
        By::Steps => {
            ", not in the timeline but after inputs that it cannot express (a second message, a clock that stays at zero)"
        }
    };
    writeln!(out, "{TITLE}first difference{TITLE:#}{place}: after {records}{other}\n")?;
    let both = [("a", divergence.first), ("b", divergence.second)];
    let trace = Trace::unfolded(both.iter().filter_map(|(_, record)| *record)).to_string();
    let mut lines = trace.lines();
    writeln!(out, "   {}", lines.next().unwrap_or_default())?;
    for (side, record) in both {
        let line = record.and_then(|_| lines.next()).unwrap_or("the run is over");
        writeln!(out, "{side}  {line}")?;
    }
    Ok(())
}

fn ladders(a: &Rungs, b: &Rungs, difference: Option<&LadderDifference>, out: &mut dyn Write) -> io::Result<()> {
    let kind = a.kind;
    writeln!(out, "\n{TITLE}ladder after {kind} failures{TITLE:#}, {}", verdict(difference))?;
    if a.longest.rows.is_empty() && b.longest.rows.is_empty() {
        let why = a.longest.gave_up.map_or("", GiveUp::name);
        return writeln!(out, "both give up at the first one ({why})");
    }
    let shown = [a, b].into_iter().flat_map(|side| side.spread.iter().map(|spread| spread.wait.p50));
    let decimals = decimals(shown);
    match difference {
        Some(_) => both(a, b, decimals, out),
        None => either(a, decimals, out),
    }
}

fn both(a: &Rungs, b: &Rungs, decimals: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new([
        ("rung", Align::Right),
        ("longest a", Align::Right),
        ("b", Align::Right),
        ("median a", Align::Right),
        ("b", Align::Right),
        ("together a", Align::Right),
        ("b", Align::Right),
        ("distinct a", Align::Right),
        ("b", Align::Right),
    ]);
    for index in 0..length(a).max(length(b)) {
        let [first, second] = [a, b].map(|side| cells(side, index, decimals));
        let [longest_a, median_a, together_a, distinct_a] = first;
        let [longest_b, median_b, together_b, distinct_b] = second;
        let rung = (index + 1).to_string();
        table.row([rung, longest_a, longest_b, median_a, median_b, together_a, together_b, distinct_a, distinct_b]);
    }
    table.print(TITLE, out)
}

/// For two equal ladders.
fn either(side: &Rungs, decimals: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new([
        ("rung", Align::Right),
        ("longest", Align::Right),
        ("median", Align::Right),
        ("together", Align::Right),
        ("distinct", Align::Right),
    ]);
    for index in 0..length(side) {
        let [longest, median, together, distinct] = cells(side, index, decimals);
        table.row([(index + 1).to_string(), longest, median, together, distinct]);
    }
    table.print(TITLE, out)
}

fn length(side: &Rungs) -> usize {
    side.longest.rows.len().max(side.spread.len())
}

/// Longest wait, median, share of the most common millisecond, distinct waits.
fn cells(side: &Rungs, index: usize, decimals: usize) -> [String; 4] {
    [
        cell(side.longest.rows.get(index), |row| Text(row.longest).to_string()),
        cell(side.spread.get(index), |row| Rounded::new(row.wait.p50, decimals).to_string()),
        cell(side.dispersion.get(index), |row| share(row.together, row.runs)),
        cell(side.dispersion.get(index), |row| row.distinct.to_string()),
    ]
}

fn verdict(difference: Option<&LadderDifference>) -> String {
    let Some(LadderDifference { rung, steps, .. }) = difference else {
        return format!("the same up to rung {COMPARED}");
    };
    let [first, second] = steps.map(|step| match step {
        Step::Wait(wait) => Text(wait).to_string(),
        Step::GiveUp(why) => format!("gives up ({why})"),
    });
    format!("different from rung {rung} on: {first}, {second}")
}

/// The totals of both over the seeds.
fn figures(a: &Side, b: &Side, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{TITLE}over the timeline{TITLE:#}")?;
    let rows = [
        ("total wait a", a.total_wait),
        ("total wait b", b.total_wait),
        ("recovery a", a.recovery),
        ("recovery b", b.recovery),
    ];
    let decimals = decimals(rows.iter().filter_map(|(_, percentiles)| Some(percentiles.as_ref()?.p10)));
    let mut table = Table::new([
        ("", Align::Left),
        ("p10", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
    ]);
    for (title, percentiles) in rows {
        let figure = |figure: fn(&Percentiles) -> Duration| {
            cell(percentiles.as_ref(), |percentiles| Rounded::new(figure(percentiles), decimals).to_string())
        };
        table.row([title.to_owned(), figure(|p| p.p10), figure(|p| p.p50), figure(|p| p.p90), figure(|p| p.p99)]);
    }
    table.print(TITLE, out)?;
    for (side, unrecovered) in [("a", a.unrecovered), ("b", b.unrecovered)] {
        if unrecovered > 0 {
            writeln!(out, "{side} never recovers with {unrecovered} of the seeds")?;
        }
    }
    for (side, cut_off) in [("a", a.cut_off), ("b", b.cut_off)] {
        if cut_off > 0 {
            writeln!(
                out,
                "{WARNING}{side} is ended by a limit{WARNING:#} with {cut_off} of the seeds; raise `limits` in the timeline, \
                 or end it with `until`"
            )?;
        }
    }
    Ok(())
}

fn cell<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

fn decimals(waits: impl Iterator<Item = Duration>) -> usize {
    match Size::finest(waits) {
        Size::Minutes => 0,
        Size::Seconds => 2,
        Size::Milliseconds => 3,
        Size::Less => 9,
    }
}

/// A share in per cent, to a tenth, halves up.
fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 2000 + whole).checked_div(2 * whole).unwrap_or(0);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_to_a_tenth_of_a_per_cent() {
        // 0.05 per cent is half of a tenth.
        let found = [share(1000, 1000), share(1, 3), share(1, 2000), share(0, 7), share(0, 0)];
        assert_eq!(found, ["100.0%", "33.3%", "0.1%", "0.0%", "0.0%"]);
    }
}
