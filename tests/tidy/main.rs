//! The repository, held to its own rules: what a compiler does not check and a reviewer forgets.
//!
//! Each check is a function from a [`Tree`](tree::Tree) to the list of what is wrong in it. It runs on this checkout, and
//! once more on a small made-up tree that breaks the rule, so that every check is seen to be able to fail.

mod arrows;
mod commands;
mod facade;
mod map;
mod markdown;
mod mutants;
mod names;
mod probe;
mod snapshots;
mod sources;
mod tree;
mod types;
