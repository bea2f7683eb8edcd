//! A process of Linux: an inherited socket for the line, or standard input and output, mappings for
//! the memory.

use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::Instant;

use rustix::mm::{
    MapFlags, MlockAllFlags, MprotectFlags, ProtFlags, mlockall, mmap_anonymous, mprotect,
};
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use wire::FaultKind;

use crate::board::confinement;
use crate::board::descriptors::Descriptors;
use crate::board::statics::Statics;
use crate::board::{Guard, MeasuringStack, OVERFLOW_MARGIN};
use crate::cpu::{self, counter, exceptions};
use crate::meter::fault;
use crate::meter::log::info;

/// Environment variable of an emulator of user mode, which knows no filters of system calls: a
/// submission is not confined there.
const UNCONFINED_VARIABLE: &str = "NGCC_METER_UNCONFINED";

/// Address space below the measuring stack that no access may touch.
const GUARD: usize = 1 << 30;

/// Bytes that an operation may use, as on the boards.
const STACK: usize = 8 << 20;

/// Bytes of the submission's heap, as on the boards.
const HEAP: usize = 256 << 20;

/// Address space for buffers: a hash function's longest message and more. What is not written
/// takes no memory.
const BUFFERS: usize = 2 << 30;

/// An address in the oldest frame of the meter's own stack.
static OWN_STACK: OnceLock<u64> = OnceLock::new();

/// When the process started.
static STARTED: OnceLock<Instant> = OnceLock::new();

/// The mappings, by address.
struct Memory {
    /// Start of guard and stack.
    stack: usize,
    /// Start of the heap.
    heap: usize,
    /// Start of the buffers.
    buffers: usize,
    /// Start of the copy of the submission's static data.
    copy: usize,
}

static MEMORY: OnceLock<Memory> = OnceLock::new();

/// Runs the meter on the line that the environment names; without one, hands the program to the host
/// tool, as `cargo run` expects.
pub fn main() -> ExitCode {
    let Some(line) = Descriptors::named() else {
        return hand_over();
    };
    match line.and_then(prepare) {
        Ok(()) => {}
        Err(error) => {
            eprintln!("error: the meter cannot start: {error}");
            return ExitCode::from(2);
        }
    }
    let description = counter::start();
    pin();
    lock_memory();
    if std::env::var_os(UNCONFINED_VARIABLE).is_some() {
        info!("the submission is not confined: an emulator runs this process");
    } else if let Err(error) = confinement::confine() {
        eprintln!("error: the meter cannot confine the submission: {error}");
        return ExitCode::from(2);
    }
    let low = memory().stack + GUARD;
    // SAFETY: the mapping is used for nothing else.
    let stack = unsafe { MeasuringStack::new(ptr::with_exposed_provenance_mut(low), STACK) };
    crate::run(description, None, stack);
    ExitCode::SUCCESS
}

/// Becomes `cargo host run <this program>`.
fn hand_over() -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let error = match std::env::current_exe() {
        Ok(program) => Command::new(cargo)
            .args(["host", "run"])
            .arg(program)
            .exec(),
        Err(error) => error,
    };
    eprintln!("error: this meter is started by the host tool, which did not start: {error}");
    eprintln!("help: run it with `cargo host run <path>` in the project's folder");
    ExitCode::from(2)
}

/// Takes over the line and the signals, and maps stack and heap.
fn prepare(line: Descriptors) -> std::io::Result<()> {
    let _ = MEMORY.set(Memory::map()?);
    // SAFETY: nothing of the submission has run yet.
    unsafe { statics().save() };
    exceptions::start()?;
    // A panic below a submission's call cannot unwind: it would end as a call of abort.
    std::panic::set_hook(Box::new(|information| {
        fault::report_here(FaultKind::Panic, format_args!("{information}"))
    }));
    let _ = OWN_STACK.set((&raw const line).addr() as u64);
    let _ = STARTED.set(Instant::now());
    line.take_over()
}

impl Memory {
    /// Maps the stack above its guard, and the heap.
    fn map() -> std::io::Result<Self> {
        let map = |length, protection| {
            // SAFETY: a new mapping, wherever the kernel finds room.
            unsafe {
                mmap_anonymous(
                    ptr::null_mut(),
                    length,
                    protection,
                    MapFlags::PRIVATE | MapFlags::NORESERVE,
                )
            }
        };
        let stack = map(GUARD + STACK, ProtFlags::empty())?;
        let read_write = ProtFlags::READ | ProtFlags::WRITE;
        let heap = map(HEAP, read_write)?;
        let buffers = map(BUFFERS, read_write)?;
        let (begin, end) = data();
        // A mapping of no bytes is an error.
        let copy = map((end - begin).max(1), read_write)?;
        // SAFETY: the upper part of the mapping just made.
        unsafe {
            let read_write = MprotectFlags::READ | MprotectFlags::WRITE;
            mprotect(stack.byte_add(GUARD), STACK, read_write)?;
        }
        Ok(Self {
            stack: stack.expose_provenance(),
            heap: heap.expose_provenance(),
            buffers: buffers.expose_provenance(),
            copy: copy.expose_provenance(),
        })
    }
}

fn memory() -> &'static Memory {
    MEMORY.get_or_init(|| Memory::map().expect("the kernel gives address space"))
}

/// Keeps this thread on the last of the processors that it may use: counts of two processors do
/// not add up, and the first one serves most interrupts.
fn pin() {
    let last = sched_getaffinity(None)
        .ok()
        .and_then(|allowed| (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu)));
    let Some(cpu) = last else {
        return info!("not pinned: the kernel names no processor");
    };
    let mut only = CpuSet::new();
    only.set(cpu);
    match sched_setaffinity(None, &only) {
        Ok(()) => info!("pinned to processor {cpu}"),
        Err(error) => info!("not pinned to processor {cpu}: {error}"),
    }
}

/// Keeps what is mapped now in memory once it was touched: a page that was swapped out would come
/// back during a call. Where that is not allowed, the host tool finds the machine unfit if it swaps.
fn lock_memory() {
    // Not what is mapped later: a submission's own mappings could then fail at the limit.
    let now = MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT;
    match mlockall(now) {
        Ok(()) => info!("memory locked"),
        Err(error) => info!("memory not locked: {error}"),
    }
}

/// Time since the start, in nanoseconds.
pub fn nanoseconds() -> u64 {
    STARTED.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Frequency of the clock behind [`nanoseconds`]: the kernel's monotonic clock.
pub fn clock_hz() -> u64 {
    1_000_000_000
}

/// The memory that the submission's heap is made of.
pub fn heap() -> *mut [u8] {
    ptr::slice_from_raw_parts_mut(ptr::with_exposed_provenance_mut(memory().heap), HEAP)
}

// The build names the sections of the submission's static data so that the linker marks their
// ends with symbols. One byte of ours in each: sections that are empty have no ends.
core::arch::global_asm!(
    ".pushsection meter_sub_data, \"aw\", @progbits",
    "meter_sub_data_anchor: .byte 0",
    ".popsection",
    ".pushsection meter_sub_bss, \"aw\", @nobits",
    "meter_sub_bss_anchor: .skip 1",
    ".popsection",
);

unsafe extern "C" {
    static meter_sub_data_anchor: u8;
    static meter_sub_bss_anchor: u8;
    static __start_meter_sub_data: u8;
    static __stop_meter_sub_data: u8;
    static __start_meter_sub_bss: u8;
    static __stop_meter_sub_bss: u8;
}

/// The submission's initialised data, begin and end.
fn data() -> (usize, usize) {
    // What nothing refers to would be left out by the linker.
    core::hint::black_box((
        &raw const meter_sub_data_anchor,
        &raw const meter_sub_bss_anchor,
    ));
    (
        (&raw const __start_meter_sub_data).expose_provenance(),
        (&raw const __stop_meter_sub_data).expose_provenance(),
    )
}

fn statics() -> Statics {
    Statics {
        data: data(),
        copy: memory().copy,
        bss: (
            (&raw const __start_meter_sub_bss).expose_provenance(),
            (&raw const __stop_meter_sub_bss).expose_provenance(),
        ),
    }
}

/// Puts the submission's static data back to what was linked. What the C library keeps, a shared
/// one, stays as it is.
pub fn restore_statics() {
    // SAFETY: called between calls of the submission, on the one thread that there is.
    unsafe { statics().restore() };
}

/// Hands out, by begin and end, the static data in which a submission may keep addresses.
pub fn kept(look: &mut dyn FnMut(usize, usize)) {
    let statics = statics();
    for (begin, end) in [statics.data, statics.bss, thread_local()] {
        look(begin, end);
    }
}

/// The program's thread-local variables, by begin and end: as many bytes as the program header
/// says.
fn thread_local() -> (usize, usize) {
    // SAFETY: the kernel tells where it put the program headers, and how many they are.
    let headers: &[libc::Elf64_Phdr] = unsafe {
        let first = ptr::with_exposed_provenance(libc::getauxval(libc::AT_PHDR) as usize);
        core::slice::from_raw_parts(first, libc::getauxval(libc::AT_PHNUM) as usize)
    };
    let template = headers.iter().find(|header| header.p_type == libc::PT_TLS);
    let (bytes, alignment) = template.map_or((0, 1), |header| {
        (header.p_memsz as usize, header.p_align.max(1) as usize)
    });
    cpu::thread_local(bytes, alignment)
}

/// The memory that buffers are made of. To be taken once: another time there is none.
pub fn take_buffers() -> &'static mut [u8] {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        return &mut [];
    }
    let begin = ptr::with_exposed_provenance_mut(memory().buffers);
    // SAFETY: the mapping is used for nothing else, and is taken once.
    unsafe { core::slice::from_raw_parts_mut(begin, BUFFERS) }
}

/// The measuring stack, begin and end, and its guard's begin.
fn measuring() -> Option<(u64, u64, u64)> {
    let guard = MEMORY.get()?.stack as u64;
    let low = guard + GUARD as u64;
    Some((low, low + STACK as u64, guard))
}

/// How far the end of the meter's own stack may lie from where it is taken for: arguments and
/// environment lie above our oldest frame, and a frame may reach below the last page.
const OWN_GUARD: u64 = 1 << 20;

/// The meter's own stack, begin and end: from its oldest frame down to what the kernel lets it grow
/// to.
fn own() -> Option<(u64, u64)> {
    let end = *OWN_STACK.get()?;
    let limit = getrlimit(Resource::Stack).current.unwrap_or(0);
    Some((end.saturating_sub(limit), end))
}

/// What it means that this address was accessed with this stack pointer, if it is one that must not
/// be touched: in the hole below the measuring stack, or below the meter's own.
pub fn guard(data_address: u64, stack_pointer: u64) -> Option<Guard> {
    let (low, high, begin) = measuring()?;
    if (begin..low).contains(&data_address) {
        return Some(
            match (begin..low + OVERFLOW_MARGIN).contains(&stack_pointer) {
                true => Guard::Measuring {
                    available: (high - low) as usize,
                },
                false => Guard::Wild,
            },
        );
    }
    let (own_low, _) = own()?;
    (own_low.saturating_sub(OWN_GUARD)..own_low + OWN_GUARD)
        .contains(&data_address)
        .then_some(Guard::Own)
}

/// Whether these bytes lie on the measuring stack.
pub fn is_stack(begin: u64, length: u64) -> bool {
    measuring().is_some_and(|(low, high, _)| begin >= low && begin.saturating_add(length) <= high)
}

/// Begin and end of the stack that this stack pointer belongs to, be it in the guard below it.
pub fn stack_of(stack_pointer: u64) -> Option<(u64, u64)> {
    let (low, high, guard) = measuring()?;
    if (guard..=high).contains(&stack_pointer) {
        return Some((low, high));
    }
    let (own_low, own_high) = own()?;
    // The kernel has mapped what was used of it, which begins at the stack pointer.
    (own_low..=own_high)
        .contains(&stack_pointer)
        .then_some((own_low, own_high))
}

/// Whether this is an address of code of ours, and of none in a shared library.
pub fn is_code(address: u64) -> bool {
    let begin = (&raw const __executable_start).addr() as u64;
    let end = (&raw const etext).addr() as u64;
    (begin..end).contains(&address)
}

/// Ends the meter after this time with the report of a deadline that passed, or lets it live.
pub fn set_deadline(nanoseconds: Option<u64>) {
    exceptions::set_alarm(nanoseconds);
}

unsafe extern "C" {
    static __executable_start: u8;
    static etext: u8;
    static _end: u8;
}

/// The image in memory, its data included, and the measuring stack: begin and end of each.
pub fn code_and_stack() -> [(usize, usize); 2] {
    let low = memory().stack + GUARD;
    [
        (
            (&raw const __executable_start).expose_provenance(),
            (&raw const _end).expose_provenance(),
        ),
        (low, low + STACK),
    ]
}

/// An address of code as the image's file has it: the kernel chose where the image is loaded, and
/// its symbols know nothing of that. Addresses of shared libraries stay as they are.
pub fn linked(address: u64) -> u64 {
    let begin = (&raw const __executable_start).addr() as u64;
    let end = (&raw const _end).addr() as u64;
    if (begin..end).contains(&address) {
        address - begin
    } else {
        address
    }
}

/// The build id that the linker put into the running program.
pub fn build_id() -> [u8; 20] {
    buildid::build_id()
        .and_then(|id| id.try_into().ok())
        .unwrap_or_default()
}

/// The kernel's figures are read by the host, who runs beside us.
pub fn conditions() -> wire::Conditions {
    wire::Conditions::default()
}

/// Ends the process at once, without C's exit handlers.
pub fn power_off(_entry_level: Option<u8>) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_named_by_its_place_in_the_image_and_libraries_by_theirs() {
        let ours = linked as *const () as u64;
        let begin = (&raw const __executable_start).addr() as u64;
        assert_eq!(linked(ours), ours - begin);
        let theirs = libc::abort as *const () as u64;
        for foreign in [theirs, 0, begin - 1, u64::MAX] {
            assert_eq!(linked(foreign), foreign);
        }
    }
}
