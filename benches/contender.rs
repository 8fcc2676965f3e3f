//! A piece of work to be timed or counted, with its name.

/// One row of a table: repeats its work as often as requested.
pub(crate) struct Contender {
    /// The name of the row.
    pub(crate) name: String,
    run: Box<dyn FnMut(u64)>,
}

impl Contender {
    /// A contender that repeats its work with `run`.
    pub(crate) fn new(name: impl Into<String>, run: impl FnMut(u64) + 'static) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }

    /// Repeats the work this many times.
    pub(crate) fn run(&mut self, times: u64) {
        (self.run)(times);
    }
}
