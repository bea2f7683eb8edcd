//! What is measured and how. Knows no board, no architecture and no candidate.

pub mod bracket;
pub mod buffers;
mod cold;
pub mod events;
pub mod fault;
pub mod instance;
pub mod link;
pub mod log;
mod measure;
pub mod profile;
mod result;
mod runner;
pub mod self_test;
mod serve;
mod text;

pub use serve::serve;
