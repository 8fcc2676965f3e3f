//! `[stack]`.

use super::walk::{Field, Fields, Walk};
use crate::stack::{Layer, Stack};
use crate::suggest::nearest;

/// The key that is not a layer.
const MOST: &str = "most";

/// Every other key is a layer, so none is unknown.
pub(super) fn stack(walk: &mut Walk, field: &Field<'_>) -> Option<Stack> {
    let table = walk.any_table(field)?;
    let fields = Fields::any(field, table);
    let mut layers = Vec::new();
    for (key, span, field) in fields.in_order() {
        walk.note(&field, &span);
        if key != MOST {
            let attempts = walk.whole(&field, 1, u64::MAX);
            layers.push(Layer { name: key.to_owned(), attempts: attempts.unwrap_or(1) });
        }
    }
    let meant = nearest(MOST, layers.iter().map(|layer| &*layer.name)).map(str::to_owned);
    let help = match meant {
        Some(layer) => format!("did you mean `most` instead of `{layer}`?"),
        None => "the maximum number of attempts of all layers together, such as `most = 10`".to_owned(),
    };
    let most = walk.required(&fields, MOST, &help).and_then(|field| walk.whole(&field, 1, u64::MAX));
    Some(Stack { most: most.unwrap_or(u64::MAX), layers })
}
