//! The phases of a campaign, by the names that progress and log give them.

use std::fmt;

use crate::measure::Step;

/// What a campaign is at. Each can be gone on with after an end at any moment: images are kept,
/// known answers that passed are not computed again, and an operation is measured whole.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Phase {
    /// What is there of an instance, and what is left to do.
    Check,
    /// Images are built.
    Build,
    /// Known answers are computed and compared.
    Kat,
    /// One call of an operation, to plan its trials.
    Calibrate,
    /// Trials and the passes beside them.
    Measure,
    /// The memory of one call.
    Memory,
    /// The shares of symmetric functions.
    Profile,
}

impl Phase {
    /// The phase that a step of an operation belongs to.
    pub fn of(step: Step) -> Self {
        match step {
            Step::Calibration => Self::Calibrate,
            Step::Trial { .. } | Step::Samples | Step::Events | Step::Cold => Self::Measure,
            Step::Memory => Self::Memory,
        }
    }

    /// What a step is, where its phase has several.
    pub fn detail(step: Step) -> String {
        match Self::of(step) {
            Self::Measure => step.to_string(),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Check => "check",
            Self::Build => "build",
            Self::Kat => "kat",
            Self::Calibrate => "calibrate",
            Self::Measure => "measure",
            Self::Memory => "memory",
            Self::Profile => "profile",
        })
    }
}
