//! What the meter finds out about itself at boot, and tells the host in its Hello.

use wire::{
    Counter, CounterSource, Hello, Label, Probe, SCHEMA_HASH, SelfTest, Sled, StackProbe, Text,
};

use crate::abi::Identity;
use crate::board::{self, MeasuringStack};
use crate::cpu::Call;
use crate::meter::instance::Runner;
use crate::meter::runner::{MemoryGauge, Stopwatch, Watch};

/// Calls of a probe of which the least count is taken.
const CALLS: u32 = 32;

/// Instructions of the sled.
const SLED: u32 = 1000;

/// Instructions of the sled where a tick is many of them: a thousand may pass within one.
const SLED_OF_SLOW_CLOCK: u32 = 1_000_000;

/// Known stack uses.
const STACK_BYTES: [u32; 2] = [400, 800];

/// The pattern of the self-test; the host chooses those of measurements.
const PATTERN: u64 = 0x5aa5_3cc3_9669_f00f;

/// What the processor said about its counter when it was started.
pub struct CounterDescription {
    /// Where counts come from.
    pub source: CounterSource,
    /// Frequency, where it is fixed and known.
    pub frequency_hz: Option<u64>,
    /// How the counter is read, or why there is none.
    pub note: Text,
}

impl CounterDescription {
    /// A counter of no fixed known frequency; the note is cut where it is longer than the field.
    pub fn new(source: CounterSource, note: &str) -> Self {
        Self {
            source,
            frequency_hz: None,
            note: note.chars().take(Text::new().capacity()).collect(),
        }
    }
}

/// Measures functions of known behaviour and puts the introduction together.
///
/// Nothing is judged here: the host sees the figures and decides.
pub fn introduce(
    identity: &Identity,
    counter: CounterDescription,
    entry_level: Option<u8>,
    stack: &mut MeasuringStack,
) -> Hello {
    let has_counter = counter.source != CounterSource::Missing;
    let mut least = |probe, overhead| {
        if has_counter {
            least_count(stack, probe, overhead)
        } else {
            0
        }
    };
    let overhead = least(Probe::Empty, 0);
    let instructions = match counter.source {
        CounterSource::Cntvct => SLED_OF_SLOW_CLOCK,
        _ => SLED,
    };
    let sled = Sled {
        instructions,
        count: least(Probe::Sled(instructions), overhead),
    };
    Hello {
        schema: SCHEMA_HASH,
        build_id: board::build_id(),
        board: label(identity.board),
        candidate: label(identity.candidate),
        label: label(identity.label),
        category: identity.category,
        sizes: identity.sizes,
        counter: Counter {
            source: counter.source,
            overhead,
            frequency_hz: counter.frequency_hz,
            note: counter.note,
        },
        clock_hz: board::clock_hz(),
        entry_level,
        stack_available: stack.len() as u64,
        self_test: SelfTest {
            stack: STACK_BYTES.map(|used_bytes| StackProbe {
                used_bytes,
                measured_bytes: stack_use(stack, used_bytes),
            }),
            sled,
        },
    }
}

fn probe(probe: Probe) -> Call {
    Call::of_probe(probe).expect("the self-test asks for probes that exist")
}

/// The least count of some calls of a probe, less what an empty call costs.
fn least_count(stack: &mut MeasuringStack, of: Probe, overhead: u64) -> u64 {
    let call = probe(of);
    let mut stopwatch = Stopwatch::new(stack, overhead);
    let counts = (0..CALLS).map(|_| {
        stopwatch.run(&call);
        stopwatch.take()
    });
    counts.min().unwrap_or(0)
}

fn stack_use(stack: &mut MeasuringStack, bytes: u32) -> u64 {
    let mut gauge = MemoryGauge::new(stack, PATTERN);
    gauge.run(&probe(Probe::Stack(bytes)));
    gauge.memory().stack.bytes()
}

/// A name as the wire has it. Names are shorter than that: the catalogue sees to it.
fn label(name: &str) -> Label {
    Label::try_from(name).unwrap_or_default()
}
