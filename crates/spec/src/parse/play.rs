//! `[[timeline]]` and `[[window]]`.

use super::NO_TIME;
use super::outcome::{self, Place, entry};
use super::walk::{Field, Fields, Walk};
use crate::model::{CUT_END, End, Play, Window};
use crate::problem::Problem;

/// The replacement for an unreadable window; it keeps the numbers of the later ones.
const STAND_IN: Window = Window { from: NO_TIME, until: NO_TIME, entry: outcome::STAND_IN, cut: None };

/// The script, and the key path of each of its outermost parts.
pub(super) fn timelines(walk: &mut Walk, root: &Fields<'_>) -> (Vec<Play>, Vec<String>) {
    let mut script = Vec::new();
    let mut names = Vec::new();
    for field in tables(walk, root, "timeline") {
        let Some(fields) = walk.table(&field, &["repeat", "play"]) else { continue };
        let times = repeat(walk, &fields);
        let play = play(walk, &fields);
        match times {
            Some(times) => {
                script.push(Play::Repeat { times, play });
                names.push(field.path);
            }
            None => {
                if play.is_empty()
                    && let Some(field) = fields.get("play")
                    && field.value.get_ref().is_array()
                {
                    let problem = Problem::new(&*field.path, "nothing to play");
                    walk.refuse(&field, problem.help("write at least one attempt, or omit the table"));
                }
                names.extend((0..play.len()).map(|index| format!("{}.play[{index}]", field.path)));
                script.extend(play);
            }
        }
    }
    (script, names)
}

pub(super) fn windows(walk: &mut Walk, root: &Fields<'_>) -> Vec<Window> {
    let mut windows = Vec::new();
    for field in tables(walk, root, "window") {
        let Some(fields) = walk.table(&field, &keys(&["from", "until", "cut"])) else {
            windows.push(STAND_IN);
            continue;
        };
        let cut = fields.get("cut").and_then(|field| walk.yes(&field)).is_some();
        let from = walk.required(&fields, "from", "true time from the start, such as \"1h\"");
        let from = from.and_then(|field| walk.duration(&field));
        let until = walk.required(&fields, "until", "true time from the start, such as \"2h\"");
        let until = until.and_then(|field| walk.duration(&field));
        let end = fields.get("end").filter(|_| cut).and_then(|field| walk.word(&field, "an end", &End::ALL));
        windows.push(Window {
            from: from.unwrap_or(NO_TIME),
            until: until.unwrap_or(NO_TIME),
            entry: entry(walk, &fields, if cut { Place::CuttingWindow } else { Place::Window }),
            cut: cut.then(|| end.unwrap_or(CUT_END)),
        });
    }
    windows
}

/// The tables of `[[key]]`.
pub(super) fn tables<'a>(walk: &mut Walk, root: &Fields<'a>, key: &str) -> Vec<Field<'a>> {
    let help = format!("write [[{key}]], with two brackets, for each");
    root.get(key).map(|field| walk.elements(&field, "tables", &help)).unwrap_or_default()
}

fn play(walk: &mut Walk, fields: &Fields<'_>) -> Vec<Play> {
    let Some(field) = walk.required(fields, "play", "a list of attempts, such as `play = [{ status = 503 }]`") else {
        return Vec::new();
    };
    let elements = walk.elements(&field, "tables, one for each attempt", "such as `play = [{ status = 503 }]`");
    elements.iter().map(|field| part(walk, field)).collect()
}

/// An attempt, or a repeat of several.
fn part(walk: &mut Walk, field: &Field<'_>) -> Play {
    let stand_in = Play::Attempt(outcome::STAND_IN);
    let Some(fields) = walk.any_table(field) else { return stand_in };
    if fields.contains_key("repeat") || fields.contains_key("play") {
        let Some(fields) = walk.table(field, &["repeat", "play"]) else { return stand_in };
        let times = repeat(walk, &fields);
        if times.is_none() {
            walk.required(
                &fields,
                "repeat",
                "add the number of times, such as `repeat = 2`, or write the attempts without a table around them",
            );
        }
        let play = play(walk, &fields);
        return Play::Repeat { times: times.unwrap_or(1), play };
    }
    let Some(fields) = walk.table(field, &keys(&[])) else { return stand_in };
    walk.entries.push(field.value.span());
    Play::Attempt(entry(walk, &fields, Place::Script))
}

fn repeat(walk: &mut Walk, fields: &Fields<'_>) -> Option<u64> {
    let field = fields.get("repeat")?;
    // An unreadable one is still a repeat.
    Some(walk.whole(&field, 1, u64::MAX).unwrap_or(1))
}

/// All keys of an entry, after `own`.
fn keys(own: &[&'static str]) -> Vec<&'static str> {
    let companions = ["end", "first", "retry_after", "latency", "draw"];
    own.iter().chain(&outcome::OUTCOMES).chain(&companions).copied().collect()
}
