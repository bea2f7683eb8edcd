//! One instance on one system: built, tested, measured.

use catalogue::{FlagSet, Instance};
use wire::{Category, Operation};

use super::build::Which;
use super::{Layouts, Reporter, Settings, build, kat_log, label, sizes, subject};
use crate::fitness::Fitness;
use crate::image::{Cache, Image};
use crate::interrupt::Interrupt;
use crate::measurement::KatOutcome;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::assemble::Subject;
use crate::record::read::ReadError;
use crate::record::store::RunDirectory;
use crate::session::Session;
use crate::system::System;

/// No trials on other layouts.
pub static NO_LAYOUTS: Layouts = Layouts::new();

/// What the instances of one system are measured with.
pub struct Work<'a> {
    /// The workspace.
    pub project: &'a Project,
    /// What is to be done.
    pub settings: &'a Settings,
    /// Who is told how far things are.
    pub reporter: &'a Reporter,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
    /// The images.
    pub cache: &'a Cache,
    /// Where records are kept.
    pub directory: &'a RunDirectory,
    /// The system.
    pub system: &'a dyn System,
    /// What it lacks and is taken without.
    pub fitness: &'a Fitness,
}

impl Work<'_> {
    /// Builds and measures one instance, all of whose records are kept.
    ///
    /// # Errors
    ///
    /// What is neither the target's doing nor the user's wish.
    pub fn instance(&self, instance: &Instance) -> miette::Result<Outcome> {
        let name = instance.name();
        let system = self.system.name();
        let known = operations(instance, self.passes_on_record(instance)?);
        let left = self.left(instance, &known)?;
        if !known.is_empty() && left.is_empty() {
            self.reporter.skipped(known.len());
            return self.profiles(instance, &known);
        }
        let tested = match self.test(instance) {
            Err(error) if label::is_interruption(&error) => return Ok(Outcome::Interrupted),
            tested => tested?,
        };
        let mut tested = match tested {
            Ok(tested) => tested,
            Err(failure) => {
                self.reporter.failed(&name, known.len(), &failure);
                build::note_failure(self.directory, system, instance, &failure)?;
                return Ok(Outcome::NotClean);
            }
        };
        kat_log::write(self.directory, &mut tested.subject)?;
        // Before the records: an interrupted campaign has none that nothing is known of.
        build::note(self.directory, system, &tested.subject)?;
        self.reporter
            .known_answer(&name, tested.subject.kat.as_ref());
        for difference in sizes::differences(instance, &tested.subject) {
            self.reporter.remark(&name, &difference);
        }
        let all = instance.category.operations(tested.subject.sizes.passes);
        let left = if known.is_empty() {
            self.left(instance, &all)?
        } else {
            left
        };
        self.reporter.skipped(all.len() - left.len());
        let layouts = if self.settings.layouts > 0 && !left.is_empty() {
            // One image at a time: a board holds no more, and an emulator beside would disturb.
            tested.session.take().map(Session::bye);
            let flags = tested.subject.image.flag_set;
            match self.layouts(instance, flags, &left) {
                Err(error) if label::is_interruption(&error) => return Ok(Outcome::Interrupted),
                layouts => layouts?,
            }
        } else {
            Layouts::new()
        };
        let bench = label::Bench {
            layouts: &layouts,
            ..self.bench(instance, &tested.image)
        };
        let outcome = bench.measure(&left, &tested.subject, tested.session, &mut |record| {
            self.directory.write(system, record)?;
            Ok(())
        })?;
        match outcome {
            Outcome::Interrupted => Ok(outcome),
            _ => Ok(outcome.max(self.profiles(instance, &all)?)),
        }
    }

    /// Those of the operations that have no clean record yet.
    fn left(
        &self,
        instance: &Instance,
        operations: &[Operation],
    ) -> Result<Vec<Operation>, ReadError> {
        let mut left = Vec::new();
        for operation in operations {
            let stem = format!("{}__{operation}", instance.label);
            let system = self.system.name();
            let clean = match self.directory.find(system, &instance.candidate, &stem) {
                Err(error @ ReadError::Content { .. }) => {
                    self.reporter.replaced(&error);
                    false
                }
                found => found?.is_some_and(|record| record.is_clean()),
            };
            if !clean {
                left.push(*operation);
            }
        }
        Ok(left)
    }

    /// What measures an image of the instance.
    pub(super) fn bench<'a>(
        &'a self,
        instance: &'a Instance,
        image: &'a Image,
    ) -> label::Bench<'a> {
        label::Bench {
            project: self.project,
            system: self.system,
            image,
            instance: Some(instance),
            settings: self.settings.measure(),
            layouts: &NO_LAYOUTS,
            interrupt: self.interrupt,
            reporter: self.reporter,
        }
    }

    /// Builds an instance and runs its known-answer test: with the guide's flags, and where it does
    /// not build or pass with these, with the harness's. The inner result says why it does not
    /// build with any.
    fn test(&self, instance: &Instance) -> miette::Result<Result<Tested, String>> {
        let mut reasons = Vec::new();
        let mut best: Option<Tested> = None;
        for flags in FlagSet::ALL {
            self.reporter.doing(&instance.name(), "building");
            let which = Which::timed(flags);
            let built = build::image(instance, which, self.system, self.cache, self.interrupt)?;
            let image = match built {
                Ok(image) => image,
                Err(reason) => {
                    reasons.push(format!("{}: {reason}", flags.name()));
                    continue;
                }
            };
            let mut subject = subject(self.system, &image, Some(instance), flags);
            subject.fitness = self.fitness.problems();
            let session = self.bench(instance, &image).known_answer(&mut subject)?;
            let failed = subject.kat.as_ref().is_some_and(KatOutcome::failed);
            let tested = Tested {
                image,
                subject,
                session,
            };
            if !failed {
                return Ok(Ok(tested));
            }
            // Where it passes with none, it is measured with the first that it builds with.
            best.get_or_insert(tested);
        }
        Ok(best.ok_or_else(|| reasons.join("; ")))
    }

    /// Passes of a key exchange, from the record of a whole run.
    fn passes_on_record(&self, instance: &Instance) -> Result<Option<u32>, ReadError> {
        let stem = format!("{}__{}", instance.label, Operation::Exchange);
        let system = self.system.name();
        let record = match self.directory.find(system, &instance.candidate, &stem) {
            Err(ReadError::Content { .. }) => None,
            found => found?,
        };
        let kex = record.and_then(|record| record.kex);
        Ok(kex
            .and_then(|kex| kex.get("kex_passes").copied())
            .and_then(|passes| passes.try_into().ok()))
    }
}

/// An instance that was built and has run its known-answer test.
struct Tested {
    image: Image,
    subject: Subject,
    session: Option<Session>,
}

/// The operations of an instance, as far as they are known before its code has run: none of a key
/// exchange of unknown passes.
pub fn operations(instance: &Instance, passes: Option<u32>) -> Vec<Operation> {
    let passes = passes.or_else(|| Some(instance.sizes?.passes));
    match (instance.category, passes) {
        (Category::Kex, None) => Vec::new(),
        (category, passes) => category.operations(passes.unwrap_or(0)).to_vec(),
    }
}
