//! Layers that retry around each other.

/// Retrying layers around one operation, each of which repeats all layers inside it, and the maximum of their attempts
/// together.
///
/// ```
/// use retrylab_spec::{Layer, Stack};
///
/// let layer = |name: &str, attempts| Layer { name: name.to_owned(), attempts };
/// let stack = Stack { most: 10, layers: vec![layer("sdk", 3), layer("app", 12)] };
/// assert_eq!(stack.product(), 36);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The maximum number of attempts for one operation.
    pub most: u64,
    /// The layers, in the order of the file.
    pub layers: Vec<Layer>,
}

/// One layer of a [`Stack`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The name of the layer, such as `sdk`.
    pub name: String,
    /// The number of its attempts, the first one included.
    pub attempts: u64,
}

impl Stack {
    /// The number of attempts of one operation, saturating: the product of all layers.
    #[must_use]
    pub fn product(&self) -> u64 {
        self.layers.iter().fold(1, |product, layer| product.saturating_mul(layer.attempts))
    }
}
