//! What the passes beside the trials brought home, under the key `meter`.

use indexmap::IndexMap;
use wire::{ColdSequence, EventReading, Purge};

use super::{ImageFacts, seconds};
use crate::measurement::{ColdCalls, EventTotal, LayoutTrials};
use crate::record::schema::{Cold, EventCount, Layout, Layouts, MeterTrial, Sha256, Unknown};
use crate::record::statistics;

/// Each event's count in one call, in the order of [`wire::Event::ALL`].
pub(super) fn events(totals: &[EventTotal]) -> IndexMap<String, EventCount> {
    let all = wire::Event::ALL.iter();
    let told = all.filter_map(|event| totals.iter().find(|total| total.event == *event));
    told.map(|total| (total.event.name().to_owned(), mean(total)))
        .collect()
}

fn mean(total: &EventTotal) -> EventCount {
    match total.reading {
        EventReading::Count(count) => EventCount::Mean(count as f64 / f64::from(total.calls)),
        EventReading::NotAvailable => EventCount::NotAvailable,
        EventReading::Overflowed => EventCount::Overflowed,
    }
}

/// Cold calls; on an emulator they are as warm as others.
pub(super) fn cold(calls: &ColdCalls, emulated: bool) -> Cold {
    Cold {
        samples: calls.samples.clone(),
        overhead: calls.sequence.overhead,
        method: method(&calls.sequence, emulated),
        unknown: Unknown::new(),
    }
}

/// What was done before each call, in words.
fn method(sequence: &ColdSequence, emulated: bool) -> String {
    let branches = sequence.branches;
    let purge = match sequence.purge {
        Purge::SetWay { levels, lines } => format!(
            "the {lines} lines of {levels} levels of data and unified caches were cleaned and \
             invalidated by set and way, instruction caches and TLB invalidated"
        ),
        Purge::Thrash {
            bytes,
            last_level_bytes,
            flushed_lines,
        } => {
            let cache = match last_level_bytes {
                Some(cache) => format!("{cache} bytes"),
                None => "unknown size".to_owned(),
            };
            format!(
                "a buffer of {bytes} bytes was written line by line, where the last-level cache \
                 has {cache}, and {flushed_lines} lines of code and stack were flushed"
            )
        }
    };
    let emulator = if emulated {
        "; an emulator has none of these, so that the count is that of any other call"
    } else {
        ""
    };
    format!(
        "caches and TLB cold, predictor thrashed: before each call {branches} conditional branches \
         of a block of their own were executed in changing directions, then {purge}{emulator}"
    )
}

/// What a layout shifts: a board's linker script tells the submission's code from ours.
const SHIFTED_ALONE: &str = "the submission's code is shifted, and nothing else";

/// The linker of a process does not.
const SHIFTED_WITH_ALL: &str = "all code of the process is shifted, the meter's with it";

/// Trials on images whose code lies elsewhere, beside those of the record's own image; none if
/// there were none.
pub(super) fn layouts(
    others: &[LayoutTrials],
    own: &ImageFacts,
    own_mean: Option<f64>,
) -> Option<Layouts> {
    (!others.is_empty()).then_some(())?;
    let is_board = catalogue::board(&own.board).is_ok_and(|board| board.bare_metal);
    let own = Layout {
        shift_bytes: 0,
        elf_sha256: Some(Sha256::from_bytes(&own.elf_sha256)),
        mean_count: own_mean,
        reason: None,
        unknown: Unknown::new(),
    };
    let images: Vec<Layout> = std::iter::once(own)
        .chain(others.iter().map(layout))
        .collect();
    Some(Layouts {
        method: if is_board {
            SHIFTED_ALONE
        } else {
            SHIFTED_WITH_ALL
        }
        .to_owned(),
        spread: statistics::spread(&images),
        images,
        unknown: Unknown::new(),
    })
}

fn layout(other: &LayoutTrials) -> Layout {
    let trials = other.outcome.as_ref().map_or(&[][..], Vec::as_slice);
    let trials: Vec<MeterTrial> = trials
        .iter()
        .map(|trial| MeterTrial {
            measurements: trial.calls.into(),
            seconds: seconds(trial.nanoseconds),
            count: Some(trial.count),
            clock_hz: None,
            unknown: Unknown::new(),
        })
        .collect();
    Layout {
        shift_bytes: other.shift_bytes,
        elf_sha256: other
            .elf_sha256
            .as_ref()
            .map(|digest| Sha256::from_bytes(digest)),
        mean_count: statistics::mean_count(&trials),
        reason: other.outcome.as_ref().err().cloned(),
        unknown: Unknown::new(),
    }
}

#[cfg(test)]
mod tests {
    use wire::{CounterSource, Event};

    use super::*;
    use crate::measurement::Trial;
    use crate::record::example;

    #[test]
    fn events_are_means_of_their_own_pass() {
        let total = |event, calls, reading| EventTotal {
            event,
            calls,
            reading,
        };
        let events = events(&[
            total(Event::L1dRefills, 4, EventReading::Count(10)),
            total(Event::Cycles, 0, EventReading::NotAvailable),
            total(Event::Instructions, 8, EventReading::Overflowed),
        ]);
        let expected = [
            ("cycles", EventCount::NotAvailable),
            ("instructions", EventCount::Overflowed),
            ("l1d_refills", EventCount::Mean(2.5)),
        ];
        assert!(
            events
                .iter()
                .map(|(name, count)| (&**name, count))
                .eq(expected.iter().map(|(name, count)| (*name, count)))
        );
    }

    #[test]
    fn the_method_says_what_was_done() {
        let sequence = ColdSequence {
            purge: Purge::SetWay {
                levels: 2,
                lines: 16_896,
            },
            branches: 32_768,
            count: 0,
            nanoseconds: 0,
            overhead: 0,
        };
        let words = method(&sequence, true);
        assert!(
            words.starts_with("caches and TLB cold, predictor thrashed: "),
            "{words}"
        );
        assert!(
            words.contains("16896 lines of 2 levels") && words.contains("an emulator has none")
        );
        let thrash = ColdSequence {
            purge: Purge::Thrash {
                bytes: 1 << 20,
                last_level_bytes: None,
                flushed_lines: 7,
            },
            ..sequence
        };
        let words = method(&thrash, false);
        assert!(
            words.contains("1048576 bytes") && words.contains("unknown size"),
            "{words}"
        );
        assert!(!words.contains("emulator"));
    }

    #[test]
    fn layouts_stand_beside_the_record_s_own_image() {
        let trial = Trial {
            calls: 10,
            count: 1100,
            nanoseconds: 1,
            sweeps: wire::Sweeps::default(),
        };
        let other = |shift_bytes, outcome| LayoutTrials {
            shift_bytes,
            elf_sha256: Some([7; 32]),
            outcome,
        };
        let own = example::subject("rpi4", CounterSource::Pmccntr).image;
        assert_eq!(layouts(&[], &own, Some(100.0)), None);
        let others = [
            other(16, Ok(vec![trial, trial])),
            other(32, Err("it faulted".to_owned())),
        ];
        let layouts = layouts(&others, &own, Some(100.0)).unwrap();
        let means: Vec<_> = layouts
            .images
            .iter()
            .map(|l| (l.shift_bytes, l.mean_count))
            .collect();
        assert_eq!(means, [(0, Some(100.0)), (16, Some(110.0)), (32, None)]);
        assert_eq!(layouts.images[2].reason.as_deref(), Some("it faulted"));
        assert_eq!(layouts.method, SHIFTED_ALONE);
        let spread = layouts.spread.unwrap();
        assert!((spread - 10.0 / 105.0).abs() < 1e-12, "{spread}");
    }
}
