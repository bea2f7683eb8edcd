//! `cargo host kat`: the known answers of one instance.

use std::path::{Path, PathBuf};
use std::time::Duration;

use catalogue::submission::file_name;
use catalogue::{Catalogue, FlagSet, Instance, Kat, Origin, environment};
use clap::Args;
use miette::Diagnostic as _;
use serde_json::json;
use wire::KatFile;

use super::campaign::positive;
use super::output;
use super::place::Place;
use super::system_name::SystemName;
use crate::campaign::{Attempt, first_that_passes};
use crate::cli::Context;
use crate::image::{Cache, Image, Recipe};
use crate::measure::{self, PATIENCE};
use crate::measurement::{Answers, KatOutcome};
use crate::notice;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::record::assemble::kat_status;
use crate::record::schema::KatStatus;
use crate::record::store::write_whole;
use crate::session::{Options, Regenerated, Session, SessionError, keep_spoiled};
use crate::system::{self, System};

/// Computes the known answers of one instance and compares them with the published ones.
///
/// The digest is computed by the meter, on the system. What does not build or pass with the guide's
/// flags is tried with the harness's; the environment variable NGCC_FLAGS names one set (guide or
/// harness-default), and only that is tried.
///
/// Exits with 1 when an answer is wrong or the instance does not build (BUILDFAIL). NOKAT, nothing
/// is published, and PARTIAL, not all of it fits the system, are no reason.
#[derive(Debug, Args)]
pub struct Arguments {
    /// <id>/<label>, as `cargo host list` shows it
    instance: String,
    /// The system to compute them on
    #[arg(long, value_name = "S", id = "systems", default_value = "qemu-virt", hide_possible_values = true, value_parser = SystemName)]
    system: String,
    #[command(flatten)]
    place: Place,
    /// Print the digest of each field in the form of kat/<id>/fields.sha256
    #[arg(long)]
    fields: bool,
    /// Write the official texts into this folder instead of comparing; without a folder, into the
    /// present one. Those of an optimized or additional implementation go into a folder of its
    /// label in it
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = ".")]
    text: Option<PathBuf>,
    /// Seconds on the wall, as fast as the system usually is, between two signs of life of the meter
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = PATIENCE.as_secs_f64(), value_parser = positive)]
    patience: f64,
    /// Build the image with a deliberate flaw, to see that it is noticed: wrong-kat, still-counter
    #[arg(long = "drill", value_name = "NAME")]
    drills: Vec<String>,
}

/// Computes and compares.
///
/// # Errors
///
/// When the instance does not build or the meter does not start.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let project = Project::find()?;
    let catalogue = Catalogue::load(&project.root)?;
    let instance = catalogue.find(&arguments.instance)?;
    let names = std::slice::from_ref(&arguments.system);
    let destination = arguments.place.destination(names)?;
    let system = system::find_at(&arguments.system, destination.as_ref())?;
    let board = catalogue::board(system.board())?;
    if let Err(unavailable) = instance.availability(board) {
        return Err(miette::miette!(
            help = "`cargo host list` shows which systems can run it",
            "{} cannot run on {}: {unavailable}",
            instance.name(),
            arguments.system
        ));
    }
    let bench = Bench {
        project: &project,
        cache: Cache::new(&project),
        instance,
        system: &*system,
        arguments,
        context,
    };
    if let Some(folder) = &arguments.text {
        return bench.write_texts(folder);
    }
    let (flags, outcome) = match bench.compare()? {
        Ok(compared) => compared,
        Err(reason) => return bench.unbuilt(&reason),
    };

    let status = kat_status(Some(&outcome)).name();
    let computed = outcome.answers().and_then(Answers::digest);
    if context.common.json {
        output::json(&json!({
            "instance": instance.name(),
            "system": arguments.system,
            "kat": status,
            "flags": flags.name(),
            "computed_sha256": computed,
            "expected_sha256": match &outcome {
                KatOutcome::Mismatch { expected, .. } => Some(expected),
                KatOutcome::Pass(_) => computed.as_ref(),
                _ => None,
            },
            "detail": outcome.detail(),
        }))?;
    } else if arguments.fields {
        match outcome.answers() {
            Some(Answers::Record(report)) => {
                output::text(measure::lines(&instance.instance, report).trim_end())?;
            }
            Some(Answers::Files(_)) => {
                return Err(miette::miette!(
                    help = "use --text, which writes the whole text",
                    "{} has known answers of the NGCC form, without digests of fields",
                    instance.name()
                ));
            }
            Some(Answers::Before(_)) | None => {}
        }
    } else {
        let flags = match flags {
            FlagSet::Guide => String::new(),
            other => format!(", with the flags {}", other.name()),
        };
        let detail = outcome
            .detail()
            .map_or_else(String::new, |detail| format!(" ({detail})"));
        output::text(&format!(
            "{} on {}: {status}{flags}{detail}",
            instance.name(),
            arguments.system
        ))?;
        if let Some(remedy) = remedy(instance, &outcome) {
            context.say(format_args!("help: {remedy}"));
        }
    }
    Ok(outcome.outcome())
}

/// What to do for an outcome that says little.
fn remedy(instance: &Instance, outcome: &KatOutcome) -> Option<String> {
    let is_own = matches!(instance.origin, Origin::Folder(_));
    match outcome {
        KatOutcome::NotPublished(_) if is_own => Some(
            "name the official text of this instance under `kat` in the package's candidate.toml, \
             and it is compared"
                .to_owned(),
        ),
        KatOutcome::Mismatch { .. } if matches!(instance.kat, Kat::Iccs(_)) => Some(format!(
            "`cargo host kat {} --text` writes the text that was computed",
            instance.name()
        )),
        _ => None,
    }
}

/// One instance on one system.
struct Bench<'a> {
    project: &'a Project,
    cache: Cache,
    instance: &'a Instance,
    system: &'a dyn System,
    arguments: &'a Arguments,
    context: &'a Context,
}

impl Bench<'_> {
    /// Compares with one flag set after the other, until it passes with one. The inner error says
    /// why it does not build with any.
    fn compare(&self) -> miette::Result<Result<(FlagSet, KatOutcome), String>> {
        first_that_passes(&self.flag_sets()?, &mut |flags| {
            let image = match self.image(flags)? {
                Ok(image) => image,
                Err(reason) => return Ok(Attempt::Unbuilt(reason)),
            };
            let outcome = match keep_spoiled(self.start(&image))? {
                Err(spoiled) => KatOutcome::Spoiled(spoiled),
                Ok(mut session) => {
                    let root = &self.project.root;
                    let outcome = measure::known_answer(&mut session, self.instance, root)?;
                    session.bye();
                    outcome
                }
            };
            Ok(match outcome.failed() {
                true => Attempt::Failed((flags, outcome)),
                false => Attempt::Passed((flags, outcome)),
            })
        })
    }

    /// The flag sets to try: the one that the environment names, or all. A drill's outcome is
    /// wanted as it is.
    fn flag_sets(&self) -> miette::Result<Vec<FlagSet>> {
        match std::env::var(environment::FLAGS) {
            Ok(name) if !name.is_empty() => {
                let set = FlagSet::from_name(&name).map_err(|error| {
                    miette::miette!(
                        help = error
                            .help()
                            .map_or_else(String::new, |help| help.to_string()),
                        "the environment variable {}: {error}",
                        environment::FLAGS
                    )
                })?;
                Ok(vec![set])
            }
            _ if !self.arguments.drills.is_empty() => Ok(vec![FlagSet::Guide]),
            _ => Ok(FlagSet::ALL.to_vec()),
        }
    }

    fn image(&self, flags: FlagSet) -> miette::Result<Result<Image, String>> {
        let board = catalogue::board(self.system.board())?;
        let recipe = Recipe {
            drills: self.arguments.drills.clone(),
            ..Recipe::timed(self.instance, board, flags)
        };
        Ok(self.cache.attempt(&recipe, &self.context.interrupt)?)
    }

    fn start(&self, image: &Image) -> Result<Session, SessionError> {
        let options = Options {
            unpredicted: Duration::from_secs_f64(self.arguments.patience),
            ..Options::for_system(self.system, &self.context.interrupt)
        };
        Session::start(self.system, image, Box::new(|_| {}), options)
    }

    /// Says that there is no image.
    fn unbuilt(&self, reason: &str) -> miette::Result<Outcome> {
        let (name, system) = (self.instance.name(), &self.arguments.system);
        let status = KatStatus::BuildFail.name();
        if self.context.common.json {
            output::json(&json!({
                "instance": name,
                "system": system,
                "kat": status,
                "detail": reason,
            }))?;
        } else {
            output::text(&format!("{name} on {system}: {status} ({reason})"))?;
        }
        Ok(Outcome::NotClean)
    }

    /// Writes the official texts, with the first flag set that it builds with.
    fn write_texts(&self, folder: &Path) -> miette::Result<Outcome> {
        if folder.exists() && !folder.is_dir() {
            return Err(miette::miette!(
                help = "--text takes the folder that the texts are written into; a text to compare \
                        with is named under `kat` in the package's candidate.toml",
                "{} is a file",
                folder.display()
            ));
        }
        let built = first_that_passes(&self.flag_sets()?, &mut |flags| {
            Ok::<_, miette::Report>(match self.image(flags)? {
                Ok(image) => Attempt::Passed(image),
                Err(reason) => Attempt::Unbuilt(reason),
            })
        })?;
        let image = match built {
            Ok(image) => image,
            Err(reason) => return self.unbuilt(&reason),
        };
        let mut session = self.start(&image)?;
        // Implementations of the same parameter set have texts of the same name.
        let folder = match self.instance.label == self.instance.instance {
            true => folder.to_owned(),
            false => folder.join(&self.instance.label),
        };
        let outcome = write_texts(&mut session, self.instance, &folder, self.context)?;
        session.bye();
        Ok(outcome)
    }
}

/// Writes the official texts of an instance into a folder, each whole or not at all.
fn write_texts(
    session: &mut Session,
    instance: &Instance,
    folder: &Path,
    context: &Context,
) -> miette::Result<Outcome> {
    if matches!(instance.kat, Kat::Nist(_)) {
        return Err(miette::miette!(
            help = "`--fields` prints the digests of the fields of their first record",
            "{} has known answers of NIST's form, which the meter digests without a text",
            instance.name()
        ));
    }
    let mut worst = Outcome::Clean;
    let mut written = Vec::new();
    for file in KatFile::of(instance.category) {
        let name = file_name(file, instance.category, &instance.instance);
        let mut text = Vec::new();
        let came = keep_spoiled(session.text(file, &mut |piece| text.extend_from_slice(piece)))?;
        match came {
            Ok(Regenerated::Whole(())) => {
                let path = folder.join(&name);
                write_whole(&path, &text)?;
                match context.common.json {
                    true => written.push(json!({ "file": path, "bytes": text.len() })),
                    false => {
                        output::text(&format!("{} ({} bytes)", path.display(), text.len()))?;
                    }
                }
            }
            Ok(Regenerated::TooLarge { needed, available }) => notice::line(format!(
                "{name} is left out: it needs a message of {needed} bytes, and the system has \
                 {available}"
            )),
            Err(spoiled) => {
                notice::line(format!("{name} is not written: {spoiled}"));
                worst = worst.max(spoiled.outcome());
                if !spoiled.meter_is_well() {
                    break;
                }
            }
        }
    }
    if context.common.json {
        output::json(&written)?;
    }
    Ok(worst)
}
