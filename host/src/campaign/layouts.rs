//! The same instance in images whose code lies elsewhere: how much that alone moves its figures.

use std::collections::BTreeMap;

use catalogue::environment::LAYOUT_STEP;
use catalogue::{FlagSet, Instance};
use wire::Operation;

use super::build::{self, Which};
use super::label::{Bench, end};
use super::phase::Phase;
use super::work::Work;
use crate::image::Image;
use crate::interrupt::Urgency;
use crate::measure::{self, Step};
use crate::measurement::{LayoutTrials, Trial};
use crate::session::{Session, keep_spoiled};

/// What was measured of each operation on images of other layouts.
pub type Layouts = BTreeMap<Operation, Vec<LayoutTrials>>;

impl Work<'_> {
    /// Builds as many images as the settings ask for, each with its code shifted by another
    /// multiple of [`LAYOUT_STEP`] bytes, and runs the trials of these operations on each.
    ///
    /// # Errors
    ///
    /// What is neither the target's doing nor the user's wish.
    pub(super) fn layouts(
        &self,
        instance: &Instance,
        flags: FlagSet,
        operations: &[Operation],
    ) -> miette::Result<Layouts> {
        let mut layouts = Layouts::new();
        for shift_bytes in (1..=self.settings.layouts).map(|number| number * LAYOUT_STEP) {
            if self.interrupt.urgency() > Urgency::None {
                break;
            }
            let name = format!("{} shifted by {shift_bytes} bytes", instance.name());
            self.reporter.doing(Phase::Build, &name, "");
            let which = Which {
                layout: shift_bytes,
                ..Which::timed(flags)
            };
            let built = build::image(instance, which, self.system, self.cache, self.interrupt)?;
            let mut outcomes = match &built {
                Ok(image) => self.bench(instance, image).trials(&name, operations)?,
                Err(reason) => Outcomes::from_iter(
                    operations
                        .iter()
                        .map(|operation| (*operation, Err(reason.clone()))),
                ),
            };
            for operation in operations {
                let Some(outcome) = outcomes.remove(operation) else {
                    continue; // Interrupted.
                };
                layouts.entry(*operation).or_default().push(LayoutTrials {
                    shift_bytes,
                    elf_sha256: built.as_ref().ok().map(|image: &Image| image.elf.sha256),
                    outcome,
                });
            }
        }
        Ok(layouts)
    }
}

/// The trials of each operation, or why there are none.
type Outcomes = BTreeMap<Operation, Result<Vec<Trial>, String>>;

impl Bench<'_> {
    /// Runs the trials of these operations and nothing else.
    fn trials(&self, name: &str, operations: &[Operation]) -> miette::Result<Outcomes> {
        let mut outcomes = Outcomes::new();
        let mut session = None;
        for operation in operations {
            if self.interrupt.urgency() > Urgency::None {
                break;
            }
            let started = match session.take() {
                Some(session) => Ok(session),
                None => keep_spoiled(self.restart())?,
            };
            let mut running = match started {
                Ok(running) => running,
                Err(spoiled) => {
                    outcomes.insert(*operation, Err(spoiled.to_string()));
                    continue;
                }
            };
            let subject = format!("{name} {operation}");
            let progress = &mut |step: Step| {
                self.reporter
                    .doing(Phase::of(step), &subject, &Phase::detail(step));
            };
            let plan = &self.settings.plan;
            let outcome = match measure::trials(&mut running, *operation, plan, progress)? {
                Ok(trials) => {
                    session = Some(running);
                    Ok(trials)
                }
                Err(spoiled) => {
                    end(running, &spoiled);
                    Err(spoiled.to_string())
                }
            };
            outcomes.insert(*operation, outcome);
        }
        session.map(Session::bye);
        Ok(outcomes)
    }
}
