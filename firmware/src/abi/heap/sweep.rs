//! Frees what a submission has lost, so that one that leaks can be called as often as is asked.
//!
//! A block is lost when nothing refers to it any more: no word of the submission's static data, of
//! its buffers, or of a block that is not lost itself holds an address in it. That is what
//! valgrind's memcheck calls "definitely lost", and it keeps all that may still be used: tables
//! that were made at the first call, the states of a key exchange, a list that grows without end
//! (which exhausts the heap in the end, and is reported as that). What is not seen: addresses that
//! are stored shifted, encrypted or at odd places.
//!
//! It happens between calls only, when the submission's stack is empty.

use core::ptr::{self, NonNull};
use core::sync::atomic::Ordering;

use wire::Live;

use super::entries::misused;
use super::{Blocks, FOOTPRINT, GROWTH, HEAP, Header, LIMIT, LOST};

/// Hands out every piece of memory, by begin and end, in which a submission may keep addresses
/// between its calls.
pub type Roots<'a> = &'a dyn Fn(&mut dyn FnMut(usize, usize));

/// Frees the lost blocks; what they were comes back.
///
/// # Safety
///
/// All memory that the roots hand out must be readable, and nothing of the submission may run.
pub unsafe fn sweep(roots: Roots) -> Live {
    let mut heap = HEAP.lock();
    // A search that follows what somebody wrote over a header leads anywhere.
    if let Some(block) = heap.damaged() {
        drop(heap);
        misused("sweep", block);
    }
    let mut search = Search {
        blocks: &heap.blocks,
        waiting: None,
    };
    // SAFETY: the caller's promise.
    roots(&mut |begin, end| unsafe { search.look_at(begin, end) });
    while let Some(block) = search.waiting {
        // SAFETY: what is reached is a block in use, of as many bytes as its header says.
        unsafe {
            let header = Header::of(block).read();
            let next = header.swept(block) & !Header::REACHED;
            search.waiting = NonNull::new(ptr::with_exposed_provenance_mut(next as usize));
            let begin = block.addr().get();
            search.look_at(begin, begin + header.size());
        }
    }

    let mut lost = Live::default();
    let mut place = 0;
    while let Some((found, block)) = heap.blocks.next(place) {
        place = found + 1;
        // SAFETY: the block is in use, and nothing refers to it if it was not reached.
        unsafe {
            let header = Header::of(block);
            if (*header).swept(block) & Header::REACHED == 0 {
                let size = (*header).size();
                lost.bytes += size as u64;
                lost.blocks += 1;
                heap.usage.lost(size);
                heap.give_back(block);
            } else {
                (*header).note(block, 0);
            }
        }
    }
    let limit = FOOTPRINT.load(Ordering::Relaxed) + heap.blocks.len() / GROWTH;
    LIMIT.store(limit, Ordering::Relaxed);
    LOST.fetch_add(lost.blocks as usize, Ordering::Relaxed);
    lost
}

/// The search for blocks that something refers to.
struct Search<'a> {
    blocks: &'a Blocks,
    /// The first of the blocks that were reached and not yet looked at; each names the next.
    waiting: Option<NonNull<u8>>,
}

impl Search<'_> {
    /// Takes every aligned word from `begin` to `end` for an address.
    ///
    /// # Safety
    ///
    /// The memory must be readable.
    unsafe fn look_at(&mut self, begin: usize, end: usize) {
        const WORD: usize = size_of::<u64>();
        let begin = begin.next_multiple_of(WORD);
        for address in (begin..end.saturating_sub(WORD - 1)).step_by(WORD) {
            // SAFETY: the caller's promise. The word may be anybody's, so it is read as it is.
            let word = unsafe { ptr::with_exposed_provenance::<u64>(address).read_volatile() };
            let Some(block) = self.blocks.containing(word) else {
                continue;
            };
            // SAFETY: a block in use has its header, which nobody but us writes meanwhile.
            unsafe {
                let header = Header::of(block);
                if (*header).swept(block) & Header::REACHED == 0 {
                    let next = self.waiting.map_or(0, |next| next.addr().get() as u64);
                    (*header).note(block, next | Header::REACHED);
                    self.waiting = Some(block);
                }
            }
        }
    }
}
