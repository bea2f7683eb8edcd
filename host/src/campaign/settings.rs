//! What a campaign is to do, and the file in which its run directory keeps that.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use catalogue::environment::TEST_PACKAGES;
use catalogue::{Catalogue, Instance};
use regex::Regex;
use serde::Serialize;
use serde_json::{Value, json};

use super::{CampaignError, Claim, DEMO, Shard, drafts};
use crate::measure;
use crate::record::migrate::FORMAT;
use crate::record::plan::PlanSettings;
use crate::record::run_files::{self, CAMPAIGN};
use crate::record::store::{Place, RunDirectory, write_whole};
use crate::system::{Destination, System};

/// Which instances are measured.
#[derive(Clone, Debug)]
pub enum Selection {
    /// Those whose names match.
    Matching(Regex),
    /// Those of these names.
    Named(Vec<String>),
}

impl Selection {
    /// The chosen instances, parted into those that a system can run and those that it cannot,
    /// each of the latter with the reason.
    ///
    /// # Errors
    ///
    /// [`CampaignError::NothingSelected`], an unknown name, or what is wrong with a package when
    /// all that is selected is in broken ones.
    pub fn instances<'a>(
        &self,
        catalogue: &'a Catalogue,
        system: &dyn System,
    ) -> miette::Result<Selected<'a>> {
        let board = catalogue::board(system.board())?;
        let chosen: Vec<&Instance> = match self {
            Self::Matching(only) => catalogue
                .instances()
                .iter()
                .filter(|instance| only.is_match(&instance.name()))
                .collect(),
            Self::Named(names) => names
                .iter()
                .map(|name| catalogue.find(name))
                .collect::<Result<_, _>>()?,
        };
        if chosen.is_empty() {
            if let Self::Matching(only) = self
                && let Some(error) = catalogue.broken_among(|name| only.is_match(name))
            {
                return Err(error.into());
            }
            let names = self.unlisted(catalogue);
            if !names.is_empty() {
                let only = self.to_string();
                return Err(CampaignError::OnlyTests { only, names }.into());
            }
            return Err(CampaignError::NothingSelected {
                only: self.to_string(),
            }
            .into());
        }
        let mut selected = Selected::default();
        for instance in chosen {
            match instance.availability(board) {
                Ok(()) => selected.available.push(instance),
                Err(why) => selected.unavailable.push((instance, why.reason)),
            }
        }
        Ok(selected)
    }
}

impl Selection {
    /// Whether instances of a package that is left out are among the chosen ones.
    pub fn broken(&self, catalogue: &Catalogue) -> bool {
        match self {
            Self::Matching(only) => catalogue.broken_among(|name| only.is_match(name)).is_some(),
            // An unknown name is an error.
            Self::Named(_) => false,
        }
    }

    /// Instances of test packages that match and are not listed.
    fn unlisted(&self, catalogue: &Catalogue) -> Vec<String> {
        match self {
            Self::Matching(only) => catalogue.unlisted(|name| only.is_match(name)),
            Self::Named(_) => Vec::new(),
        }
    }

    /// That instances of test packages match and are left out, unless simply everything was chosen.
    pub fn unlisted_in_words(&self, catalogue: &Catalogue) -> Option<String> {
        let names = match self {
            Self::Matching(only) if only.as_str().is_empty() => Vec::new(),
            _ => self.unlisted(catalogue),
        };
        (!names.is_empty()).then(|| {
            format!(
                "left out, because they are of test packages: {}; with {TEST_PACKAGES}=1 in the \
                 environment they are measured as well",
                names.join(", ")
            )
        })
    }
}

/// Chosen instances, as a system sees them.
#[derive(Debug, Default)]
pub struct Selected<'a> {
    /// Those that it can run.
    pub available: Vec<&'a Instance>,
    /// Those that it cannot, and why.
    pub unavailable: Vec<(&'a Instance, String)>,
}

impl std::fmt::Display for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Matching(only) => write!(f, "{only}"),
            Self::Named(names) => f.write_str(&names.join(", ")),
        }
    }
}

/// What a campaign is to do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where everything is kept.
    pub run_directory: PathBuf,
    /// Names of the systems, one after the other.
    pub systems: Vec<String>,
    /// Where the one system is, if it is not here.
    pub destination: Option<Destination>,
    /// Which instances are measured.
    pub selection: Selection,
    /// The part of the chosen instances that is measured; all of them without one.
    pub shard: Option<Shard>,
    /// Instances that are measured last, by `<id>/<label>`.
    pub defer: Option<Regex>,
    /// A run directory whose records tell how long operations take, beside this one.
    pub times_from: Option<PathBuf>,
    /// Records that are measured once more, by `<id>/<label>__<operation>`.
    pub redo: Option<Regex>,
    /// How often operations are called.
    pub plan: PlanSettings,
    /// Longest time on the wall for an answer that nobody can predict.
    pub patience: Duration,
    /// Whether operations are called cold as well.
    pub cold: bool,
    /// Images of other layouts whose trials are run as well.
    pub layouts: u32,
    /// Whether systems are measured on that are not fit for it.
    pub allow_unfit: bool,
    /// Whether each operation gets a profile beside its record.
    pub profiles: bool,
    /// Whether what came over the line is kept of every label, and not of spoiled ones alone.
    pub capture: bool,
}

impl Settings {
    /// The demo: its instances on these systems as they are, with defaults for everything else.
    pub fn demo(run_directory: PathBuf, systems: Vec<String>, plan: PlanSettings) -> Self {
        Self {
            run_directory,
            systems,
            destination: None,
            selection: Selection::Named(DEMO.map(str::to_owned).to_vec()),
            shard: None,
            defer: None,
            times_from: None,
            redo: None,
            plan,
            patience: measure::PATIENCE,
            cold: false,
            layouts: 0,
            allow_unfit: true,
            profiles: true,
            capture: false,
        }
    }

    /// The chosen instances of this part, as a system sees them.
    ///
    /// # Errors
    ///
    /// See [`Selection::instances`].
    pub fn instances<'a>(
        &self,
        catalogue: &'a Catalogue,
        system: &dyn System,
    ) -> miette::Result<Selected<'a>> {
        let mut selected = self.selection.instances(catalogue, system)?;
        if let Some(shard) = self.shard {
            let is_ours = |instance: &Instance| shard.holds(&instance.name());
            selected.available.retain(|instance| is_ours(instance));
            selected
                .unavailable
                .retain(|(instance, _)| is_ours(instance));
        }
        Ok(selected)
    }

    /// Whether what is to be measured last is among the chosen instances, of whatever part, as any of
    /// these systems sees them.
    ///
    /// # Errors
    ///
    /// [`CampaignError::NothingDeferred`]; see [`Selection::instances`].
    pub fn check_defer<'a>(
        &self,
        catalogue: &Catalogue,
        systems: impl Iterator<Item = &'a dyn System>,
    ) -> miette::Result<()> {
        let Some(defer) = &self.defer else {
            return Ok(());
        };
        for system in systems {
            let Selected {
                available,
                unavailable,
            } = self.selection.instances(catalogue, system)?;
            let mut all = available
                .into_iter()
                .chain(unavailable.into_iter().map(|(instance, _)| instance));
            if all.any(|instance| defer.is_match(&instance.name())) {
                return Ok(());
            }
        }
        let expression = defer.to_string();
        Err(CampaignError::NothingDeferred { expression }.into())
    }

    /// Whether the run directory has a record of a chosen instance that is to be measured once more.
    ///
    /// # Errors
    ///
    /// [`CampaignError::NothingToRedo`]; a folder that cannot be read; see [`Selection::instances`].
    pub fn check_redo<'a>(
        &self,
        catalogue: &Catalogue,
        systems: impl Iterator<Item = &'a dyn System>,
    ) -> miette::Result<()> {
        let Some(redo) = &self.redo else {
            return Ok(());
        };
        let directory = RunDirectory::new(&self.run_directory);
        for system in systems {
            for instance in self.instances(catalogue, system)?.available {
                let Instance {
                    candidate, label, ..
                } = instance;
                let records = directory.records_of_label(system.name(), candidate, label)?;
                let mut places = records.iter().filter_map(|file| Place::of_path(file));
                if places.any(|it| redo.is_match(&format!("{candidate}/{}", it.stem))) {
                    return Ok(());
                }
            }
        }
        let expression = redo.to_string();
        Err(CampaignError::NothingToRedo { expression }.into())
    }

    /// The part that concerns a single operation.
    pub fn measure(&self) -> measure::Settings {
        measure::Settings {
            plan: self.plan,
            patience: self.patience,
            cold: self.cold,
        }
    }

    /// What must not change while records are added to a run directory: whatever decides how a
    /// number comes about, and the part that it is, which decides what is in it. The selection may
    /// grow from one time to the next, and so may the systems: what one of them lacked is said in
    /// each of its records.
    fn kept(&self) -> Value {
        #[derive(Serialize)]
        struct Plan {
            trial_target_seconds: f64,
            operation_budget_seconds: f64,
            trials: u32,
            minimum_calls: u32,
            maximum_calls_per_trial: u32,
        }
        let plan = Plan {
            trial_target_seconds: self.plan.trial_target_seconds,
            operation_budget_seconds: self.plan.operation_budget_seconds,
            trials: self.plan.trials,
            minimum_calls: self.plan.minimum_calls,
            maximum_calls_per_trial: self.plan.maximum_calls_per_trial,
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "format": FORMAT,
            "plan": plan,
            "cold": self.cold,
            "layouts": self.layouts,
            "shard": self.shard.map(|shard| shard.to_string()),
        })
    }

    /// Writes the settings into a fresh run directory, or compares them with those of one that is
    /// gone on with.
    ///
    /// # Errors
    ///
    /// [`CampaignError`] names the key that differs, or says that the directory is in use: it is
    /// as long as the returned claim is kept.
    pub fn claim(&self) -> miette::Result<Claim> {
        let alone = Claim::take(&self.run_directory)?;
        drafts::remove(&self.run_directory)?;
        self.match_settings()?;
        Ok(alone)
    }

    fn match_settings(&self) -> miette::Result<()> {
        let file = self.run_directory.join(CAMPAIGN);
        let ours = self.kept();
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let mut sealed = ours;
                run_files::seal(CAMPAIGN, &mut sealed);
                write_whole(&file, format!("{sealed:#}\n").as_bytes())?;
                return Ok(());
            }
            Err(error) => {
                let reason = error.to_string();
                return Err(CampaignError::Settings { file, reason }.into());
            }
        };
        let theirs: Value =
            serde_json::from_str(&text).map_err(|error| CampaignError::Settings {
                file: file.clone(),
                reason: error.to_string(),
            })?;
        match first_difference("", &ours, &theirs) {
            None => Ok(()),
            Some((key, ours, theirs)) => Err(CampaignError::OtherSettings {
                file,
                key,
                theirs,
                ours,
            }
            .into()),
        }
    }
}

/// The first key whose values differ, and both values.
pub fn first_difference(
    path: &str,
    ours: &Value,
    theirs: &Value,
) -> Option<(String, String, String)> {
    if let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) {
        return ours.iter().find_map(|(key, value)| {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            first_difference(&path, value, theirs.get(key).unwrap_or(&Value::Null))
        });
    }
    let same = match (ours.as_f64(), theirs.as_f64()) {
        (Some(ours), Some(theirs)) => ours == theirs,
        _ => ours == theirs,
    };
    (!same).then(|| (path.to_owned(), ours.to_string(), theirs.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(folder: &std::path::Path) -> Settings {
        Settings {
            patience: measure::PATIENCE,
            cold: false,
            layouts: 0,
            profiles: true,
            capture: false,
            run_directory: folder.to_owned(),
            systems: vec!["qemu-virt".into()],
            destination: None,
            selection: Selection::Named(vec!["pqclean/ML-KEM-768".into()]),
            shard: None,
            defer: None,
            times_from: None,
            redo: None,
            plan: PlanSettings::default(),
            allow_unfit: false,
        }
    }

    #[test]
    fn a_run_directory_is_gone_on_with_under_the_same_settings_only() {
        let folder = tempfile::tempdir().unwrap();
        let first = settings(folder.path());
        let alone = first.claim().unwrap();
        let error = first.claim().unwrap_err().to_string();
        assert!(error.starts_with("another campaign"), "{error}");
        drop(alone);
        first.claim().unwrap();
        let mut other = first.clone();
        other.plan.trial_target_seconds = 0.5;
        let error = other.claim().unwrap_err().to_string();
        assert!(
            error.contains("campaign.json: key `plan.trial_target_seconds` is 1.0"),
            "{error}"
        );
        for (key, change) in [
            (
                "cold",
                Settings {
                    cold: true,
                    ..first.clone()
                },
            ),
            (
                "layouts",
                Settings {
                    layouts: 2,
                    ..first.clone()
                },
            ),
            (
                "shard",
                Settings {
                    shard: Some("1/2".parse().unwrap()),
                    ..first.clone()
                },
            ),
        ] {
            let error = change.claim().unwrap_err().to_string();
            assert!(error.contains(&format!("key `{key}` is")), "{error}");
        }
        let mut more = first.clone();
        more.selection = Selection::Named(vec!["pqclean/HQC-128".into()]);
        more.allow_unfit = true;
        more.claim().unwrap();
    }

    #[test]
    fn broken_settings_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CAMPAIGN), "{").unwrap();
        assert!(settings(folder.path()).claim().is_err());
        assert_eq!(
            fs::read_to_string(folder.path().join(CAMPAIGN)).unwrap(),
            "{"
        );
    }

    /// The repository's workspace, but for its packages.
    fn workspace_with(package: &str, candidate: &str) -> tempfile::TempDir {
        let workspace = tempfile::tempdir().unwrap();
        let root = crate::project::Project::find().unwrap().root;
        for entry in fs::read_dir(root).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name();
            let is_packages = name == catalogue::submission::FOLDER;
            if !is_packages && !name.to_string_lossy().starts_with('.') {
                std::os::unix::fs::symlink(entry.path(), workspace.path().join(name)).unwrap();
            }
        }
        let folder = workspace.path().join(catalogue::submission::FOLDER);
        let folder = folder.join(package);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(catalogue::submission::FILE), candidate).unwrap();
        workspace
    }

    #[test]
    fn a_selection_of_broken_packages_only_says_what_is_wrong_with_them() {
        let workspace = workspace_with("x", "id = \"x\"\nlabel = \"A-1\"\n");
        let catalogue = Catalogue::load(workspace.path()).unwrap();
        assert_eq!(catalogue.broken().len(), 1);
        let system = crate::system::find("qemu-virt").unwrap();
        let select = |only: &str| {
            let selection = Selection::Matching(Regex::new(only).unwrap());
            let selected = selection.instances(&catalogue, &*system);
            selected.map(|selected| selected.available.len())
        };
        let error = select("^x/A-1$").unwrap_err().to_string();
        assert!(error.contains("x/candidate.toml"), "{error}");
        let error = select("^y/").unwrap_err().to_string();
        assert_eq!(error, "no instance matches `^y/`");
        assert_eq!(select("^(x/A-1|pqclean/ML-KEM-768)$").unwrap(), 1);
        let broken = |only: &str| Selection::Matching(Regex::new(only).unwrap()).broken(&catalogue);
        assert!(broken("^(x/A-1|pqclean/ML-KEM-768)$"));
        assert!(!broken("^pqclean/ML-KEM-768$"));
    }
}
