//! From wherever the loader puts us and at whatever level it enters, down to EL1 at the address
//! that we are linked for, and onto our own stacks.
//!
//! Register names and fields are those of the Arm Architecture Reference Manual (DDI 0487), those
//! of interrupt controllers of IHI 0048B (version 2) and IHI 0069 (versions 3 and 4).

use core::arch::{asm, naked_asm};

use super::exceptions::meter_vectors;
use crate::board;

/// What the first instructions must know of a board.
pub struct Start {
    /// Cores beside ours that may be running: the loader entered them too, or keeps them waiting
    /// for an address; up to three. Those that PSCI has yet to switch on are not among them.
    pub others: u64,
    /// Where core n looks for an address to go to: this one and 8 n; 0 where there is no such
    /// table.
    pub spin_table: usize,
    /// Distributor of an interrupt controller of version 2, whose interrupts the secure side has
    /// to hand to us; 0 where there is none.
    pub distributor: usize,
    /// The interface of the core to it.
    pub interface: usize,
}

/// SPSR_ELx: D, A, I and F masked, EL1 with its own stack pointer (C5.2.19).
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

/// CNTHCTL_EL2: EL1 reads the physical counter and has its timer (EL1PCTEN, EL1PCEN).
const CNTHCTL_NO_TRAPS: u64 = 3;

/// MPIDR_EL1: all affinity fields, which are 0 for the core that a loader starts with.
const AFFINITY: u64 = 0xff_00ff_ffff;

/// What [`PARKED`] holds when all others are parked.
const ALL_PARKED: u32 = match board::START.others {
    0 => 0,
    1 => 0x0000_0100,
    2 => 0x0001_0100,
    _ => 0x0101_0100,
};

/// Core n sets byte n when it is parked. It is no part of .bss, which is cleared later.
#[unsafe(link_section = ".data.parked")]
static mut PARKED: u32 = 0;

/// Whether all other cores that could disturb us are known to be parked.
pub fn others_are_parked() -> bool {
    // SAFETY: whoever writes here does so once, long ago or never.
    unsafe { (&raw const PARKED).read_volatile() == ALL_PARKED }
}

/// The image's first instruction: goes to where it is linked, with all that was loaded, if the
/// loader put it elsewhere.
///
/// x0 to x2 are handed on as they came. The MMU is off.
///
/// # Safety
///
/// For the loader alone to jump to.
#[unsafe(naked)]
#[unsafe(no_mangle)]
#[unsafe(link_section = ".init.meter_entry")]
unsafe extern "C" fn meter_entry() -> ! {
    naked_asm!(
        ".if {others}",
        "mrs x9, mpidr_el1",
        "mov x10, #{affinity_low}",
        "movk x10, #{affinity_high}, lsl #32",
        "tst x9, x10",
        "b.ne {park}",
        ".endif",
        "adr x9, {entry}",
        "movz x10, #:abs_g1:{entry}",
        "movk x10, #:abs_g0_nc:{entry}",
        "adrp x11, load_end",
        "add x11, x11, :lo12:load_end",
        "movz x14, #:abs_g1:{start}",
        "movk x14, #:abs_g0_nc:{start}",
        "cmp x9, x10",
        "b.eq {start}",
        "b.hi 2f",
        // Upwards from the end, as the two places may overlap. This code lies at the beginning,
        // which the copy does not reach before it is at an end.
        "sub x12, x11, x9",
        "add x10, x10, x12",
        "1:",
        "ldp x12, x13, [x11, #-16]!",
        "stp x12, x13, [x10, #-16]!",
        "cmp x11, x9",
        "b.hi 1b",
        "dsb sy",
        "ic iallu",
        "dsb sy",
        "isb",
        "br x14",
        // Downwards from the beginning, which may overwrite this code: it goes on behind the end.
        "2:",
        "adr x12, 3f",
        "mov x13, x11",
        "ldp x15, x16, [x12]",
        "stp x15, x16, [x13]",
        "ldp x15, x16, [x12, #16]",
        "stp x15, x16, [x13, #16]",
        "ldp x15, x16, [x12, #32]",
        "stp x15, x16, [x13, #32]",
        "dsb sy",
        "ic iallu",
        "dsb sy",
        "isb",
        "br x13",
        "3:",
        "ldp x12, x13, [x9], #16",
        "stp x12, x13, [x10], #16",
        "cmp x9, x11",
        "b.lo 3b",
        "dsb sy",
        "ic iallu",
        "dsb sy",
        "isb",
        "br x14",
        others = const board::START.others,
        affinity_low = const AFFINITY & 0xff_ffff,
        affinity_high = const AFFINITY >> 32,
        entry = sym meter_entry,
        start = sym meter_start,
        park = sym park,
    )
}

/// Parks the other cores, drops to EL1 and goes on to aarch64-rt's entry.
///
/// x3, which the boot protocol leaves at 0, carries on the level that we were entered at. The MMU
/// is off.
///
/// # Safety
///
/// For [`meter_entry`] alone to go to.
#[unsafe(naked)]
#[unsafe(link_section = ".init.meter_start")]
unsafe extern "C" fn meter_start() -> ! {
    naked_asm!(
        // From here on an exception is reported. VBAR_EL1 can be written at every level.
        "adrp x10, {vectors}",
        "add x10, x10, :lo12:{vectors}",
        "msr vbar_el1, x10",
        // The others' turn: an eighth of a second to say that they are parked.
        ".if {others}",
        "adrp x10, {park}",
        "add x10, x10, :lo12:{park}",
        "mov x11, #{spin_table}",
        "stp x10, x10, [x11, #8]",
        "str x10, [x11, #24]",
        "dsb sy",
        "sev",
        "adrp x10, {parked}",
        "add x10, x10, :lo12:{parked}",
        "movz w11, #{all_parked_low}",
        "movk w11, #{all_parked_high}, lsl #16",
        "mrs x12, cntfrq_el0",
        "mrs x13, cntvct_el0",
        "add x12, x13, x12, lsr #3",
        "1:",
        // For an emulator that runs one core at a time.
        "yield",
        "isb",
        "mrs x13, cntvct_el0",
        "ldr w14, [x10]",
        // Again while they are not, and the time is not over.
        "cmp w14, w11",
        "ccmp x13, x12, #2, ne",
        "b.lo 1b",
        ".endif",
        "mrs x3, CurrentEL",
        "lsr x3, x3, #2",
        "cmp x3, #2",
        "b.lo {entry}",
        "movz x10, #{sctlr_low}",
        "movk x10, #{sctlr_high}, lsl #16",
        "msr sctlr_el1, x10",
        "adrp x14, {entry}",
        "add x14, x14, :lo12:{entry}",
        "mov x12, #{spsr}",
        // ID_AA64PFR0_EL1: EL2 (bits 11 to 8), GIC's system registers (bits 27 to 24).
        "mrs x9, id_aa64pfr0_el1",
        "cmp x3, #2",
        "b.eq 2f",
        // EL3: everything below is non-secure AArch64.
        "mov x15, #{scr}",
        "msr scr_el3, x15",
        "msr cptr_el3, xzr",
        "msr mdcr_el3, xzr",
        "msr spsr_el3, x12",
        "msr elr_el3, x14",
        "isb",
        "tst x9, #0xf000000",
        "b.eq 1f",
        // ICC_SRE_EL3: system registers, which lower levels may choose as well.
        "mov x15, #0xf",
        "msr s3_6_c12_c12_5, x15",
        "isb",
        "1:",
        ".if {distributor}",
        // All interrupts into group 1, which is ours, and both groups on: GICD_IGROUPRn,
        // GICD_CTLR, GICC_PMR, GICC_CTLR.
        "movz x15, #{distributor_low}",
        "movk x15, #{distributor_high}, lsl #16",
        "mov w16, #-1",
        "add x17, x15, #0x80",
        "add x10, x15, #0x100",
        "1:",
        "str w16, [x17], #4",
        "cmp x17, x10",
        "b.lo 1b",
        "mov w16, #3",
        "str w16, [x15]",
        "movz x15, #{interface_low}",
        "movk x15, #{interface_high}, lsl #16",
        "str w16, [x15]",
        "mov w16, #0xff",
        "str w16, [x15, #4]",
        "dsb sy",
        ".endif",
        // Without EL2 its registers do not exist.
        "tst x9, #0xf00",
        "b.eq 4f",
        "2:",
        "mov x15, #{hcr}",
        "msr hcr_el2, x15",
        "isb",
        "mov x15, #{cptr}",
        "msr cptr_el2, x15",
        "msr hstr_el2, xzr",
        "msr cntvoff_el2, xzr",
        "mov x15, #{cnthctl}",
        "msr cnthctl_el2, x15",
        "msr vttbr_el2, xzr",
        "mrs x15, midr_el1",
        "msr vpidr_el2, x15",
        "mrs x15, mpidr_el1",
        "msr vmpidr_el2, x15",
        // MDCR_EL2: no traps, and all event counters (HPMN, bits 4 to 0) for EL1, if
        // ID_AA64DFR0_EL1.PMUVer (bits 11 to 8) says that there are any: neither 0 nor 15.
        "mrs x15, id_aa64dfr0_el1",
        "ubfx x15, x15, #8, #4",
        "sub x15, x15, #1",
        "cmp x15, #14",
        "b.hs 3f",
        "mrs x15, pmcr_el0",
        "ubfx x15, x15, #11, #5",
        "msr mdcr_el2, x15",
        "3:",
        "tst x9, #0xf000000",
        "b.eq 3f",
        // ICC_SRE_EL2: system registers for EL1 as well; ICH_HCR_EL2: no virtual interrupts.
        "mov x15, #0xf",
        "msr s3_4_c12_c9_5, x15",
        "isb",
        "msr s3_4_c12_c11_0, xzr",
        "3:",
        // HDFGRTR_EL2, HDFGWTR_EL2, HFGRTR_EL2, HFGWTR_EL2, HFGITR_EL2: no fine-grained traps,
        // where ID_AA64MMFR0_EL1.FGT (bits 59 to 56) says that there are any.
        "mrs x15, id_aa64mmfr0_el1",
        "ubfx x15, x15, #56, #4",
        "cbz x15, 3f",
        "msr s3_4_c3_c1_4, xzr",
        "msr s3_4_c3_c1_5, xzr",
        "msr s3_4_c1_c1_4, xzr",
        "msr s3_4_c1_c1_5, xzr",
        "msr s3_4_c1_c1_6, xzr",
        "3:",
        "cmp x3, #3",
        "b.eq 4f",
        "msr spsr_el2, x12",
        "msr elr_el2, x14",
        "4:",
        "isb",
        "eret",
        others = const board::START.others,
        spin_table = const board::START.spin_table,
        park = sym park,
        parked = sym PARKED,
        all_parked_low = const ALL_PARKED & 0xffff,
        all_parked_high = const ALL_PARKED >> 16,
        distributor = const board::START.distributor,
        distributor_low = const board::START.distributor & 0xffff,
        distributor_high = const board::START.distributor >> 16 & 0xffff,
        interface_low = const board::START.interface & 0xffff,
        interface_high = const board::START.interface >> 16 & 0xffff,
        sctlr_low = const SCTLR_RESET & 0xffff,
        sctlr_high = const SCTLR_RESET >> 16,
        hcr = const HCR_AARCH64,
        spsr = const EL1H_MASKED,
        cptr = const CPTR_NO_TRAPS,
        cnthctl = const CNTHCTL_NO_TRAPS,
        scr = const SCR_NON_SECURE,
        entry = sym aarch64_rt_entry,
        vectors = sym meter_vectors,
    )
}

/// Where the other cores stay: asleep, without any access to memory.
///
/// # Safety
///
/// For them alone to go to.
#[unsafe(naked)]
#[unsafe(link_section = ".init.meter_start")]
unsafe extern "C" fn park() -> ! {
    naked_asm!(
        "msr daifset, #15",
        "adrp x10, {parked}",
        "add x10, x10, :lo12:{parked}",
        "mrs x11, mpidr_el1",
        "and x11, x11, #3",
        "mov w12, #1",
        "strb w12, [x10, x11]",
        "dsb sy",
        "1:",
        "wfi",
        "b 1b",
        parked = sym PARKED,
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
