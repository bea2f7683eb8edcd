//! Section 5: memory.

use super::super::cell::Cell;
use super::super::evidence::{Candidate, Label};
use super::super::model::{Column, Section, Table};
use super::{columns, or_nothing, rows, sparse};
use crate::record::schema::{Memory, Record, StaticMemory};
use crate::table::comparison::BEFORE;

/// Section 5.
pub fn section(candidate: &Candidate) -> Section {
    let mut section = Section::new("5. Resource consumption");
    let whole = sparse(process(candidate));
    if !whole.is_empty() {
        section = section
            .paragraph(
                "An image is everything that was linked, with the C library and the driver that \
                 calls the submission; resident memory is that of the whole process. Both are \
                 upper bounds of what the algorithm itself takes.",
            )
            .with(whole);
    }
    let isolated = sparse(isolated(candidate));
    if !isolated.is_empty() {
        section = section
            .paragraph(
                "Stack and heap are those of one call, measured apart from the driver's; static \
                 memory is that of the submission's own objects, as they were linked.",
            )
            .with(isolated);
    }
    or_nothing(section, "No memory was measured.")
}

/// Memory of everything that ran.
fn process(candidate: &Candidate) -> Table {
    Table {
        caption: "Memory of the image and the process".to_owned(),
        columns: columns([
            Column::figures("static: ELF image (bytes)"),
            Column::figures("baseline RSS"),
            Column::figures("peak RSS"),
        ]),
        rows: rows(&candidate.labels, |label, record| {
            Some(vec![
                Cell::of(image_bytes(label, record), Cell::Bytes),
                Cell::of(record.baseline_rss_bytes, Cell::Kibibytes),
                Cell::of(record.peak_rss_bytes, Cell::Kibibytes),
            ])
        }),
    }
}

/// Memory of the submission alone.
fn isolated(candidate: &Candidate) -> Table {
    let sections = ["text", "rodata", "data", "bss"];
    let figures = [
        "stack (bytes)",
        "heap peak (bytes)",
        "in use before the call (bytes)",
        "heap allocations",
        "largest allocation (bytes)",
        "heap left in use (bytes)",
    ];
    let figures = figures.map(Column::figures).into_iter();
    let sections = sections.map(|name| Column::figures(format!("own {name} (bytes)")));
    Table {
        caption: "Memory of the submission alone".to_owned(),
        columns: columns(figures.chain(sections)),
        rows: rows(&candidate.labels, |_, record| {
            let memory = &record.meter.as_ref()?.memory;
            let own = memory.static_memory.as_ref();
            let others = [
                memory.heap_live_before_bytes,
                memory.heap_allocations,
                memory.heap_largest_bytes,
                memory.heap_leaked_bytes,
                own.map(|own| own.text_bytes),
                own.map(|own| own.rodata_bytes),
                own.map(|own| own.data_bytes),
                own.map(|own| own.bss_bytes),
            ]
            .map(|bytes| Cell::of(bytes, Cell::Bytes));
            let first = [stack(memory), heap(memory)];
            Some(first.into_iter().chain(others).collect())
        }),
    }
}

/// Peak of the heap, with a mark where a part of it was in use before the call.
pub fn heap(memory: &Memory) -> Cell {
    let is_marked = memory.heap_before_and_peak().is_some();
    Cell::of(memory.heap_peak_bytes, Cell::Bytes).marked_if(is_marked, BEFORE)
}

/// Stack of one call, with a mark where a frame may have hidden from the paint.
pub fn stack(memory: &Memory) -> Cell {
    let cell = match memory.stack_is_a_lower_bound() {
        true => Cell::AtLeastBytes,
        false => Cell::Bytes,
    };
    Cell::of(memory.stack_bytes, cell)
}

/// Bytes of everything that was linked.
pub fn image_bytes(label: &Label, record: &Record) -> Option<u64> {
    let of_library = label.build.as_ref().and_then(|build| build.elf_load_bytes);
    of_library.or_else(|| {
        let memory = &record.meter.as_ref()?.memory;
        sum(memory.image_static.as_ref()?)
    })
}

/// Bytes of the submission's own objects.
pub fn submission_bytes(record: &Record) -> Option<u64> {
    sum(record.meter.as_ref()?.memory.static_memory.as_ref()?)
}

fn sum(sections: &StaticMemory) -> Option<u64> {
    let StaticMemory {
        text_bytes,
        rodata_bytes,
        data_bytes,
        bss_bytes,
        ..
    } = sections;
    [*text_bytes, *rodata_bytes, *data_bytes, *bss_bytes]
        .into_iter()
        .try_fold(0u64, u64::checked_add)
}
