//! Memory that has grown. It repeats from run to run, so that no noise is taken off; what does not
//! repeat is not compared.

use serde::Serialize;

use super::Pair;
use crate::ratio::Side;
use crate::record::schema::{Memory, StaticMemory};

/// Memory that has grown by more than the threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Larger {
    /// The system.
    pub system: String,
    /// `<candidate>/<label> <operation>`; without the operation where all have the one figure.
    pub name: String,
    /// The key of the figure under `meter.memory`, or the sections of `static` that were added up.
    pub what: &'static str,
    /// Bytes in the earlier run.
    pub before_bytes: u64,
    /// Bytes in the later run.
    pub after_bytes: u64,
    /// How much more that is, in percent; null where there were none.
    pub percent: Option<f64>,
}

/// A figure of one call.
type Figure = (&'static str, fn(&Memory) -> Option<u64>);

const OF_A_CALL: [Figure; 3] = [
    ("stack_bytes", |memory| memory.stack_bytes),
    ("heap_peak_bytes", |memory| {
        repeated(memory)?.heap_peak_bytes
    }),
    ("heap_leaked_bytes", |memory| {
        repeated(memory)?.heap_leaked_bytes
    }),
];

const OF_A_LABEL: [Figure; 2] = [
    ("text and rodata", |memory| {
        let StaticMemory {
            text_bytes,
            rodata_bytes,
            ..
        } = memory.static_memory.as_ref()?;
        text_bytes.checked_add(*rodata_bytes)
    }),
    ("data and bss", |memory| {
        let StaticMemory {
            data_bytes,
            bss_bytes,
            ..
        } = memory.static_memory.as_ref()?;
        data_bytes.checked_add(*bss_bytes)
    }),
];

/// The same where another call did the same to the heap.
fn repeated(memory: &Memory) -> Option<&Memory> {
    (memory.heap_repeats != Some(false)).then_some(memory)
}

/// What has grown by more than `threshold` percent.
pub(super) fn larger(pair: &Pair, threshold: f64) -> Vec<Larger> {
    let memory = |side: Side<'_>| side.record.meter.as_ref().map(|meter| meter.memory.clone());
    let (Some(before), Some(after)) = (memory(pair.before), memory(pair.after)) else {
        return Vec::new();
    };
    let label = format!(
        "{}/{}",
        pair.after.record.candidate, pair.after.record.label
    );
    let figures = OF_A_CALL.iter().map(|figure| (figure, &pair.name));
    let figures = figures.chain(OF_A_LABEL.iter().map(|figure| (figure, &label)));
    figures
        .filter_map(|((what, of), name)| {
            let (before_bytes, after_bytes) = (of(&before)?, of(&after)?);
            let (old, new) = (before_bytes as f64, after_bytes as f64);
            let more = new - old;
            (more > 0.0 && more > old * threshold / 100.0).then(|| Larger {
                system: pair.after.system.to_owned(),
                name: name.clone(),
                what,
                before_bytes,
                after_bytes,
                percent: (before_bytes > 0).then_some(more / old * 100.0),
            })
        })
        .collect()
}
