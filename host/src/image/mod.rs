//! Images: an instance built into a meter, ready to be started.
//!
//! [`Cache`] builds an image from a [`Recipe`] unless one with the same [`Ingredients`] is there;
//! [`Elf`] is what any image says of itself.

mod blame;
mod build;
mod cache;
mod elf;
mod error;
mod lock;
mod recipe;
mod seal;
mod sizes;
mod symbols;

use catalogue::{BuildReport, Frame};

pub use cache::{Cache, report_beside};
pub use elf::{Elf, ElfError, Machine};
pub use error::BuildError;
pub use recipe::{Ingredients, Recipe};
pub use sizes::StaticSizes;
pub use symbols::location;

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

impl Image {
    /// The largest stack frame of a function of the submission that is linked; `None` where the
    /// build's report is not known, or lists none.
    pub fn largest_frame(&self) -> Option<&Frame> {
        let linked = self.elf.functions();
        let units = &self.report.as_ref()?.units;
        let frames = units.iter().flat_map(|unit| &unit.frames);
        frames
            .filter(|frame| linked.contains(elf::base_name(&frame.function)))
            .max_by_key(|frame| frame.bytes)
    }
}
