//! `[expect]`.

use retrylab_core::{ConfigOption, Regime};
use toml::de::DeValue;

use super::NO_TIME;
use super::walk::{Field, Fields, Walk};
use crate::check::at_path;
use crate::duration;
use crate::model::{CallOutcome, Expect, ExpectAt, Repeated};
use crate::problem::Problem;

const KEYS: &[&str] = &["delays", "waits", "attempts", "regime", "rung", "at", "outcome", "laws", "warnings"];

const REGIMES: [(Regime, &str); 2] =
    [(Regime::Normal, Regime::Normal.name()), (Regime::Extended, Regime::Extended.name())];

const OPTIONS: [(ConfigOption, &str); 2] = [
    (ConfigOption::InitialReconnectDelay, ConfigOption::InitialReconnectDelay.name()),
    (ConfigOption::PollInterval, ConfigOption::PollInterval.name()),
];

pub(super) fn expect(walk: &mut Walk, field: &Field<'_>) -> Option<Expect> {
    let table = walk.any_table(field)?;
    let fields = walk.open(field.path.clone(), field.value.span(), table, KEYS, &[]);
    Some(Expect {
        delays: fields.get("delays").map(|field| repeated(walk, &field)),
        waits: fields.get("waits").map(|field| repeated(walk, &field)),
        attempts: fields.get("attempts").and_then(|field| walk.whole(&field, 0, u64::MAX)),
        regime: fields.get("regime").and_then(|field| regime(walk, &field)),
        rung: fields.get("rung").and_then(|field| rung(walk, &field)),
        at: fields.get("at").map(|field| instants(walk, &field)).unwrap_or_default(),
        outcome: fields.get("outcome").and_then(|field| walk.word(&field, "an outcome of a call", &CallOutcome::ALL)),
        laws: some(walk, fields.get("laws"), "without it no law is checked", |walk, field| {
            walk.texts(field, "names of laws", "such as [\"reading-changes-nothing\"]")
        }),
        warnings: some(walk, fields.get("warnings"), "without it no warning is allowed", |walk, field| {
            let elements = walk.elements(field, "names of options", "");
            elements.iter().filter_map(|element| walk.word(element, "an option with a warning", &OPTIONS)).collect()
        }),
    })
}

/// A list that must not be empty, because an empty list would equal an absent one.
fn some<T>(
    walk: &mut Walk,
    field: Option<Field<'_>>,
    without: &str,
    read: impl Fn(&mut Walk, &Field<'_>) -> Vec<T>,
) -> Vec<T> {
    let Some(field) = field else { return Vec::new() };
    if field.value.get_ref().as_array().is_some_and(|array| array.is_empty()) {
        let problem = Problem::new(&*field.path, "the list is empty");
        walk.refuse(&field, problem.help(format!("omit it: {without}")));
    }
    read(walk, &field)
}

fn repeated(walk: &mut Walk, field: &Field<'_>) -> Vec<Repeated> {
    let help = "such as [\"1s\", \"2s\", { value = \"30s\", times = 15 }]";
    let elements = walk.elements(field, "durations", help);
    elements.iter().map(|element| one_or_several(walk, element)).collect()
}

fn one_or_several(walk: &mut Walk, field: &Field<'_>) -> Repeated {
    let (value, times) = match field.value.get_ref() {
        DeValue::Table(_) => match walk.table(field, &["value", "times"]) {
            None => (None, None),
            Some(fields) => {
                let value = walk.required(&fields, "value", "the duration, such as `value = \"30s\"`");
                let times = walk.required(&fields, "times", "the number in a row, such as `times = 15`");
                (value.and_then(|field| walk.duration(&field)), times.and_then(|field| walk.whole(&field, 1, u64::MAX)))
            }
        },
        _ => (walk.duration(field), None),
    };
    Repeated { value: value.unwrap_or(NO_TIME), times: times.unwrap_or(1) }
}

/// In the order of time.
fn instants(walk: &mut Walk, field: &Field<'_>) -> Vec<ExpectAt> {
    let Some(table) = walk.any_table(field) else { return Vec::new() };
    // The keys are instants, not names, so none is unknown.
    let fields = Fields::any(field, table);
    let mut points: Vec<ExpectAt> = Vec::new();
    for (key, span, Field { path, value }) in fields.in_order() {
        let at = match duration::parse(key) {
            Ok(at) => at,
            Err(error) => {
                let problem = Problem::new(path, format!("{key:?} is {error}"));
                walk.report(span, problem.help(error.help()));
                continue;
            }
        };
        let path = at_path(at);
        let twice = points.iter().any(|point| point.at == at);
        if twice {
            let problem = Problem::new(&*path, "the same instant twice").with(&*path, "the first time");
            walk.report(span, problem.help("put both expectations under one of them"));
        } else {
            walk.places.insert(path.clone(), span);
        }
        let Some(fields) = walk.table(&Field { path, value }, &["regime", "rung"]) else { continue };
        let point = ExpectAt {
            at,
            regime: fields.get("regime").and_then(|field| regime(walk, &field)),
            rung: fields.get("rung").and_then(|field| rung(walk, &field)),
        };
        if !twice {
            points.push(point);
        }
    }
    points.sort_by_key(|point| point.at);
    points
}

fn regime(walk: &mut Walk, field: &Field<'_>) -> Option<Regime> {
    walk.word(field, "a regime", &REGIMES)
}

fn rung(walk: &mut Walk, field: &Field<'_>) -> Option<u32> {
    walk.whole(field, 0, u64::from(u32::MAX)).and_then(|rung| u32::try_from(rung).ok())
}
