//! The property interface of the firmware, through its mailbox.
//!
//! Registers: mailbox 0 and 1 of the device tree's `brcm,bcm2835-mbox`, as Linux uses them
//! (drivers/mailbox/bcm2835-mailbox.c). Messages and tags:
//! <https://github.com/raspberrypi/firmware/wiki/Mailbox-property-interface>, and
//! include/soc/bcm2835/raspberrypi-firmware.h of Linux for the tags that the former lacks.

use core::cell::UnsafeCell;

use super::Register;
use crate::board::clock::nanoseconds;
use crate::cpu::cache;

/// Mailbox 0: read (from the firmware) and its status; mailbox 1: write (to it) and its status.
const READ: usize = 0x00;
const READ_STATUS: usize = 0x18;
const WRITE: usize = 0x20;
const WRITE_STATUS: usize = 0x38;

/// Bits of the status registers.
const FULL: u32 = 1 << 31;
const EMPTY: u32 = 1 << 30;

/// The channel of property messages to the firmware.
const PROPERTIES: u32 = 8;

/// Memory as the firmware's processor sees it, past its caches (BCM2835 ARM Peripherals, section
/// 1.2.3; the device trees' dma-ranges for the successors).
const BUS: u32 = 0xc000_0000;

/// A message's code: a request, and a response that was processed. The latter's bit also marks
/// each tag that was answered.
const REQUEST: u32 = 0;
const RESPONSE: u32 = 1 << 31;

/// How long an answer may take.
const PATIENCE_NANOSECONDS: u64 = 200_000_000;

/// Words of a message: its length and code, one tag with its two lengths, values, the end.
const WORDS: usize = 16;

/// Words in front of the values.
const HEADER: usize = 5;

/// A message. It has a cache line of its own, and is aligned as the interface demands.
#[repr(C, align(64))]
struct Message(UnsafeCell<[u32; WORDS]>);

// SAFETY: one core runs, and `ask`, which alone uses it, does not call itself.
unsafe impl Sync for Message {}

static MESSAGE: Message = Message(UnsafeCell::new([0; WORDS]));

/// A clock, by its number.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Clock {
    /// The UART's reference clock.
    #[cfg(any(board = "rpi3", board = "rpi4"))]
    Uart = 2,
    /// The core's clock.
    Arm = 3,
}

/// The mailbox.
#[derive(Clone, Copy)]
pub struct Mailbox {
    address: usize,
}

impl Mailbox {
    /// The mailbox whose registers are at this address.
    ///
    /// # Safety
    ///
    /// They must be mapped as device memory when it is used, and the firmware serve it.
    pub const unsafe fn at(address: usize) -> Self {
        Self { address }
    }

    /// Begin and length of the memory that belongs to the core.
    pub fn arm_memory(self) -> Option<(u32, u32)> {
        let [begin, length] = self.ask(0x0001_0005, [0, 0])?;
        Some((begin, length))
    }

    /// What a clock was set to.
    pub fn clock_hz(self, clock: Clock) -> Option<u32> {
        let [_, rate] = self.ask(0x0003_0002, [clock as u32, 0])?;
        (rate != 0).then_some(rate)
    }

    /// What a clock is, measured.
    pub fn measured_clock_hz(self, clock: Clock) -> Option<u32> {
        let [_, rate] = self.ask(0x0003_0047, [clock as u32, 0])?;
        (rate != 0).then_some(rate)
    }

    /// The most that a clock can be set to.
    pub fn fastest_clock_hz(self, clock: Clock) -> Option<u32> {
        let [_, rate] = self.ask(0x0003_0004, [clock as u32, 0])?;
        (rate != 0).then_some(rate)
    }

    /// Sets a clock, other settings such as the voltage with it. What it is then has to be asked.
    pub fn set_clock_hz(self, clock: Clock, rate: u32) {
        let _ = self.ask(0x0003_8002, [clock as u32, rate, 0]);
    }

    /// The chip's temperature, in thousandths of a degree.
    pub fn temperature_millicelsius(self) -> Option<u32> {
        let [_, temperature] = self.ask(0x0003_0006, [0, 0])?;
        Some(temperature)
    }

    /// What held the clock down, or does.
    pub fn throttled(self) -> Option<u32> {
        let [bits] = self.ask(0x0003_0046, [0])?;
        Some(bits)
    }

    /// Sends one tag with its values and takes the answer's; `None` where the firmware does not
    /// answer, or not this.
    fn ask<const N: usize>(self, tag: u32, values: [u32; N]) -> Option<[u32; N]> {
        const { assert!(HEADER + N < WORDS) }
        let message = MESSAGE.0.get().cast::<u32>();
        let length = 4 * N as u32;
        let words = [4 * WORDS as u32, REQUEST, tag, length, 0];
        for (index, word) in words.into_iter().chain(values).chain([0]).enumerate() {
            // SAFETY: the message is ours, and the words fit, as was asserted.
            unsafe { message.add(index).write_volatile(word) };
        }
        cache::clean_and_invalidate(message.addr(), 4 * WORDS);
        // A region below 4 GiB on every board: linker scripts place the image there.
        self.exchange(message.addr() as u32 | BUS | PROPERTIES)?;
        cache::clean_and_invalidate(message.addr(), 4 * WORDS);
        // SAFETY: the message is ours, and the index inside it.
        let word = |index: usize| unsafe { message.add(index).read_volatile() };
        let answered = word(1) == RESPONSE && word(4) & RESPONSE != 0;
        // What QEMU does not know it answers with no value at all.
        let complete = word(4) & !RESPONSE >= length.min(8);
        (answered && complete).then(|| core::array::from_fn(|index| word(HEADER + index)))
    }

    /// Sends a word and waits for it to come back.
    fn exchange(self, word: u32) -> Option<()> {
        // SAFETY: promised when the value was made; the registers have these offsets.
        let register = |offset| unsafe { Register::at(self.address + offset) };
        let end = nanoseconds() + PATIENCE_NANOSECONDS;
        while register(WRITE_STATUS).read() & FULL != 0 {
            (nanoseconds() < end).then_some(())?;
        }
        register(WRITE).write(word);
        loop {
            while register(READ_STATUS).read() & EMPTY != 0 {
                (nanoseconds() < end).then_some(())?;
            }
            if register(READ).read() == word {
                return Some(());
            }
        }
    }
}
