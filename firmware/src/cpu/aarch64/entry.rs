//! From whatever level the loader enters at down to EL1, and onto our own stacks.

use core::arch::{asm, naked_asm};

use super::exceptions::meter_vectors;

/// SPSR_ELx: D, A, I and F masked, EL1 with its own stack pointer (DDI 0487, C5.2.19).
const EL1H_MASKED: u64 = 0x3c5;

/// HCR_EL2: EL1 is AArch64 (RW, bit 31).
const HCR_AARCH64: u64 = 1 << 31;

/// SCR_EL3: non-secure (NS, bit 0), lower levels AArch64 (RW, bit 10), HVC enabled (HCE, bit 8),
/// and the bits that are reserved as one (4 and 5).
const SCR_NON_SECURE: u64 = 1 << 10 | 1 << 8 | 1 << 5 | 1 << 4 | 1;

/// SCTLR_EL1 with the MMU off: only the bits that are reserved as one in Armv8.0.
const SCTLR_RESET: u64 = 0x30d0_0800;

/// CPTR_EL2: no trap of floating point; the bits that are reserved as one.
const CPTR_NO_TRAPS: u64 = 0x33ff;

/// The image's first instruction: drops to EL1 and goes on to aarch64-rt's entry.
///
/// x0 to x2 are handed on as they came; x3, which the boot protocol leaves at 0, carries the level
/// that we were entered at. No memory is touched: the MMU is off.
///
/// # Safety
///
/// For the loader alone to jump to.
#[unsafe(naked)]
#[unsafe(no_mangle)]
#[unsafe(link_section = ".init.meter_entry")]
unsafe extern "C" fn meter_entry() -> ! {
    naked_asm!(
        // From here on an exception is reported. VBAR_EL1 can be written at every level.
        "adrp x10, {vectors}",
        "add x10, x10, :lo12:{vectors}",
        "msr vbar_el1, x10",
        "mrs x3, CurrentEL",
        "lsr x3, x3, #2",
        "movz x10, #{sctlr_low}",
        "movk x10, #{sctlr_high}, lsl #16",
        "mov x11, #{hcr}",
        "mov x12, #{spsr}",
        "mov x13, #{cptr}",
        "cmp x3, #2",
        "b.lo {entry}",
        "adrp x14, {entry}",
        "add x14, x14, :lo12:{entry}",
        "msr sctlr_el1, x10",
        "b.eq 2f",
        // EL3: everything below is non-secure AArch64.
        "mov x15, #{scr}",
        "msr scr_el3, x15",
        "msr cptr_el3, xzr",
        "msr mdcr_el3, xzr",
        "msr spsr_el3, x12",
        "msr elr_el3, x14",
        // Without EL2 its registers do not exist (ID_AA64PFR0_EL1.EL2 is 0).
        "mrs x15, id_aa64pfr0_el1",
        "ubfx x15, x15, #8, #4",
        "cbz x15, 3f",
        "2:",
        "msr hcr_el2, x11",
        "msr cptr_el2, x13",
        "msr cntvoff_el2, xzr",
        "mov x15, #3",
        "msr cnthctl_el2, x15",
        "msr vttbr_el2, xzr",
        "mrs x15, midr_el1",
        "msr vpidr_el2, x15",
        "mrs x15, mpidr_el1",
        "msr vmpidr_el2, x15",
        // MDCR_EL2.HPMN: leave all event counters to EL1.
        "mrs x15, pmcr_el0",
        "ubfx x15, x15, #11, #5",
        "msr mdcr_el2, x15",
        "cmp x3, #3",
        "b.eq 3f",
        "msr spsr_el2, x12",
        "msr elr_el2, x14",
        "3:",
        "isb",
        "eret",
        sctlr_low = const SCTLR_RESET & 0xffff,
        sctlr_high = const SCTLR_RESET >> 16,
        hcr = const HCR_AARCH64,
        spsr = const EL1H_MASKED,
        cptr = const CPTR_NO_TRAPS,
        scr = const SCR_NON_SECURE,
        entry = sym aarch64_rt_entry,
        vectors = sym meter_vectors,
    )
}

unsafe extern "C" {
    /// aarch64-rt's entry: MMU and caches on, .bss cleared, stack set, then `main`.
    #[link_name = "entry"]
    fn aarch64_rt_entry();

    static exception_stack_end: u8;
    static tdata_begin: u8;
    static tdata_end: u8;
    static tbss_end: u8;
}

/// Bytes for C's thread-local variables.
const THREAD_LOCAL: usize = 1024;

/// Bytes that the AArch64 TLS layout keeps between the thread pointer and the first variable.
const THREAD_CONTROL_BLOCK: usize = 16;

#[repr(C, align(64))]
struct ThreadLocal([u8; THREAD_LOCAL]);

static mut THREAD_LOCAL_STORAGE: ThreadLocal = ThreadLocal([0; THREAD_LOCAL]);

/// C's thread-local variables, by begin and end.
pub fn thread_local() -> (usize, usize) {
    let begin = (&raw const THREAD_LOCAL_STORAGE).expose_provenance();
    (begin, begin + THREAD_LOCAL)
}

/// Moves the running program to SP_EL0 and leaves SP_EL1 to exceptions, on a stack of their own;
/// then gives C its thread-local variables.
///
/// After this a submission can destroy its stack pointer or exhaust its stack, and the report of
/// it still has a stack to stand on.
///
/// # Safety
///
/// To be called once, first thing in `main`, at EL1 with SP_EL1 selected.
pub unsafe fn split_stacks() {
    // SAFETY: SP_EL0 takes the value of the present stack pointer, so the program goes on where it
    // is; SP_EL1 gets the exception stack, which the linker script reserves.
    unsafe {
        asm!(
            "mov {scratch}, sp",
            "msr sp_el0, {scratch}",
            "mov sp, {exceptions}",
            "msr spsel, #0",
            scratch = out(reg) _,
            exceptions = in(reg) &raw const exception_stack_end,
        );
    }
    let initial = &raw const tdata_begin;
    let length = (&raw const tdata_end) as usize - initial as usize;
    let total = (&raw const tbss_end) as usize - initial as usize;
    assert!(
        THREAD_CONTROL_BLOCK + total <= THREAD_LOCAL,
        "thread-local variables do not fit"
    );
    let block = (&raw mut THREAD_LOCAL_STORAGE).cast::<u8>();
    // SAFETY: the block is ours and large enough; .tdata's initial contents lie in the image. The
    // remainder, .tbss, is zero from the start.
    unsafe {
        core::ptr::copy_nonoverlapping(initial, block.add(THREAD_CONTROL_BLOCK), length);
        asm!("msr tpidr_el0, {}", in(reg) block, options(nostack, preserves_flags));
    }
}
