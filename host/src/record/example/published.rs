//! A data set as others publish it: the keys of schema 2 and none of this meter's.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::record::digest;
use crate::record::schema::{Record, Sha256};
use crate::record::statistics::Statistics;

/// The log of the known-answer test in [`data_set`].
const KAT_LOG: &str = "TRIKE-2: 100 of 100 answers are the same\n";

/// A decapsulation of five trials with 49 calls each.
pub fn record() -> Record {
    record_of("dec", [1_724_003_154, 1_724_101_332])
}

/// An operation whose first and other trials took so many cycles at 2.7 GHz.
pub fn record_of(operation: &str, [first, others]: [u64; 2]) -> Record {
    let trials: Vec<Value> = [first, others, others, others, others]
        .map(|cycles| json!({"measurements": 49, "seconds": cycles as f64 / 2.7e9, "cycles": cycles}))
        .to_vec();
    let processes: Vec<Value> = trials
        .iter()
        .map(|trial| process(operation, trial))
        .collect();
    let subject = json!({
        "schema": 2, "status": "complete", "candidate": "kem-36", "label": "TRIKE-2",
        "instance": "TRIKE-2", "variant": "reference", "flags": "guide",
        "operation": operation, "input_bytes": 0,
        "plan": {
            "iterations_per_trial": 49, "warmups": 3, "trials": 5, "separate_processes": true,
            "estimated_s": 2.85, "timeout_per_process_s": 301.7,
        },
        "kat": "PASS", "kat_not_passed": false, "disturbed_retries": 0,
        "library": "kem-36/lib/libTRIKE-2.so", "library_sha256": Sha256::of(b"the library"),
        "kat_log": "kat/kem-36/TRIKE-2.log", "kat_log_sha256": Sha256::of(KAT_LOG.as_bytes()),
    });
    let measured = json!({
        "started_utc": "2026-09-25T10:02:21+00:00", "ended_utc": "2026-09-25T10:02:25+00:00",
        "load_average_start": [0.99, 1.0, 1.0], "load_average_end": [0.99, 1.0, 1.0],
        "environment": environment(), "processes": processes, "trials": trials,
        "measurements": 245, "guide_100_measurements_met": true,
        "mean_seconds": null, "median_trial_seconds": null, "min_trial_seconds": null,
        "max_trial_seconds": null, "mean_cycles": null, "median_trial_cycles": null,
        "operations_per_second": null, "throughput_MB_per_second": null,
        "sizes": {
            "input_bytes": 0, "pk_bytes": 4_114, "sk_bytes": 6_422, "ct_bytes": 4_146,
            "ss_bytes": 32, "signature_bytes": 0, "digest_bytes": 0,
        },
        "kex": {}, "build_flags": "-std=c99 -O2", "baseline_rss_bytes": 2_097_152,
        "peak_rss_bytes": 2_629_632, "timing_scope": "loop",
    });
    let parts = [subject, measured]
        .into_iter()
        .filter_map(|part| match part {
            Value::Object(keys) => Some(keys),
            _ => None,
        });
    let content: Map<String, Value> = parts.flatten().collect();
    let mut record: Record = serde_json::from_value(content.into()).expect("a record of schema 2");
    Statistics::of_record(&record).state_in(&mut record);
    record
}

/// The machine; its numbers are texts, as sysfs has them.
fn environment() -> Value {
    json!({
        "hostname": "node-1", "architecture": "aarch64", "cpu_model": "Oryon", "machine": null,
        "cpu_number": 4, "logical_cpus_online": 12, "virtualized": false,
        "memory_total_kib": 32_505_856, "os": "Ubuntu 24.04", "kernel": "6.8.0",
        "compiler": "gcc 13.3.0", "cmake": "3.28.3", "python": "3.12.3",
        "perf_event_paranoid": "1", "cpufreq_governor": "performance",
        "cpufreq_driver": "scmi", "cpufreq_min_khz": "2707200", "cpufreq_max_khz": "2707200",
        "cpufreq_avg_khz": null, "intel_pstate_no_turbo": null, "cpufreq_boost": "0",
        "smt_control": "notsupported", "core_clock_hz": 2.7e9, "core_clock_min_hz": 2.7e9,
        "core_clock_max_hz": 2.7e9, "core_clock_mhz": 2700.0,
    })
}

fn process(operation: &str, trial: &Value) -> Value {
    json!({
        "status": "ok", "exit_code": 0,
        "meta": {
            "id": "kem-36", "instance": "TRIKE-2", "variant": "reference",
            "operation": operation, "peak_rss_bytes": "2629632", "measurement_count": "49",
        },
        "trials": [trial], "stderr": "", "command": ["./bench", operation], "wall_s": 0.7,
        "disturbed_retries": 0,
    })
}

/// Writes a data set of three operations with all that belongs to it.
pub fn data_set(folder: &Path) {
    let write = |name: String, text: &str| {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("created");
        fs::write(file, text).expect("written");
    };
    let cycles = [
        ("keygen", [2_204_003_154, 2_204_101_332]),
        ("enc", [224_003_154, 224_101_332]),
        ("dec", [1_724_003_154, 1_724_101_332]),
    ];
    for (operation, cycles) in cycles {
        let record = digest::text(&digest::content(&record_of(operation, cycles)));
        write(format!("records/kem-36/TRIKE-2__{operation}.json"), &record);
    }
    write("kat/kem-36/TRIKE-2.log".to_owned(), KAT_LOG);
    let profile = json!({
        "total": {"operations": 10, "ticks": 1000},
        "calls": [
            {"fn": "sm3hash", "in_bits": 512, "out_bits": 256, "calls": 40, "ticks": 600},
            {"fn": "drng", "in_bits": 0, "out_bits": 256, "calls": 10, "ticks": 100},
        ],
        "share": {"sm3hash": 0.6, "pseudohash": 0.0, "pseudoXOF": 0.0, "drng": 0.1},
        "hash_share": 0.6,
        "meta": {"tick_source": "cntvct_el0", "tick_hz": 19_200_000, "overflow_calls": 0},
    });
    write(
        "profile/kem-36/TRIKE-2__dec.json".to_owned(),
        &profile.to_string(),
    );
    write("campaign.json".to_owned(), "{\"tool\": \"another\"}\n");
    let build = json!({"kem-36/TRIKE-2": {
        "kat": "PASS", "flags": "guide", "elf_load_bytes": 123_456,
    }});
    write("build.json".to_owned(), &build.to_string());
}
