//! The image of another instance, once everything else is built.

use std::time::Instant;

use catalogue::DEFAULT_INSTANCE;

use super::{Figure, OTHER_INSTANCE, Workbench};
use crate::system::System;

/// Builds two instances in turns.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let names = [DEFAULT_INSTANCE, OTHER_INSTANCE];
    for name in names {
        bench.image(name, system)?;
    }
    let mut seconds = Vec::new();
    for name in names.iter().cycle().take(bench.repeat as usize) {
        bench.cache.forget(&bench.recipe(name, system)?)?;
        let started = Instant::now();
        bench.image(name, system)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    Ok(vec![Figure::of("rebuild", "s", seconds)])
}
