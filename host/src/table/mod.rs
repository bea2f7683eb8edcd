//! What people read: numbers in the published formats, and systems side by side.
//!
//! Nothing here computes a statistic; [`comparison`] puts records next to each other and
//! [`render`] draws what it found.

pub mod comparison;
pub mod format;
pub(crate) mod order;
pub mod render;
