//! The lines below the table.

use std::io::{self, Write};
use std::time::Duration;

use retrylab_core::{GiveUp, nanos};
use retrylab_sim::ladder::{Climb, Fit, FitEnd};
use retrylab_spec::duration::Text;

use super::{Header, Within};
use crate::count::counted;
use crate::rounded::Rounded;

/// `decimals` are those of the table.
pub(super) fn print(header: &Header<'_>, decimals: usize, out: &mut dyn Write) -> io::Result<()> {
    let total = |climb: &Climb| Text(Rounded::new(climb.total(), decimals).value()).to_string();
    let (longest, shortest) = (&header.longest, &header.shortest);
    writeln!(out)?;
    if longest.rows.is_empty() && shortest.rows.is_empty() {
        writeln!(out, "worst   no wait")?;
    } else if longest.rows.len() == shortest.rows.len() {
        let waits = counted(longest.rows.len(), "wait");
        writeln!(out, "worst   {} for {waits}, at best {}", total(longest), total(shortest))?;
    } else {
        let [most, least] = [longest, shortest].map(|climb| counted(climb.rows.len(), "wait"));
        let (at_most, at_least) = (total(longest), total(shortest));
        writeln!(out, "worst   {at_most} for {most} at the longest, {at_least} for {least} at the shortest")?;
    }
    if longest.rows.iter().any(|row| nanos(row.total) == u64::MAX) {
        let most = Text(Duration::from_nanos(u64::MAX));
        writeln!(out, "cut     times above {most} (about 584 years) are shown as that")?;
    }
    if let Some(Within { time, longest, shortest }) = &header.within {
        let time = Text(*time);
        if longest == shortest {
            writeln!(out, "within  {time}: {} for every draw", fits(longest))?;
        } else {
            writeln!(
                out,
                "within  {time}: {} at the longest waits, {} at the shortest",
                fits(longest),
                fits(shortest)
            )?;
        }
    }
    writeln!(out, "ends    {}", ends(header))
}

fn ends(header: &Header<'_>) -> String {
    if header.client.kind.two_regimes().is_some() {
        return "never: it retries every failure".to_owned();
    }
    let (longest, shortest) = (&header.longest, &header.shortest);
    let attempts = |climb: &Climb| counted(climb.rows.len() + 1, "attempt");
    match (longest.gave_up, shortest.gave_up) {
        (Some(why), Some(other)) if why == other && longest.rows.len() == shortest.rows.len() => {
            format!("gives up after {} ({})", attempts(longest), because(why))
        }
        (Some(why), Some(other)) if why == other => format!(
            "gives up after {} at the longest waits, {} at the shortest ({})",
            attempts(longest),
            attempts(shortest),
            because(why)
        ),
        _ => {
            let end = |climb: &Climb| match climb.gave_up {
                Some(why) => format!("gives up after {} ({})", attempts(climb), because(why)),
                None => format!("not within {}", counted(header.rungs, "wait")),
            };
            let (longest, shortest) = (end(longest), end(shortest));
            if longest == shortest {
                longest
            } else {
                format!("{longest} at the longest waits, {shortest} at the shortest")
            }
        }
    }
}

fn fits(fit: &Fit) -> String {
    let attempts = counted(fit.attempts, "attempt");
    match fit.end {
        FitEnd::Time => attempts,
        FitEnd::GaveUp(_) if fit.attempts == 1 => "its only attempt".to_owned(),
        FitEnd::GaveUp(_) => format!("all {attempts}"),
        FitEnd::Most => format!("{attempts} or more"),
    }
}

/// The reason's name and meaning.
fn because(why: GiveUp) -> String {
    let meaning = match why {
        GiveUp::Attempts => "all are used",
        GiveUp::Elapsed => "the next wait would pass the time limit",
        GiveUp::Budget => "it is empty",
        GiveUp::Terminal => "the failure is not retried",
        GiveUp::RetryAfter(_) => "the server's retry_after is above the maximum",
        _ => "no further attempt",
    };
    format!("{why}: {meaning}")
}
