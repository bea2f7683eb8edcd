//! The memory that operations run on, whatever board provides it.

use core::slice;

use crate::cpu::{Call, call_on_stack};

/// The measuring stack: the one place where a submission's code runs.
pub struct MeasuringStack {
    low: *mut u64,
    words: usize,
}

/// Bytes of a word of the pattern.
const WORD: usize = size_of::<u64>();

impl MeasuringStack {
    /// Takes over this memory.
    ///
    /// # Safety
    ///
    /// The memory must be writable, aligned to 16 bytes at both ends, and used by nothing else.
    pub(super) unsafe fn new(low: *mut u8, length: usize) -> Self {
        Self {
            low: low.cast(),
            words: length / WORD,
        }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.words * WORD
    }

    /// Runs a call of C code and returns the whole return register.
    pub fn run(&mut self, call: &Call) -> u64 {
        // SAFETY: the memory is ours alone and aligned; whoever made the call promised that it is
        // one of a C function with its arguments.
        unsafe { call_on_stack(call, self.low.add(self.words).cast()) as u64 }
    }

    /// Fills the whole stack with this pattern.
    pub fn paint(&mut self, pattern: u64) {
        // SAFETY: nothing runs on this stack now, and the memory is ours alone.
        unsafe { slice::from_raw_parts_mut(self.low, self.words) }.fill(pattern);
    }

    /// Bytes from the low end that still hold the pattern.
    pub fn untouched(&self, pattern: u64) -> usize {
        // SAFETY: nothing runs on this stack now, and the memory is ours alone.
        let words = unsafe { slice::from_raw_parts(self.low, self.words) };
        words.iter().take_while(|word| **word == pattern).count() * WORD
    }
}
