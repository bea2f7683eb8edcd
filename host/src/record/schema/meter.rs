//! The key `meter`: what only this meter knows of a measurement.

use std::borrow::Cow;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::memory::Memory;
use super::origin::{Conditions, Emulator, Image, Output, Transport};
use super::trouble::{FaultReport, KatEvidence, SelfTest};
use super::{Format, Sha256, Unknown, nullable};

/// What only this meter knows of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Meter {
    /// Version of this program.
    pub version: String,
    /// Version of the keys under `meter`.
    pub format: Format,
    /// The system that this was measured on: the name of its folder in a run directory.
    pub system: String,
    /// What the firmware was built for.
    pub board: String,
    /// What was counted; null when the meter never introduced itself.
    #[serde(deserialize_with = "nullable")]
    pub counter: Option<Counter>,
    /// The record's trials, in the counter's own unit.
    pub trials: Vec<MeterTrial>,
    /// Count of one call, over all calls.
    #[serde(deserialize_with = "nullable")]
    pub mean_count: Option<f64>,
    /// Every call's own count, net of the empty call, from passes of their own.
    pub samples: Vec<Vec<u64>>,
    /// What the inputs of the trials have in common.
    pub inputs: Inputs,
    /// Calls with nothing in caches and TLB; null when not measured.
    #[serde(deserialize_with = "nullable")]
    pub cold: Option<Cold>,
    /// Counts of other events in one call, by name; null when not measured.
    #[serde(deserialize_with = "nullable")]
    pub events: Option<IndexMap<String, EventCount>>,
    /// Instructions in a core clock cycle, from those two events; null where either is missing, as
    /// it is wherever no real cycles are counted.
    #[serde(deserialize_with = "nullable")]
    pub ipc: Option<f64>,
    /// How much the place of the code alone moves the count; null when not measured.
    #[serde(deserialize_with = "nullable")]
    pub layouts: Option<Layouts>,
    /// Memory of one call.
    pub memory: Memory,
    /// The image that ran.
    pub image: Image,
    /// What happened on the line.
    pub transport: Transport,
    /// The emulator; null on real hardware.
    #[serde(deserialize_with = "nullable")]
    pub emulator: Option<Emulator>,
    /// What the system lacks for a trustworthy measurement and was told to do without.
    pub fitness: Vec<String>,
    /// What ended the meter; null when nothing did.
    #[serde(deserialize_with = "nullable")]
    pub fault: Option<FaultReport>,
    /// Why the record is not complete, in words; null when it is.
    #[serde(deserialize_with = "nullable")]
    pub reason: Option<String>,
    /// What the known-answer test computed; null when there was none.
    #[serde(deserialize_with = "nullable")]
    pub kat: Option<KatEvidence>,
    /// What the meter measured at boot on functions of known behaviour.
    #[serde(deserialize_with = "nullable")]
    pub self_test: Option<SelfTest>,
    /// What the submission printed.
    pub output: Output,
    /// State of the board before and after; null where it cannot be read.
    #[serde(deserialize_with = "nullable")]
    pub conditions: Option<Conditions>,
    /// SHA-256 of the canonical JSON (RFC 8785) of the whole record but this key.
    pub digest: Sha256,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counter {
    /// Where counts come from.
    #[serde(with = "source")]
    #[schemars(schema_with = "source::schema")]
    pub source: wire::CounterSource,
    /// What one count is.
    #[serde(with = "unit")]
    #[schemars(schema_with = "unit::schema")]
    pub unit: wire::Unit,
    /// Count of one empty call, taken off every sample.
    pub overhead: u64,
    /// Frequency, where the counter has a fixed one that is known.
    #[serde(deserialize_with = "nullable")]
    pub frequency_hz: Option<u64>,
    /// How it is read, or why it is missing.
    pub note: String,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A trial in the counter's own unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeterTrial {
    /// Calls inside the bracket.
    pub measurements: u64,
    /// Time of all of them, on the target's clock.
    pub seconds: f64,
    /// Count of all of them; null where there is no counter.
    #[serde(deserialize_with = "nullable")]
    pub count: Option<u64>,
    /// Clock of the core, from count and time; null where no cycles are counted.
    #[serde(deserialize_with = "nullable")]
    pub clock_hz: Option<f64>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What the inputs of the trials have in common.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Inputs {
    /// Every trial starts from the same state, so that its k-th call repeats that of the others.
    Same,
    /// Every trial has a seed of its own.
    Fresh,
}

/// Calls with nothing in caches and TLB.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cold {
    /// Count of each call, net of the overhead.
    pub samples: Vec<u64>,
    /// Count of an empty call that is as cold.
    pub overhead: u64,
    /// How that state was brought about.
    pub method: String,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Trials on images that differ in the place of their code only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layouts {
    /// What is shifted.
    pub method: String,
    /// Each image, the record's own first.
    pub images: Vec<Layout>,
    /// Greatest mean count less the least, by the median; null where fewer than two images have
    /// one.
    #[serde(deserialize_with = "nullable")]
    pub spread: Option<f64>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Trials on one such image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// Bytes by which the code is shifted; 0 in the record's own image.
    pub shift_bytes: u32,
    /// SHA-256 of the image.
    #[serde(deserialize_with = "nullable")]
    pub elf_sha256: Option<Sha256>,
    /// Count of one call, over all calls.
    #[serde(deserialize_with = "nullable")]
    pub mean_count: Option<f64>,
    /// Why there is none, in words; null when there is one.
    #[serde(deserialize_with = "nullable")]
    pub reason: Option<String>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Count of an event in one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum EventCount {
    /// Events, on average over all calls.
    Mean(f64),
    /// The core does not count them.
    NotAvailable,
    /// The counter wrapped.
    Overflowed,
}

/// What stands for [`EventCount::NotAvailable`].
const NOT_AVAILABLE: &str = "not available";

/// What stands for [`EventCount::Overflowed`].
const OVERFLOWED: &str = "overflowed";

impl TryFrom<Value> for EventCount {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match (value.as_f64(), value.as_str()) {
            (Some(mean), _) => Ok(Self::Mean(mean)),
            (None, Some(NOT_AVAILABLE)) => Ok(Self::NotAvailable),
            (None, Some(OVERFLOWED)) => Ok(Self::Overflowed),
            (None, _) => Err(format!(
                "{value} is neither a number nor \"{NOT_AVAILABLE}\" nor \"{OVERFLOWED}\""
            )),
        }
    }
}

impl From<EventCount> for Value {
    fn from(count: EventCount) -> Self {
        match count {
            EventCount::Mean(mean) => mean.into(),
            EventCount::NotAvailable => NOT_AVAILABLE.into(),
            EventCount::Overflowed => OVERFLOWED.into(),
        }
    }
}

impl JsonSchema for EventCount {
    fn schema_name() -> Cow<'static, str> {
        "EventCount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Events in one call, on average over all calls; or why there is no such \
                number.",
            "anyOf": [{ "type": "number" }, { "enum": [NOT_AVAILABLE, OVERFLOWED] }],
        })
    }
}

/// A counter's source by its name.
mod source {
    use schemars::{Schema, SchemaGenerator, json_schema};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use wire::CounterSource;

    const ALL: [CounterSource; 6] = [
        CounterSource::Pmccntr,
        CounterSource::PerfEvent,
        CounterSource::Tsc,
        CounterSource::Cntvct,
        CounterSource::Icount,
        CounterSource::Missing,
    ];

    /// The names.
    pub fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ALL.map(CounterSource::name) })
    }

    pub fn serialize<S: Serializer>(source: &CounterSource, out: S) -> Result<S::Ok, S::Error> {
        source.name().serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<CounterSource, D::Error> {
        let name = String::deserialize(input)?;
        let found = ALL.into_iter().find(|source| source.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is no source of counts")))
    }
}

/// A unit by its name.
mod unit {
    use schemars::{Schema, SchemaGenerator, json_schema};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
    use wire::Unit;

    /// The names.
    pub fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": Unit::ALL.map(Unit::name) })
    }

    pub fn serialize<S: Serializer>(unit: &Unit, out: S) -> Result<S::Ok, S::Error> {
        unit.name().serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Unit, D::Error> {
        let name = String::deserialize(input)?;
        let found = Unit::ALL.into_iter().find(|unit| unit.name() == name);
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is no unit of counts")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_counts_read_back() {
        let text = r#"{"a":1234.5,"b":"not available","c":"overflowed"}"#;
        let events: IndexMap<String, EventCount> = serde_json::from_str(text).expect("readable");
        assert_eq!(events["a"], EventCount::Mean(1234.5));
        assert_eq!(events["b"], EventCount::NotAvailable);
        assert_eq!(serde_json::to_string(&events).expect("serialises"), text);
        let wrong = serde_json::from_str::<EventCount>("\"none\"");
        assert!(
            wrong
                .expect_err("refused")
                .to_string()
                .contains("overflowed")
        );
    }
}
