//! Counting events: which of them in which pass, and what became of each.
//!
//! A core has fewer counters than there are events, so that a loop of calls is repeated until each
//! had its turn. What a core does not have says so; nothing is ever taken for 0.

use heapless::Vec;
use wire::{EVENTS, Event, EventPass, EventReading};

use crate::meter::bracket::Bracket;

/// What counts events: the performance monitors of a core, or the kernel that has them.
pub trait EventCounters {
    /// Events that are counted at the same time; 0 where there are no counters.
    fn capacity(&self) -> usize;

    /// Whether the core counts this event.
    fn offers(&self, event: Event) -> bool;

    /// Chooses what is counted from now on, no more events than the capacity. All counters are 0
    /// and stand still.
    fn choose(&mut self, events: &[Event]);

    /// Lets the counters run.
    fn resume(&mut self);

    /// Lets them stand still.
    fn pause(&mut self);

    /// What became of the event that was chosen at this place.
    fn reading(&mut self, place: usize) -> EventReading;
}

/// Passes that all events take on this core; at least one, in which those are told that it does
/// not have.
pub fn passes(counters: &impl EventCounters) -> u32 {
    match counters.capacity() {
        0 => 1,
        capacity => offered(counters).count().div_ceil(capacity).max(1) as u32,
    }
}

/// The events of one pass.
pub fn events_of(counters: &impl EventCounters, pass: u32) -> Vec<Event, EVENTS> {
    let capacity = counters.capacity();
    let before = (pass as usize).saturating_mul(capacity);
    offered(counters).skip(before).take(capacity).collect()
}

/// The events that a core has, in the order in which they are counted.
fn offered<C: EventCounters>(counters: &C) -> impl Iterator<Item = Event> {
    let all = Event::ALL.iter().copied();
    all.filter(|event| counters.offers(*event))
}

/// What a pass over `calls` calls showed of these events, which were chosen for it.
pub fn report(
    counters: &mut impl EventCounters,
    pass: u32,
    events: &[Event],
    calls: u32,
) -> EventPass {
    let mut readings = Vec::new();
    let countable = counters.capacity() > 0;
    if pass == 0 {
        let absent = Event::ALL.iter().copied();
        let absent = absent.filter(|event| !countable || !counters.offers(*event));
        readings.extend(absent.map(|event| (event, EventReading::NotAvailable)));
    }
    // Every event is in one pass, and the list has room for all.
    readings.extend(
        (0..)
            .zip(events)
            .map(|(place, event)| (*event, counters.reading(place))),
    );
    EventPass {
        passes: passes(counters),
        calls: if events.is_empty() { 0 } else { calls },
        readings,
    }
}

/// Lets the counters run inside a bracket only.
pub struct Counting<'a, C: EventCounters>(pub &'a mut C);

impl<C: EventCounters> Bracket for Counting<'_, C> {
    #[inline(always)]
    fn open(&mut self) {
        self.0.resume();
    }

    #[inline(always)]
    fn close(&mut self) {
        self.0.pause();
    }
}

/// What a 32-bit counter with an overflow flag shows.
#[cfg(any(target_os = "none", test))]
pub fn narrow(value: u64, overflowed: bool) -> EventReading {
    if overflowed {
        EventReading::Overflowed
    } else {
        EventReading::Count(value & u64::from(u32::MAX))
    }
}

/// What a kernel's counter shows that may have had to share the core's counters with others: it
/// counts only while it runs.
#[cfg(any(target_os = "linux", test))]
pub fn shared(value: u64, enabled_nanoseconds: u64, running_nanoseconds: u64) -> EventReading {
    if running_nanoseconds == 0 || running_nanoseconds < enabled_nanoseconds {
        EventReading::NotAvailable
    } else {
        EventReading::Count(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A core with so many counters, each of which advances by ten more in a bracket than the one
    /// before it; one of them can be made to wrap.
    struct Mock {
        capacity: usize,
        events: std::vec::Vec<Event>,
        overflowing: Option<Event>,
        chosen: std::vec::Vec<Event>,
        running: bool,
        opened: u64,
    }

    impl Mock {
        fn new(capacity: usize, events: &[Event]) -> Self {
            Self {
                capacity,
                events: events.to_vec(),
                overflowing: None,
                chosen: std::vec::Vec::new(),
                running: false,
                opened: 0,
            }
        }
    }

    impl EventCounters for Mock {
        fn capacity(&self) -> usize {
            self.capacity
        }

        fn offers(&self, event: Event) -> bool {
            self.events.contains(&event)
        }

        fn choose(&mut self, events: &[Event]) {
            assert!(events.len() <= self.capacity && !self.running);
            self.chosen = events.to_vec();
            self.opened = 0;
        }

        fn resume(&mut self) {
            assert!(!std::mem::replace(&mut self.running, true));
            self.opened += 1;
        }

        fn pause(&mut self) {
            assert!(std::mem::replace(&mut self.running, false));
        }

        fn reading(&mut self, place: usize) -> EventReading {
            assert!(!self.running);
            let overflowed = Some(self.chosen[place]) == self.overflowing;
            narrow(self.opened * 10 * (place as u64 + 1), overflowed)
        }
    }

    /// Every pass on this core, with two brackets in each.
    fn all_passes(mock: &mut Mock) -> std::vec::Vec<EventPass> {
        (0..passes(mock))
            .map(|pass| {
                let events = events_of(mock, pass);
                mock.choose(&events);
                for _ in 0..2 {
                    let mut counting = Counting(&mut *mock);
                    counting.open();
                    counting.close();
                }
                report(mock, pass, &events, 7)
            })
            .collect()
    }

    #[test]
    fn nine_events_on_four_counters_take_three_passes_and_none_is_lost() {
        let mut mock = Mock::new(4, &Event::ALL[..9]);
        let passes = all_passes(&mut mock);
        assert_eq!(passes.len(), 3);
        assert!(
            passes
                .iter()
                .all(|pass| pass.passes == 3 && pass.calls == 7)
        );
        let counted = passes.iter().flat_map(|pass| &pass.readings);
        let counted: std::vec::Vec<_> = counted
            .filter(|(_, reading)| *reading != EventReading::NotAvailable)
            .collect();
        for (index, (event, reading)) in counted.iter().enumerate() {
            let place = index as u64 % 4 + 1;
            let expected = (Event::ALL[index], EventReading::Count(20 * place));
            assert_eq!((*event, *reading), expected);
        }
        assert_eq!(counted.len(), 9);
        // What the core does not have is told once, in the first pass.
        assert_eq!(passes[0].readings.len(), 5 + 4);
        assert_eq!(passes[2].readings.len(), 1);
    }

    #[test]
    fn an_event_that_wraps_is_told_as_that_and_spoils_no_other() {
        let mut mock = Mock::new(6, &Event::ALL[..2]);
        mock.overflowing = Some(Event::Cycles);
        let passes = all_passes(&mut mock);
        let reading = |wanted| {
            let mut readings = passes[0].readings.iter();
            readings.find(|(event, _)| *event == wanted).unwrap().1
        };
        assert_eq!(reading(Event::Cycles), EventReading::Overflowed);
        assert_eq!(reading(Event::Instructions), EventReading::Count(40));
    }

    #[test]
    fn an_absent_event_takes_no_counter_and_is_not_zero() {
        let without: std::vec::Vec<_> = Event::ALL[..5].to_vec();
        let mut mock = Mock::new(4, &[&without[..1], &without[2..]].concat());
        let passes = all_passes(&mut mock);
        assert_eq!(passes.len(), 1);
        let absent = (without[1], EventReading::NotAvailable);
        assert!(passes[0].readings.contains(&absent));
        assert_eq!(passes[0].readings.len(), EVENTS);
    }

    #[test]
    fn no_counters_are_one_pass_without_a_call() {
        for mut mock in [Mock::new(0, &Event::ALL), Mock::new(4, &[])] {
            let events = events_of(&mock, 0);
            let pass = report(&mut mock, 0, &events, 7);
            assert_eq!((pass.passes, pass.calls), (1, 0));
            assert_eq!(pass.readings.len(), EVENTS);
            let absent = |(_, reading): &(_, _)| *reading == EventReading::NotAvailable;
            assert!(pass.readings.iter().all(absent));
        }
    }

    #[test]
    fn a_pass_that_does_not_exist_has_no_events() {
        let mock = Mock::new(4, &Event::ALL);
        assert_eq!(passes(&mock), 4);
        assert_eq!(events_of(&mock, 3).len(), 2);
        assert!(events_of(&mock, 4).is_empty());
        assert!(events_of(&mock, u32::MAX).is_empty());
    }

    #[test]
    fn a_narrow_counter_never_shows_a_wrapped_value() {
        let most = u64::from(u32::MAX);
        assert_eq!(narrow(most, false), EventReading::Count(most));
        assert_eq!(narrow(3, true), EventReading::Overflowed);
    }

    #[test]
    fn a_counter_that_had_to_share_is_not_available() {
        assert_eq!(shared(5, 100, 100), EventReading::Count(5));
        assert_eq!(shared(5, 100, 99), EventReading::NotAvailable);
        assert_eq!(shared(0, 0, 0), EventReading::NotAvailable);
    }
}
