//! The one interrupt that is a deadline, through a generic interrupt controller of version 2
//! (IHI 0048B).

use arm_gic::gicv2::GicV2;
use arm_gic::gicv2::registers::{Gicc, Gicd};
use arm_gic::{IntId, InterruptGroup};

/// The virtual timer's private interrupt, the same in all systems of the base architecture
/// (Arm Base System Architecture, DEN 0094C, table 1): PPI 11, behind the 16 software-generated.
const TIMER_INTERRUPT: IntId = IntId::ppi(11);

/// Number of the interrupt that is an operation's deadline.
pub const DEADLINE_INTERRUPT: u32 = TIMER_INTERRUPT.raw_value();

/// Where the controller's registers are.
#[derive(Clone, Copy)]
pub struct Controller {
    /// The distributor.
    pub distributor: usize,
    /// The interface of the core.
    pub interface: usize,
}

impl Controller {
    /// A handle: the registers hold all the state.
    ///
    /// # Safety
    ///
    /// The registers must be mapped as device memory for ever.
    unsafe fn handle(self) -> GicV2<'static> {
        // SAFETY: the caller's promise. One core runs, and no handle is used while another is in
        // the middle of an access.
        unsafe { GicV2::new(self.distributor as *mut Gicd, self.interface as *mut Gicc) }
    }

    /// Lets the timer's interrupt, and no other, through to the core.
    ///
    /// # Safety
    ///
    /// The registers must be mapped as device memory for ever.
    pub unsafe fn start(self) {
        // SAFETY: the caller's promise.
        let mut controller = unsafe { self.handle() };
        controller.setup();
        // In the non-secure view this bit of GICD_CTLR stands for the only group that there is
        // (section 4.3.1); in the other it stands for the group that `setup` has chosen.
        controller.enable_group0(true);
        // Without it hangs are noticed by the host alone.
        let _ = controller.enable_interrupt(TIMER_INTERRUPT, true);
    }

    /// Number of the interrupt that is being raised, if any is.
    ///
    /// # Safety
    ///
    /// The registers must be mapped as device memory for ever.
    pub unsafe fn acknowledge(self) -> Option<u32> {
        // SAFETY: the caller's promise.
        let mut controller = unsafe { self.handle() };
        // GICC_IAR, which shows the group that `setup` has chosen (section 4.4.4).
        let interrupt = controller.get_and_acknowledge_interrupt(InterruptGroup::Group0);
        interrupt.map(u32::from)
    }
}
