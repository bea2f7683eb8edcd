//! The memory of a bare-metal board, as its linker script lays it out: what is mapped how, and what
//! an address means.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::board::statics::Statics;
use crate::board::{Guard, MeasuringStack, OVERFLOW_MARGIN};
use crate::cpu::{entry, paging};

unsafe extern "C" {
    static text_begin: u8;
    static text_end: u8;
    static rodata_begin: u8;
    static rodata_end: u8;
    static data_begin: u8;
    static bss_end: u8;
    static exception_stack_begin: u8;
    static exception_stack_end: u8;
    static boot_stack_begin: u8;
    static boot_stack_end: u8;
    static heap_begin: u8;
    static heap_end: u8;
    static buffers_begin: u8;
    static buffers_end: u8;
    static restored_data_begin: u8;
    static restored_data_end: u8;
    static restored_data_copy: u8;
    static restored_bss_begin: u8;
    static restored_bss_end: u8;
    static measuring_stack_begin: u8;
    static measuring_stack_end: u8;
    static build_id_note_begin: u8;
    static build_id_note_end: u8;
}

/// Address of a symbol of the linker script.
macro_rules! address {
    ($symbol:ident) => {
        (&raw const $symbol) as usize
    };
}

/// Gives the running program its stacks and its memory map: what the linker script says, and these
/// devices, by begin and end; then keeps a copy of the submission's static data.
///
/// # Safety
///
/// To be called once, first thing in `main`. The devices must be such, and lie apart from all
/// memory of the linker script.
pub(super) unsafe fn map<const N: usize>(devices: [(usize, usize); N]) {
    let image = [
        (address!(text_begin), address!(text_end), paging::CODE),
        (
            address!(rodata_begin),
            address!(rodata_end),
            paging::CONSTANTS,
        ),
        (address!(data_begin), address!(bss_end), paging::DATA),
        (
            address!(exception_stack_begin),
            address!(exception_stack_end),
            paging::DATA,
        ),
        (
            address!(boot_stack_begin),
            address!(boot_stack_end),
            paging::DATA,
        ),
        (address!(buffers_begin), address!(buffers_end), paging::DATA),
        (address!(heap_begin), address!(heap_end), paging::DATA),
        (
            address!(measuring_stack_begin),
            address!(measuring_stack_end),
            paging::DATA,
        ),
    ];
    let devices = devices
        .into_iter()
        .map(|(begin, end)| (begin, end, paging::DEVICE));
    // SAFETY: first thing in main, at EL1; the regions are those of the linker script, which lays
    // them out apart from each other and holds everything that we use beside the devices.
    unsafe {
        entry::split_stacks();
        paging::activate(image.into_iter().chain(devices));
    }
    // SAFETY: nothing of the submission has run yet.
    unsafe { statics().save() };
}

/// The memory that operations run on.
///
/// # Safety
///
/// To be called once.
pub unsafe fn measuring_stack() -> MeasuringStack {
    let begin = (&raw const measuring_stack_begin).cast_mut();
    let length = address!(measuring_stack_end) - address!(measuring_stack_begin);
    // SAFETY: the linker script gives this memory to nothing else.
    unsafe { MeasuringStack::new(begin, length) }
}

/// The memory that the submission's heap is made of.
pub fn heap() -> *mut [u8] {
    let begin = (&raw const heap_begin).cast_mut();
    core::ptr::slice_from_raw_parts_mut(begin, address!(heap_end) - address!(heap_begin))
}

/// The end of all memory that the linker script gives away.
#[cfg(any(board = "rpi3", board = "rpi4", board = "rpi5"))]
pub(super) fn end() -> usize {
    address!(measuring_stack_end)
}

/// The submission's static data, the C library's with it: it, too, keeps state from call to call.
fn statics() -> Statics {
    Statics {
        data: (address!(restored_data_begin), address!(restored_data_end)),
        copy: address!(restored_data_copy),
        bss: (address!(restored_bss_begin), address!(restored_bss_end)),
    }
}

/// Puts the submission's static data back to what was linked.
pub fn restore_statics() {
    // SAFETY: called between calls of the submission, by the one core that runs.
    unsafe { statics().restore() };
}

/// Hands out, by begin and end, the static data in which a submission may keep addresses.
pub fn kept(look: &mut dyn FnMut(usize, usize)) {
    let statics = statics();
    for (begin, end) in [statics.data, statics.bss, entry::thread_local()] {
        look(begin, end);
    }
}

/// The memory that buffers are made of. To be taken once: another time there is none.
pub fn take_buffers() -> &'static mut [u8] {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        return &mut [];
    }
    let begin = (&raw const buffers_begin).cast_mut();
    let length = address!(buffers_end) - address!(buffers_begin);
    // SAFETY: the linker script gives this memory to nothing else, and it is taken once.
    unsafe { core::slice::from_raw_parts_mut(begin, length) }
}

/// The measuring stack and the meter's own, begin and end.
fn stacks() -> [(u64, u64); 2] {
    let measuring = (
        address!(measuring_stack_begin),
        address!(measuring_stack_end),
    );
    let own = (address!(boot_stack_begin), address!(boot_stack_end));
    [measuring, own].map(|(begin, end)| (begin as u64, end as u64))
}

/// Bytes below the meter's own stack that no access may touch.
const OWN_GUARD: u64 = 4096;

/// What it means that this address was accessed with this stack pointer, if it is one that must not
/// be touched: in the hole below the measuring stack, or below the meter's own.
pub fn guard(data_address: u64, stack_pointer: u64) -> Option<Guard> {
    let [(low, high), (own, _)] = stacks();
    let hole = address!(heap_end) as u64..low;
    if (own - OWN_GUARD..own).contains(&data_address) {
        return Some(Guard::Own);
    }
    hole.contains(&data_address).then(|| {
        if (hole.start..low + OVERFLOW_MARGIN).contains(&stack_pointer) {
            let available = (high - low) as usize;
            Guard::Measuring { available }
        } else {
            Guard::Wild
        }
    })
}

/// Whether these bytes lie on the measuring stack or on the meter's own.
pub fn is_stack(begin: u64, length: u64) -> bool {
    stacks()
        .iter()
        .any(|(low, high)| begin >= *low && begin.saturating_add(length) <= *high)
}

/// Begin and end of the stack that this stack pointer belongs to, be it in the guard below it.
pub fn stack_of(stack_pointer: u64) -> Option<(u64, u64)> {
    let [measuring, own] = stacks();
    let guards = [address!(heap_end) as u64, own.0 - OWN_GUARD];
    let mut stacks = [measuring, own].into_iter().zip(guards);
    let (stack, _) = stacks.find(|((_, end), guard)| (*guard..=*end).contains(&stack_pointer))?;
    Some(stack)
}

/// Whether this is an address of code.
pub fn is_code(address: u64) -> bool {
    (address!(text_begin) as u64..address!(text_end) as u64).contains(&address)
}

/// An address of code as the image's file has it: the image runs where it is linked.
pub fn linked(address: u64) -> u64 {
    address
}

/// The build id that the linker put into a note of type 3, owner "GNU" (System V ABI, notes).
pub fn build_id() -> [u8; 20] {
    /// Bytes of the three lengths and the owner's name before the contents.
    const PREFIX: usize = 16;
    let mut id = [0; 20];
    let length = address!(build_id_note_end) - address!(build_id_note_begin);
    if length >= PREFIX + id.len() {
        // SAFETY: the linker script brackets the note with these symbols.
        unsafe {
            let contents = (&raw const build_id_note_begin).add(PREFIX);
            core::ptr::copy_nonoverlapping(contents, id.as_mut_ptr(), id.len());
        }
    }
    id
}
