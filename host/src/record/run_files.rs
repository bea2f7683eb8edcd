//! The files that a run directory has beside its records: what a campaign was to do, and how each
//! label of a system was built.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::digest;
use super::plan::PlanSettings;
use super::read::{ReadError, read_as};
use super::schema::{FlagSet, KatEvidence, KatStatus, Sha256};

/// Name of the file with a campaign's settings, in the run directory.
pub const CAMPAIGN: &str = "campaign.json";

/// Name of the file that says how each label was built, in a system's folder.
pub const BUILD: &str = "build.json";

/// Key of the digest of a campaign's settings, and of each entry about a label.
pub const DIGEST: &str = "digest";

/// Versions of this program whose run directories this one knows.
pub const VERSIONS: [&str; 1] = [env!("CARGO_PKG_VERSION")];

/// What a campaign was to do.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct CampaignFile {
    /// Version of the program that measured.
    pub version: String,
    /// Version of these files: the first one had no such number, and no digests.
    #[serde(default = "first_format")]
    pub format: u32,
    /// How often operations are called.
    pub plan: PlanKeys,
    /// Whether operations are called cold as well.
    #[serde(default)]
    pub cold: bool,
    /// Images of other layouts whose trials are run as well.
    #[serde(default)]
    pub layouts: u32,
    /// The part of a divided campaign that this is.
    #[serde(default)]
    pub shard: Option<String>,
}

/// How often operations are called, as the settings keep it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct PlanKeys {
    /// Seconds on the target's clock that one trial should take.
    pub trial_target_seconds: f64,
    /// Seconds on the wall that all trials of an operation may take, as fast as the system usually is.
    pub operation_budget_seconds: f64,
    /// Trials of an operation.
    pub trials: u32,
    /// Calls of an operation at least.
    pub minimum_calls: u32,
    /// Calls of one trial at most.
    pub maximum_calls_per_trial: u32,
}

fn first_format() -> u32 {
    1
}

/// Puts the digest of what a file, or an entry of one, holds into it: the SHA-256 of the canonical
/// JSON (RFC 8785) of `{name: content}`, the content without its digest.
pub fn seal(name: &str, content: &mut Value) {
    let digest = digest_of(name, content);
    content[DIGEST] = digest.as_str().into();
}

/// The digest that [`seal`] puts in.
pub fn digest_of(name: &str, content: &Value) -> Sha256 {
    let mut content = content.clone();
    if let Some(keys) = content.as_object_mut() {
        keys.shift_remove(DIGEST);
    }
    digest::of_content(&json!({ name: content }))
}

/// The digest that is in it, if it has one.
pub fn stated_digest(content: &Value) -> Option<&Value> {
    content.get(DIGEST)
}

impl PlanKeys {
    /// The settings that plans are made with.
    pub fn settings(&self) -> PlanSettings {
        PlanSettings {
            trial_target_seconds: self.trial_target_seconds,
            operation_budget_seconds: self.operation_budget_seconds,
            trials: self.trials,
            minimum_calls: self.minimum_calls,
            maximum_calls_per_trial: self.maximum_calls_per_trial,
        }
    }

    /// Every number, by its key.
    pub fn by_key(&self) -> [(&'static str, f64); 5] {
        [
            ("trial_target_seconds", self.trial_target_seconds),
            ("operation_budget_seconds", self.operation_budget_seconds),
            ("trials", self.trials.into()),
            ("minimum_calls", self.minimum_calls.into()),
            (
                "maximum_calls_per_trial",
                self.maximum_calls_per_trial.into(),
            ),
        ]
    }
}

/// How one label was built.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct BuildEntry {
    /// Outcome of the known-answer test; `BUILDFAIL` when there is no image.
    pub kat: KatStatus,
    /// The flag set.
    pub flags: Option<FlagSet>,
    /// The image, by its cache name.
    pub image: Option<String>,
    /// SHA-256 of the image.
    pub image_sha256: Option<Sha256>,
    /// Digest of everything that was published of the label's known answers.
    pub answers_sha256: Option<Sha256>,
    /// What that test computed, as records have it.
    pub evidence: Option<KatEvidence>,
    /// SHA-256 of its log.
    pub kat_log_sha256: Option<Sha256>,
    /// Why there is no image.
    pub reason: Option<String>,
    /// Whether that is what the system lacks, so that nothing is wrong with the submission.
    #[serde(default)]
    pub unavailable: bool,
}

/// An instance that has no records because there is no image of it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct NotBuilt {
    /// The system, as tables name it.
    pub system: String,
    /// `<candidate>/<label>`.
    pub name: String,
    /// Why not.
    pub reason: String,
    /// Whether that is what the system lacks, so that nothing is wrong with the submission.
    pub unavailable: bool,
}

/// How the labels of a system were built, by `<candidate>/<label>`.
pub type BuildFile = BTreeMap<String, BuildEntry>;

/// Reads the settings in a run directory.
///
/// # Errors
///
/// See [`ReadError`].
pub fn read_campaign(file: &Path) -> Result<CampaignFile, ReadError> {
    read_as(file)
}

/// The instances of a system that were not built, under this name of the system; none where it has
/// no such file.
///
/// # Errors
///
/// See [`ReadError`].
pub fn not_built(folder: &Path, system: &str) -> Result<Vec<NotBuilt>, ReadError> {
    let file = folder.join(BUILD);
    if !file.exists() {
        return Ok(Vec::new());
    }
    let failed = read_build(&file)?
        .into_iter()
        .filter(|(_, entry)| entry.kat == KatStatus::BuildFail);
    Ok(failed
        .map(|(name, entry)| NotBuilt {
            system: system.to_owned(),
            name,
            reason: entry.reason.unwrap_or_default(),
            unavailable: entry.unavailable,
        })
        .collect())
}

/// Reads how the labels of a system were built.
///
/// # Errors
///
/// See [`ReadError`].
pub fn read_build(file: &Path) -> Result<BuildFile, ReadError> {
    read_as(file)
}
