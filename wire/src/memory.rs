//! Memory that an operation used.

use serde::{Deserialize, Serialize};

/// Memory that the calls of one operation used, on a stack painted with a pattern.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Stack below the calls.
    pub stack: StackUse,
    /// Heap that the calls asked for.
    pub heap: HeapUse,
}

/// Stack below a call, found in two ways, neither of which can say too much.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct StackUse {
    /// Bytes from the stack pointer at the call down to the lowest word that changed.
    pub painted_bytes: u64,
    /// Bytes from the stack pointer at the call down to the lowest one that a function of the
    /// meter found when the submission called it; `None` when none was called.
    pub pointer_bytes: Option<u64>,
    /// Bytes that the operation could have used.
    pub available_bytes: u64,
}

impl StackUse {
    /// The deeper of what both ways found.
    pub fn bytes(&self) -> u64 {
        self.painted_bytes.max(self.pointer_bytes.unwrap_or(0))
    }
}

/// What the calls of one operation did to the submission's heap. Bytes are those that were asked
/// for, without what the allocator adds.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct HeapUse {
    /// In use before the first call.
    pub live_before: Live,
    /// In use after the last call, but for what was allocated or freed between the calls.
    pub live_after: Live,
    /// Most bytes in use at a time during the calls.
    pub peak_bytes: u64,
    /// Largest block that was allocated.
    pub largest_bytes: u64,
    /// Blocks that were allocated; a `realloc` that keeps its block in use allocates one.
    pub allocations: u64,
    /// Blocks that were freed; a `realloc` frees one.
    pub frees: u64,
    /// Calls that were refused for their arguments, such as an alignment that is none.
    pub failures: u64,
    /// Bytes of the memory that the heap is made of.
    pub available_bytes: u64,
}

/// Blocks in use.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// Their bytes.
    pub bytes: u64,
    /// How many there are.
    pub blocks: u64,
}

/// How often the heap ran low between the calls of a pass, and what was freed then: blocks of
/// earlier calls that nothing refers to any more.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub struct Sweeps {
    /// How often.
    pub count: u32,
    /// What was freed.
    pub freed: Live,
}

impl Sweeps {
    /// Adds what one more sweep freed.
    pub fn add(&mut self, freed: Live) {
        self.count = self.count.saturating_add(1);
        self.freed.bytes += freed.bytes;
        self.freed.blocks += freed.blocks;
    }
}
