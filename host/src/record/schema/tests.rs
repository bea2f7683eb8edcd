//! What a record of ours has when `meter` is left out: the keys of schema 2, for tools that know it.

use serde_json::{Value, json};
use wire::CounterSource;

use crate::record::{digest, example};

const TOP: &str = "schema status candidate label instance variant flags operation input_bytes plan \
    kat kat_not_passed disturbed_retries library library_sha256 kat_log kat_log_sha256 started_utc \
    ended_utc load_average_start load_average_end environment processes trials measurements \
    guide_100_measurements_met mean_seconds median_trial_seconds min_trial_seconds \
    max_trial_seconds mean_cycles median_trial_cycles operations_per_second \
    throughput_MB_per_second sizes kex build_flags baseline_rss_bytes peak_rss_bytes timing_scope";

const ENVIRONMENT: &str = "hostname architecture cpu_model machine cpu_number logical_cpus_online \
    virtualized memory_total_kib os kernel compiler cmake python perf_event_paranoid \
    cpufreq_governor cpufreq_driver cpufreq_min_khz cpufreq_max_khz cpufreq_avg_khz \
    intel_pstate_no_turbo cpufreq_boost smt_control core_clock_hz core_clock_min_hz \
    core_clock_max_hz core_clock_mhz";

const PLAN: &str = "iterations_per_trial warmups trials separate_processes estimated_s \
    timeout_per_process_s";

const PROCESS: &str = "status exit_code meta trials stderr command wall_s disturbed_retries";

const SIZES: &str = "input_bytes pk_bytes sk_bytes ct_bytes ss_bytes signature_bytes digest_bytes";

const META: &str = "id instance variant operation input_bytes build_flags pk_bytes sk_bytes ct_bytes \
    ss_bytes signature_bytes digest_bytes mode cpu_cycles_available timing_scope warmups \
    measurement_count guide_100_measurements";

fn keys(value: &Value) -> Vec<&str> {
    let keys = value.as_object().expect("an object").keys();
    keys.map(String::as_str).collect()
}

#[test]
fn without_meter_it_has_the_published_keys_in_their_order() {
    for source in [CounterSource::PerfEvent, CounterSource::Icount] {
        let mut content = digest::content(&example::record_of("rpi4", source));
        content.as_object_mut().unwrap().shift_remove("meter");
        let words = |list: &'static str| list.split_whitespace().collect::<Vec<_>>();
        assert_eq!(keys(&content), words(TOP));
        assert_eq!(keys(&content["environment"]), words(ENVIRONMENT));
        assert_eq!(keys(&content["plan"]), words(PLAN));
        assert_eq!(keys(&content["processes"][0]), words(PROCESS));
        assert_eq!(keys(&content["sizes"]), words(SIZES));
        for trials in [&content["trials"], &content["processes"][0]["trials"]] {
            assert_eq!(keys(&trials[0]), ["measurements", "seconds", "cycles"]);
            assert!(trials[0]["cycles"].is_u64() && trials[0]["seconds"].is_f64());
        }
        let meta = &content["processes"][0]["meta"];
        for key in words(META) {
            assert!(meta[key].is_string(), "{key}: {meta}");
        }
        // Where no cycles are counted there are none, instead of something else.
        let has_cycles = source == CounterSource::PerfEvent;
        assert_eq!(content["mean_cycles"].is_f64(), has_cycles);
        assert_eq!(
            meta["cpu_cycles_available"],
            if has_cycles { "yes" } else { "no" }
        );
        assert_eq!(content["trials"][0]["cycles"] == json!(0), !has_cycles);
    }
}
