//! The C interfaces that a submission may speak, and what C needs from us.

mod heap;
mod libc;
pub mod nist;
pub mod random;

use wire::{Category, Sizes};

/// Which instance this image was built for: facts from the catalogue, written by the build script.
pub struct Identity {
    /// The board.
    pub board: &'static str,
    /// The candidate's id.
    pub candidate: &'static str,
    /// The label, unique within the candidate.
    pub label: &'static str,
    /// What kind of scheme it is.
    pub category: Category,
    /// Sizes in bytes that it claims.
    pub sizes: Sizes,
    /// The generator behind its published known answers.
    pub kat_generator: kat::generator::Generator,
}

/// The instance: its identity and its functions.
mod linked {
    include!(concat!(env!("OUT_DIR"), "/instance.rs"));
}

pub use linked::IDENTITY;

/// The instance, ready to be measured.
pub fn instance() -> nist::NistInstance {
    nist::NistInstance::new(&IDENTITY, linked::functions())
}
