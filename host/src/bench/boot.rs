//! From the start of a meter to its answer to the first request.

use catalogue::DEFAULT_INSTANCE;

use super::{Figure, Workbench};
use crate::system::System;

/// Starts the meter again and again.
pub fn measure(bench: &Workbench, system: &dyn System) -> miette::Result<Vec<Figure>> {
    let image = bench.image(DEFAULT_INSTANCE, system)?;
    let mut seconds = Vec::new();
    for _ in 0..bench.repeat {
        let session = bench.start(system, &image)?;
        seconds.push(session.introduction().ready_seconds);
        session.bye();
    }
    Ok(vec![Figure::of("boot", "s", seconds)])
}
