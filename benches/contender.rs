//! Something to be timed or counted, and its name.

/// One row of a table: does one thing as often as it is told to.
pub(crate) struct Contender {
    /// What the row is called.
    pub(crate) name: String,
    run: Box<dyn FnMut(u64)>,
}

impl Contender {
    /// A contender that repeats its thing as often as `run` is told to.
    pub(crate) fn new(name: impl Into<String>, run: impl FnMut(u64) + 'static) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }

    /// Does it this many times.
    pub(crate) fn run(&mut self, times: u64) {
        (self.run)(times);
    }
}
