//! What is measured, where and in which order: arguments that several commands share.

use std::path::PathBuf;

use clap::Args;
use regex::Regex;

use super::only;
use super::place::Place;
use crate::campaign::{Selection, Shard};
use crate::system::{self, Destination};

/// Systems, instances and run directory.
#[derive(Debug, Args)]
pub(super) struct Choice {
    /// A system to measure on; may be given several times
    #[arg(long = "system", value_name = "S")]
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
    /// of an instance are in one part, and together the parts are everything
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<Shard>,
    /// Where records are kept
    #[arg(long, value_name = "D", default_value = "runs/campaign")]
    pub(super) run_dir: PathBuf,
    /// Another run directory whose records of the same system tell how long operations take
    #[arg(long, value_name = "D")]
    pub(super) times_from: Option<PathBuf>,
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

    /// The instances.
    pub(super) fn selection(&self) -> Selection {
        Selection::Matching(self.only.clone())
    }
}
