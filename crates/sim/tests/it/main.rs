//! The simulator through its public interface.

mod differing;
mod examining;
mod folding;
mod judging;
mod playing;
mod shown;
mod timelines;
