//! What tells a machine from another.

use serde_json::{Value, json};

use super::schema::{Emulator, Environment, Record};

/// Keys of a record's environment that make a machine and its configuration what they are. The
/// others tell of the moment, or of the processor that was free.
const CONFIGURATION: [&str; 15] = [
    "hostname",
    "architecture",
    "cpu_model",
    "machine",
    "virtualized",
    "os",
    "kernel",
    "compiler",
    "cpufreq_governor",
    "cpufreq_driver",
    "cpufreq_min_khz",
    "cpufreq_max_khz",
    "intel_pstate_no_turbo",
    "cpufreq_boost",
    "smt_control",
];

/// The machine of a record, in its configuration.
pub fn of_record(record: &Record) -> Value {
    let emulator = record.meter.as_ref().and_then(|it| it.emulator.as_ref());
    of(&record.environment, emulator)
}

/// A machine in its configuration, by the keys of a record. An emulated one is the same on every
/// host.
pub fn of(environment: &Environment, emulator: Option<&Emulator>) -> Value {
    let environment = json!(environment);
    let keys = CONFIGURATION
        .iter()
        .filter(|key| emulator.is_none() || **key != "hostname");
    let values = keys.map(|key| ((*key).to_owned(), environment[*key].clone()));
    let configuration: Value = Value::Object(values.collect());
    json!({ "environment": configuration, "meter": { "emulator": emulator } })
}
