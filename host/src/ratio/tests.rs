//! What is compared with what, and when two records are said to differ.

use proptest::prelude::*;
use wire::CounterSource;

use super::*;
use crate::record::example;
use crate::record::schema::{Inputs, KatStatus, Layout, Layouts, Unknown};

/// A record of an operation whose single calls, and trials' means in thousandths, are these.
fn record(source: CounterSource, operation: &str, calls: &[u64], trials: &[u64]) -> Record {
    let mut record = example::record_of("a", source);
    operation.clone_into(&mut record.operation);
    let meter = record.meter.as_mut().expect("ours");
    meter.samples = vec![calls.to_vec()];
    meter.trials.truncate(trials.len());
    record.trials.truncate(trials.len());
    for ((ours, published), mean) in meter.trials.iter_mut().zip(&mut record.trials).zip(trials) {
        ours.count = Some(mean * ours.measurements / 1000);
        ours.seconds = *mean as f64 * 1e-9 * ours.measurements as f64;
        published.seconds = ours.seconds;
        if published.cycles > 0 {
            published.cycles = ours.count.expect("set");
        }
    }
    meter.mean_count = crate::record::statistics::mean_count(&meter.trials);
    let statistics = crate::record::statistics::Statistics::of_record(&record);
    record.mean_cycles = statistics.mean_cycles;
    record.mean_seconds = statistics.mean_seconds;
    record
}

fn emulated(operation: &str, calls: &[u64], trials: &[u64]) -> Record {
    record(CounterSource::Icount, operation, calls, trials)
}

fn side<'a>(system: &'a str, record: &'a Record) -> Side<'a> {
    Side {
        name: system,
        system,
        record,
    }
}

fn divided(cost: &Record, base: &Record) -> Ratio {
    let unjudged = ratio(side("a", cost), side("a", base)).expect("comparable");
    judge(vec![unjudged]).remove(0)
}

const CALLS: [u64; 6] = [900, 1000, 1100, 950, 1050, 1000];

#[test]
fn the_same_inputs_are_compared_in_pairs() {
    let base = emulated("keygen", &CALLS, &[1_000_000; 3]);
    let cost = emulated(
        "keygen",
        &CALLS.map(|call| call * 101 / 100),
        &[1_010_000; 3],
    );
    let ratio = divided(&cost, &base);
    assert_eq!(
        (ratio.basis, ratio.distinct_inputs),
        (Basis::PairedCalls, Some(6))
    );
    assert_eq!((ratio.of, ratio.verdict), ("instructions", Verdict::More));
    assert_eq!(ratio.verdict_in_words(), "more");
    assert!((ratio.value - 1.01).abs() < 0.001, "{ratio:?}");
    // With other answers the inputs may be others, and the spread over them hides one percent.
    let mut other = cost.clone();
    let kat = other.meter.as_mut().expect("ours").kat.as_mut();
    kat.expect("tested").computed_sha256 = None;
    let apart = divided(&other, &base);
    assert_eq!(
        (apart.basis, apart.distinct_inputs),
        (Basis::Calls, Some(6))
    );
    assert_eq!(apart.verdict, Verdict::WithinNoise);
    // And so they may with other warm-ups, and with seeds of their own.
    let mut warm = cost.clone();
    warm.plan.warmups += 1;
    assert_eq!(divided(&warm, &base).basis, Basis::Calls);
    let mut fresh = cost.clone();
    fresh.meter.as_mut().expect("ours").inputs = Inputs::Fresh;
    assert_eq!(divided(&fresh, &base).basis, Basis::Calls);
}

#[test]
fn runs_of_another_length_are_paired_as_far_as_they_go() {
    let base = emulated("sign", &CALLS, &[1_000_000; 3]);
    let cost = emulated("sign", &CALLS[..4], &[1_000_000; 3]);
    let ratio = divided(&cost, &base);
    assert_eq!((ratio.n, ratio.value), (4, 1.0));
    assert_eq!(ratio.verdict, Verdict::WithinNoise);
}

#[test]
fn calls_that_repeat_one_input_tell_nothing_of_others() {
    for operation in ["dec", "verify", "hash"] {
        let base = emulated(operation, &[1000; 40], &[1_000_000; 3]);
        let cost = emulated(operation, &[1001; 40], &[1_001_000; 3]);
        let ratio = divided(&cost, &base);
        assert_eq!((ratio.basis, ratio.n), (Basis::Calls, 40));
        assert_eq!(ratio.distinct_inputs, Some(1));
        // Nothing disturbs an emulated core: one instruction more is one more.
        assert_eq!(ratio.verdict, Verdict::More);
        let interval = ratio.interval.expect("calls");
        assert_eq!(interval.low, interval.high);
    }
}

#[test]
fn passes_that_repeat_the_inputs_are_no_more_inputs() {
    let mut base = emulated("keygen", &CALLS, &[1_000_000; 3]);
    let meter = base.meter.as_mut().expect("ours");
    meter.samples.push(CALLS.map(|call| call + 2).to_vec());
    let cost = emulated("keygen", &CALLS.map(|call| call + 1), &[1_001_000; 3]);
    let ratio = divided(&cost, &base);
    assert_eq!((ratio.distinct_inputs, ratio.value), (Some(6), 1.0));
}

#[test]
fn without_single_calls_the_trials_stand_in() {
    let mut base = example::record();
    let mut cost = base.clone();
    for record in [&mut base, &mut cost] {
        record.meter = None;
    }
    for trial in &mut cost.trials {
        trial.cycles *= 2;
    }
    cost.mean_cycles = cost.mean_cycles.map(|mean| mean * 2.0);
    let ratio = divided(&cost, &base);
    assert_eq!((ratio.basis, ratio.n), (Basis::Trials, 3));
    assert_eq!((ratio.distinct_inputs, ratio.of), (None, "cycles"));
    assert_eq!(ratio.verdict_in_words(), "slower");
    // Even when the other side has calls.
    assert_eq!(divided(&example::record(), &base).basis, Basis::Trials);
    for record in [&mut base, &mut cost] {
        record.trials.truncate(1);
    }
    let ratio = divided(&cost, &base);
    assert_eq!((ratio.basis, ratio.interval), (Basis::Means, None));
    assert_eq!(ratio.verdict_in_words(), "no interval");
}

#[test]
fn what_trials_or_layouts_do_not_exceed_is_no_difference() {
    let base = emulated("keygen", &CALLS, &[1_000_000; 3]);
    let slower = CALLS.map(|call| call * 11 / 10);
    let quiet = emulated("keygen", &slower, &[1_100_000; 3]);
    assert_eq!(divided(&quiet, &base).verdict, Verdict::More);
    assert_eq!(divided(&base, &quiet).verdict, Verdict::Less);
    let noisy = emulated("keygen", &slower, &[1_030_000, 1_100_000, 1_170_000]);
    let ratio = divided(&noisy, &base);
    assert!(ratio.interval.expect("calls").excludes_one());
    assert!((ratio.noise - 1.17 / 1.03).abs() < 1e-9);
    assert_eq!(ratio.verdict, Verdict::WithinNoise);
    assert_eq!(divided(&base, &noisy).verdict, Verdict::WithinNoise);
    // Trials of the other side count as much, and so do layouts.
    let mut moved = quiet.clone();
    let layout = |mean_count| Layout {
        shift_bytes: 0,
        elf_sha256: None,
        mean_count: Some(mean_count),
        reason: None,
        unknown: Unknown::new(),
    };
    moved.meter.as_mut().expect("ours").layouts = Some(Layouts {
        method: String::new(),
        images: [1050.0, 1100.0, 1200.0].map(layout).to_vec(),
        spread: None,
        unknown: Unknown::new(),
    });
    assert_eq!(divided(&moved, &base).verdict, Verdict::WithinNoise);
    // Calls that differ where trials do not were disturbed themselves.
    for operation in ["keygen", "dec"] {
        let base = emulated(operation, &CALLS, &[1_000_000; 3]);
        let calls = emulated(operation, &slower, &[1_000_000; 3]);
        assert_eq!(divided(&calls, &base).verdict, Verdict::WithinNoise);
        let trials = emulated(operation, &CALLS, &[1_100_000; 3]);
        assert_eq!(divided(&trials, &base).verdict, Verdict::WithinNoise);
    }
}

#[test]
fn only_what_is_the_same_thing_is_divided() {
    let of = |cost: CounterSource, base: CounterSource, same: bool| {
        let [cost, base] = [cost, base].map(|source| example::record_of("a", source));
        let quantity = Quantity::of_both(&cost, &base, same);
        quantity.map_or_else(|reason| reason, |quantity| quantity.name().to_owned())
    };
    use CounterSource::{Icount, Missing, PerfEvent, Pmccntr, Tsc};
    for (cost, base, same, other) in [
        (Icount, Icount, "instructions", "instructions"),
        (Pmccntr, PerfEvent, "cycles", "seconds"),
        (Tsc, Tsc, "ticks", "seconds"),
        (Tsc, PerfEvent, "seconds", "seconds"),
        (Missing, Missing, "seconds", "seconds"),
    ] {
        assert_eq!(of(cost, base, true), same);
        assert_eq!(of(cost, base, false), other);
    }
    insta::assert_snapshot!(
        [of(Icount, Tsc, true), of(Pmccntr, Icount, false)].join("\n"),
        @r"
    instructions, emulated, and TSC ticks are not the same thing
    cycles and instructions, emulated, are not the same thing
    "
    );
    // Ticks of two frequencies are not of one length.
    let base = example::record_of("a", Tsc);
    let mut cost = base.clone();
    let counter = &mut cost.meter.as_mut().expect("ours").counter;
    counter.as_mut().expect("counted").frequency_hz = Some(3_000_000_000);
    assert_eq!(Quantity::of_both(&cost, &base, true), Ok(Quantity::Time));
}

#[test]
fn wrong_answers_and_parts_have_no_cost() {
    let good = example::record();
    let mut wrong = good.clone();
    wrong.kat = KatStatus::Mismatch;
    let mut partial = good.clone();
    partial.status = Status::FailedOrPartial;
    let reason = |cost, base| ratio(side("later", cost), side("earlier", base)).expect_err("none");
    assert_eq!(reason(&wrong, &good), "KAT of later: MISMATCH");
    assert_eq!(reason(&good, &wrong), "KAT of earlier: MISMATCH");
    assert_eq!(reason(&partial, &good), "later is not complete");
}

#[test]
fn many_at_once_are_judged_more_strictly() {
    let base = emulated("keygen", &CALLS, &[1_000_000; 3]);
    // Four of six inputs cost more and two cost nothing more: that can be chance.
    let cost = emulated(
        "keygen",
        &[920, 1015, 1100, 970, 1065, 1004],
        &[1_012_000; 3],
    );
    let unjudged = || ratio(side("a", &cost), side("a", &base)).expect("comparable");
    let alone = judge(vec![unjudged()]).remove(0);
    let among = judge((0..100).map(|_| unjudged()).collect()).remove(0);
    assert_eq!(alone.verdict, Verdict::More, "{alone:?}");
    assert_eq!(among.verdict, Verdict::WithinNoise, "{among:?}");
    assert_eq!(alone.value, among.value);
}

/// Chance alone must not make a difference: of many comparisons of the same thing, all but one in
/// twenty have no verdict at all.
#[test]
fn the_same_thing_is_seldom_called_another() {
    let mut random = fastrand::Rng::with_seed(2026);
    let mut wrong = 0;
    let mut records = [(); 2].map(|()| emulated("keygen", &CALLS, &[1_000_000; 3]));
    for _ in 0..100 {
        let mut pair = || {
            for record in &mut records {
                let calls = (0..30).map(|_| random.u64(900..1100));
                record.meter.as_mut().expect("ours").samples = vec![calls.collect()];
            }
            let [a, b] = records.each_ref().map(|record| side("a", record));
            let mut unjudged = ratio(a, b).expect("comparable");
            // As if nothing else stood in the way of a verdict.
            unjudged.ratio.ratio_of_means = unjudged.ratio.value;
            unjudged.ratio_of_calls = None;
            unjudged
        };
        let judged = judge((0..20).map(|_| pair()).collect());
        wrong += usize::from(judged.iter().any(|it| it.verdict != Verdict::WithinNoise));
    }
    assert!(wrong <= 12, "{wrong} of 100 families have a verdict");
}

proptest! {
    #[test]
    fn either_way_round_it_is_the_same(
        calls in prop::collection::vec((500u64..2000, 500u64..2000), 2..30),
        means in (500_000u64..2_000_000, 500_000u64..2_000_000),
    ) {
        let (a, b): (Vec<u64>, Vec<u64>) = calls.into_iter().unzip();
        for operation in ["keygen", "dec"] {
            let a = emulated(operation, &a, &[means.0; 3]);
            let b = emulated(operation, &b, &[means.1; 3]);
            let (there, back) = (divided(&a, &b), divided(&b, &a));
            prop_assert!((there.value * back.value - 1.0).abs() < 1e-9);
            let turned = match there.verdict {
                Verdict::More => Verdict::Less,
                Verdict::Less => Verdict::More,
                other => other,
            };
            prop_assert_eq!(back.verdict, turned);
        }
    }
}
