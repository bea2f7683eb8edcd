//! Page tables: code read-only, data never executable, and a hole below the measuring stack.

use core::ptr::NonNull;

use aarch64_paging::Mapping;
use aarch64_paging::descriptor::{El1Attributes, PhysicalAddress};
use aarch64_paging::paging::{Constraints, El1And0, MemoryRegion, PageTable, Translation, VaRange};

/// Device-nGnRE memory, never executable; index 0 of MAIR_EL1.
pub const DEVICE: El1Attributes = El1Attributes::VALID
    .union(El1Attributes::ATTRIBUTE_INDEX_0)
    .union(El1Attributes::ACCESSED)
    .union(El1Attributes::PXN)
    .union(El1Attributes::UXN);

/// Normal write-back memory, for the first table that start-up uses; index 1 of MAIR_EL1.
pub const NORMAL: El1Attributes = El1Attributes::VALID
    .union(El1Attributes::ATTRIBUTE_INDEX_1)
    .union(El1Attributes::INNER_SHAREABLE)
    .union(El1Attributes::ACCESSED)
    .union(El1Attributes::NON_GLOBAL);

/// Normal memory that can be read and written.
pub const DATA: El1Attributes = NORMAL.union(El1Attributes::PXN).union(El1Attributes::UXN);

/// Normal memory that can be read.
pub const CONSTANTS: El1Attributes = DATA.union(El1Attributes::READ_ONLY);

/// Normal memory that can be read and executed.
pub const CODE: El1Attributes = NORMAL.union(El1Attributes::READ_ONLY);

/// Tables that a memory map may need: the root, one for each GiB, one for each split 2 MiB.
const TABLES: usize = 24;

/// Takes its tables from a fixed pool, identically mapped.
struct Pool {
    next: usize,
}

static mut TABLE_POOL: [PageTable<El1Attributes>; TABLES] = [const { PageTable::EMPTY }; TABLES];

impl Translation<El1Attributes> for Pool {
    fn allocate_table(&mut self) -> (NonNull<PageTable<El1Attributes>>, PhysicalAddress) {
        assert!(self.next < TABLES, "the memory map needs more page tables");
        let first = (&raw mut TABLE_POOL).cast::<PageTable<El1Attributes>>();
        // SAFETY: the index is inside the pool, and each table is handed out once.
        let table = unsafe { NonNull::new_unchecked(first.add(self.next)) };
        self.next += 1;
        (table, PhysicalAddress(table.as_ptr() as usize))
    }

    unsafe fn deallocate_table(&mut self, _table: NonNull<PageTable<El1Attributes>>) {
        // The map is built once; a table that it no longer needs is simply not used again.
    }

    fn physical_to_virtual(&self, address: PhysicalAddress) -> NonNull<PageTable<El1Attributes>> {
        NonNull::new(address.0 as *mut PageTable<El1Attributes>).expect("no table lies at 0")
    }
}

/// Maps these regions, each onto itself, and nothing else, and switches over.
///
/// # Safety
///
/// To be called once. The regions must hold everything that the program uses, and no two may
/// overlap.
pub unsafe fn activate(regions: impl Iterator<Item = (usize, usize, El1Attributes)>) {
    // Level 1 covers 512 GiB, as aarch64-rt's TCR_EL1 value says.
    let mut mapping =
        Mapping::with_asid_and_va_range(Pool { next: 0 }, 1, 1, El1And0, VaRange::Lower);
    for (begin, end, attributes) in regions {
        mapping
            .map_range(
                &MemoryRegion::new(begin, end),
                PhysicalAddress(begin),
                attributes,
                Constraints::empty(),
            )
            .expect("the board's memory map is well-formed");
    }
    // SAFETY: the caller promises that the map holds everything; the tables live in a static, and
    // the mapping is forgotten, so that they stay in use for ever.
    unsafe { mapping.activate() };
    core::mem::forget(mapping);
}
