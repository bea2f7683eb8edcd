//! What a record says of memory, under `meter`.

use catalogue::FrameKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Unknown, nullable};

/// Memory of one call; null is what was not measured. Bytes of the heap are those that the
/// submission asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// Stack below the call: the deeper of what both ways found.
    #[serde(deserialize_with = "nullable")]
    pub stack_bytes: Option<u64>,
    /// How that was found.
    #[serde(deserialize_with = "nullable")]
    pub stack_method: Option<String>,
    /// The 64-bit word that the stack was painted with, in hexadecimal.
    #[serde(deserialize_with = "nullable")]
    pub stack_pattern: Option<String>,
    /// Stack that the operation could have used.
    #[serde(deserialize_with = "nullable")]
    pub stack_available_bytes: Option<u64>,
    /// Stack down to the lowest word that changed on a painted stack.
    #[serde(deserialize_with = "nullable")]
    pub stack_painted_bytes: Option<u64>,
    /// Stack down to the lowest stack pointer in a call of the meter's functions (heap, generator)
    /// from within the operation; null when it made none.
    #[serde(deserialize_with = "nullable")]
    pub stack_pointer_bytes: Option<u64>,
    /// The largest frame of those functions that the operation can reach.
    #[serde(deserialize_with = "nullable")]
    pub largest_frame: Option<LargestFrame>,
    /// Most heap in use at a time during the operation, with what was in use before it.
    #[serde(deserialize_with = "nullable")]
    pub heap_peak_bytes: Option<u64>,
    /// Number of allocations; a `realloc` is one, and frees one.
    #[serde(deserialize_with = "nullable")]
    pub heap_allocations: Option<u64>,
    /// Largest allocation.
    #[serde(deserialize_with = "nullable")]
    pub heap_largest_bytes: Option<u64>,
    /// What the operation left in use: after it, less before it. Of a step of a key exchange, also
    /// what a later step frees.
    #[serde(deserialize_with = "nullable")]
    pub heap_leaked_bytes: Option<u64>,
    /// Blocks of that.
    #[serde(deserialize_with = "nullable")]
    pub heap_leaked_blocks: Option<u64>,
    /// Number of blocks that were freed.
    #[serde(deserialize_with = "nullable")]
    pub heap_frees: Option<u64>,
    /// Calls that were refused for their arguments. What finds no room is no such call: it ends
    /// the operation.
    #[serde(deserialize_with = "nullable")]
    pub heap_failures: Option<u64>,
    /// Heap in use before the operation.
    #[serde(deserialize_with = "nullable")]
    pub heap_live_before_bytes: Option<u64>,
    /// Heap in use after the operation.
    #[serde(deserialize_with = "nullable")]
    pub heap_live_after_bytes: Option<u64>,
    /// Heap that the operation could have used, with what the allocator adds.
    #[serde(deserialize_with = "nullable")]
    pub heap_available_bytes: Option<u64>,
    /// Whether another call did the same to the heap.
    #[serde(deserialize_with = "nullable")]
    pub heap_repeats: Option<bool>,
    /// Trials between whose calls the heap ran low, so that what the submission had lost was
    /// freed. The pass of samples repeats the calls of a trial, and this with them.
    pub heap_sweeps: Vec<HeapSweep>,
    /// Sections of the submission's own objects.
    #[serde(rename = "static", deserialize_with = "nullable")]
    pub static_memory: Option<StaticMemory>,
    /// Sections of the whole image: the submission, the meter, and what is linked with them.
    #[serde(deserialize_with = "nullable")]
    pub image_static: Option<StaticMemory>,
    /// What a reader of these figures must know, in words.
    pub marks: Vec<String>,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// The stack frame of one function, as its compiler lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LargestFrame {
    /// The function.
    pub function: String,
    /// Where it is defined: `<file>:<line>`.
    pub place: String,
    /// Bytes of it that are known beforehand.
    pub bytes: u64,
    /// `static`, `dynamic` or `bounded`.
    pub kind: String,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// What was freed between the calls of one trial, outside its bracket: blocks that neither static
/// data nor buffers led to any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeapSweep {
    /// Number of the trial, from 1.
    pub trial: u64,
    /// How often the heap ran low.
    pub times: u64,
    /// Bytes that were freed.
    pub freed_bytes: u64,
    /// Blocks that were freed.
    pub freed_blocks: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}

impl Memory {
    /// What a reader of these figures must know, as it follows from them.
    pub fn deduced_marks(&self) -> Vec<String> {
        let mut marks = Vec::new();
        if let (Some(frame), Some(_)) = (&self.largest_frame, self.stack_bytes)
            && frame.kind == FrameKind::Dynamic.name()
        {
            marks.push(format!(
                "stack_bytes may be too little: the size of the frame of {} ({}) is decided when \
                 it is called; if the operation called it, not all of it may have been written",
                frame.function, frame.place
            ));
        } else if let (Some(frame), Some(seen)) = (&self.largest_frame, self.stack_bytes)
            && frame.bytes > seen
        {
            marks.push(format!(
                "stack_bytes may be too little: the frame of {} ({}) has {} bytes, more than was \
                 seen; if the operation called it, not all of it was written",
                frame.function, frame.place, frame.bytes
            ));
        }
        if self.heap_repeats == Some(false) {
            marks.push(
                "the heap's figures are those of one call: another, on a stack of other contents, \
                 had others"
                    .to_owned(),
            );
        }
        let sweeps: Vec<String> = self
            .heap_sweeps
            .iter()
            .map(|sweep| format!("{} times in trial {}", sweep.times, sweep.trial))
            .collect();
        if !sweeps.is_empty() {
            marks.push(format!(
                "the submission leaks: the heap ran low between calls, outside every bracket, and \
                 what nothing referred to any more was freed {}",
                sweeps.join(", ")
            ));
        }
        marks
    }

    /// Heap in use before the call and at its peak, where there was any before.
    pub fn heap_before_and_peak(&self) -> Option<(u64, u64)> {
        let before = self.heap_live_before_bytes.filter(|bytes| *bytes > 0)?;
        Some((before, self.heap_peak_bytes?))
    }

    /// Whether the stack may be deeper than the figure says.
    pub fn stack_is_a_lower_bound(&self) -> bool {
        let frame = self.largest_frame.as_ref();
        frame.zip(self.stack_bytes).is_some_and(|(frame, seen)| {
            frame.kind == FrameKind::Dynamic.name() || frame.bytes > seen
        })
    }
}

/// Sections of the submission's own objects, or of an image, as linked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaticMemory {
    /// Code.
    pub text_bytes: u64,
    /// Constants.
    pub rodata_bytes: u64,
    /// Variables with an initial value.
    pub data_bytes: u64,
    /// Variables that start as zero.
    pub bss_bytes: u64,
    /// Keys that this program does not know.
    #[serde(flatten)]
    pub unknown: Unknown,
}
