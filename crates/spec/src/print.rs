//! The canonical text of a timeline: one form for each, which parses back as equal.

use core::fmt::{Display, Write as _};
use core::time::Duration;

use retrylab_core::{Beyond, Least, ServerDelay};
use toml_writer::{ToTomlValue as _, TomlStringBuilder};

use crate::duration::Text;
use crate::model::{
    CUT_END, Client, ClockChange, Draft, Draw, Entry, Expect, FirstMessage, JitterChoice, Limits, Outcome, Play,
    Repeated, ServerWait, Then, Window,
};
use crate::policy::{BudgetSpec, CallSpec, LadderSpec, PolicySpec, ResetSpec, Seconds, TwoRegimes};
use crate::problem::written;
use crate::timeline::Timeline;

/// Prints a timeline as a file: keys in the order of the documentation, defaults left out, repeats that stand inside
/// a `play` as inline tables.
///
/// Parsing the text gives an equal timeline, and printing that gives equal bytes.
///
/// ```
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// use retrylab_spec::{File, parse, print};
///
/// let text = r#"
/// why = "Two flaps."
/// [client]
/// kind = "streaming"
/// [[timeline]]
/// play = [ {end="close",up="60s"},{up="0.5s",end="close"} ]
/// "#;
/// let File::Played(timeline) = parse("flaps.toml", text)?.file else { panic!("a timeline") };
/// assert_eq!(
///     print(&timeline),
///     r#"why = "Two flaps."
///
/// [client]
/// kind = "streaming"
///
/// [[timeline]]
/// play = [
///     { up = "1m", end = "close" },
///     { up = "500ms", end = "close" },
/// ]
/// "#,
/// );
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn print(timeline: &Timeline) -> String {
    let mut page = Page { text: String::new(), in_full: false };
    page.draft(timeline);
    page.text
}

/// A file with this client alone, none of its limits left out.
pub(crate) fn in_full(client: &Client) -> String {
    let mut page = Page { text: String::new(), in_full: true };
    page.client(client);
    page.text
}

/// In characters; longer lists are broken into lines of at most this.
const LINE: usize = 100;

struct Page {
    text: String,
    /// Whether a call says what is usual, too.
    in_full: bool,
}

impl Page {
    fn draft(&mut self, draft: &Draft) {
        self.key("why", string(&draft.why));
        if !draft.cite.is_empty() {
            self.key("cite", list(draft.cite.iter().map(|source| string(source))));
        }
        self.optional("found_by", draft.found_by.as_deref().map(string));
        self.optional("seed", draft.seed);
        if draft.then != Then::Stop {
            self.key("then", string(draft.then.name()));
        }
        self.optional("wall", draft.wall.as_deref().map(string));
        self.optional("until", draft.until.map(duration));
        self.optional("stop", draft.stop.map(duration));
        if !draft.catches.is_empty() {
            self.key("catches", list(draft.catches.iter().map(|fault| string(fault))));
        }
        self.client(&draft.client);
        self.script(&draft.script);
        for window in &draft.windows {
            self.window(window);
        }
        for event in &draft.clock {
            self.table("[[clock]]");
            self.key("at", duration(event.at));
            match event.change {
                ClockChange::Step(length) => self.key("step", format_args!("\"+{}\"", Text(length))),
                ClockChange::Suspend(length) => self.key("suspend", duration(length)),
                ClockChange::WallStep(nanos) => {
                    let sign = if nanos < 0 { '-' } else { '+' };
                    let length = Text(Duration::from_nanos(nanos.unsigned_abs()));
                    self.key("wall_step", format_args!("\"{sign}{length}\""));
                }
            }
        }
        self.limits(draft.limits);
        if let Some(stack) = &draft.stack {
            self.table("[stack]");
            self.key("most", stack.most);
            for layer in &stack.layers {
                self.key(&written(&layer.name), layer.attempts);
            }
        }
        if let Some(expect) = &draft.expect {
            self.expect(expect);
        }
    }

    fn client(&mut self, client: &Client) {
        self.table("[client]");
        self.kind(&client.kind);
        match client.jitter {
            JitterChoice::Own => {}
            JitterChoice::None => self.key("jitter", "\"none\""),
            JitterChoice::Coarse => self.key("jitter", "\"coarse\""),
        }
        if let PolicySpec::External { claims: Some(claims), .. } = &client.kind {
            self.table("[client.claims]");
            self.kind(claims);
        }
    }

    fn kind(&mut self, kind: &PolicySpec) {
        match kind {
            PolicySpec::Streaming { initial_reconnect_delay } => {
                self.key("kind", "\"streaming\"");
                self.optional("initial_reconnect_delay", initial_reconnect_delay.map(seconds));
            }
            PolicySpec::Polling { poll_interval } => {
                self.key("kind", "\"polling\"");
                self.optional("poll_interval", poll_interval.map(seconds));
            }
            PolicySpec::TwoRegimes(regimes) => {
                self.key("kind", string(regimes.shape.name()));
                self.regimes(regimes);
            }
            PolicySpec::Call(spec) => {
                self.key("kind", "\"call\"");
                self.call(spec, &CallSpec::default());
            }
            PolicySpec::Reconnect { outage, reset } => {
                self.key("kind", "\"reconnect\"");
                self.key("reset", reset_rule(*reset));
                self.call(outage, &CallSpec::reconnect());
            }
            PolicySpec::Dialect { dialect, seconds: given } => {
                self.key("kind", string(dialect.name()));
                self.optional(dialect.option().name(), given.map(seconds));
            }
            PolicySpec::External { name, played_as, .. } => {
                self.key("kind", "\"external\"");
                self.key("name", string(name));
                self.key("as", string(played_as.name()));
            }
        }
    }

    /// What is as the preset of this first wait has it is left out.
    fn regimes(&mut self, regimes: &TwoRegimes) {
        let usual = TwoRegimes::preset(regimes.shape, regimes.normal.0);
        let all = self.in_full;
        self.key("normal", bounds(regimes.normal));
        self.optional("extended", (all || regimes.extended != usual.extended).then(|| bounds(regimes.extended)));
        self.optional("cadence", (all || regimes.cadence != usual.cadence).then(|| duration(regimes.cadence)));
        self.optional("reset", (all || regimes.reset != usual.reset).then(|| reset_rule(regimes.reset)));
    }

    fn call(&mut self, spec: &CallSpec, usual: &CallSpec) {
        let in_full = self.in_full;
        self.optional("ladder", (in_full || spec.ladder != usual.ladder).then(|| ladder(&spec.ladder)));
        self.optional("jitter", (in_full || spec.jitter != usual.jitter).then(|| string(spec.jitter.name())));
        if in_full || spec.attempts != usual.attempts {
            self.key("attempts", spec.attempts.map_or_else(|| string("unlimited"), |attempts| attempts.to_string()));
        }
        self.optional("elapsed", spec.elapsed.map(duration));
        self.optional("deadline", spec.deadline.map(duration));
        if let ServerDelay::Honour { most, beyond, spread, least } = spec.retry_after {
            let spread = if spread.is_zero() { String::new() } else { format!(", spread = {}", duration(spread)) };
            let least = if least == Least::Rung { "" } else { ", least = \"zero\"" };
            let beyond = if beyond == Beyond::Clamp { "clamp" } else { "refuse" };
            let most = duration(most);
            self.key("retry_after", format!("{{ most = {most}, beyond = {}{spread}{least} }}", string(beyond)));
        }
        if !spec.budgets.is_empty() {
            self.key("budget", list(spec.budgets.iter().map(budget)));
        }
        if !spec.idempotent {
            self.key("idempotent", "false");
        }
    }

    /// Each repeat is a table, and so are the attempts between two of them.
    fn script(&mut self, script: &[Play]) {
        let both_attempts = |a: &Play, b: &Play| matches!((a, b), (Play::Attempt(_), Play::Attempt(_)));
        for group in script.chunk_by(both_attempts) {
            self.table("[[timeline]]");
            match group {
                [Play::Repeat { times, play }] => {
                    self.key("repeat", times);
                    self.play(play);
                }
                attempts => self.play(attempts),
            }
        }
    }

    fn play(&mut self, parts: &[Play]) {
        self.key("play", play(parts, ""));
    }

    fn window(&mut self, window: &Window) {
        self.table("[[window]]");
        self.key("from", duration(window.from));
        self.key("until", duration(window.until));
        let pairs = entry(&window.entry);
        let ends = pairs.iter().any(|(key, _)| *key == "end");
        for (key, value) in pairs {
            self.key(key, value);
        }
        if let Some(end) = window.cut {
            self.key("cut", "true");
            if !ends && end != CUT_END {
                self.key("end", string(end.name()));
            }
        }
    }

    fn limits(&mut self, limits: Limits) {
        let usual = Limits::default();
        if limits != usual {
            self.table("[limits]");
            self.optional("events", (limits.events != usual.events).then_some(limits.events));
            self.optional("time", (limits.time != usual.time).then(|| duration(limits.time)));
        }
    }

    fn expect(&mut self, expect: &Expect) {
        self.table("[expect]");
        self.optional("delays", expect.delays.as_deref().map(repeated));
        self.optional("waits", expect.waits.as_deref().map(repeated));
        self.optional("attempts", expect.attempts);
        self.optional("regime", expect.regime.map(|regime| string(regime.name())));
        self.optional("rung", expect.rung);
        for point in &expect.at {
            let at = duration(point.at);
            self.optional(&format!("at.{at}.regime"), point.regime.map(|regime| string(regime.name())));
            self.optional(&format!("at.{at}.rung"), point.rung);
        }
        self.optional("outcome", expect.outcome.map(|outcome| string(outcome.name())));
        if !expect.laws.is_empty() {
            self.key("laws", list(expect.laws.iter().map(|law| string(law))));
        }
        if !expect.warnings.is_empty() {
            self.key("warnings", list(expect.warnings.iter().map(|option| string(option.name()))));
        }
    }

    fn table(&mut self, header: &str) {
        self.line(format_args!("\n{header}"));
    }

    fn optional(&mut self, key: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.key(key, value);
        }
    }

    fn key(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    fn line(&mut self, line: core::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}

/// A single attempt on the same line, otherwise a line for each part, below a line with this `indent`.
fn play(parts: &[Play], indent: &str) -> String {
    match parts {
        [Play::Attempt(only)] => format!("[{}]", attempt(only)),
        several => {
            let deeper = format!("{indent}    ");
            let lines: String = several.iter().map(|one| format!("{deeper}{},\n", part(one, &deeper))).collect();
            format!("[\n{lines}{indent}]")
        }
    }
}

fn part(part: &Play, indent: &str) -> String {
    match part {
        Play::Attempt(one) => attempt(one),
        Play::Repeat { times, play: parts } => format!("{{ repeat = {times}, play = {} }}", play(parts, indent)),
    }
}

fn attempt(one: &Entry) -> String {
    let pairs: Vec<String> = entry(one).into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// Keys and values of an entry.
fn entry(entry: &Entry) -> Vec<(&'static str, String)> {
    let mut pairs = Vec::new();
    match entry.outcome {
        Outcome::Up { lasts, first } => {
            match lasts {
                None => pairs.push(("up", "true".to_owned())),
                Some((lasts, end)) => pairs.extend([("up", duration(lasts)), ("end", string(end.name()))]),
            }
            if first != FirstMessage::Put {
                pairs.push(("first", string(first.name())));
            }
        }
        Outcome::Idle { lasts, end } => pairs.extend([("idle", duration(lasts)), ("end", string(end.name()))]),
        Outcome::Ok => pairs.push(("ok", "true".to_owned())),
        Outcome::Status { status, retry_after } => {
            pairs.push(("status", status.to_string()));
            pairs.extend(retry_after.map(|wait| ("retry_after", server_wait(wait))));
        }
        Outcome::Fault(fault) => pairs.push(("fault", string(fault.name()))),
        Outcome::Malformed => pairs.push(("malformed", "true".to_owned())),
        Outcome::Hang(lasts) => pairs.push(("hang", duration(lasts))),
    }
    if !entry.latency.is_zero() {
        pairs.push(("latency", duration(entry.latency)));
    }
    pairs.extend(entry.draw.map(|given| ("draw", draw(given))));
    pairs
}

fn draw(draw: Draw) -> String {
    match draw {
        Draw::Address(address) => address.to_string(),
        Draw::Value(value) => format!("{{ value = \"{value:#x}\" }}"),
    }
}

fn server_wait(wait: ServerWait) -> String {
    match wait {
        ServerWait::Delay(delay) => duration(delay),
        ServerWait::Header(text) => format!("{{ header = {} }}", string(text.as_str())),
    }
}

fn bounds((initial, ceiling): (Duration, Duration)) -> String {
    format!("{{ initial = {}, ceiling = {} }}", duration(initial), duration(ceiling))
}

fn reset_rule(reset: ResetSpec) -> String {
    match reset {
        ResetSpec::HealthyFor(window) => format!("{{ healthy_for = {} }}", duration(window)),
        ResetSpec::Successes(count) => format!("{{ successes = {count} }}"),
    }
}

fn ladder(ladder: &LadderSpec) -> String {
    match ladder {
        LadderSpec::Exponential { base, ratio, ceiling } => {
            format!("{{ exponential = {}, ratio = \"{ratio}\", ceiling = {} }}", duration(*base), duration(*ceiling))
        }
        LadderSpec::Constant(delay) => format!("{{ constant = {} }}", duration(*delay)),
        LadderSpec::Linear { base, step, ceiling } => {
            format!("{{ linear = {}, step = {}, ceiling = {} }}", duration(*base), duration(*step), duration(*ceiling))
        }
        LadderSpec::Fibonacci { base, ceiling } => {
            format!("{{ fibonacci = {}, ceiling = {} }}", duration(*base), duration(*ceiling))
        }
        LadderSpec::List(rungs) => {
            let rungs: Vec<String> = rungs.iter().copied().map(duration).collect();
            format!("{{ list = [{}] }}", rungs.join(", "))
        }
    }
}

fn budget(budget: &BudgetSpec) -> String {
    match budget {
        BudgetSpec::Tokens { tokens, cost, timeout_cost, refill } => {
            format!("{{ tokens = {tokens}, cost = {cost}, timeout_cost = {timeout_cost}, refill = {refill} }}")
        }
        BudgetSpec::Ratio { ratio, reserve } => format!("{{ ratio = \"{ratio}\", reserve = {reserve} }}"),
    }
}

fn repeated(values: &[Repeated]) -> String {
    list(values.iter().map(|repeated| {
        let value = duration(repeated.value);
        match repeated.times {
            1 => value,
            times => format!("{{ value = {value}, times = {times} }}"),
        }
    }))
}

fn seconds(seconds: Seconds) -> String {
    match seconds {
        Seconds::Text(span) => duration(span),
        Seconds::Number(number) if number.is_nan() => "nan".to_owned(),
        // The shortest digits that read back as the same number, with a point or an exponent.
        Seconds::Number(number) => format!("{number:?}"),
    }
}

fn duration(duration: Duration) -> String {
    format!("\"{}\"", Text(duration))
}

/// On one line where it fits, otherwise on lines of as many values as fit.
fn list(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    let line = values.join(", ");
    if line.len() <= LINE {
        return format!("[{line}]");
    }
    let mut text = String::from("[");
    let mut column = LINE;
    for value in values {
        if column + value.len() + 2 > LINE {
            text.push_str("\n   ");
            column = 3;
        }
        text.push(' ');
        text.push_str(&value);
        text.push(',');
        column += value.len() + 2;
    }
    text.push_str("\n]");
    text
}

/// A text in quotes, on one line.
fn string(text: &str) -> String {
    TomlStringBuilder::new(text).as_basic().to_toml_value()
}
