//! Makes a profile of what a session brought home.

use catalogue::Symmetric;
use indexmap::IndexMap;
use wire::{CallTally, Category, Counter, HELPERS};

use super::passes::{self, Pass};
use super::shares::{CostPerCall, Shares, Spreads, functions};
use super::verdict::{Verdict, not_observable};
use super::{Calls, Counting, Image, Meta, Meter, Overflow, Profile, RecordKey, Total};
use crate::record::digest;
use crate::record::schema::{Record, Sha256, Unknown};

/// What a profile is made of, beside what was counted.
#[derive(Clone, Copy, Debug)]
pub struct Occasion<'a> {
    /// The system's name.
    pub system: &'a str,
    /// The counter, as the meter introduces it.
    pub counter: &'a Counter,
    /// What kind of scheme the instance is.
    pub category: Category,
    /// The image that counts.
    pub image: &'a crate::image::Image,
    /// The record of the same operation.
    pub record: &'a Record,
}

/// What was counted in one pass, net of what counting costs.
struct Counted {
    operations: u64,
    calls: Vec<Calls>,
    overflow: Vec<Overflow>,
    pass: Pass,
}

impl Counted {
    fn of(counted: &wire::Profile) -> Self {
        let cost = CostPerCall::of(&counted.cost);
        let calls = calls(counted, &cost);
        let overflow = overflow(counted, &cost);
        let functions = functions(&calls, &overflow);
        let symmetric_ticks: u64 = functions.values().sum();
        let pass = Pass {
            // On a disturbed machine the whole may come out less than its parts.
            ticks: cost.net_total(counted).max(symmetric_ticks),
            functions,
            counting: counting(counted, &cost),
            unknown: Unknown::new(),
        };
        Self {
            operations: counted.operations.into(),
            calls,
            overflow,
            pass,
        }
    }
}

impl Profile {
    /// Makes the profile of one operation of its passes; `None` of none.
    pub fn assemble(counted: &[wire::Profile], occasion: &Occasion) -> Option<Self> {
        let mut counted: Vec<Counted> = counted.iter().map(Counted::of).collect();
        let passes: Vec<Pass> = counted.iter().map(|it| it.pass.clone()).collect();
        let Counted {
            operations,
            calls,
            overflow,
            pass,
        } = counted.swap_remove(passes::typical(&passes)?);
        let shares = Shares::of(pass.ticks, &calls, &overflow);
        let spreads = Spreads::of(&passes);
        let report = occasion.image.report.as_ref();
        let evidence: Option<&Symmetric> = report.and_then(|report| report.symmetric.as_ref());
        let mut profile = Self {
            total: Total {
                operations,
                ticks: pass.ticks,
                unknown: Unknown::new(),
            },
            meta: Meta {
                tick_source: occasion.counter.source.name().to_owned(),
                tick_hz: occasion.counter.frequency_hz,
                overflow_calls: overflow.iter().map(|it| it.calls).sum(),
                unknown: Unknown::new(),
            },
            share: shares.by_name,
            hash_share: shares.hash,
            meter: Some(Meter {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                system: occasion.system.to_owned(),
                unit: occasion.counter.source.unit().name().to_owned(),
                drng_share: shares.drng,
                hash_share_spread: spreads.hash,
                drng_share_spread: spreads.drng,
                passes,
                counting: pass.counting,
                overflow,
                image: Image {
                    name: occasion.image.name.clone(),
                    elf_sha256: Sha256::from_bytes(&occasion.image.elf.sha256),
                    linker: occasion.image.elf.linker(),
                    unknown: Unknown::new(),
                },
                record: RecordKey::of(occasion.record),
                verdict: evidence.and_then(|it| Verdict::of(it, occasion.category)),
                not_observable: evidence.map(not_observable).unwrap_or_default(),
                evidence: evidence.cloned(),
                // Of no bytes, until it is computed.
                digest: Sha256::of(&[]),
                unknown: Unknown::new(),
            }),
            calls,
            unknown: Unknown::new(),
        };
        let digest = digest::of_content(&digest::content(&profile));
        if let Some(meter) = &mut profile.meter {
            meter.digest = digest;
        }
        Some(profile)
    }
}

/// The name of a function by its place in the table.
fn name(helper: u8) -> String {
    let helper = HELPERS.get(usize::from(helper));
    helper.map_or("unknown", |helper| helper.name).to_owned()
}

/// The calls by shape; several symbols may have one name.
fn calls(counted: &wire::Profile, cost: &CostPerCall) -> Vec<Calls> {
    let mut shapes: IndexMap<(String, u64, u64), (u64, u64)> = IndexMap::new();
    for shape in &counted.shapes {
        let key = (name(shape.helper), shape.input_bits, shape.output_bits);
        let (calls, ticks) = shapes.entry(key).or_default();
        *calls += u64::from(shape.tally.calls);
        *ticks += cost.net(&shape.tally);
    }
    shapes.sort_keys();
    shapes
        .into_iter()
        .map(|((function, in_bits, out_bits), (calls, ticks))| Calls {
            function,
            in_bits,
            out_bits,
            calls,
            ticks,
            unknown: Unknown::new(),
        })
        .collect()
}

fn overflow(counted: &wire::Profile, cost: &CostPerCall) -> Vec<Overflow> {
    let overflow = |(helper, tally): &(u8, CallTally)| Overflow {
        function: name(*helper),
        calls: tally.calls.into(),
        ticks: cost.net(tally),
        unknown: Unknown::new(),
    };
    counted.rest.iter().map(overflow).collect()
}

fn counting(counted: &wire::Profile, cost: &CostPerCall) -> Counting {
    Counting {
        total_ticks: counted.count,
        sorting_ticks: counted.sorting,
        ticks_per_call: cost.counted,
        ticks_inside: cost.inside,
        ticks_per_idle_call: cost.idle,
        idle_calls: counted.idle,
        unknown: Unknown::new(),
    }
}
