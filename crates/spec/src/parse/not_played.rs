//! Files that are marked as not played: `waits_for` and `outside`.

use super::walk::{Fields, TOP, Walk};
use super::{File, Part};
use crate::check::{not_blank, sources};
use crate::problem::Problem;

/// None for a file that is played; nothing inside if there are too many errors for a result.
pub(super) fn file(walk: &mut Walk, root: &Fields<'_>, why: Option<&str>, cite: &[String]) -> Option<Option<File>> {
    let key = ["waits_for", "outside"].into_iter().find(|key| root.get(key).is_some())?;
    only(walk, root, key);
    walk.take_over(why.map(|why| sources(why, cite)).unwrap_or_default());
    Some(if key == "waits_for" { waits_for(walk, root, why, cite) } else { outside(walk, root, why, cite) })
}

fn waits_for(walk: &mut Walk, root: &Fields<'_>, why: Option<&str>, cite: &[String]) -> Option<File> {
    let part = walk.word(&root.get("waits_for")?, "a part of the simulator", &Part::ALL)?;
    Some(File::WaitsFor { why: why?.to_owned(), cite: cite.to_vec(), part })
}

fn outside(walk: &mut Walk, root: &Fields<'_>, why: Option<&str>, cite: &[String]) -> Option<File> {
    let help = "write the reason why no timeline can show it";
    let reason = walk.text(&root.get("outside")?, "text", help)?;
    walk.take_over(not_blank("outside", reason, help).into_iter().collect());
    Some(File::Outside { why: why?.to_owned(), cite: cite.to_vec(), reason: reason.to_owned() })
}

/// Reports keys that only a played file has.
fn only(walk: &mut Walk, root: &Fields<'_>, key: &str) {
    for (other, span, field) in root.in_order() {
        if TOP.contains(&other) && !["why", "cite", key].contains(&other) {
            let problem = Problem::new(field.path, format!("a file with `{key}` is not played"));
            walk.report(span, problem.help(format!("omit `{other}`: only `why` and `cite` go with `{key}`")));
        }
    }
}
