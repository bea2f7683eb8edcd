//! The submission's heap: `malloc` and its relatives over memory of ours.
//!
//! The build renames the submission's calls to the names in `entries`, so that its heap is its own
//! and nobody else's. A bit for each place where a block may start tells a wild or doubled `free`;
//! exhaustion is reported as what it is and never becomes a null pointer, however much was asked
//! for: what a program costs that copes with a missing terabyte is no figure of its scheme.
//!
//! Everything is counted at all times, in timed calls as well: that is some twenty instructions of
//! AArch64 in a call that takes more than three hundred, and to ask whether to count would cost as
//! many.

mod blocks;
mod entries;
mod sweep;
mod usage;

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicUsize, Ordering};

use rlsf::Tlsf;
use spin::Mutex;

use crate::board;
use blocks::{Blocks, Header};
pub use sweep::{Roots, sweep};
use usage::Usage;

/// Alignment of a block for which C asks none: `max_align_t` of the ABIs that we serve.
const ALIGNMENT: usize = 16;

/// What a block takes beside its bytes at most, unless it asks for an alignment: our header, the
/// allocator's, and what is lost to its granularity.
const OVERHEAD: usize = 64;

/// The heap is searched for lost blocks when it has grown by this part of it.
const GROWTH: usize = 8;

/// Two-level segregated fit with 28 size classes of 16 lists: blocks of up to 8 GiB.
type Free = Tlsf<'static, u32, u16, 28, 16>;

/// The heap.
struct Heap {
    free: Free,
    blocks: Blocks,
    usage: Usage,
}

/// The heap, without memory before the first [`reset`].
static HEAP: Mutex<Heap> = Mutex::new(Heap {
    free: Free::new(),
    blocks: Blocks::NONE,
    usage: Usage::NONE,
});

/// Bytes that live blocks take up, at most: beside the lock, for [`has_grown`] is asked in loops
/// that are timed.
static FOOTPRINT: AtomicUsize = AtomicUsize::new(0);

/// Blocks that sweeps have freed since the start: beside the lock, for a fault may leave it held.
static LOST: AtomicUsize = AtomicUsize::new(0);

/// The footprint from which on [`has_grown`].
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Forgets every block: the heap is as a fresh process finds it, empty and zero.
pub fn reset() {
    let mut heap = HEAP.lock();
    heap.free = Free::new();
    heap.usage = Usage::NONE;
    // SAFETY: the board gives this memory to the heap alone; the blocks that lay in it are
    // forgotten, and the submission that held them starts anew.
    unsafe {
        let (blocks, memory) = Blocks::over(board::heap(), &heap.blocks);
        heap.blocks = blocks;
        if let Some(memory) = NonNull::new(memory) {
            heap.free.insert_free_block_ptr(memory);
        }
    }
    FOOTPRINT.store(0, Ordering::Relaxed);
    LOST.store(0, Ordering::Relaxed);
    LIMIT.store(heap.blocks.len() / GROWTH, Ordering::Relaxed);
}

/// Whether so much has come to be in use since the start, or since the last [`sweep`], that lost
/// blocks are worth looking for.
#[inline(always)]
pub fn has_grown() -> bool {
    FOOTPRINT.load(Ordering::Relaxed) > LIMIT.load(Ordering::Relaxed)
}

/// Blocks that [`sweep`] has freed since the last [`reset`].
pub fn freed_blocks() -> u64 {
    LOST.load(Ordering::Relaxed) as u64
}

/// Starts counting anew; the blocks in use stay in use.
pub fn start_counting() {
    HEAP.lock().usage.start();
}

/// What was counted, as the wire has it; `live_before` is as it was at [`start_counting`].
pub fn counted() -> wire::HeapUse {
    let heap = HEAP.lock();
    heap.usage.report(heap.blocks.len())
}

impl Heap {
    /// A block, its header written; `None` when there is no room.
    fn take(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let offset = alignment.max(Header::SIZE);
        let length = size.checked_add(Header::TAIL)?.checked_add(offset)?;
        let layout = Layout::from_size_align(length, offset).ok()?;
        let base = self.free.allocate(layout)?;
        // SAFETY: the allocation has `offset` bytes before the block's own, and the header fits in
        // them; all of it lies in the memory that the blocks are marked in.
        unsafe {
            let block = base.add(offset);
            let header = Header::new(block, size, offset);
            Header::of(block).write(header);
            block.add(size).cast().write_unaligned(header.tail(block));
            self.blocks.mark(block, size);
            let footprint = FOOTPRINT.load(Ordering::Relaxed);
            FOOTPRINT.store(footprint + header.footprint(), Ordering::Relaxed);
            Some(block)
        }
    }

    /// Bytes of a block; `None` when none in use starts there, or what stands before and behind it
    /// was overwritten.
    fn size_of(&self, block: NonNull<u8>) -> Option<usize> {
        (self.state_of(block) == BlockState::Sound)
            // SAFETY: a block in use has a header before it.
            .then(|| unsafe { Header::of(block).read() }.size())
    }

    /// What is true of the block that starts there.
    fn state_of(&self, block: NonNull<u8>) -> BlockState {
        if !self.blocks.is_marked(block) {
            return BlockState::None;
        }
        // SAFETY: a marked block has a header before it.
        let header = unsafe { Header::of(block).read() };
        if header.swept(block) != 0 {
            return BlockState::OverwrittenBefore;
        }
        // SAFETY: its header is sound, so its size is the one that was asked for.
        let tail = unsafe { block.add(header.size()).cast::<u64>().read_unaligned() };
        match tail == header.tail(block) {
            true => BlockState::Sound,
            false => BlockState::OverwrittenBehind,
        }
    }

    /// The first block in use with something overwritten before or behind it.
    fn damaged(&self) -> Option<NonNull<u8>> {
        let mut place = 0;
        while let Some((found, block)) = self.blocks.next(place) {
            place = found + 1;
            if self.state_of(block) != BlockState::Sound {
                return Some(block);
            }
        }
        None
    }

    /// Gives a block back.
    ///
    /// # Safety
    ///
    /// The block must be one in use.
    unsafe fn give_back(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise: the header is the one that `take` wrote.
        unsafe {
            let header = Header::of(block).read();
            self.blocks.unmark(block);
            self.free
                .deallocate(block.sub(header.offset()), header.offset());
            let footprint = FOOTPRINT.load(Ordering::Relaxed);
            FOOTPRINT.store(footprint - header.footprint(), Ordering::Relaxed);
        }
    }
}

/// A new block; `None` when there is no room.
fn allocate(size: usize, alignment: usize) -> Option<NonNull<u8>> {
    let mut heap = HEAP.lock();
    let block = heap.take(size, alignment)?;
    heap.usage.allocated(size);
    Some(block)
}

/// Gives a block back; `None` when none in use starts there.
fn deallocate(block: NonNull<u8>) -> Option<()> {
    let mut heap = HEAP.lock();
    let size = heap.size_of(block)?;
    heap.usage.freed(size);
    // SAFETY: it has a size, so it is in use.
    unsafe { heap.give_back(block) };
    Some(())
}

/// Puts the contents of a block in use into a new one; `None` when there is no room.
fn replace(old: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
    let mut heap = HEAP.lock();
    let before = heap.size_of(old)?;
    let new = heap.take(size, ALIGNMENT)?;
    // SAFETY: both blocks are in use and apart, and have as many bytes as their headers say.
    unsafe {
        ptr::copy_nonoverlapping(old.as_ptr(), new.as_ptr(), before.min(size));
        heap.give_back(old);
    }
    heap.usage.resized(before, size);
    Some(new)
}

/// What is true of a place where a block may start.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum BlockState {
    /// No block in use starts there.
    None,
    /// One does, and nobody wrote where he has no right to.
    Sound,
    /// The bytes before it were overwritten.
    OverwrittenBefore,
    /// The bytes behind it were overwritten.
    OverwrittenBehind,
}

fn state_of(block: NonNull<u8>) -> BlockState {
    HEAP.lock().state_of(block)
}

/// Bytes of a block; `None` when none in use starts there.
fn size_of_block(block: NonNull<u8>) -> Option<usize> {
    HEAP.lock().size_of(block)
}

/// Counts a call that returned an error.
fn refuse() {
    HEAP.lock().usage.failures += 1;
}

#[cfg(test)]
mod tests;
