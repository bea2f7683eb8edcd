//! Cold calls: what makes them cold, and what that costs.

use wire::{ColdSequence, Probe};

use crate::board::MeasuringStack;
use crate::cpu::cold::Chiller;
use crate::cpu::{Call, predictor};
use crate::meter::bracket::{Bracket, Clockwork};
use crate::meter::instance::Runner;
use crate::meter::result::Unanswered;
use crate::meter::runner::{ColdStopwatch, Watch};

/// Cold empty calls of which the least count is taken.
const CALLS: u32 = 8;

/// What makes calls cold.
pub struct Cold {
    /// Does it.
    pub chiller: Chiller,
    /// What it does, and took once.
    pub sequence: ColdSequence,
}

impl Cold {
    /// The one that is kept, or else a new one.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn once<'a>(
        kept: &'a mut Option<Self>,
        stack: &mut MeasuringStack,
    ) -> Result<&'a mut Self, Unanswered> {
        if kept.is_none() {
            *kept = Self::new(stack);
        }
        let reason = "no memory for the buffer that makes calls cold";
        kept.as_mut().ok_or(Unanswered::Refused(reason))
    }

    fn new(stack: &mut MeasuringStack) -> Option<Self> {
        let mut chiller = Chiller::new()?;
        // The first time brings in what it needs itself.
        chiller.chill();
        let mut clockwork = Clockwork::default();
        clockwork.open();
        chiller.chill();
        clockwork.close();
        let total = clockwork.total();
        let overhead = empty_call(stack, &mut chiller);
        Some(Self {
            sequence: ColdSequence {
                purge: chiller.purge(),
                branches: predictor::EXECUTED,
                count: total.count,
                nanoseconds: total.nanoseconds,
                overhead,
            },
            chiller,
        })
    }
}

/// The least count of an empty call that finds everything cold: the way to the submission's code
/// and back is as cold as that code.
fn empty_call(stack: &mut MeasuringStack, chiller: &mut Chiller) -> u64 {
    let call = Call::of_probe(Probe::Empty).expect("the empty call exists");
    let mut stopwatch = ColdStopwatch::new(stack, 0, chiller);
    let counts = (0..CALLS).map(|_| {
        stopwatch.run(&call);
        stopwatch.take()
    });
    counts.min().unwrap_or(0)
}
