//! The values of a record that are one of a few names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether everything that was planned was measured.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It was.
    Complete,
    /// It was not; `meter.reason` says why.
    FailedOrPartial,
}

/// The flag sets by which C is compiled, of which a label has one.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlagSet {
    /// Those of the assessment guide.
    Guide,
    /// Those of the published harness, for what does not build or pass under the first.
    HarnessDefault,
    /// Those of the guide for versions that are optimised.
    GuidePerformance,
}

impl FlagSet {
    /// The name in records and on pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guide => "guide",
            Self::HarnessDefault => "harness-default",
            Self::GuidePerformance => "guide-performance",
        }
    }
}

impl From<catalogue::FlagSet> for FlagSet {
    fn from(set: catalogue::FlagSet) -> Self {
        match set {
            catalogue::FlagSet::Guide => Self::Guide,
            catalogue::FlagSet::HarnessDefault => Self::HarnessDefault,
        }
    }
}

/// Outcome of a known-answer test.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum KatStatus {
    /// The digest of the answers is the published one.
    Pass,
    /// It is another.
    Mismatch,
    /// There is no published digest.
    NoKat,
    /// Some of the answers were compared.
    Partial,
    /// An operation failed while the answers were computed.
    CryptoFail,
    /// A deadline passed first.
    Timeout,
    /// A buffer was overrun.
    Overflow,
    /// The submission did not build.
    BuildFail,
    /// The test ended without an answer.
    NoResult,
    /// The test left no log.
    NoLog,
}

impl KatStatus {
    /// The name in records and on pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Mismatch => "MISMATCH",
            Self::NoKat => "NOKAT",
            Self::Partial => "PARTIAL",
            Self::CryptoFail => "CRYPTOFAIL",
            Self::Timeout => "TIMEOUT",
            Self::Overflow => "OVERFLOW",
            Self::BuildFail => "BUILDFAIL",
            Self::NoResult => "NORESULT",
            Self::NoLog => "NOLOG",
        }
    }

    /// Whether nothing is known to be wrong: everything that is published and could be computed is
    /// the same. What this says decides exit codes, ratios and what is measured again.
    pub fn is_clean(self) -> bool {
        matches!(self, Self::Pass | Self::NoKat | Self::Partial)
    }

    /// Whether the test may end otherwise with the same image and the same published answers: a
    /// deadline depends on the machine, and what ends a process may, too.
    pub fn may_change(self) -> bool {
        matches!(self, Self::Timeout | Self::NoResult | Self::NoLog)
    }
}

/// What one bracket of the counter holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimingScope {
    /// All calls of a trial.
    Loop,
    /// One step inside a whole protocol run.
    PerCallStep,
}

impl TimingScope {
    /// The name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::PerCallStep => "per_call_step",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_is_written() {
        fn written<T: Serialize>(value: T) -> String {
            let value = serde_json::to_value(value).expect("serialises");
            value.as_str().expect("a text").to_owned()
        }
        for flags in [
            FlagSet::Guide,
            FlagSet::HarnessDefault,
            FlagSet::GuidePerformance,
        ] {
            assert_eq!(written(flags), flags.name());
        }
        for set in catalogue::FlagSet::ALL {
            assert_eq!(FlagSet::from(set).name(), set.name());
        }
        for kat in [
            KatStatus::Pass,
            KatStatus::Mismatch,
            KatStatus::NoKat,
            KatStatus::Partial,
            KatStatus::CryptoFail,
            KatStatus::Timeout,
            KatStatus::Overflow,
            KatStatus::BuildFail,
            KatStatus::NoResult,
            KatStatus::NoLog,
        ] {
            assert_eq!(written(kat), kat.name());
        }
        for scope in [TimingScope::Loop, TimingScope::PerCallStep] {
            assert_eq!(written(scope), scope.name());
        }
        assert_eq!(written(Status::FailedOrPartial), "failed_or_partial");
    }
}
