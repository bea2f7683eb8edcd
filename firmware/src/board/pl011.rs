//! The line to the host over a PL011, polled (PrimeCell UART PL011 Technical Reference Manual,
//! DDI 0183).

use core::ptr::NonNull;

use arm_pl011_uart::{
    DataBits, LineConfig, PL011Registers, Parity, StopBits, Uart, UniqueMmioPointer,
};

/// Rate of the line, where the UART's clock allows it.
pub const BAUD: u32 = 921_600;

/// Rate of the line otherwise.
const BAUD_SLOW: u32 = 115_200;

/// Clock cycles of a bit, at least (DDI 0183, section 2.3.1).
pub const CYCLES_OF_A_BIT: u32 = 16;

/// The line to the host.
pub struct UartLine(Uart<'static>);

impl UartLine {
    /// A handle on the line through the UART at this address.
    ///
    /// Handles are interchangeable: the registers hold all the state.
    ///
    /// # Safety
    ///
    /// The registers must be mapped as device memory for ever.
    pub unsafe fn at(address: usize) -> Self {
        let registers = NonNull::new(core::ptr::with_exposed_provenance_mut(address));
        let registers: NonNull<PL011Registers> = registers.expect("the UART is not at 0");
        // SAFETY: the caller's promise. One core runs, and no handle is used while another is in
        // the middle of an access: a fault's report never returns to the one that it interrupted.
        Self(Uart::new(unsafe { UniqueMmioPointer::new(registers) }))
    }

    /// Sets the line to 8N1 at [`BAUD`], or at 115200 where the UART's clock is too slow for it.
    pub fn enable(&mut self, clock_hz: u32) {
        let configuration = LineConfig {
            data_bits: DataBits::Bits8,
            parity: Parity::None,
            stop_bits: StopBits::One,
        };
        let baud = match clock_hz / CYCLES_OF_A_BIT {
            fastest if fastest >= BAUD => BAUD,
            _ => BAUD_SLOW,
        };
        // A rate that the divisor cannot express either leaves the line as the loader set it.
        let _ = self.0.enable(configuration, baud, clock_hz);
    }

    /// Whether the UART at this address is on (UARTCR.UARTEN, DDI 0183, section 3.3.8): whoever
    /// came before us has set it up.
    ///
    /// # Safety
    ///
    /// As for [`UartLine::at`].
    #[cfg(board = "rpi5")]
    pub unsafe fn is_on(address: usize) -> bool {
        let control = core::ptr::with_exposed_provenance::<u32>(address + 0x30);
        // SAFETY: the caller's promise.
        unsafe { control.read_volatile() & 1 != 0 }
    }

    /// Waits until everything that was written is on the wire.
    #[cfg(not(board = "qemu-virt"))]
    pub fn drain(&mut self) {
        while self.0.is_busy() {
            core::hint::spin_loop();
        }
    }
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
