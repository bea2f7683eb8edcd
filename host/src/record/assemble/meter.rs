//! The key `meter` of a record.

use catalogue::{Frame, LibraryReport};

use super::{ImageFacts, Occasion, Outcome, Subject, passes, seconds, trouble};
use crate::measurement::Measurement;
use crate::record::schema::{
    Captured, Conditions, Counter, Emulator, Format, HeapSweep, Image, Inputs, LargestFrame,
    Memory, Meter, MeterTrial, Moment, Output, SelfTest, Sha256, StackProbe, Transport, Unknown,
};
use crate::record::statistics;
use crate::session::hexadecimal;
use crate::system;

/// Bytes of each stream that a record keeps.
pub(in crate::record) const KEPT_BYTES: usize = 2048;

/// How stack use was found where the paint showed most of it.
const PAINTED: &str = "the deeper of two calls, each on a stack painted with another \
    pattern and scanned from the low end afterwards";

/// How it was found where the paint showed less: a frame of the submission is sparse.
const POINTER: &str = "the lowest stack pointer at a call of the meter's heap or generator from \
    within the operation: a painted stack showed less, for not all of it was written";

/// What only this meter knows of a measurement; its digest is put in last.
pub(super) fn meter(
    subject: &Subject,
    occasion: &Occasion,
    outcome: &Outcome,
    reason: Option<String>,
) -> Meter {
    let measurement = super::measured(outcome);
    let hello = subject.hello.as_ref();
    let counter = hello.map(|hello| counter(&hello.counter));
    let counts = counter
        .as_ref()
        .is_some_and(|counter| counter.source != wire::CounterSource::Missing);
    let trials: Vec<MeterTrial> = measurement
        .map_or(&[][..], |measurement| &measurement.trials)
        .iter()
        .map(|trial| MeterTrial {
            measurements: trial.calls.into(),
            seconds: seconds(trial.nanoseconds),
            count: counts.then_some(trial.count),
            clock_hz: statistics::clock_hz(
                counter.as_ref().map(|counter| counter.unit),
                Some(trial.count),
                seconds(trial.nanoseconds),
            ),
            unknown: Unknown::new(),
        })
        .collect();
    let mean_count = statistics::mean_count(&trials);
    let events = measurement.map(|measurement| passes::events(&measurement.events));
    let emulated = subject.emulator.is_some();
    Meter {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        format: Format,
        system: subject.system.clone(),
        board: subject.image.board.clone(),
        counter,
        mean_count,
        trials,
        samples: measurement
            .map(|measurement| measurement.samples.clone())
            .filter(|samples| counts && !samples.is_empty())
            .into_iter()
            .collect(),
        inputs: Inputs::Same,
        cold: measurement
            .and_then(|measurement| measurement.cold.as_ref())
            .map(|cold| passes::cold(cold, emulated)),
        ipc: events.as_ref().and_then(statistics::ipc),
        events,
        layouts: measurement.and_then(|measurement| {
            passes::layouts(&measurement.layouts, &subject.image, mean_count)
        }),
        memory: memory(subject, measurement),
        image: image(&subject.image),
        transport: transport(subject, occasion),
        emulator: subject.emulator.as_ref().map(emulator),
        fitness: subject.fitness.clone(),
        fault: trouble::fault(outcome),
        reason,
        kat: subject.kat.as_ref().map(trouble::kat_evidence),
        self_test: hello.map(|hello| self_test(&hello.self_test)),
        output: Output {
            stdout: captured(&occasion.output.stdout),
            stderr: captured(&occasion.output.stderr),
            unknown: Unknown::new(),
        },
        conditions: measurement
            .and_then(|measurement| measurement.conditions)
            .map(conditions),
        digest: Sha256::of(&[]),
        unknown: Unknown::new(),
    }
}

fn counter(counter: &wire::Counter) -> Counter {
    Counter {
        source: counter.source,
        unit: counter.source.unit(),
        overhead: counter.overhead,
        frequency_hz: counter.frequency_hz,
        note: counter.note.to_string(),
        unknown: Unknown::new(),
    }
}

fn self_test(test: &wire::SelfTest) -> SelfTest {
    let probe = |probe: &wire::StackProbe| StackProbe {
        used_bytes: probe.used_bytes.into(),
        measured_bytes: probe.measured_bytes,
        unknown: Unknown::new(),
    };
    SelfTest {
        stack: test.stack.iter().map(probe).collect(),
        sled_instructions: test.sled.instructions.into(),
        sled_count: test.sled.count,
        unknown: Unknown::new(),
    }
}

fn conditions([before, after]: [wire::Conditions; 2]) -> Conditions {
    let moment = |told: wire::Conditions| Moment {
        temperature_c: told
            .temperature_millicelsius
            .map(|temperature| f64::from(temperature) / 1000.0),
        throttled: told.throttled,
        clock_hz: told.clock_hz,
        unknown: Unknown::new(),
    };
    Conditions {
        before: moment(before),
        after: moment(after),
        unknown: Unknown::new(),
    }
}

fn memory(subject: &Subject, measurement: Option<&Measurement>) -> Memory {
    let measured = measurement.and_then(|measurement| measurement.memory);
    let stack = measured.map(|memory| memory.used.stack);
    let heap = measured.map(|memory| memory.used.heap);
    let left = |heap: wire::HeapUse| {
        let (before, after) = (heap.live_before, heap.live_after);
        wire::Live {
            bytes: after.bytes.saturating_sub(before.bytes),
            blocks: after.blocks.saturating_sub(before.blocks),
        }
    };
    let mut memory = Memory {
        stack_bytes: stack.map(|stack| stack.bytes()),
        stack_method: stack.map(|stack| stack_method(stack.bytes(), stack.painted_bytes)),
        stack_pattern: measured.map(|memory| format!("{:#018x}", memory.pattern)),
        stack_available_bytes: stack.map(|stack| stack.available_bytes),
        stack_painted_bytes: stack.map(|stack| stack.painted_bytes),
        stack_pointer_bytes: stack.and_then(|stack| stack.pointer_bytes),
        largest_frame: measurement
            .and_then(|measured| {
                let report = subject.image.report.as_ref()?;
                report.largest_frame(measured.operation)
            })
            .map(largest_frame),
        heap_peak_bytes: heap.map(|heap| heap.peak_bytes),
        heap_allocations: heap.map(|heap| heap.allocations),
        heap_largest_bytes: heap.map(|heap| heap.largest_bytes),
        heap_leaked_bytes: heap.map(|heap| left(heap).bytes),
        heap_leaked_blocks: heap.map(|heap| left(heap).blocks),
        heap_frees: heap.map(|heap| heap.frees),
        heap_failures: heap.map(|heap| heap.failures),
        heap_live_before_bytes: heap.map(|heap| heap.live_before.bytes),
        heap_live_after_bytes: heap.map(|heap| heap.live_after.bytes),
        heap_available_bytes: heap.map(|heap| heap.available_bytes),
        heap_repeats: measured.map(|memory| memory.heap_repeats),
        heap_sweeps: measurement.map(sweeps).unwrap_or_default(),
        static_memory: subject.image.static_memory.clone(),
        image_static: subject.image.image_static.clone(),
        marks: Vec::new(),
        unknown: Unknown::new(),
    };
    memory.marks = memory.deduced_marks();
    memory
}

/// How so much stack was found, of which the paint showed so much.
pub(in crate::record) fn stack_method(bytes: u64, painted_bytes: u64) -> String {
    let is_painted = bytes == painted_bytes;
    if is_painted { PAINTED } else { POINTER }.to_owned()
}

fn largest_frame(frame: &Frame) -> LargestFrame {
    LargestFrame {
        function: frame.function.clone(),
        place: frame.place.clone(),
        bytes: frame.bytes,
        kind: frame.kind.name().to_owned(),
        unknown: Unknown::new(),
    }
}

/// The trials between whose calls something had to be freed.
fn sweeps(measurement: &Measurement) -> Vec<HeapSweep> {
    let trials = (1..).zip(&measurement.trials);
    trials
        .filter(|(_, trial)| trial.sweeps.count > 0)
        .map(|(number, trial)| HeapSweep {
            trial: number,
            times: trial.sweeps.count.into(),
            freed_bytes: trial.sweeps.freed.bytes,
            freed_blocks: trial.sweeps.freed.blocks,
            unknown: Unknown::new(),
        })
        .collect()
}

fn image(facts: &ImageFacts) -> Image {
    let report = facts.report.as_ref();
    let units = report.map_or(&[][..], |report| &report.units);
    let flags = facts.flag_set.flags().iter();
    Image {
        elf_sha256: Some(Sha256::from_bytes(&facts.elf_sha256)),
        build_id: Some(hexadecimal(&facts.build_id)),
        flags: flags.map(|flag| (*flag).to_owned()).collect(),
        command_lines: units
            .iter()
            .map(|unit| command_line(&unit.command))
            .collect(),
        compiler: facts.compiler(),
        linker: facts.linker.clone(),
        libc: report.map(|report| library(&report.libc)),
        unknown: Unknown::new(),
    }
}

fn library(library: &LibraryReport) -> String {
    let LibraryReport {
        name,
        version,
        archive,
    } = library;
    match archive {
        Some(archive) => format!("{name} {version} ({archive})"),
        None => format!("{name} {version}"),
    }
}

/// One line that a shell would take for these arguments.
fn command_line(arguments: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.,:/@%$".contains(c);
    let quoted = arguments.iter().map(|argument| {
        if !argument.is_empty() && argument.chars().all(plain) {
            argument.clone()
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

fn transport(subject: &Subject, occasion: &Occasion) -> Transport {
    let traffic = occasion.traffic;
    Transport {
        kind: subject.transport.clone(),
        frames: traffic.frames,
        bad_frames: traffic.bad_frames,
        lost_frames: traffic.lost_frames,
        retries: traffic.retries,
        lost_lines: traffic.lost_lines,
        unknown: Unknown::new(),
    }
}

/// What a record says of an emulator.
pub fn emulator(emulator: &system::Emulator) -> Emulator {
    Emulator {
        name: emulator.name.clone(),
        version: emulator.version.clone(),
        mode: emulator.mode.clone(),
        unknown: Unknown::new(),
    }
}

/// What a record keeps of a stream.
pub(super) fn captured(stream: &system::Captured) -> Captured {
    let first = &stream.first[..stream.first.len().min(KEPT_BYTES)];
    Captured {
        beginning: String::from_utf8_lossy(first).into_owned(),
        length_bytes: stream.length,
        unknown: Unknown::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_can_be_pasted() {
        let line = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
            command_line(&arguments)
        };
        assert_eq!(
            line(&["gcc", "-O2", "-DX=1", "$TREE/a.c"]),
            "gcc -O2 -DX=1 $TREE/a.c"
        );
        assert_eq!(line(&["gcc", "-DX='a b'", ""]), r"gcc '-DX='\''a b'\''' ''");
    }

    #[test]
    fn long_output_is_cut_but_counted() {
        let stream = system::Captured {
            first: vec![b'x'; KEPT_BYTES + 1],
            length: 1 << 20,
        };
        let kept = captured(&stream);
        assert_eq!(kept.beginning.len(), KEPT_BYTES);
        assert_eq!(kept.length_bytes, 1 << 20);
    }
}
