//! Images: an instance built into a meter, ready to be started.
//!
//! [`Cache`] builds an image from a [`Recipe`] unless one with the same [`Ingredients`] is there;
//! [`Elf`] is what any image says of itself.

mod blame;
mod build;
mod cache;
mod elf;
mod error;
mod flat;
mod lock;
mod recipe;
mod seal;
mod sizes;
mod symbols;
mod unwind;

use catalogue::BuildReport;

pub use cache::{Cache, report_beside};
pub use elf::{Elf, ElfError, Machine};
pub use error::BuildError;
pub use flat::{Flat, FlatError, flatten};
pub use recipe::{Ingredients, Recipe};
pub use sizes::StaticSizes;
pub use symbols::locate;

/// An image, and what should be in it.
#[derive(Clone, Debug)]
pub struct Image {
    /// The ELF file.
    pub elf: Elf,
    /// Candidate and label, when they are known beforehand.
    pub instance: Option<(String, String)>,
    /// What the build said of itself, where that is known.
    pub report: Option<BuildReport>,
    /// Its name in records: in the cache, or the file's own.
    pub name: String,
}
