//! Real processes, right and wrong ones.

mod examples;
mod faults;
mod subject;
