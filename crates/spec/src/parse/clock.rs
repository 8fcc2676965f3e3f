//! `[[clock]]`.

use core::time::Duration;

use super::play::tables;
use super::walk::{Field, Fields, Walk};
use crate::duration;
use crate::model::{ClockChange, ClockEvent};
use crate::problem::{Problem, join};
use crate::suggest::choices;

const CHANGES: [&str; 3] = ["step", "suspend", "wall_step"];

/// The replacement for an unreadable change. An unreadable event keeps the numbers of the later ones.
const STAND_IN: ClockChange = ClockChange::Step(Duration::from_nanos(1));

pub(super) fn events(walk: &mut Walk, root: &Fields<'_>) -> Vec<ClockEvent> {
    let mut events = Vec::new();
    for field in tables(walk, root, "clock") {
        let Some(fields) = walk.table(&field, &["at", "step", "suspend", "wall_step"]) else {
            events.push(ClockEvent { at: Duration::ZERO, change: STAND_IN });
            continue;
        };
        let at = walk.required(&fields, "at", "true time from the start, such as \"1h\"");
        let at = at.and_then(|field| walk.duration(&field));
        events.push(ClockEvent { at: at.unwrap_or_default(), change: change(walk, &fields).unwrap_or(STAND_IN) });
    }
    events
}

fn change(walk: &mut Walk, fields: &Fields<'_>) -> Option<ClockChange> {
    let mut given = fields.in_order().into_iter().filter(|(key, ..)| CHANGES.contains(key));
    let Some((key, _, field)) = given.next() else {
        if CHANGES.iter().any(|key| walk.is_unread(&join(&fields.path, key))) {
            return None;
        }
        let allowed = format!("an event has one of {}", choices('`', CHANGES));
        walk.report(fields.span.clone(), Problem::new(&*fields.path, "no change").help(allowed));
        return None;
    };
    for (other, span, field) in given {
        let problem = Problem::new(field.path, format!("a second change beside `{key}`"))
            .help(format!("write a [[clock]] of its own for `{other}`"))
            .with(join(&fields.path, key), "the first change");
        walk.report(span, problem);
    }
    match key {
        "step" => step(walk, &field).map(ClockChange::Step),
        "suspend" => walk.duration(&field).map(ClockChange::Suspend),
        _ => wall_step(walk, &field).map(ClockChange::WallStep),
    }
}

fn step(walk: &mut Walk, field: &Field<'_>) -> Option<Duration> {
    match signed(walk, field)? {
        (true, length) if !length.is_zero() => {
            let problem = Problem::new(&*field.path, "the client's clock never goes back");
            walk.refuse(field, problem.help("step forward, such as \"+1h\"; `wall_step` moves the date either way"));
            None
        }
        (_, length) => Some(length),
    }
}

fn wall_step(walk: &mut Walk, field: &Field<'_>) -> Option<i64> {
    let (negative, length) = signed(walk, field)?;
    let nanos = i64::try_from(length.as_nanos()).ok();
    if nanos.is_none() {
        let problem = Problem::new(&*field.path, "a step that is too long");
        walk.refuse(field, problem.help("at most \"106751d 23h 47m 16.854775807s\" either way"));
    }
    nanos.map(|nanos| if negative { -nanos } else { nanos })
}

fn signed(walk: &mut Walk, field: &Field<'_>) -> Option<(bool, Duration)> {
    let text = walk.text(field, "a step in text", "such as \"+1h\"")?;
    match duration::parse_signed(text) {
        Ok(step) => Some(step),
        Err(error) => {
            walk.refuse(field, Problem::new(&*field.path, format!("{text:?} is {error}")).help(error.help()));
            None
        }
    }
}
