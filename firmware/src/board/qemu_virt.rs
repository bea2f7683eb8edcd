//! QEMU's `virt` machine (docs/system/arm/virt in QEMU's manual; addresses from hw/arm/virt.c).

use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

use aarch64_cpu::asm;
use aarch64_paging::descriptor::El1Attributes;
use aarch64_rt::{InitialPagetable, initial_pagetable};
use arm_gic::gicv2::GicV2;
use arm_gic::gicv2::registers::{Gicc, Gicd};
use arm_gic::{IntId, InterruptGroup};
use arm_pl011_uart::{
    DataBits, LineConfig, PL011Registers, Parity, StopBits, Uart, UniqueMmioPointer,
};
use embedded_hal::delay::DelayNs;
use smccc::{Hvc, Smc, psci};

use crate::board::statics::Statics;
use crate::board::{Guard, MeasuringStack, OVERFLOW_MARGIN};
use crate::cpu::{counter, entry, exceptions, paging, timer};
use crate::meter::self_test::CounterDescription;

/// Base address of the PL011.
const UART: usize = 0x0900_0000;

/// Frequency of the PL011's reference clock.
const UART_CLOCK_HZ: u32 = 24_000_000;

/// Rate of the line; QEMU's PL011 ignores it.
const BAUD: u32 = 921_600;

/// GIC, UART and the other devices of the low GiB that we use.
const DEVICES: (usize, usize) = (0x0800_0000, 0x0a00_0000);

/// The interrupt controller of version 2: distributor and interface of the core.
const DISTRIBUTOR: usize = 0x0800_0000;
const CPU_INTERFACE: usize = 0x0801_0000;

/// The virtual timer's private interrupt: ARCH_TIMER_VIRT_IRQ in include/hw/arm/virt.h, behind the 16
/// software-generated ones.
const TIMER_INTERRUPT: IntId = IntId::ppi(11);

/// Number of the interrupt that is an operation's deadline.
pub const DEADLINE_INTERRUPT: u32 = TIMER_INTERRUPT.raw_value();

/// The start of memory, and the size of the blocks of start-up's table.
const MEMORY: usize = 0x4000_0000;

initial_pagetable!({
    let mut table = [0; 512];
    table[0] = paging::DEVICE.bits();
    table[1] = paging::NORMAL.bits() | MEMORY;
    InitialPagetable(table)
});

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

/// Brings up memory map and UART; the counter's description comes back.
///
/// # Safety
///
/// To be called once, first thing in `main`.
pub unsafe fn start() -> CounterDescription {
    let regions: [(usize, usize, El1Attributes); 9] = [
        (DEVICES.0, DEVICES.1, paging::DEVICE),
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
    // SAFETY: first thing in main, at EL1; the regions are those of the linker script, which lays
    // them out apart from each other and holds everything that we use.
    unsafe {
        entry::split_stacks();
        paging::activate(&regions);
    }
    // SAFETY: nothing of the submission has run yet.
    unsafe { statics().save() };
    let configuration = LineConfig {
        data_bits: DataBits::Bits8,
        parity: Parity::None,
        stop_bits: StopBits::One,
    };
    // A rate that the divisor cannot express would only matter on a real line; QEMU's has none.
    let _ = line().0.enable(configuration, BAUD, UART_CLOCK_HZ);
    let mut controller = interrupt_controller();
    controller.setup();
    // Without it hangs are noticed by the host alone.
    let _ = controller.enable_interrupt(TIMER_INTERRUPT, true);
    counter::start(true)
}

/// A handle on the interrupt controller: the registers hold all the state.
fn interrupt_controller() -> GicV2<'static> {
    // SAFETY: the registers are mapped as device memory for ever. One core runs, and no handle is
    // used while another is in the middle of an access.
    unsafe { GicV2::new(DISTRIBUTOR as *mut Gicd, CPU_INTERFACE as *mut Gicc) }
}

/// Number of the interrupt that is being raised, if any is.
pub fn acknowledge_interrupt() -> Option<u32> {
    // GICC_IAR, which shows the group that `setup` has chosen (IHI 0048B, section 4.4.4).
    let interrupt = interrupt_controller().get_and_acknowledge_interrupt(InterruptGroup::Group0);
    interrupt.map(u32::from)
}

/// Ends the meter after this time with the report of a deadline that passed, or lets it live.
///
/// All other interrupts stay masked, and so does this one while there is no deadline. It costs the
/// measured program nothing until it fires.
pub fn set_deadline(nanoseconds: Option<u64>) {
    exceptions::admit_interrupts(false);
    timer::set_alarm(nanoseconds);
    exceptions::admit_interrupts(nanoseconds.is_some());
}

/// The line to the host: the PL011, polled.
pub struct UartLine(Uart<'static>);

/// A handle on the line.
///
/// Handles are interchangeable: the registers hold all the state.
pub fn line() -> UartLine {
    let registers = NonNull::new(UART as *mut PL011Registers).expect("the UART is not at 0");
    // SAFETY: the registers are mapped as device memory for ever. One core runs, and no handle is
    // used while another is in the middle of an access: a fault's report never returns to the one
    // that it interrupted.
    UartLine(Uart::new(unsafe { UniqueMmioPointer::new(registers) }))
}

impl embedded_io::ErrorType for UartLine {
    type Error = arm_pl011_uart::Error;
}

impl embedded_io::Read for UartLine {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Self::Error> {
        self.0.read(buffer)
    }
}

impl embedded_io::Write for UartLine {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Self::Error> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.0.flush()
    }
}

impl super::Line for UartLine {}

/// Time since power-on, in nanoseconds.
pub fn nanoseconds() -> u64 {
    let scaled = u128::from(timer::ticks()) * 1_000_000_000 / u128::from(timer::frequency_hz());
    scaled as u64
}

/// Frequency of the clock behind [`nanoseconds`].
pub fn clock_hz() -> u64 {
    timer::frequency_hz()
}

/// Delays on the board's clock.
pub struct Delay;

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        let end = nanoseconds() + u64::from(ns);
        while nanoseconds() < end {
            core::hint::spin_loop();
        }
    }
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

/// Switches the power off.
///
/// PSCI answers to HVC where we were entered at EL1 and to SMC where we were entered at EL2; at
/// EL3 there is nobody below us, and the host ends the emulator.
pub fn power_off(entry_level: Option<u8>) -> ! {
    Delay.delay_us(100);
    match entry_level {
        Some(1) => drop(psci::system_off::<Hvc>()),
        Some(2) => drop(psci::system_off::<Smc>()),
        _ => {}
    }
    loop {
        asm::wfi();
    }
}
