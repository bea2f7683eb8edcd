//! One instance on one system: built, tested, measured.

use std::cell::Cell;

use catalogue::{FlagSet, Instance};
use wire::{Category, Operation};

use super::build::Which;
use super::flags::{self, Attempt};
use super::phase::Phase;
use super::shelf::Shelf;
use super::{Layouts, Reporter, Settings, build, kat_log, label, sizes, subject};
use crate::fitness::Fitness;
use crate::image::{Cache, Image};
use crate::interrupt::Interrupt;
use crate::measure;
use crate::measurement::{Answers, KatOutcome};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::assemble::{Subject, kat_status};
use crate::record::run_files::BuildEntry;
use crate::record::schema::{self, KatStatus, Sha256};
use crate::record::store::RunDirectory;
use crate::session::{Session, SessionError, keep_spoiled};
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
    /// How many records were kept and made.
    pub tally: &'a Tally,
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
        self.reporter.doing(Phase::Check, &name, "");
        let mut shelf = Shelf::read(self.directory, system, instance, self.reporter)?;
        if let Some(chosen) = &self.settings.redo {
            let aside = shelf.redo(chosen)?;
            self.reporter
                .set_aside(&name, aside, "to be measured once more");
        }
        let published = Sha256::from_bytes(&measure::published_digest(instance)?);
        let known = operations(instance, shelf.passes());
        let nothing_left = !known.is_empty() && shelf.left(&known).is_empty();
        if nothing_left
            && shelf.settled_kat(&published).is_some()
            && self.is_present(instance, shelf.image())?
        {
            self.keep(known.len());
            return Ok(shelf.outcome().max(self.profiles(instance, &known)?));
        }
        let tested = match self.test(instance, &shelf, &published) {
            Err(error) if label::is_interruption(&error) => return Ok(Outcome::Interrupted),
            tested => tested?,
        };
        let mut tested = match tested {
            Ok(tested) => tested,
            Err(failure) => {
                self.reporter.failed(&name, known.len(), &failure);
                let aside = shelf.of_other_images(None)?;
                let why = "of another build not shown any more";
                self.reporter.set_aside(&name, aside, why);
                build::note_failure(self.directory, system, instance, (&failure, false))?;
                return Ok(Outcome::NotClean);
            }
        };
        self.reporter
            .known_answer(&name, &tested.subject, tested.before);
        let elf = Sha256::from_bytes(&tested.subject.image.elf_sha256);
        let aside = shelf.of_other_images(Some(&elf))?;
        let why = "of another build to be measured anew";
        self.reporter.set_aside(&name, aside, why);
        let kat = kat_status(tested.subject.kat.as_ref());
        let log = match shelf.log(&published, kat) {
            Some(log) => log,
            None => kat_log::write(self.directory, &tested.subject)?,
        };
        let aside = shelf.of_other_answers(kat, &log.1)?;
        let why = "with another outcome of the known-answer test to be measured anew";
        self.reporter.set_aside(&name, aside, why);
        tested.subject.kat_log = Some(log);
        // Before the records: an interrupted campaign has none that nothing is known of.
        build::note(self.directory, system, &tested.subject, &published)?;
        for difference in sizes::differences(instance, &tested.subject) {
            self.reporter.remark(&name, &difference);
        }
        for words in &tested.remarks {
            self.reporter.remark(&name, words);
        }
        let all = instance.category.operations(tested.subject.sizes.passes);
        let left = shelf.left(&all);
        self.keep(all.len() - left.len());
        self.tally
            .measured
            .set(self.tally.measured.get() + left.len());
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
            _ => Ok(outcome
                .max(shelf.outcome())
                .max(self.profiles(instance, &all)?)),
        }
    }

    /// Counts records that are kept as they are.
    fn keep(&self, records: usize) {
        self.tally.kept.set(self.tally.kept.get() + records);
        self.reporter.skipped(records);
    }

    /// Whether an image of this name and flags is what would be built now. Its name is that of its
    /// ingredients, so that nothing need be built to know.
    fn is_present(
        &self,
        instance: &Instance,
        image: Option<(&str, schema::FlagSet)>,
    ) -> miette::Result<bool> {
        let Some((name, flags)) = image else {
            return Ok(false);
        };
        let Ok(flags) = FlagSet::from_name(flags.name()) else {
            return Ok(false);
        };
        let recipe = build::recipe(instance, Which::timed(flags), self.system)?;
        Ok(self.cache.name(&recipe)? == name)
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

    /// Builds an instance and runs its known-answer test with one flag set after the other, unless
    /// the same image has passed it before. The inner result says why it does not build with any.
    fn test(
        &self,
        instance: &Instance,
        shelf: &Shelf,
        published: &Sha256,
    ) -> miette::Result<Result<Tested, String>> {
        if let Some(entry) = shelf.passed(published)
            && let Some(tested) = self.tested_before(instance, entry)?
        {
            return Ok(Ok(tested));
        }
        flags::first_that_passes(&FlagSet::ALL, &mut |flags| {
            self.reporter.doing(Phase::Build, &instance.name(), "");
            let which = Which::timed(flags);
            let built = build::image(instance, which, self.system, self.cache, self.interrupt)?;
            let image = match built {
                Ok(image) => image,
                Err(reason) => return Ok(Attempt::Unbuilt(reason)),
            };
            let mut subject = subject(self.system, &image, Some(instance), flags);
            subject.fitness = self.fitness.problems();
            let session = self.bench(instance, &image).known_answer(&mut subject)?;
            let (session, remarks) = ask_again(instance, &subject, session)?;
            let failed = subject.kat.as_ref().is_some_and(KatOutcome::failed);
            let tested = Tested {
                image,
                subject,
                session,
                remarks,
                before: false,
            };
            Ok(match failed {
                true => Attempt::Failed(tested),
                false => Attempt::Passed(tested),
            })
        })
    }
}

impl Work<'_> {
    /// An instance whose image passed its test before: what its meter says of itself is asked for,
    /// and nothing is computed again. `None` where it is another image now, or its meter does not
    /// come up.
    fn tested_before(
        &self,
        instance: &Instance,
        entry: &BuildEntry,
    ) -> miette::Result<Option<Tested>> {
        let image = entry.image.as_deref().zip(entry.flags);
        let (Some(outcome), true) = (outcome_before(entry), self.is_present(instance, image)?)
        else {
            return Ok(None);
        };
        let Some(Ok(flags)) = entry.flags.map(|flags| FlagSet::from_name(flags.name())) else {
            return Ok(None);
        };
        self.reporter.doing(Phase::Build, &instance.name(), "");
        let which = Which::timed(flags);
        let built = build::image(instance, which, self.system, self.cache, self.interrupt)?;
        let Ok(image) = built else {
            return Ok(None);
        };
        if entry.image_sha256 != Some(Sha256::from_bytes(&image.elf.sha256)) {
            return Ok(None);
        }
        let mut subject = subject(self.system, &image, Some(instance), flags);
        subject.fitness = self.fitness.problems();
        let bench = self.bench(instance, &image);
        let Some(session) = keep_spoiled(bench.acquaint(&mut subject))?.ok() else {
            return Ok(None);
        };
        subject.kat = Some(outcome);
        let (session, remarks) = ask_again(instance, &subject, Some(session))?;
        Ok(Some(Tested {
            image,
            subject,
            session,
            remarks,
            before: true,
        }))
    }
}

/// The outcome of a test that ended well, from what was kept of it.
fn outcome_before(entry: &BuildEntry) -> Option<KatOutcome> {
    let evidence = entry.evidence.as_ref()?;
    let answers = Answers::Before(evidence.computed_sha256.as_ref()?.to_string());
    match entry.kat {
        KatStatus::Pass => Some(KatOutcome::Pass(answers)),
        KatStatus::NoKat => Some(KatOutcome::NotPublished(answers)),
        KatStatus::Partial => Some(KatOutcome::Partial {
            answers,
            reason: evidence.reason.clone()?,
        }),
        _ => None,
    }
}

/// Records of a system that were kept as they are, and that were made.
#[derive(Debug, Default)]
pub struct Tally {
    /// Those that were kept.
    pub kept: Cell<usize>,
    /// Those that were made.
    pub measured: Cell<usize>,
}

/// An instance that was built and has run its known-answer test.
struct Tested {
    image: Image,
    subject: Subject,
    session: Option<Session>,
    /// Whether the test was not run again.
    before: bool,
    /// What is odd about the sizes that it reports.
    remarks: Vec<String>,
}

/// Asks for the sizes once more: those of an honest submission are the same, and none is 0 that a
/// call needs.
fn ask_again(
    instance: &Instance,
    subject: &Subject,
    session: Option<Session>,
) -> Result<(Option<Session>, Vec<String>), SessionError> {
    let Some(mut session) = session else {
        return Ok((None, Vec::new()));
    };
    match keep_spoiled(session.sizes())? {
        Ok(again) => {
            let remarks = sizes::nonsense(instance, &subject.sizes, &again);
            Ok((Some(session), remarks))
        }
        Err(spoiled) => {
            label::end(session, &spoiled);
            let words = format!("its code reports no sizes when asked again: {spoiled}");
            Ok((None, vec![words]))
        }
    }
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
