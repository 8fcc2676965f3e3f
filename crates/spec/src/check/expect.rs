//! Checks of the expectations.

use super::Check;
use crate::duration::{Text, print};
use crate::model::{Expect, Repeated};
use crate::policy::Shape;
use crate::problem::{Problem, join};

impl Check<'_> {
    pub(super) fn expect(&mut self) {
        let Some(expect) = &self.draft.expect else { return };
        if *expect == Expect::default() {
            self.report(
                Problem::new("expect", "the table is empty")
                    .help("add an expectation, such as `delays` or `attempts`, or omit the table"),
            );
        }
        for (key, list) in [("expect.delays", &expect.delays), ("expect.waits", &expect.waits)] {
            self.list(key, list.as_deref().unwrap_or_default());
        }
        self.instants(expect);
        if expect.outcome.is_some() && self.draft.client.kind.shape() != Shape::Call {
            self.report(
                Problem::new("expect.outcome", "`outcome` is for clients that call")
                    .help("expect `delays`, `attempts` or `regime`")
                    .with(self.shape_key(), "this client does not"),
            );
        }
        self.laws(&expect.laws);
    }

    fn list(&mut self, path: &str, list: &[Repeated]) {
        for (index, repeated) in list.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if repeated.times == 0 {
                self.report(
                    Problem::new(join(&path, "times"), "0 is not allowed").help("at least 1, or omit the value"),
                );
            }
            self.fits(join(&path, "value"), repeated.value);
        }
    }

    fn instants(&mut self, expect: &Expect) {
        for (index, point) in expect.at.iter().enumerate() {
            let path = at_path(point.at);
            self.fits(&*path, point.at);
            self.not_beyond_until(&path, point.at);
            if point.regime.is_none() && point.rung.is_none() {
                self.report(Problem::new(&*path, "no expectation at this instant").help("expect `regime` or `rung`"));
            }
            let earlier = index.checked_sub(1).and_then(|before| expect.at.get(before));
            if let Some(earlier) = earlier.filter(|earlier| earlier.at >= point.at) {
                self.report(
                    Problem::new(path, format!("{} is not after {}", Text(point.at), Text(earlier.at)))
                        .help("instants ascend, each named once"),
                );
            }
        }
    }

    fn laws(&mut self, laws: &[String]) {
        for (index, law) in laws.iter().enumerate() {
            let path = format!("expect.laws[{index}]");
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if law.is_empty() || !law.chars().all(is_name) {
                self.report(
                    Problem::new(path, format!("{law:?} is not a valid name of a law"))
                        .help("names are lower-case words with hyphens between them"),
                );
            } else if laws.iter().take(index).any(|other| other == law) {
                self.report(Problem::new(path, format!("{law:?} is listed twice")).help("omit one"));
            }
        }
    }
}

/// The key path of an expectation at an instant, however the file writes the instant.
pub(crate) fn at_path(at: core::time::Duration) -> String {
    format!("expect.at.{:?}", print(at))
}
