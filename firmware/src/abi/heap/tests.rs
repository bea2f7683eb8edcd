//! One heap serves all tests: they take turns.

use std::sync::{Mutex as Turn, MutexGuard, PoisonError};

use super::entries::*;
use super::*;
use core::ffi::{CStr, c_char};

static TURN: Turn<()> = Turn::new(());

/// An empty heap until the guard goes.
fn fresh() -> MutexGuard<'static, ()> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    reset();
    turn
}

/// Bytes, blocks, allocations and frees since the start.
fn figures() -> [u64; 4] {
    let heap = counted();
    let live = heap.live_after;
    [live.bytes, live.blocks, heap.allocations, heap.frees]
}

#[test]
fn blocks_are_aligned_apart_and_keep_their_contents() {
    let _turn = fresh();
    let blocks: Vec<(usize, *mut u8)> = (0..13)
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
    assert_eq!(figures(), [0, 0, 26, 26]);
}

#[test]
fn what_c_leaves_open_is_settled() {
    let _turn = fresh();
    meter_free(ptr::null_mut());
    let nothing = meter_malloc(0);
    assert!(!nothing.is_null());
    assert!(meter_realloc(nothing, 0).is_null());
    assert_eq!(figures(), [0, 0, 1, 1]);
    assert!(meter_aligned_alloc(48, 10).is_null());
    let mut block = ptr::null_mut();
    // SAFETY: the pointer may be written.
    unsafe {
        assert_eq!(meter_posix_memalign(&raw mut block, 4, 10), 22);
        assert_eq!(meter_posix_memalign(&raw mut block, 64, 10), 0);
    }
    assert!(block.addr().is_multiple_of(64));
    assert_eq!(counted().failures, 2);
    assert_eq!(meter_malloc_usable_size(block), 10);
    assert_eq!(meter_malloc_usable_size(ptr::null_mut()), 0);
    assert!(meter_valloc(1).addr().is_multiple_of(4096));
    assert_eq!(meter_malloc_usable_size(meter_pvalloc(1)), 4096);
    // SAFETY: texts that end.
    unsafe {
        let copy = |text: *mut c_char| CStr::from_ptr(text).to_bytes().len();
        assert_eq!(copy(meter_strdup(c"four".as_ptr())), 4);
        assert_eq!(copy(meter_strndup(c"four".as_ptr(), 3)), 3);
    }
    let heap = counted();
    assert_eq!(heap.live_after.bytes, 10 + 1 + 4096 + 5 + 4);
    assert_eq!(heap.peak_bytes, heap.live_after.bytes);
}

#[test]
fn bytes_are_counted_as_they_were_asked_for() {
    let _turn = fresh();
    let kept = meter_malloc(100);
    start_counting();
    let block = meter_calloc(3, 1000);
    let block = meter_realloc(block, 10_000);
    let block = meter_reallocarray(block, 2, 50);
    meter_free(block);
    let more = meter_malloc(40);
    let heap = counted();
    let live = |bytes, blocks| wire::Live { bytes, blocks };
    assert_eq!(
        heap,
        wire::HeapUse {
            live_before: live(100, 1),
            live_after: live(140, 2),
            // The old block and the new one of a realloc are never counted together.
            peak_bytes: 10_100,
            largest_bytes: 10_000,
            allocations: 4,
            frees: 3,
            failures: 0,
            available_bytes: heap.available_bytes,
        }
    );
    start_counting();
    meter_free(kept);
    meter_free(more);
    let heap = counted();
    assert_eq!((heap.live_after, heap.peak_bytes), (live(0, 0), 140));
}

#[test]
fn what_is_no_block_in_use_has_no_size() {
    let _turn = fresh();
    let block = meter_malloc(64);
    let at = |address: usize| NonNull::new(ptr::with_exposed_provenance_mut(address)).unwrap();
    let address = block.expose_provenance();
    assert_eq!(size_of_block(at(address)), Some(64));
    for wild in [
        address + 8,
        address + 16,
        address - 16,
        16,
        usize::MAX,
        address + (1 << 40),
    ] {
        assert_eq!(size_of_block(at(wild)), None);
        assert_eq!(deallocate(at(wild)), None);
        assert_eq!(replace(at(wild), 10), None);
    }
    assert_eq!(deallocate(at(address)), Some(()));
    assert_eq!(deallocate(at(address)), None);
    assert_eq!(figures(), [0, 0, 1, 1]);
}

#[test]
fn more_than_there_is_has_no_place_and_costs_nothing() {
    let _turn = fresh();
    for size in [
        1 << 40,
        usize::MAX,
        usize::MAX - 15,
        counted().available_bytes as usize,
    ] {
        assert_eq!(allocate(size, ALIGNMENT), None);
        assert_eq!(allocate(size, 4096), None);
    }
    assert_eq!(figures(), [0; 4]);
    assert!(allocate(200 << 20, ALIGNMENT).is_some());
    assert_eq!(allocate(200 << 20, ALIGNMENT), None);
}

#[test]
fn a_fresh_heap_is_zero_and_repeats_its_addresses() {
    let _turn = fresh();
    let first = meter_malloc(5000);
    // SAFETY: the block has that many bytes.
    unsafe { ptr::write_bytes(first, 0xff, 5000) };
    reset();
    let again = meter_malloc(5000);
    assert_eq!(first, again);
    // SAFETY: the block has that many bytes.
    assert!((0..5000).all(|i| unsafe { again.add(i).read() } == 0));
}

#[test]
fn a_sweep_frees_what_nothing_refers_to() {
    let _turn = fresh();
    // A chain of blocks, an address in the midst of one, and a cycle of two that is lost.
    let blocks: Vec<*mut u8> = (0..6).map(|_| meter_calloc(1, 64)).collect();
    let refer = |from: usize, to: usize, distance: usize| {
        let address = blocks[to].expose_provenance() + distance;
        // SAFETY: the block has 64 bytes and is aligned.
        unsafe { blocks[from].cast::<usize>().add(3).write(address) };
    };
    refer(0, 1, 0);
    refer(1, 2, 63);
    refer(3, 4, 0);
    refer(4, 3, 0);
    let root = [
        7,
        blocks[0].expose_provenance(),
        blocks[5].expose_provenance() ^ 1 << 60,
    ];
    let begin = (&raw const root).expose_provenance();
    let roots = |look: &mut dyn FnMut(usize, usize)| look(begin, begin + size_of_val(&root));
    // SAFETY: the array is there, and nothing else runs.
    let lost = unsafe { sweep(&roots) };
    assert_eq!((lost.bytes, lost.blocks), (3 * 64, 3));
    let in_use = |block: &*mut u8| size_of_block(NonNull::new(*block).unwrap()).is_some();
    let left: Vec<bool> = blocks.iter().map(in_use).collect();
    assert_eq!(left, [true, true, true, false, false, false]);
    // SAFETY: as above.
    let lost = unsafe { sweep(&roots) };
    assert_eq!(lost.blocks, 0);
}

#[test]
fn a_heap_that_fills_with_lost_blocks_is_noticed_in_time() {
    let _turn = fresh();
    let available = counted().available_bytes as usize;
    for bytes in [1, 4096, 1 << 20] {
        reset();
        let mut lost = 0;
        for _ in 0..20_000 {
            assert!(allocate(bytes, ALIGNMENT).is_some());
            if has_grown() {
                // SAFETY: nothing is looked at.
                lost += unsafe { sweep(&|_| {}) }.blocks;
                assert!(!has_grown());
            }
        }
        let live = counted().live_after;
        assert_eq!(live.blocks + lost, 20_000);
        assert!((live.bytes as usize) < available / 4);
    }
}

#[test]
fn a_block_whose_header_was_overwritten_is_not_given_back() {
    let _turn = fresh();
    let block = meter_malloc(64);
    // SAFETY: the header lies before the block.
    unsafe { block.sub(1).write(!block.sub(1).read()) };
    let block = NonNull::new(block).unwrap();
    assert_eq!(state_of(block), BlockState::OverwrittenBefore);
    assert_eq!((size_of_block(block), deallocate(block)), (None, None));
    assert_eq!(replace(block, 10), None);
}

#[test]
fn a_size_that_was_changed_and_a_byte_behind_a_block_are_seen() {
    let _turn = fresh();
    for (size, damage, seen) in [
        (64, -16_isize, BlockState::OverwrittenBefore),
        (64, -1, BlockState::OverwrittenBefore),
        (65, 65, BlockState::OverwrittenBehind),
        (64, 71, BlockState::OverwrittenBehind),
        (0, 0, BlockState::OverwrittenBehind),
    ] {
        let block = NonNull::new(meter_malloc(size)).unwrap();
        assert_eq!(state_of(block), BlockState::Sound);
        assert_eq!(size_of_block(block), Some(size));
        // SAFETY: the heap's memory reaches from the header to the bytes behind the block.
        let byte = unsafe { &mut *block.as_ptr().offset(damage) };
        *byte ^= 0x20;
        assert_eq!((state_of(block), size_of_block(block)), (seen, None));
        assert_eq!(HEAP.lock().damaged(), Some(block));
        assert_eq!(deallocate(block), None);
        *byte ^= 0x20;
        assert_eq!(deallocate(block), Some(()));
    }
}
