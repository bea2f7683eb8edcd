//! The core's clock during trials: a trial in which it fell was disturbed.

use wire::{Counter, Unit};

use crate::measurement::Trial;

/// A trial whose clock falls below this share of the reference was disturbed. Steps of a key
/// exchange are not judged: their brackets are too short.
pub const DISTURBED_BELOW: f64 = 0.95;

/// Trials shorter than this are not judged: their time is not precise enough.
const SHORTEST_JUDGED_NANOSECONDS: u64 = 10_000_000;

/// What the clock of a trial is held against: the frequency that is stated where it is fixed, or
/// else the highest that was seen. Nothing is ever held against it where no cycles are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    counts_cycles: bool,
    stated_hz: Option<f64>,
    highest_hz: f64,
}

impl Clock {
    /// The clock behind this counter.
    pub fn new(counter: &Counter) -> Self {
        Self {
            counts_cycles: counter.source.unit() == Unit::Cycles,
            stated_hz: counter.frequency_hz.map(|hertz| hertz as f64),
            highest_hz: 0.0,
        }
    }

    /// Takes notice of a trial.
    pub fn see(&mut self, trial: &Trial) {
        if let Some(hertz) = self.of(trial) {
            self.highest_hz = self.highest_hz.max(hertz);
        }
    }

    /// Whether the clock fell during a trial, as far as is known by now.
    pub fn fell(&self, trial: &Trial) -> bool {
        let reference = self.stated_hz.unwrap_or(self.highest_hz);
        self.of(trial)
            .is_some_and(|hertz| hertz < DISTURBED_BELOW * reference)
    }

    /// The clock during a trial that can be judged.
    fn of(&self, trial: &Trial) -> Option<f64> {
        (self.counts_cycles && trial.nanoseconds > SHORTEST_JUDGED_NANOSECONDS)
            .then(|| trial.count as f64 * 1e9 / trial.nanoseconds as f64)
    }
}

#[cfg(test)]
mod tests {
    use wire::CounterSource;

    use super::*;

    fn clock(source: CounterSource, frequency_hz: Option<u64>) -> Clock {
        Clock::new(&Counter {
            source,
            overhead: 0,
            frequency_hz,
            note: wire::Text::default(),
        })
    }

    fn trial(nanoseconds: u64, count: u64) -> Trial {
        Trial {
            calls: 10,
            count,
            nanoseconds,
            sweeps: wire::Sweeps::default(),
        }
    }

    #[test]
    fn a_fixed_clock_is_the_reference_whatever_was_seen() {
        let mut clock = clock(CounterSource::Pmccntr, Some(1_000_000_000));
        clock.see(&trial(1_000_000_000, 2_000_000_000));
        assert!(clock.fell(&trial(1_000_000_000, 940_000_000)));
        assert!(!clock.fell(&trial(1_000_000_000, 960_000_000)));
        // Too short to be judged.
        assert!(!clock.fell(&trial(10_000_000, 1)));
        assert!(clock.fell(&trial(10_000_001, 1)));
    }

    #[test]
    fn without_one_the_highest_that_was_seen_is() {
        let mut clock = clock(CounterSource::PerfEvent, None);
        let (slow, fast) = (trial(20_000_000, 47_000_000), trial(20_000_000, 50_000_000));
        clock.see(&slow);
        assert!(!clock.fell(&slow));
        clock.see(&fast);
        assert!(clock.fell(&slow));
        assert!(!clock.fell(&fast));
        // A short trial says nothing of the clock.
        clock.see(&trial(1000, 1_000_000));
        assert!(!clock.fell(&fast));
    }

    #[test]
    fn nothing_is_said_where_no_cycles_are_counted() {
        for source in [CounterSource::Icount, CounterSource::Tsc] {
            let mut clock = clock(source, Some(1_000_000_000));
            clock.see(&trial(1_000_000_000, 1_000_000_000));
            assert!(!clock.fell(&trial(1_000_000_000, 1)));
        }
    }
}
