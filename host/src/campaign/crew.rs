//! Which systems are measured at the same time, and what is built meanwhile.
//!
//! A board or an emulator counts for itself, whatever else this machine does: such systems are
//! measured at once, one on each processor that is there, and images that will be needed are built
//! beside them. A system that runs on this machine's own processors is measured when nothing else
//! of the campaign runs, one after the other, and each image is built before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use catalogue::{Catalogue, FlagSet, Instance, Kind};

use super::build::{self, Which};
use super::settings::Selected;
use super::shelf::Shelf;
use super::work::{self, Tally, Work};
use super::{Reporter, Settings, captures, is_there, order, settled, strangers};
use crate::fitness::Fitness;
use crate::image::Cache;
use crate::interrupt::{Interrupt, Urgency};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::store::RunDirectory;
use crate::system::System;

/// How often it is looked whether there is time to build ahead.
const POLL: Duration = Duration::from_millis(50);

/// What is measured on one system.
pub struct Job<'a> {
    /// The system.
    pub system: &'a dyn System,
    /// What it lacks and is taken without.
    pub fitness: &'a Fitness,
    /// The instances, in the order in which they are measured.
    pub selected: Selected<'a>,
}

/// Everything that the jobs of a campaign share.
pub struct Crew<'a> {
    /// The workspace.
    pub project: &'a Project,
    /// What is to be done.
    pub settings: &'a Settings,
    /// What can be measured.
    pub catalogue: &'a Catalogue,
    /// The images.
    pub cache: &'a Cache,
    /// Where records are kept.
    pub directory: &'a RunDirectory,
    /// Who is told how far things are.
    pub reporter: &'a Reporter,
    /// Ctrl-C.
    pub interrupt: &'a Interrupt,
}

impl Crew<'_> {
    /// Does all jobs: first those that nothing disturbs, at once, then the others alone.
    ///
    /// # Errors
    ///
    /// The first that is not one label's.
    pub fn all(&self, jobs: &[Job]) -> miette::Result<Outcome> {
        let (alone, at_once): (Vec<&Job>, Vec<&Job>) =
            jobs.iter().partition(|job| job.system.needs_quiet());
        let mut outcome = self.at_once(&at_once, &alone)?;
        for job in alone {
            match outcome {
                Outcome::Interrupted => break,
                before => outcome = both(before, self.job(job, self.reporter)?),
            }
        }
        Ok(outcome)
    }

    /// Does jobs at once, and builds ahead for them and for those that come later.
    fn at_once(&self, jobs: &[&Job], later: &[&Job]) -> miette::Result<Outcome> {
        if jobs.is_empty() {
            return Ok(Outcome::Clean);
        }
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let several = jobs.len() > 1;
        let next = Mutex::new(jobs.iter());
        let results = Mutex::new(Vec::new());
        let over = AtomicBool::new(false);
        let work = || {
            loop {
                let job = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(job) = job else { break };
                let reporter = self.reporter.on(job.system.name(), several);
                let result = self.job(job, &reporter);
                if result.is_err() && self.interrupt.urgency() == Urgency::None {
                    // It would be everybody's: the others end after their records.
                    self.interrupt.press();
                }
                let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
                results.push(result);
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| self.build_ahead(&[jobs, later].concat(), &over));
            let workers: Vec<_> = (0..processors.min(jobs.len()))
                .map(|_| scope.spawn(work))
                .collect();
            for worker in workers {
                if let Err(panic) = worker.join() {
                    over.store(true, Ordering::Relaxed);
                    std::panic::resume_unwind(panic);
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results
            .into_iter()
            .try_fold(Outcome::Clean, |all, one| Ok(both(all, one?)))
    }

    /// Builds what these jobs will need, in that order, until it is `over`. What does not build is
    /// built once more where it is needed, and told there.
    fn build_ahead(&self, jobs: &[&Job], over: &AtomicBool) {
        let kinds = match self.settings.profiles {
            true => &[Kind::Timed, Kind::Profile][..],
            false => &[Kind::Timed],
        };
        for job in jobs {
            for instance in &job.selected.available {
                for kind in kinds {
                    let ended =
                        || over.load(Ordering::Relaxed) || self.interrupt.urgency() > Urgency::None;
                    let which = Which {
                        kind: *kind,
                        ..Which::timed(FlagSet::Guide)
                    };
                    if ended() || self.is_measured(job.system, instance) {
                        break;
                    }
                    let Ok(recipe) = build::recipe(instance, which, job.system) else {
                        break;
                    };
                    while let Ok(false) = self.cache.ahead(&recipe, self.interrupt) {
                        if ended() {
                            return;
                        }
                        thread::sleep(POLL);
                    }
                }
            }
        }
    }

    /// Whether all records of an instance are there.
    fn is_measured(&self, system: &dyn System, instance: &Instance) -> bool {
        let quiet = Reporter::new(true, false);
        let shelf = Shelf::read(self.directory, system.name(), instance, &quiet);
        shelf.is_ok_and(|shelf| {
            let known = work::operations(instance, shelf.passes());
            !known.is_empty() && shelf.left(&known).is_empty()
        })
    }

    /// Measures everything on one system.
    fn job(&self, job: &Job, reporter: &Reporter) -> miette::Result<Outcome> {
        let (directory, name) = (self.directory, job.system.name());
        let reporter = &reporter.on(name, reporter.speaks_of_several());
        reporter.system(name, &job.selected);
        reporter.accepted(job.fitness);
        for (instance, reason) in &job.selected.unavailable {
            let mut shelf = Shelf::read(directory, name, instance, reporter)?;
            let aside = shelf.of_other_images(None)?;
            let why = "of another build not shown any more";
            reporter.set_aside(&instance.name(), aside, why);
            build::note_failure(directory, name, instance, (reason, true))?;
        }
        let tally = Tally::default();
        let mut outcome = Outcome::Clean;
        for instance in &job.selected.available {
            if self.interrupt.urgency() > Urgency::None {
                return Ok(Outcome::Interrupted);
            }
            let work = Work {
                project: self.project,
                settings: self.settings,
                reporter,
                interrupt: self.interrupt,
                cache: self.cache,
                directory,
                system: job.system,
                fitness: job.fitness,
                tally: &tally,
            };
            let result = captures::instance(&work, instance);
            match settled(result, &|error| reporter.given_up(&instance.name(), error))? {
                Outcome::Interrupted => return Ok(Outcome::Interrupted),
                // One bad candidate never ends a campaign.
                one => outcome = both(outcome, one),
            }
        }
        reporter.tally(name, tally.kept.get(), tally.measured.get());
        let is_there = |name: &str| is_there(self.catalogue, name);
        build::forget(directory, name, &is_there)?;
        reporter.strangers(name, &strangers(directory, name, &is_there)?);
        Ok(outcome)
    }
}

/// How two things ended: a campaign is interrupted, clean, or not.
pub fn both(one: Outcome, other: Outcome) -> Outcome {
    match (one, other) {
        (Outcome::Interrupted, _) | (_, Outcome::Interrupted) => Outcome::Interrupted,
        (Outcome::Clean, Outcome::Clean) => Outcome::Clean,
        _ => Outcome::NotClean,
    }
}

/// A job, with the cheapest instances first.
///
/// # Errors
///
/// When nothing is selected.
pub fn job<'a>(
    settings: &Settings,
    catalogue: &'a Catalogue,
    system: &'a dyn System,
    fitness: &'a Fitness,
) -> miette::Result<Job<'a>> {
    let mut selected = settings.instances(catalogue, system)?;
    let seconds = |instance: &Instance| super::forecast::wall_seconds(settings, system, instance);
    order::arrange(&mut selected.available, settings.defer.as_ref(), &seconds);
    Ok(Job {
        system,
        fitness,
        selected,
    })
}
