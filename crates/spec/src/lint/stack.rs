//! Layers that multiply each other's attempts.

use super::{Rule, Warning};
use crate::stack::Stack;

pub(super) fn lint(stack: &Stack) -> Option<Warning> {
    let product = stack.product();
    (product > stack.most).then(|| {
        let layers: Vec<String> =
            stack.layers.iter().map(|layer| format!("{} ({})", layer.name, layer.attempts)).collect();
        let least = if product == u64::MAX { "at least " } else { "" };
        let message = format!(
            "{} make {least}{product} attempts of one operation; at most {} are allowed",
            layers.join(" × "),
            stack.most
        );
        Warning::new(Rule::TallStack, "stack", message, "retry in one layer only, with 1 attempt in each of the others")
    })
}
