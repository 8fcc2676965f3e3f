//! Policies that `[client]` describes in full: `kind = "call"` and `kind = "reconnect"`.

use core::time::Duration;

use retrylab_core::{Beyond, Jitter, Least, ServerDelay};
use toml::de::DeValue;

use super::walk::{Field, Fields, Walk};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, Ratio, ResetSpec};
use crate::problem::Problem;
use crate::suggest::choices;

/// The keys that both kinds share.
pub(super) const CALL: &[&str] =
    &["kind", "ladder", "jitter", "attempts", "elapsed", "deadline", "retry_after", "budget", "idempotent"];
pub(super) const RECONNECT: &[&str] =
    &["kind", "ladder", "jitter", "reset", "attempts", "elapsed", "deadline", "retry_after", "budget"];

const SHAPES: [&str; 5] = ["exponential", "constant", "linear", "fibonacci", "list"];

/// The default ceiling.
const CEILING: Duration = Duration::from_secs(30);

pub(super) fn call(walk: &mut Walk, fields: &Fields<'_>, usual: CallSpec) -> CallSpec {
    CallSpec {
        ladder: fields.get("ladder").and_then(|field| ladder(walk, &field)).unwrap_or(usual.ladder),
        jitter: fields.get("jitter").and_then(|field| jitter(walk, &field)).unwrap_or(usual.jitter),
        attempts: match fields.get("attempts") {
            None => usual.attempts,
            Some(field) => attempts(walk, &field),
        },
        elapsed: fields.get("elapsed").and_then(|field| walk.duration(&field)),
        deadline: fields.get("deadline").and_then(|field| walk.duration(&field)),
        retry_after: fields.get("retry_after").and_then(|field| retry_after(walk, &field)).unwrap_or(usual.retry_after),
        budgets: fields.get("budget").map(|field| budgets(walk, &field)).unwrap_or_default(),
        idempotent: match fields.get("idempotent") {
            None => true,
            Some(field) => boolean(walk, &field).unwrap_or(true),
        },
    }
}

/// A required reset rule.
pub(super) fn required_reset(walk: &mut Walk, fields: &Fields<'_>) -> ResetSpec {
    let field = walk.required(fields, "reset", RESET);
    field.and_then(|field| reset(walk, &field)).unwrap_or(ResetSpec::Successes(1))
}

const RESET: &str =
    "the health that ends an outage, such as `reset = { healthy_for = \"60s\" }` or `reset = { successes = 1 }`";

pub(super) fn reset(walk: &mut Walk, field: &Field<'_>) -> Option<ResetSpec> {
    let fields = walk.table(field, &["healthy_for", "successes"])?;
    match (fields.get("healthy_for"), fields.get("successes")) {
        (Some(window), None) => walk.duration(&window).map(ResetSpec::HealthyFor),
        (None, Some(count)) => small(walk, &count, 0).map(ResetSpec::Successes),
        _ => {
            walk.refuse(field, Problem::new(&*field.path, "not exactly one reset rule").help(RESET));
            None
        }
    }
}

/// A number, or `"unlimited"`.
fn attempts(walk: &mut Walk, field: &Field<'_>) -> Option<u32> {
    match field.value.get_ref() {
        DeValue::String(_) => {
            walk.word(field, "a limit in text", &[((), "unlimited")]);
            None
        }
        // The largest number means "no limit" in the rules.
        _ => walk.whole(field, 0, u64::from(u32::MAX - 1)).and_then(|number| u32::try_from(number).ok()),
    }
}

fn jitter(walk: &mut Walk, field: &Field<'_>) -> Option<Jitter> {
    let equal = [(Jitter::EQUAL, "equal")];
    let all: Vec<_> = Jitter::ALL.map(|kind| (kind, kind.name())).into_iter().chain(equal).collect();
    walk.word(field, "a jitter", &all)
}

fn ladder(walk: &mut Walk, field: &Field<'_>) -> Option<LadderSpec> {
    let help = format!("a ladder has one of {}", choices('`', SHAPES));
    let table = walk.any_table(field)?;
    let mut shapes = SHAPES.into_iter().filter(|shape| table.contains_key(*shape));
    let (shape, second) = (shapes.next(), shapes.next());
    let allowed: &[_] = match shape {
        Some("exponential") => &["exponential", "ratio", "ceiling"],
        Some("constant") => &["constant"],
        Some("linear") => &["linear", "step", "ceiling"],
        Some("fibonacci") => &["fibonacci", "ceiling"],
        Some("list") => &["list"],
        _ => &["exponential", "ratio", "ceiling", "constant", "linear", "step", "fibonacci", "list"],
    };
    let fields = walk.open(field.path.clone(), field.value.span(), table, allowed, &[]);
    let (Some(shape), None) = (shape, second) else {
        if second.is_none() {
            walk.refuse(field, Problem::new(&*field.path, "no shape of a ladder").help(help));
        }
        return None;
    };
    let ceiling = fields.get("ceiling").and_then(|field| walk.duration(&field)).unwrap_or(CEILING);
    let first = fields.get(shape)?;
    if shape == "list" {
        let rungs = walk.elements(&first, "durations", "such as [\"1s\", \"5s\"]");
        return Some(LadderSpec::List(rungs.iter().filter_map(|rung| walk.duration(rung)).collect()));
    }
    let base = walk.duration(&first)?;
    Some(match shape {
        "exponential" => {
            let ratio = fields.get("ratio").map(|field| ratio(walk, &field));
            LadderSpec::Exponential { base, ratio: ratio.unwrap_or(Some(TWO))?, ceiling }
        }
        "constant" => LadderSpec::Constant(base),
        "linear" => {
            let step = walk.required(&fields, "step", "the increment of each rung, such as `step = \"1s\"`");
            LadderSpec::Linear { base, step: step.and_then(|field| walk.duration(&field))?, ceiling }
        }
        _ => LadderSpec::Fibonacci { base, ceiling },
    })
}

const TWO: Ratio = Ratio { numerator: 2, denominator: 1 };

/// A number, or a text such as `"3/2"`; parsed digit by digit, so that 1.6 is eight fifths.
fn ratio(walk: &mut Walk, field: &Field<'_>) -> Option<Ratio> {
    let text = match field.value.get_ref() {
        DeValue::Integer(integer) => integer.as_str(),
        DeValue::Float(float) => float.as_str(),
        DeValue::String(text) => text,
        _ => {
            walk.mismatch(field, "a ratio", "such as `2`, `1.6` or \"3/2\"");
            return None;
        }
    };
    let ratio = Ratio::parse(text);
    if ratio.is_none() {
        let problem = Problem::new(&*field.path, format!("{text} is not a ratio"));
        let most = u32::MAX;
        let help =
            format!("only digits, such as `2`, `1.6` or \"3/2\"; in lowest terms neither number is above {most}");
        walk.refuse(field, problem.help(help));
    }
    ratio
}

fn retry_after(walk: &mut Walk, field: &Field<'_>) -> Option<ServerDelay> {
    if field.value.get_ref().is_str() {
        return walk.word(field, "a treatment of retry_after in text", &[(ServerDelay::Ignore, "ignore")]);
    }
    let fields = walk.table(field, &["most", "beyond", "spread", "least"])?;
    let most = walk.required(&fields, "most", "the maximum retry_after, such as `most = \"1m\"`");
    let most = most.and_then(|field| walk.duration(&field));
    let beyond = walk.required(&fields, "beyond", "the treatment of a longer one: \"clamp\" or \"refuse\"");
    let beyonds = [(Beyond::Clamp, "clamp"), (Beyond::Refuse, "refuse")];
    let beyond = beyond.and_then(|field| walk.word(&field, "a treatment", &beyonds));
    let spread = fields.get("spread").map_or(Some(Duration::ZERO), |field| walk.duration(&field));
    let leasts = [(Least::Rung, "rung"), (Least::Zero, "zero")];
    let least = fields.get("least").map_or(Some(Least::Rung), |field| walk.word(&field, "a least wait", &leasts));
    Some(ServerDelay::Honour { most: most?, beyond: beyond?, spread: spread?, least: least? })
}

/// One budget, or a list of them.
fn budgets(walk: &mut Walk, field: &Field<'_>) -> Vec<BudgetSpec> {
    match field.value.get_ref() {
        DeValue::Array(_) => {
            let elements = walk.elements(field, "budgets", "such as [{ tokens = 500, cost = 5 }]");
            elements.iter().filter_map(|element| budget(walk, element)).collect()
        }
        _ => budget(walk, field).into_iter().collect(),
    }
}

fn budget(walk: &mut Walk, field: &Field<'_>) -> Option<BudgetSpec> {
    let table = walk.any_table(field)?;
    let open = |walk: &mut Walk, allowed: &[&'static str]| {
        walk.open(field.path.clone(), field.value.span(), table, allowed, &[])
    };
    if table.contains_key("ratio") {
        let fields = open(walk, &["ratio", "reserve"]);
        let share = fields.get("ratio").and_then(|field| ratio(walk, &field));
        let reserve = fields.get("reserve").map(|field| small(walk, &field, 0)).unwrap_or(Some(0));
        return Some(BudgetSpec::Ratio { ratio: share?, reserve: reserve? });
    }
    let fields = open(walk, &["tokens", "cost", "timeout_cost", "refill", "ratio", "reserve"]);
    let tokens = walk.required(&fields, "tokens", "the size of the bucket, or a `ratio` of the requests");
    let tokens = tokens.and_then(|field| small(walk, &field, 1));
    let mut or = |key, least, usual| fields.get(key).map_or(Some(usual), |field| small(walk, &field, least));
    let cost = or("cost", 1, 1)?;
    Some(BudgetSpec::Tokens {
        tokens: tokens?,
        cost,
        timeout_cost: or("timeout_cost", 1, cost)?,
        refill: or("refill", 0, 1)?,
    })
}

fn small(walk: &mut Walk, field: &Field<'_>, least: u64) -> Option<u32> {
    walk.whole(field, least, u64::from(u32::MAX)).and_then(|number| u32::try_from(number).ok())
}

fn boolean(walk: &mut Walk, field: &Field<'_>) -> Option<bool> {
    let given = field.value.get_ref().as_bool();
    if given.is_none() {
        walk.mismatch(field, "`true` or `false`", "");
    }
    given
}
