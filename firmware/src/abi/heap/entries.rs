//! The functions that the submission's calls are led to: `firmware/build/rename.rs` has the list.
//!
//! Each notes where its caller's stack pointer is. What cannot be met, or is no block in use, ends
//! the operation with a report that says what was asked and what is in use.

use core::ffi::{c_char, c_int};
use core::fmt::{self, Display};
use core::ptr::{self, NonNull};

use wire::FaultKind;

use super::{
    ALIGNMENT, BlockState, allocate, counted, deallocate, refuse, replace, size_of_block, state_of,
};
use crate::board::stack;
use crate::meter::fault;

/// `EINVAL`, the same number in every C library that we link.
const EINVAL: c_int = 22;

/// Bytes of a page, for the functions that speak of pages: what most systems have.
const PAGE: usize = 4096;

/// What the submission called, for reports: up to two numbers.
struct Called(&'static str, usize, Option<usize>);

impl Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(function, first, second) = self;
        write!(f, "{function}({first}")?;
        if let Some(second) = second {
            write!(f, ", {second}")?;
        }
        f.write_str(")")
    }
}

#[cold]
#[inline(never)]
fn exhausted(called: &Called) -> ! {
    let heap = counted();
    fault::report_here(
        FaultKind::Heap,
        format_args!(
            "{called}: no room, {} bytes in {} blocks are live in a heap of {}",
            heap.live_after.bytes, heap.live_after.blocks, heap.available_bytes
        ),
    )
}

#[cold]
#[inline(never)]
pub(super) fn misused(function: &'static str, block: NonNull<u8>) -> ! {
    let live = counted().live_after;
    let what = match state_of(block) {
        BlockState::OverwrittenBefore => "the bytes before it were overwritten",
        BlockState::OverwrittenBehind => "the bytes behind it were overwritten",
        BlockState::None | BlockState::Sound => "no block in use starts there",
    };
    fault::report_here(
        FaultKind::Heap,
        format_args!(
            "{function}({block:p}): {what}, {} bytes in {} blocks are live",
            live.bytes, live.blocks
        ),
    )
}

/// A block, or the end of the operation.
#[inline(always)]
fn take(size: usize, alignment: usize, called: impl FnOnce() -> Called) -> NonNull<u8> {
    match allocate(size, alignment) {
        Some(block) => block,
        None => exhausted(&called()),
    }
}

/// `void *malloc(size_t size)`
#[unsafe(no_mangle)]
pub extern "C" fn meter_malloc(size: usize) -> *mut u8 {
    stack::note_here();
    take(size, ALIGNMENT, || Called("malloc", size, None)).as_ptr()
}

/// `void *calloc(size_t count, size_t size)`: a product that overflows is more than any heap has.
#[unsafe(no_mangle)]
pub extern "C" fn meter_calloc(count: usize, size: usize) -> *mut u8 {
    stack::note_here();
    let called = || Called("calloc", count, Some(size));
    let Some(total) = count.checked_mul(size) else {
        exhausted(&called())
    };
    let block = take(total, ALIGNMENT, called).as_ptr();
    // SAFETY: the block has that many bytes.
    unsafe { ptr::write_bytes(block, 0, total) };
    block
}

/// `void *realloc(void *block, size_t size)`; size 0 frees, as in the C libraries of Linux.
#[unsafe(no_mangle)]
pub extern "C" fn meter_realloc(block: *mut u8, size: usize) -> *mut u8 {
    stack::note_here();
    let called = || Called("realloc", block.addr(), Some(size));
    let Some(old) = NonNull::new(block) else {
        return take(size, ALIGNMENT, called).as_ptr();
    };
    if size == 0 {
        match deallocate(old) {
            Some(()) => return ptr::null_mut(),
            None => misused("realloc", old),
        }
    }
    match replace(old, size) {
        Some(new) => new.as_ptr(),
        None if size_of_block(old).is_none() => misused("realloc", old),
        None => exhausted(&called()),
    }
}

/// `void *reallocarray(void *block, size_t count, size_t size)`
#[unsafe(no_mangle)]
pub extern "C" fn meter_reallocarray(block: *mut u8, count: usize, size: usize) -> *mut u8 {
    stack::note_here();
    match count.checked_mul(size) {
        Some(total) => meter_realloc(block, total),
        None => exhausted(&Called("reallocarray", count, Some(size))),
    }
}

/// `void free(void *block)`
#[unsafe(no_mangle)]
pub extern "C" fn meter_free(block: *mut u8) {
    stack::note_here();
    if let Some(block) = NonNull::new(block)
        && deallocate(block).is_none()
    {
        misused("free", block)
    }
}

/// `void *aligned_alloc(size_t alignment, size_t size)`: null for an alignment that is none.
#[unsafe(no_mangle)]
pub extern "C" fn meter_aligned_alloc(alignment: usize, size: usize) -> *mut u8 {
    stack::note_here();
    if !alignment.is_power_of_two() {
        refuse();
        return ptr::null_mut();
    }
    let called = || Called("aligned_alloc", alignment, Some(size));
    take(size, alignment.max(ALIGNMENT), called).as_ptr()
}

/// `void *memalign(size_t alignment, size_t size)`
#[unsafe(no_mangle)]
pub extern "C" fn meter_memalign(alignment: usize, size: usize) -> *mut u8 {
    meter_aligned_alloc(alignment, size)
}

/// `void *valloc(size_t size)`: aligned to a page.
#[unsafe(no_mangle)]
pub extern "C" fn meter_valloc(size: usize) -> *mut u8 {
    stack::note_here();
    take(size, PAGE, || Called("valloc", size, None)).as_ptr()
}

/// `void *pvalloc(size_t size)`: whole pages.
#[unsafe(no_mangle)]
pub extern "C" fn meter_pvalloc(size: usize) -> *mut u8 {
    stack::note_here();
    let called = || Called("pvalloc", size, None);
    match size.checked_next_multiple_of(PAGE) {
        Some(pages) => take(pages, PAGE, called).as_ptr(),
        None => exhausted(&called()),
    }
}

/// `int posix_memalign(void **block, size_t alignment, size_t size)`
///
/// # Safety
///
/// `block` must point to a pointer that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meter_posix_memalign(
    block: *mut *mut u8,
    alignment: usize,
    size: usize,
) -> c_int {
    stack::note_here();
    if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
        refuse();
        return EINVAL;
    }
    let called = || Called("posix_memalign", alignment, Some(size));
    let new = take(size, alignment.max(ALIGNMENT), called).as_ptr();
    // SAFETY: the caller's promise.
    unsafe { block.write(new) };
    0
}

/// `size_t malloc_usable_size(void *block)`: what was asked for, and nothing for no block.
#[unsafe(no_mangle)]
pub extern "C" fn meter_malloc_usable_size(block: *mut u8) -> usize {
    stack::note_here();
    let Some(block) = NonNull::new(block) else {
        return 0;
    };
    match size_of_block(block) {
        Some(size) => size,
        None => misused("malloc_usable_size", block),
    }
}

/// `char *strdup(const char *text)`
///
/// # Safety
///
/// The text must end in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meter_strdup(text: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    unsafe { meter_strndup(text, usize::MAX) }
}

/// `char *strndup(const char *text, size_t most)`
///
/// # Safety
///
/// The text must end in a zero byte or have as many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn meter_strndup(text: *const c_char, most: usize) -> *mut c_char {
    stack::note_here();
    let mut length = 0;
    // SAFETY: the caller's promise; the new block has room for the text and its end.
    unsafe {
        while length < most && text.add(length).read() != 0 {
            length += 1;
        }
        let called = || Called("strndup", length, None);
        let copy: *mut c_char = take(length + 1, ALIGNMENT, called).as_ptr().cast();
        ptr::copy_nonoverlapping(text, copy, length);
        copy.add(length).write(0);
        copy
    }
}
