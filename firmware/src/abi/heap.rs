//! The submission's heap: `malloc` and its relatives over memory of ours.
//!
//! The build renames the submission's calls to these names, so that its heap is its own and
//! nobody else's. A header before each block tells a wild or doubled `free`; exhaustion is
//! reported as what it is and never becomes a null pointer.

use core::alloc::Layout;
use core::ffi::c_int;
use core::ptr::{self, NonNull};

use rlsf::Tlsf;
use spin::Mutex;
use wire::FaultKind;

use crate::board;
use crate::meter::fault;

/// Alignment of a block for which C asks none: `max_align_t` of the ABIs that we serve.
const ALIGNMENT: usize = 16;

/// `EINVAL`, the same number in every C library that we link.
const EINVAL: c_int = 22;

/// Two-level segregated fit with 28 size classes of 16 lists: blocks of up to 8 GiB.
type Heap = Tlsf<'static, u32, u16, 28, 16>;

/// The heap, without memory before the first [`reset`].
static HEAP: Mutex<Heap> = Mutex::new(Heap::new());

/// Forgets every block: the heap is as it was at boot.
pub fn reset() {
    let mut fresh = Heap::new();
    if let Some(memory) = NonNull::new(board::heap()) {
        // SAFETY: the board gives this memory to the heap alone; the blocks that lay in it are
        // forgotten, and the submission that held them starts anew.
        unsafe { fresh.insert_free_block_ptr(memory) };
    }
    *HEAP.lock() = fresh;
}

/// What stands in the 16 bytes before each block.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    /// Bytes that were asked for, and the alignment's exponent in the top byte.
    size_and_exponent: u64,
    /// [`Header::mark`] while the block is in use.
    mark: u64,
}

impl Header {
    const SIZE: usize = size_of::<Self>();

    /// What a block at this address is marked with: nothing else in memory looks like it.
    fn mark(block: NonNull<u8>) -> u64 {
        0x6d65_7465_7268_6561 ^ block.addr().get() as u64
    }

    fn of(block: NonNull<u8>) -> *mut Self {
        block.as_ptr().wrapping_sub(Self::SIZE).cast()
    }

    fn size(self) -> usize {
        (self.size_and_exponent & (u64::MAX >> 8)) as usize
    }

    /// Bytes from the start of the allocation to the block: its alignment, header included.
    fn offset(self) -> usize {
        1 << (self.size_and_exponent >> 56)
    }
}

/// Takes a block, or ends the operation with the reason.
fn allocate(size: usize, alignment: usize) -> NonNull<u8> {
    let offset = alignment.max(Header::SIZE);
    let layout = size
        .checked_add(offset)
        .and_then(|total| Layout::from_size_align(total, offset).ok());
    let Some(base) = layout.and_then(|layout| HEAP.lock().allocate(layout)) else {
        exhausted(size)
    };
    // SAFETY: the allocation has `offset` bytes before the block's own; the header fits in them.
    unsafe {
        let block = base.add(offset);
        Header::of(block).write(Header {
            size_and_exponent: size as u64 | u64::from(offset.trailing_zeros()) << 56,
            mark: Header::mark(block),
        });
        block
    }
}

/// Gives a block back, or ends the operation when it is none.
///
/// # Safety
///
/// The 16 bytes before the block must be readable; where they are not, the fault says so.
unsafe fn deallocate(block: NonNull<u8>) {
    // SAFETY: the mark shows that the block is one of ours and in use.
    unsafe {
        let header = checked_header(block, "free");
        (*Header::of(block)).mark = 0;
        HEAP.lock()
            .deallocate(block.sub(header.offset()), header.offset());
    }
}

/// The header of a block in use.
///
/// # Safety
///
/// As for [`deallocate`].
unsafe fn checked_header(block: NonNull<u8>, function: &str) -> Header {
    // SAFETY: the caller's promise; unaligned because a wild pointer may be.
    let header = unsafe { Header::of(block).read_unaligned() };
    if header.mark == Header::mark(block) {
        return header;
    }
    fault::report_here(
        FaultKind::Heap,
        format_args!("{function}({block:p}): no block in use starts there"),
    )
}

fn exhausted(size: usize) -> ! {
    let total = board::heap().len();
    fault::report_here(
        FaultKind::Heap,
        format_args!("no room for {size} bytes in a heap of {total}"),
    )
}

/// `void *malloc(size_t size)`
#[unsafe(no_mangle)]
extern "C" fn meter_malloc(size: usize) -> *mut u8 {
    allocate(size, ALIGNMENT).as_ptr()
}

/// `void *calloc(size_t count, size_t size)`
#[unsafe(no_mangle)]
extern "C" fn meter_calloc(count: usize, size: usize) -> *mut u8 {
    let Some(total) = count.checked_mul(size) else {
        exhausted(usize::MAX)
    };
    let block = allocate(total, ALIGNMENT).as_ptr();
    // SAFETY: the block has that many bytes.
    unsafe { ptr::write_bytes(block, 0, total) };
    block
}

/// `void *realloc(void *block, size_t size)`; size 0 frees, as in the C libraries of Linux.
///
/// # Safety
///
/// `block` must be null or a block of this heap; anything else is reported.
#[unsafe(no_mangle)]
unsafe extern "C" fn meter_realloc(block: *mut u8, size: usize) -> *mut u8 {
    let Some(old) = NonNull::new(block) else {
        return meter_malloc(size);
    };
    // SAFETY: the caller's promise, checked by the header.
    unsafe {
        let header = checked_header(old, "realloc");
        if size == 0 {
            deallocate(old);
            return ptr::null_mut();
        }
        let new = allocate(size, ALIGNMENT);
        ptr::copy_nonoverlapping(old.as_ptr(), new.as_ptr(), header.size().min(size));
        deallocate(old);
        new.as_ptr()
    }
}

/// `void free(void *block)`
///
/// # Safety
///
/// `block` must be null or a block of this heap; anything else is reported.
#[unsafe(no_mangle)]
unsafe extern "C" fn meter_free(block: *mut u8) {
    if let Some(block) = NonNull::new(block) {
        // SAFETY: the caller's promise, checked by the header.
        unsafe { deallocate(block) }
    }
}

/// `void *aligned_alloc(size_t alignment, size_t size)`: null for an alignment that is none.
#[unsafe(no_mangle)]
extern "C" fn meter_aligned_alloc(alignment: usize, size: usize) -> *mut u8 {
    if alignment.is_power_of_two() {
        allocate(size, alignment.max(ALIGNMENT)).as_ptr()
    } else {
        ptr::null_mut()
    }
}

/// `void *memalign(size_t alignment, size_t size)`
#[unsafe(no_mangle)]
extern "C" fn meter_memalign(alignment: usize, size: usize) -> *mut u8 {
    meter_aligned_alloc(alignment, size)
}

/// `int posix_memalign(void **block, size_t alignment, size_t size)`
///
/// # Safety
///
/// `block` must point to a pointer that may be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn meter_posix_memalign(
    block: *mut *mut u8,
    alignment: usize,
    size: usize,
) -> c_int {
    if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
        return EINVAL;
    }
    // SAFETY: the caller's promise.
    unsafe { block.write(meter_aligned_alloc(alignment, size)) };
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_apart_and_keep_their_contents() {
        reset();
        let blocks: Vec<(usize, *mut u8)> = (0..12)
            .map(|power| {
                let alignment = 1 << power;
                let block = meter_aligned_alloc(alignment, 100 + power);
                assert!(block.addr().is_multiple_of(alignment));
                // SAFETY: the block has that many bytes.
                unsafe { ptr::write_bytes(block, power as u8, 100 + power) };
                (power, block)
            })
            .collect();
        for (power, block) in blocks {
            // SAFETY: blocks of this heap, in use until the free.
            unsafe {
                assert!((0..100 + power).all(|i| block.add(i).read() == power as u8));
                let larger = meter_realloc(block, 5000);
                assert!((0..100 + power).all(|i| larger.add(i).read() == power as u8));
                meter_free(larger);
            }
        }
    }

    #[test]
    fn what_c_leaves_open_is_settled() {
        reset();
        // SAFETY: blocks of this heap.
        unsafe {
            meter_free(ptr::null_mut());
            let nothing = meter_malloc(0);
            assert!(!nothing.is_null());
            assert!(meter_realloc(nothing, 0).is_null());
            assert!(meter_aligned_alloc(48, 10).is_null());
            let mut block = ptr::null_mut();
            assert_eq!(meter_posix_memalign(&raw mut block, 4, 10), EINVAL);
            assert_eq!(meter_posix_memalign(&raw mut block, 64, 10), 0);
            assert!(block.addr().is_multiple_of(64));
        }
    }
}
