//! Where an entry is in a timeline.

use retrylab_scenario::{Draft, Entry, Play};

#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A part of the script, and the way inside of it through repeats.
    Script(usize, Vec<usize>),
    Window(usize),
}

pub(super) fn entries(play: &Play) -> Vec<Vec<usize>> {
    match play {
        Play::Attempt(_) => vec![Vec::new()],
        Play::Repeat { play, .. } => {
            let inside = |(nth, play): (usize, &Play)| {
                entries(play).into_iter().map(move |mut way| {
                    way.insert(0, nth);
                    way
                })
            };
            play.iter().enumerate().flat_map(inside).collect()
        }
    }
}

pub(super) fn entry_mut<'a>(draft: &'a mut Draft, place: &Place) -> Option<&'a mut Entry> {
    match place {
        Place::Window(nth) => draft.windows.get_mut(*nth).map(|window| &mut window.entry),
        Place::Script(nth, way) => {
            let mut play = draft.script.get_mut(*nth)?;
            for &inner in way {
                play = match play {
                    Play::Repeat { play, .. } => play.get_mut(inner)?,
                    Play::Attempt(_) => return None,
                };
            }
            match play {
                Play::Attempt(entry) => Some(entry),
                Play::Repeat { .. } => None,
            }
        }
    }
}
