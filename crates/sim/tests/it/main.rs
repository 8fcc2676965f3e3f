//! The simulator through its public interface.

mod borders;
mod differing;
mod examining;
mod folding;
mod judging;
mod playing;
mod shown;
mod timelines;
