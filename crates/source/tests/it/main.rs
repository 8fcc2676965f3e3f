//! The source machines and their parts, from outside: no socket, no clock, and threads only where two of them are the
//! subject.

mod asking;
mod chance;
mod config;
mod decode;
mod easy_to_get_wrong;
mod endpoint;
mod lines;
mod log_lines;
mod options;
mod policies;
mod poll_player;
mod polling_events;
mod properties;
mod repeating_task;
mod retry_after;
mod shell;
mod sink;
mod sse;
mod start_wait;
mod status;
mod store;
mod stream_player;
mod streaming_events;
mod unruly;
