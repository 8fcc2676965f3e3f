//! Layers that retry around each other.

use super::Check;
use crate::problem::{Problem, join, written};

impl Check<'_> {
    pub(super) fn stack(&mut self) {
        let Some(stack) = &self.draft.stack else { return };
        if stack.layers.is_empty() {
            self.report(
                Problem::new("stack", "a stack without layers")
                    .help("name each layer with its attempts, such as `sdk = 3`"),
            );
        }
        if stack.most == 0 {
            self.report(Problem::new("stack.most", "0 attempts are not enough for one").help("at least 1"));
        }
        for (index, layer) in stack.layers.iter().enumerate() {
            let path = join("stack", &written(&layer.name));
            if layer.name == "most" || stack.layers.iter().take(index).any(|other| other.name == layer.name) {
                self.report(Problem::new(&*path, "two keys of the same name").help("give the layer another name"));
            }
            if layer.attempts == 0 {
                self.report(Problem::new(path, "a layer without an attempt").help("at least 1"));
            }
        }
    }
}
