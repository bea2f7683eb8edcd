//! What is measured, where and in which order: arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use regex::Regex;

use super::only;
use super::place::Place;
use super::system_name::SystemName;
use crate::campaign::{CampaignError, Selection, Shard};
use crate::record::plan::PlanSettings;
use crate::record::run_files::{self, CAMPAIGN, CampaignFile};
use crate::system::{self, Destination};

/// Systems, instances and run directory.
#[derive(Debug, Args)]
pub(super) struct Choice {
    /// A system to measure on; may be given several times
    #[arg(long = "system", value_name = "S", hide_possible_values = true, value_parser = SystemName)]
    systems: Vec<String>,
    #[command(flatten)]
    place: Place,
    /// Only instances whose name <id>/<label> this regular expression matches
    #[arg(long, value_name = "RE", default_value = "", value_parser = only::expression)]
    only: Regex,
    /// Measure instances whose name this regular expression matches last. The others, and these,
    /// come in the order of the time that they took before, the cheapest first, and then those of
    /// which that is not known
    #[arg(long, value_name = "RE", value_parser = only::expression)]
    pub(super) defer: Option<Regex>,
    /// Only part K of N of the chosen instances: which, depends on their names alone, all operations
    /// of an instance are in one part, and together the parts are everything; as the run directory
    /// has it, or all
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Where records are kept
    #[arg(long, value_name = "D", default_value = "runs/campaign")]
    pub(super) run_dir: PathBuf,
    /// Another run directory whose records of the same system tell how long operations take
    #[arg(long, value_name = "D")]
    pub(super) times_from: Option<PathBuf>,
}

/// Settings that a run directory keeps, or those of a new one.
#[derive(Default)]
pub(super) struct Kept {
    /// How often operations are called.
    pub(super) plan: PlanSettings,
    /// Whether they are called cold as well.
    pub(super) cold: bool,
    /// Images of other layouts.
    pub(super) layouts: u32,
    /// The part of a divided campaign.
    pub(super) shard: Option<Shard>,
}

impl Choice {
    /// Names of the systems, each once.
    pub(super) fn systems(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in &self.systems {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        match names.is_empty() {
            true => system::default_names().to_vec(),
            false => names,
        }
    }

    /// Where the one system is, if it is not here.
    pub(super) fn destination(&self) -> miette::Result<Option<Destination>> {
        self.place.destination(&self.systems)
    }

    /// What a campaign into the run directory goes on with where no argument says otherwise.
    ///
    /// # Errors
    ///
    /// When the run directory's settings cannot be read.
    pub(super) fn kept(&self) -> miette::Result<Kept> {
        if self.run_dir.is_file() {
            let path = self.run_dir.clone();
            return Err(CampaignError::RunDirectoryIsFile { path }.into());
        }
        let file = self.run_dir.join(CAMPAIGN);
        if !file.exists() {
            return Ok(Kept {
                shard: self.shard,
                ..Kept::default()
            });
        }
        let CampaignFile {
            plan,
            cold,
            layouts,
            shard,
            ..
        } = run_files::read_campaign(&file)?;
        let theirs = shard.as_deref().map(str::parse).transpose();
        let theirs: Option<Shard> =
            theirs.map_err(|reason| CampaignError::Settings { file, reason })?;
        Ok(Kept {
            plan: plan.settings(),
            cold,
            layouts,
            shard: self.shard.or(theirs),
        })
    }

    /// The instances.
    pub(super) fn selection(&self) -> Selection {
        Selection::Matching(self.only.clone())
    }
}
