//! Campaigns: every operation of every chosen instance on every chosen system, one record each.
//!
//! [`Settings`] say what is to be done, [`label`] does it for one instance on one system,
//! [`subject`] describes that instance and system for its records, and a [`Reporter`] tells people
//! how far things are. What is measured is kept at once; a campaign that is started again skips
//! what it has.

mod build;
mod captures;
mod claim;
mod crew;
mod drafts;
mod flags;
mod forecast;
mod identity;
mod journal;
mod kat_log;
pub mod label;
mod layouts;
mod order;
mod phase;
mod profile;
mod progress;
mod settings;
mod shard;
mod shelf;
mod sizes;
mod stopwatch;
mod subject;
mod work;

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::PathBuf;

use catalogue::Catalogue;
use catalogue::environment::TEST_PACKAGES;
use miette::Diagnostic;
use thiserror::Error;

pub use claim::Claim;
use crew::Crew;
pub use flags::{Attempt, first_that_passes};
pub use forecast::{Basis, Forecast, Row, Totals, forecast};
pub use layouts::Layouts;
pub use phase::Phase;
pub use progress::Reporter;
pub use settings::{Selection, Settings, first_difference};
pub use shard::Shard;
pub use subject::subject;

use crate::fitness::gate;
use crate::image::Cache;
use crate::interrupt::Interrupt;
use crate::measure::KatError;
use crate::notice;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::read::ReadError;
use crate::record::store::{Place, RunDirectory, StoreError};
use crate::system::{self, System};

/// What the demo measures: one KEM and one signature scheme on lattices, and one KEM on codes.
pub const DEMO: [&str; 3] = ["pqclean/ML-KEM-768", "pqclean/ML-DSA-65", "pqclean/HQC-128"];

/// Why a campaign has nothing to do.
#[derive(Debug, Error, Diagnostic)]
pub enum CampaignError {
    /// The selection matches no instance.
    #[error("no instance matches `{only}`")]
    #[diagnostic(help("`cargo host list` shows their names, which are <id>/<label>"))]
    NothingSelected {
        /// The regular expression.
        only: String,
    },
    /// The selection matches nothing but packages that test the instrument, which are not listed.
    #[error("`{only}` matches none but test packages: {}", names.join(", "))]
    #[diagnostic(help(
        "with {}=1 in the environment they are listed and measured like any other",
        TEST_PACKAGES
    ))]
    OnlyTests {
        /// The regular expression.
        only: String,
        /// The instances.
        names: Vec<String>,
    },
    /// What is to be measured last is not among what is measured.
    #[error("no chosen instance matches `--defer {expression}`")]
    #[diagnostic(help(
        "leave it out, or let it match names of the form <id>/<label> that --only chooses as well"
    ))]
    NothingDeferred {
        /// The regular expression.
        expression: String,
    },
    /// What is to be measured once more was not measured.
    #[error("no record of a chosen instance matches `--redo {expression}`")]
    #[diagnostic(help(
        "its names are <id>/<label>__<operation>, as in `--redo '^pqclean/ML-KEM-768__dec$'`; what \
         has no record, such as after a --redo that was ended or killed, is measured without it"
    ))]
    NothingToRedo {
        /// The regular expression.
        expression: String,
    },
    /// The run directory belongs to a campaign with other settings.
    #[error("{}: key `{key}` is {theirs}, and this campaign has {ours}", file.display())]
    #[diagnostic(help(
        "go on with the settings of that campaign, or name another folder with --run-dir"
    ))]
    OtherSettings {
        /// The run directory's `campaign.json`.
        file: PathBuf,
        /// The first key that differs.
        key: String,
        /// What the run directory has.
        theirs: String,
        /// What was asked for now.
        ours: String,
    },
    /// A system's records are of another machine, or of another configuration of it.
    #[error("{}: key `{key}` is {theirs}, and the system has {ours} now", file.display())]
    #[diagnostic(help(
        "one system is one machine in one configuration: go on there, name another folder with \
         --run-dir, or give this machine a name of its own with --system <architecture>_<name>"
    ))]
    OtherMachine {
        /// A record of the system.
        file: PathBuf,
        /// The first key that differs.
        key: String,
        /// What the record has.
        theirs: String,
        /// What the system is now.
        ours: String,
    },
    /// Another campaign is at work in the run directory.
    #[error("another campaign is measuring into {}", run_directory.display())]
    #[diagnostic(help("wait for its end, or name another folder with --run-dir"))]
    Busy {
        /// The run directory.
        run_directory: PathBuf,
    },
    /// The run directory is a file.
    #[error("{} is a file, and no run directory", path.display())]
    #[diagnostic(help("name a folder with --run-dir: it is made where there is none"))]
    RunDirectoryIsFile {
        /// The file.
        path: PathBuf,
    },
    /// The run directory's settings cannot be read.
    #[error("{}: {reason}", file.display())]
    #[diagnostic(help("name another folder with --run-dir, or repair the file"))]
    Settings {
        /// The run directory's `campaign.json`.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// Runs a campaign.
///
/// # Errors
///
/// When a tool is missing, a system is not fit, the run directory cannot be used, or nothing is
/// selected.
pub fn run(
    project: &Project,
    settings: &Settings,
    reporter: &Reporter,
    interrupt: &Interrupt,
) -> miette::Result<Outcome> {
    let catalogue = Catalogue::load(&project.root)?;
    let systems: Vec<Box<dyn System>> = settings
        .systems
        .iter()
        .map(|name| system::find_at(name, settings.destination.as_ref()))
        .collect::<Result<_, _>>()?;
    let directory = RunDirectory::new(&settings.run_directory);
    // A mistake in the names is found before anything is written.
    for system in &systems {
        settings.instances(&catalogue, &**system)?;
    }
    settings.check_defer(&catalogue, systems.iter().map(|it| &**it))?;
    settings.check_redo(&catalogue, systems.iter().map(|it| &**it))?;
    forecast::check_times(settings)?;
    let admitted = gate::admit(&systems, settings.allow_unfit)?;
    notice::broken_packages(&catalogue);
    if let Some(words) = settings.selection.unlisted_in_words(&catalogue) {
        notice::line(words);
    }
    let _alone = settings.claim()?;
    let reporter = &reporter.logged(&settings.run_directory);
    for system in &systems {
        identity::check(&directory, &**system, reporter)?;
    }
    let jobs = systems
        .iter()
        .zip(&admitted)
        .map(|(system, fitness)| crew::job(settings, &catalogue, &**system, fitness))
        .collect::<miette::Result<Vec<_>>>()?;
    reporter.expect(jobs.iter().map(|job| &job.selected));
    let crew = Crew {
        project,
        settings,
        catalogue: &catalogue,
        cache: &Cache::new(project),
        directory: &directory,
        reporter,
        interrupt,
    };
    let outcome = crew.all(&jobs)?;
    // What was chosen and cannot be measured is not clean.
    Ok(match settings.selection.broken(&catalogue) {
        true => crew::both(outcome, Outcome::NotClean),
        false => outcome,
    })
}

/// Whether an instance of this name can be measured, or could if its package were sound.
fn is_there(catalogue: &Catalogue, name: &str) -> bool {
    let candidate = name.split('/').next().unwrap_or(name);
    let mut broken = catalogue.broken().iter();
    catalogue.find(name).is_ok() || broken.any(|package| package.is_called(candidate))
}

/// The instances that a system has records of and that are not there any more: a label that was
/// renamed, a package that was removed.
fn strangers(
    directory: &RunDirectory,
    system: &str,
    is_there: &dyn Fn(&str) -> bool,
) -> Result<BTreeSet<String>, StoreError> {
    let files = directory.records_of(system)?;
    let places = files.iter().filter_map(|file| Place::of_path(file));
    let names = places.map(|place| format!("{}/{}", place.candidate, place.label()));
    let mut names: BTreeSet<String> = names.collect();
    names.retain(|name| !is_there(name));
    Ok(names)
}

/// How an instance ended. What stands in the way of its files alone is said, and costs the others
/// nothing; an error that every instance would have ends the campaign.
fn settled(
    result: miette::Result<Outcome>,
    say: &dyn Fn(&miette::Report),
) -> miette::Result<Outcome> {
    match result {
        Err(error) if is_of_one_label(&error) => {
            say(&error);
            Ok(Outcome::NotClean)
        }
        result => result,
    }
}

/// Whether an error is about one label's files: one that cannot be read, or something else with its
/// name, such as a folder. A full disk or a missing permission is everybody's.
fn is_of_one_label(error: &miette::Report) -> bool {
    if let Some(ReadError::File { .. }) = error.downcast_ref() {
        return true;
    }
    if let Some(KatError::Text { .. }) = error.downcast_ref() {
        return true;
    }
    match error.downcast_ref() {
        Some(StoreError::Name { .. }) => true,
        Some(StoreError::Path { source, .. }) => matches!(
            source.kind(),
            ErrorKind::IsADirectory
                | ErrorKind::NotADirectory
                | ErrorKind::AlreadyExists
                | ErrorKind::DirectoryNotEmpty
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::record::store::write_whole;

    /// What is said of an instance that ended like this, and whether the campaign goes on.
    fn judged(error: miette::Report) -> (Vec<String>, bool) {
        let said = std::cell::RefCell::new(Vec::new());
        let settled = settled(Err(error), &|error| {
            said.borrow_mut().push(error.to_string())
        });
        (said.into_inner(), settled.is_ok())
    }

    #[test]
    fn a_folder_in_a_files_place_costs_one_label() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("kat.log");
        fs::create_dir(&log).unwrap();
        let (said, goes_on) = judged(write_whole(&log, b"x").unwrap_err().into());
        assert!(goes_on && said[0].contains("kat.log"), "{said:?}");

        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let below = write_whole(&file.join("kat.log"), b"x").unwrap_err();
        assert!(judged(below.into()).1);

        let directory = RunDirectory::new(folder.path());
        let place = folder.path().join("a/records/pqclean/x__dec.json");
        fs::create_dir_all(place).unwrap();
        let unreadable = directory.find("a", "pqclean", "x__dec").unwrap_err();
        assert!(judged(unreadable.into()).1);
    }

    #[test]
    fn what_is_left_of_removed_instances_is_told_and_hinders_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let directory = RunDirectory::new(folder.path());
        let record = crate::record::example::record();
        directory.write("a", &record).unwrap();
        let build = folder.path().join("a/build.json");
        let text =
            r#"{"x/A": {"kat": "BUILDFAIL"}, "x/B": {"kat": "BUILDFAIL"}, "x/C": {"kat": "PASS"}}"#;
        fs::write(&build, text).unwrap();
        let is_there = |name: &str| name == "x/B";
        let strangers = strangers(&directory, "a", &is_there).unwrap();
        assert!(strangers.iter().eq(["pqclean/ML-KEM-768"]), "{strangers:?}");
        build::forget(&directory, "a", &is_there).unwrap();
        let text = fs::read_to_string(&build).unwrap();
        assert!(!text.contains("x/A") && text.contains("x/B") && text.contains("x/C"));
    }

    #[test]
    fn what_every_label_would_meet_ends_the_campaign() {
        let full = StoreError::Path {
            verb: "write",
            path: "x".into(),
            source: ErrorKind::StorageFull.into(),
        };
        assert_eq!(judged(full.into()), (Vec::new(), false));
        let missing = crate::image::BuildError::Machine {
            reason: "no linker".into(),
            log: String::new(),
        };
        assert_eq!(judged(missing.into()), (Vec::new(), false));
    }
}
