//! Real processes, right and wrong ones.

mod examples;
mod faults;
mod gone;
mod late;
mod subject;
