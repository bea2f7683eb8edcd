//! Pages of records whose figures are known: published ones, and one of each category.

mod drawn;
pub mod examples;
pub mod hostile;
mod published;
mod published_records;
mod snapshots;
