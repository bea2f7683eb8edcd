//! The memory that operations run on, whatever board provides it.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::{ptr, slice};

use crate::cpu::{self, Call, call_on_stack};

/// The measuring stack: the one place where a submission's code runs.
pub struct MeasuringStack {
    low: *mut u64,
    words: usize,
}

/// The measuring stack by address, for those who have only a stack pointer.
static BEGIN: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The lowest stack pointer that was noted; 0 while nobody wants to know.
static LOWEST: AtomicUsize = AtomicUsize::new(0);

/// Notes the stack pointer here: for functions of the meter that a submission calls.
///
/// A stack that is painted does not show a frame whose lowest bytes are never written; the stack
/// pointer in a call from within it does. While nobody asks it costs a load and a comparison.
#[inline(always)]
pub fn note_here() {
    let here = cpu::stack_pointer();
    if here < LOWEST.load(Ordering::Relaxed) {
        lower(here);
    }
}

#[cold]
fn lower(stack_pointer: usize) {
    // Functions of the meter can also be called by the meter, on its own stack.
    if stack_pointer >= BEGIN.load(Ordering::Relaxed) {
        LOWEST.store(stack_pointer, Ordering::Relaxed);
    }
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
        BEGIN.store(low.expose_provenance(), Ordering::Relaxed);
        END.store(low.addr() + length, Ordering::Relaxed);
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

    /// From now on stack pointers are noted.
    pub fn watch(&mut self) {
        LOWEST.store(END.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Bytes from the end of the stack down to the lowest stack pointer that was noted since
    /// [`MeasuringStack::watch`]; `None` when none was. From now on none is.
    pub fn watched(&mut self) -> Option<usize> {
        let lowest = LOWEST.swap(0, Ordering::Relaxed);
        let depth = END.load(Ordering::Relaxed) - lowest;
        (depth > 0).then_some(depth)
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

/// The part of a stack that is in use, by address.
pub struct Live {
    begin: u64,
    end: u64,
}

impl Live {
    /// That of the stack which this stack pointer belongs to: all of it when the pointer lies in
    /// the guard below it.
    pub fn of(stack_pointer: u64) -> Option<Self> {
        let (low, end) = super::stack_of(stack_pointer)?;
        let begin = stack_pointer.max(low).next_multiple_of(WORD as u64);
        (begin < end).then_some(Self { begin, end })
    }

    /// Whether an address lies in it, or is its end.
    pub fn contains(&self, address: u64) -> bool {
        (self.begin..=self.end).contains(&address)
    }

    /// Its words, lowest first, each behind its address.
    pub fn words(&self) -> impl Iterator<Item = (u64, u64)> {
        (self.begin..self.end).step_by(WORD).map(|address| {
            let word = ptr::with_exposed_provenance::<u64>(address as usize);
            // SAFETY: the address is aligned and lies on a stack of ours, which is mapped.
            (address, unsafe { word.read_volatile() })
        })
    }
}
