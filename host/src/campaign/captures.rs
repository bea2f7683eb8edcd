//! The captures of a label: what came over the line while it was tested and measured.

use catalogue::Instance;

use super::work::Work;
use crate::capture::{Header, Recorded, Recorder};
use crate::outcome::Outcome;

/// Folder of the captures in a system's folder.
const CAPTURES: &str = "captures";

/// Extension of a capture.
const EXTENSION: &str = "capture";

/// Measures an instance and records the line meanwhile. The capture is kept when something was
/// spoiled, or when all are.
///
/// # Errors
///
/// What is neither the target's doing nor the user's wish.
pub fn instance(work: &Work, instance: &Instance) -> miette::Result<Outcome> {
    let recorder = recorder(work, instance);
    let system = Recorded::new(work.system, &recorder);
    let recorded = Work {
        system: &system,
        ..*work
    };
    let result = recorded.instance(instance);
    let is_spoiled = match &result {
        Ok(outcome) => !matches!(outcome, Outcome::Clean | Outcome::Interrupted),
        Err(_) => true,
    };
    match recorder.finish(work.settings.capture || is_spoiled) {
        Ok(_) => {}
        // It costs the capture, and no record.
        Err(error) => work.reporter.remark(&instance.name(), &error.to_string()),
    }
    result
}

fn recorder(work: &Work, instance: &Instance) -> Recorder {
    let path = work
        .directory
        .root()
        .join(work.system.name())
        .join(CAPTURES)
        .join(&instance.candidate)
        .join(format!("{}.{EXTENSION}", instance.label));
    Recorder::new(path, Header::of(work.system))
}
