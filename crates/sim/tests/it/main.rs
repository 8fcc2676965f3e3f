//! The simulator through its public interface.

mod examining;
mod folding;
mod judging;
mod playing;
mod shown;
mod timelines;
