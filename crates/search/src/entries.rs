//! The entries of a draft, in the order of the file.

use retrylab_spec::{Draft, Entry, Play};

/// The entries of a script; a repeated one is there once.
pub(crate) fn scripted(script: &mut [Play]) -> Vec<&mut Entry> {
    fn add<'a>(script: &'a mut [Play], all: &mut Vec<&'a mut Entry>) {
        for play in script {
            match play {
                Play::Attempt(entry) => all.push(entry),
                Play::Repeat { play, .. } => add(play, all),
            }
        }
    }
    let mut all = Vec::new();
    add(script, &mut all);
    all
}

/// The entries of the script, then those of the windows.
pub(crate) fn entries(draft: &mut Draft) -> impl Iterator<Item = &mut Entry> {
    scripted(&mut draft.script).into_iter().chain(draft.windows.iter_mut().map(|window| &mut window.entry))
}
