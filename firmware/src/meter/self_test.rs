//! What the meter finds out about itself at boot, and tells the host in its Hello.

use wire::{Counter, CounterSource, Hello, Label, SCHEMA_HASH, SelfTest, Text};

use crate::abi::Identity;
use crate::board::{self, MeasuringStack};
use crate::meter::{measure, stack};

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
    measuring_stack: &mut MeasuringStack,
) -> Hello {
    let (overhead, sled) = measure::self_test(measuring_stack, counter.source);
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
        stack_available: measuring_stack.len() as u64,
        self_test: SelfTest {
            stack: stack::self_test(measuring_stack),
            sled,
        },
    }
}

/// A name as the wire has it. Names are shorter than that: the catalogue sees to it.
fn label(name: &str) -> Label {
    Label::try_from(name).unwrap_or_default()
}
