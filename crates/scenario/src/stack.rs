//! Layers that retry around each other.

/// Retrying layers around one operation, each of which repeats all that is inside of it, and how many attempts they may
/// make together.
///
/// ```
/// use retrylab_scenario::{Layer, Stack};
///
/// let layer = |name: &str, attempts| Layer { name: name.to_owned(), attempts };
/// let stack = Stack { most: 10, layers: vec![layer("sdk", 3), layer("app", 12)] };
/// assert_eq!(stack.product(), 36);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The most attempts that are wanted for one operation.
    pub most: u64,
    /// The layers, in the order of the file.
    pub layers: Vec<Layer>,
}

/// One layer of a [`Stack`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Whose layer it is, such as `sdk`.
    pub name: String,
    /// How many attempts it makes, the first one included.
    pub attempts: u64,
}

impl Stack {
    /// How many attempts one operation can become, saturating: the product of all layers.
    #[must_use]
    pub fn product(&self) -> u64 {
        self.layers.iter().fold(1, |product, layer| product.saturating_mul(layer.attempts))
    }
}
