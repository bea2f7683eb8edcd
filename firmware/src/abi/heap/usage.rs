//! What is counted of a heap.

use wire::{HeapUse, Live};

/// Counts since [`Usage::start`], and what is in use.
pub struct Usage {
    before: Live,
    live: Live,
    peak: u64,
    largest: u64,
    allocations: u64,
    frees: u64,
    /// Calls that were refused for their arguments.
    pub failures: u64,
}

impl Usage {
    /// Nothing in use, and nothing counted.
    pub const NONE: Self = Self {
        before: Live {
            bytes: 0,
            blocks: 0,
        },
        live: Live {
            bytes: 0,
            blocks: 0,
        },
        peak: 0,
        largest: 0,
        allocations: 0,
        frees: 0,
        failures: 0,
    };

    /// Starts counting; what is in use stays in use.
    pub fn start(&mut self) {
        *self = Self {
            before: self.live,
            live: self.live,
            peak: self.live.bytes,
            ..Self::NONE
        };
    }

    /// Counts a block that came to be in use.
    pub fn allocated(&mut self, size: usize) {
        self.allocations += 1;
        self.live.blocks += 1;
        self.grown(0, size);
    }

    /// Counts a block that is in use no more.
    pub fn freed(&mut self, size: usize) {
        self.frees += 1;
        self.live.blocks -= 1;
        self.live.bytes -= size as u64;
    }

    /// Counts a block of another size in the place of one. Both are never counted together: that
    /// both exist while the contents are copied is the allocator's doing.
    pub fn resized(&mut self, before: usize, after: usize) {
        self.allocations += 1;
        self.frees += 1;
        self.grown(before, after);
    }

    fn grown(&mut self, before: usize, after: usize) {
        self.live.bytes = self.live.bytes - before as u64 + after as u64;
        self.peak = self.peak.max(self.live.bytes);
        self.largest = self.largest.max(after as u64);
    }

    /// Takes a lost block off what is in use: nobody freed it.
    pub fn lost(&mut self, size: usize) {
        self.live.blocks -= 1;
        self.live.bytes -= size as u64;
    }

    /// What was counted, of a heap in so much memory.
    pub fn report(&self, available: usize) -> HeapUse {
        HeapUse {
            live_before: self.before,
            live_after: self.live,
            peak_bytes: self.peak,
            largest_bytes: self.largest,
            allocations: self.allocations,
            frees: self.frees,
            failures: self.failures,
            available_bytes: available as u64,
        }
    }
}
