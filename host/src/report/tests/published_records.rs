//! Records of published figures: raw trials and sizes that have them.

use jiff::Timestamp;

use crate::record::example;
use crate::record::profile::Profile;
use crate::record::schema::{
    Environment, KatStatus, Plan, Reading, Record, Sha256, Sizes, Trial, Unknown,
};
use crate::record::statistics::Statistics;
use crate::report::evidence::{BuildFacts, Candidate, Label, System, operation};
use crate::table::format::published::{
    PublishedPage, PublishedTable, interval, parsed_count, parsed_numbers, parsed_seconds,
    parsed_share,
};

/// The evidence from which a published page must follow.
pub fn system(page: &PublishedPage) -> System {
    let [
        environment,
        kat,
        performance,
        resources,
        overhead,
        symmetric,
        evidence,
    ] = page.tables();
    let period = period(value(&environment, "campaign start / end (UTC)"));
    let labels = kat[1..].iter().map(|row| {
        let of_label = |table: &PublishedTable| -> PublishedTable {
            let rows = table.iter().filter(|other| other[0] == row[0]);
            rows.cloned().collect()
        };
        let resources = of_label(&resources);
        let mut records: Vec<Record> = of_label(&performance)
            .iter()
            .zip(&resources)
            .map(|(performance, resources)| {
                let mut record = record(page.id, performance);
                record.environment = machine(&environment);
                (record.started_utc, record.ended_utc) = (period.0.into(), period.1.into());
                let rss = |cell: &str| Some(parsed_numbers(cell)[0] * 1024);
                record.baseline_rss_bytes = rss(resources[3]);
                record.peak_rss_bytes = rss(resources[4]);
                record.kat = KatStatus::Pass;
                assert_eq!((row[1], row[2]), (record.flags.name(), record.kat.name()));
                record
            })
            .collect();
        let headings = &overhead[0];
        let sizes = &of_label(&overhead)[0];
        for record in &mut records {
            note_sizes(record, headings, sizes);
            note_kat_log(record, page.id, &of_label(&evidence));
        }
        let profiles = of_label(&symmetric);
        Label {
            name: without_marks(row[0]),
            profiles: profiles
                .iter()
                .map(|row| (row[1].to_owned(), profile(row)))
                .collect(),
            build: Some(build(resources[0][2])),
            outdated_profiles: Vec::new(),
            stated_category: None,
            records,
        }
    });
    let candidate = Candidate {
        system: "x86_1".to_owned(),
        id: page.id.to_owned(),
        name: None,
        labels: labels.collect(),
    };
    System {
        name: "x86_1".to_owned(),
        period: Some(period),
        candidates: vec![candidate],
        damage: Vec::new(),
    }
}

/// Some pages mark names as code.
fn without_marks(cell: &str) -> String {
    cell.replace('`', "")
}

fn value(table: &PublishedTable, item: &str) -> &'static str {
    let row = table.iter().find(|row| row[0] == item);
    row.expect("an item of the environment")[1]
}

fn period(cell: &str) -> (Timestamp, Timestamp) {
    let time = |text: &str| format!("{text}Z").parse().expect("a time");
    let (start, end) = cell.split_once(" / ").expect("start and end");
    (time(start), time(end))
}

/// The machine that the pages describe.
fn machine(table: &PublishedTable) -> Environment {
    let pair = |item| {
        let (first, second) = value(table, item).split_once(" / ").expect("a pair");
        (Some(first.to_owned()), Some(second.to_owned()))
    };
    let (os, kernel) = pair("OS / kernel");
    let (compiler, cmake) = pair("compiler / build tool");
    let processor = value(table, "processor").strip_suffix(", one core)");
    let (model, number) = processor
        .and_then(|text| text.split_once(" (CPU "))
        .expect("a CPU");
    let number: u64 = number.parse().expect("a number");
    let clock = value(table, "clock");
    let (clock, switches) = clock.split_once(" GHz, ").expect("a clock");
    assert_eq!(switches, "governor performance, turbo off, SMT off");
    let gigahertz: f64 = clock.trim_start_matches("max ").parse().expect("a clock");
    let mebibytes = parsed_numbers(value(table, "memory"))[0];
    Environment {
        architecture: Some("x86_64".to_owned()),
        cpu_model: Some(model.to_owned()),
        cpu_number: Some(number.into()),
        memory_total_kib: Some((mebibytes * 1024).into()),
        os,
        kernel,
        compiler,
        cmake,
        cpufreq_governor: Some("performance".to_owned()),
        cpufreq_max_khz: Some(Reading::from((gigahertz * 1e6).round() as u64)),
        intel_pstate_no_turbo: Some(1.into()),
        smt_control: Some("off".to_owned()),
        ..Environment::default()
    }
}

/// A record whose raw trials give the figures of a row.
fn record(candidate: &str, row: &[&str]) -> Record {
    let [label, operation, cycles, mean, rate, median, calls] = row[..] else {
        panic!("{row:?}");
    };
    let [_, number, iterations] = parsed_numbers(calls)[..] else {
        panic!("{calls}");
    };
    let trial = |call_seconds: f64| Trial {
        measurements: iterations,
        seconds: call_seconds * iterations as f64,
        cycles: (parsed_count(cycles) * iterations as f64).round() as u64,
        unknown: Unknown::new(),
    };
    let trials: Vec<Trial> = times(number, mean, rate, median)
        .into_iter()
        .map(trial)
        .collect();
    let statistics = Statistics::of(&trials, None);
    let example = example::record();
    Record {
        candidate: candidate.to_owned(),
        label: without_marks(label),
        instance: without_marks(label),
        variant: "reference".to_owned(),
        operation: operation.to_owned(),
        plan: Plan {
            iterations_per_trial: iterations,
            trials: number,
            ..example.plan.clone()
        },
        kat_not_passed: false,
        trials,
        measurements: statistics.measurements,
        guide_100_measurements_met: statistics.guide_100_measurements_met,
        mean_seconds: statistics.mean_seconds,
        median_trial_seconds: statistics.median_trial_seconds,
        min_trial_seconds: statistics.min_trial_seconds,
        max_trial_seconds: statistics.max_trial_seconds,
        mean_cycles: statistics.mean_cycles,
        median_trial_cycles: statistics.median_trial_cycles,
        operations_per_second: statistics.operations_per_second,
        throughput_megabytes_per_second: None,
        processes: Vec::new(),
        sizes: Sizes::default(),
        kex: None,
        meter: None,
        ..example
    }
}

/// Times of one call in each trial: their mean has the cell of the mean and, turned over, that of
/// the rate; the middle one has the cell of the median.
fn times(trials: u64, mean: &str, rate: &str, median: &str) -> Vec<f64> {
    let (least, most) = interval(parsed_seconds(mean));
    let (slowest, fastest) = interval(rate.parse().expect("a number"));
    let (least, most) = (least.max(1.0 / fastest), most.min(1.0 / slowest));
    assert!(least < most, "{mean} and {rate} are of no common number");
    let mean_seconds = f64::midpoint(least, most);
    if trials == 1 {
        assert_eq!(mean, median);
        return vec![mean_seconds];
    }
    let median = parsed_seconds(median);
    let mut times = vec![median; usize::try_from(trials).expect("few")];
    // One trial makes the difference, whichever side it is on.
    let last = times.last_mut().expect("a trial");
    *last = mean_seconds * trials as f64 - median * (trials - 1) as f64;
    times
}

fn note_sizes(record: &mut Record, headings: &[&str], row: &[&str]) {
    let cell = |heading: &str| {
        let column = headings.iter().position(|other| *other == heading);
        row[column.expect("a column")]
    };
    let number = |heading: &str| parsed_numbers(cell(heading))[0];
    if headings[1] == "public key" {
        record.sizes.pk_bytes = Some(number("public key"));
        record.sizes.sk_bytes = Some(number("secret key"));
        record.sizes.ct_bytes = Some(number("ciphertext"));
        record.sizes.ss_bytes = Some(number("shared secret"));
        return;
    }
    let messages = parsed_numbers(cell("messages (bytes; raw API)"));
    let messages = (1..)
        .zip(messages)
        .map(|(index, bytes)| (format!("kex_msg{index}_bytes"), bytes));
    let total = number("protocol-message bytes");
    let others = [
        ("kex_passes", number("passes")),
        ("kex_passes_run", number("passes")),
        ("kex_pk_bytes", number("public key A / B")),
        ("kex_sk_bytes", number("long-term sk (API cap)")),
        ("kex_total_msg_bytes", total),
        ("kex_ss_bytes", number("shared secret")),
    ];
    let others = others.map(|(key, value)| (key.to_owned(), value));
    let keys = messages.chain(others);
    let keys = keys.map(|(key, value)| (key, i64::try_from(value).expect("small")));
    record.kex = Some(keys.collect());
}

fn note_kat_log(record: &mut Record, candidate: &str, evidence: &PublishedTable) {
    let [_, item, file] = evidence[0][..] else {
        panic!("{evidence:?}");
    };
    let item = without_marks(item);
    let digest = item
        .strip_prefix("KAT log (sha256 ")
        .expect("the log comes first");
    let shown: String = digest.chars().take(16).collect();
    let whole = format!("{shown}{}", "0".repeat(48));
    record.kat_log_sha256 = Some(Sha256::try_from(whole).expect("a digest"));
    let log = format!("kat/{candidate}/{}.log", record.label);
    assert_eq!(without_marks(file), log);
    record.kat_log = Some(log);
    let timed = format!("timing {}", operation(record));
    assert!(evidence.iter().any(|row| row[1] == timed), "{timed}");
}

fn profile(row: &[&str]) -> Profile {
    let calls = row[4].split(", ").map(|call| {
        let (function, number) = call.split_once(' ').expect("name and number");
        let number: f64 = number.parse().expect("a number");
        let calls = (number * 1000.0).round() as u64;
        serde_json::json!({"fn": function, "in_bits": 0, "out_bits": 0, "calls": calls, "ticks": 0})
    });
    let hash_share = parsed_share(row[2]);
    let profile = serde_json::json!({
        "total": {"operations": 1000, "ticks": 0},
        "calls": calls.collect::<Vec<_>>(),
        // How hash functions part it among them is not published.
        "share": {"drng": parsed_share(row[3]), "pseudohash": hash_share},
        "hash_share": hash_share,
        "meta": {"tick_source": "cntvct", "tick_hz": null, "overflow_calls": 0},
    });
    serde_json::from_value(profile).expect("a profile")
}

fn build(image_bytes: &str) -> BuildFacts {
    let bytes: u64 = image_bytes.parse().expect("a number");
    let facts = serde_json::json!({"kat": "PASS", "flags": "guide", "elf_load_bytes": bytes});
    serde_json::from_value(facts).expect("an entry of build.json")
}
