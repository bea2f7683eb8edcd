//! A submission's static data, put back to what was linked, whatever board it lies on.

use core::ptr;

/// Where the data lies, by address: begin and end.
pub struct Statics {
    /// Data with initial contents.
    pub data: (usize, usize),
    /// Room for a copy of them.
    pub copy: usize,
    /// Data that begins as zeros.
    pub bss: (usize, usize),
}

impl Statics {
    /// Keeps the initial contents.
    ///
    /// # Safety
    ///
    /// The addresses must be as the fields say, the memory writable, and nothing may run that uses
    /// the data.
    pub unsafe fn save(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            ptr::copy_nonoverlapping(
                ptr::with_exposed_provenance::<u8>(self.data.0),
                ptr::with_exposed_provenance_mut::<u8>(self.copy),
                self.data.1 - self.data.0,
            );
        }
    }

    /// Puts the initial contents back.
    ///
    /// # Safety
    ///
    /// As for [`Statics::save`], which must have been called.
    pub unsafe fn restore(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            ptr::copy_nonoverlapping(
                ptr::with_exposed_provenance::<u8>(self.copy),
                ptr::with_exposed_provenance_mut::<u8>(self.data.0),
                self.data.1 - self.data.0,
            );
            ptr::write_bytes(
                ptr::with_exposed_provenance_mut::<u8>(self.bss.0),
                0,
                self.bss.1 - self.bss.0,
            );
        }
    }
}
