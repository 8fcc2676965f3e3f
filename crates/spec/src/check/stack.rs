//! Layers that retry around each other.

use super::Check;
use crate::problem::{Problem, join, written};

impl Check<'_> {
    pub(super) fn stack(&mut self) {
        let Some(stack) = &self.draft.stack else { return };
        if stack.layers.is_empty() {
            self.report(
                Problem::new("stack", "the stack has no layers")
                    .help("list each layer with its attempts, such as `sdk = 3`"),
            );
        }
        if stack.most == 0 {
            self.report(Problem::new("stack.most", "0 is not allowed").help("at least 1"));
        }
        for (index, layer) in stack.layers.iter().enumerate() {
            let path = join("stack", &written(&layer.name));
            if layer.name == "most" || stack.layers.iter().take(index).any(|other| other.name == layer.name) {
                self.report(Problem::new(&*path, "two layers of the same name").help("rename one"));
            }
            if layer.attempts == 0 {
                self.report(Problem::new(path, "a layer needs an attempt").help("at least 1"));
            }
        }
    }
}
