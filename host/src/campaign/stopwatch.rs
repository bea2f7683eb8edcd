//! How much time a campaign spends in each of its phases on each system.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::phase::Phase;

/// Time on the wall, by system and phase: from the begin of each phase to that of the next one.
#[derive(Debug, Default)]
pub struct Stopwatch(Mutex<BTreeMap<String, Times>>);

/// Times of one system.
#[derive(Debug, Default)]
struct Times {
    now: Option<(Phase, Instant)>,
    spent: BTreeMap<Phase, Duration>,
}

impl Times {
    fn turn(&mut self, to: Option<Phase>) {
        let now = Instant::now();
        if let Some((phase, begun)) = self.now {
            *self.spent.entry(phase).or_default() += now - begun;
        }
        self.now = to.map(|phase| (phase, now));
    }
}

impl Stopwatch {
    fn systems(&self) -> MutexGuard<'_, BTreeMap<String, Times>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A phase begins on a system.
    pub fn begin(&self, system: &str, phase: Phase) {
        let mut systems = self.systems();
        if let Some(times) = systems.get_mut(system) {
            times.turn(Some(phase));
        } else {
            let mut times = Times::default();
            times.turn(Some(phase));
            systems.insert(system.to_owned(), times);
        }
    }

    /// All is done on a system, for now; what its phases took so far, in their order.
    pub fn end(&self, system: &str) -> BTreeMap<Phase, Duration> {
        let mut systems = self.systems();
        let Some(times) = systems.get_mut(system) else {
            return BTreeMap::new();
        };
        times.turn(None);
        times.spent.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_lasts_until_the_next_one_of_its_system() {
        let watch = Stopwatch::default();
        assert!(watch.end("a").is_empty());
        watch.begin("a", Phase::Build);
        watch.begin("b", Phase::Kat);
        watch.begin("a", Phase::Measure);
        watch.begin("a", Phase::Build);
        let first = watch.end("a");
        assert!(first.keys().eq(&[Phase::Build, Phase::Measure]));
        // Nothing runs after the end.
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(watch.end("a"), first);
        assert!(watch.end("b").keys().eq(&[Phase::Kat]));
    }
}
