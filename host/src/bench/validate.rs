//! How fast records are checked, through the command that people type.

use super::{Figure, Workbench, command};
use crate::system::System;

/// Seconds that the command may take.
const SECONDS: f64 = 2.0;

/// `cargo host validate` on ten thousand records.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    command::measure(bench, system, "validate", SECONDS)
}
