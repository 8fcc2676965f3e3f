//! What a ladder comes to: the lines below the table.

use std::io::{self, Write};
use std::time::Duration;

use retrylab_core::{GiveUp, nanos};
use retrylab_scenario::ClientKind;
use retrylab_scenario::duration::Text;
use retrylab_sim::ladder::{Climb, Fit, FitEnd};

use super::{Header, Within};
use crate::count::counted;
use crate::rounded::Rounded;

/// `decimals` are those of the table.
pub(super) fn print(header: &Header<'_>, decimals: usize, out: &mut dyn Write) -> io::Result<()> {
    let total = |climb: &Climb| Text(Rounded::new(climb.total(), decimals).value()).to_string();
    let (longest, shortest) = (&header.longest, &header.shortest);
    writeln!(out)?;
    if longest.rows.is_empty() && shortest.rows.is_empty() {
        writeln!(out, "worst   no wait at all")?;
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
        writeln!(
            out,
            "cut     what is longer than {most} (about 584 years), the longest time there is, is shown as that"
        )?;
    }
    if let Some(Within { time, longest, shortest }) = &header.within {
        let time = Text(*time);
        if longest == shortest {
            writeln!(out, "within  {time}: {}, whatever is drawn", fits(longest))?;
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
    if matches!(
        header.client.kind,
        ClientKind::Streaming { .. } | ClientKind::Polling { .. } | ClientKind::Dialect { .. }
    ) {
        return "never: it retries for as long as it fails".to_owned();
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

/// The reason's name, and what it means.
fn because(why: GiveUp) -> String {
    let meaning = match why {
        GiveUp::Attempts => "all are used",
        GiveUp::Elapsed => "the next wait would not fit",
        GiveUp::Budget => "it does not pay for another one",
        GiveUp::Terminal => "not worth another one",
        GiveUp::RetryAfter(_) => "the server asks for more than is accepted",
        _ => "no further attempt",
    };
    format!("{why}: {meaning}")
}
