//! Real processes, correct and faulty.

mod examples;
mod faults;
mod gone;
mod late;
mod subject;
