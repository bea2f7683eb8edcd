//! What people read: numbers in the published formats, and systems side by side.
//!
//! Nothing here computes a statistic; [`comparison`] puts records next to each other and
//! [`render`] draws what it found; [`shares`] does both with profiles.

pub mod comparison;
pub mod format;
pub(crate) mod order;
pub mod render;
pub mod shares;
