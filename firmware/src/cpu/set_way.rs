//! Caches as AArch64's identification registers describe them, and how their lines are named by
//! set and way (DDI 0487: CLIDR_EL1, CCSIDR_EL1, and the input value of DC CISW).

/// Levels that CLIDR_EL1 can describe.
pub const LEVELS: u32 = 7;

/// Whether a level holds data: its CLIDR_EL1.Ctype is data only (0b010), separate instruction and
/// data caches (0b011), or unified (0b100). `level` counts from 0.
pub fn holds_data(clidr: u64, level: u32) -> bool {
    matches!(clidr >> (3 * level) & 0b111, 0b010..=0b100)
}

/// A cache that holds data.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Geometry {
    level: u32,
    line_shift: u32,
    ways: u32,
    sets: u32,
}

impl Geometry {
    /// Reads CCSIDR_EL1, whose fields are wider with FEAT_CCIDX (ID_AA64MMFR2_EL1.CCIDX).
    pub fn of_register(level: u32, ccsidr: u64, wide: bool) -> Self {
        let (ways, sets) = if wide {
            (ccsidr >> 3 & 0x1f_ffff, ccsidr >> 32 & 0xff_ffff)
        } else {
            (ccsidr >> 3 & 0x3ff, ccsidr >> 13 & 0x7fff)
        };
        Self {
            level,
            // The field is the logarithm of the bytes, less 4.
            line_shift: (ccsidr & 0b111) as u32 + 4,
            ways: ways as u32 + 1,
            sets: sets as u32 + 1,
        }
    }

    /// Lines of the cache.
    pub fn lines(&self) -> u64 {
        u64::from(self.ways) * u64::from(self.sets)
    }

    /// The input value of DC CISW for each line: the way in the highest bits, as many as it needs;
    /// the set above the bits of an address within a line; the level in bits 3 to 1.
    #[inline(always)]
    pub fn for_each_line(&self, mut visit: impl FnMut(u64)) {
        let way_bits = u32::BITS - (self.ways - 1).leading_zeros();
        for way in 0..self.ways {
            // A cache of one way has no bits for it, and a shift by 32 would not be defined.
            let way = u64::from(way) << ((32 - way_bits) & 31);
            for set in 0..self.sets {
                visit(way | u64::from(set) << self.line_shift | u64::from(self.level) << 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The input values for all lines.
    fn values(geometry: Geometry) -> Vec<u64> {
        let mut values = Vec::new();
        geometry.for_each_line(|value| values.push(value));
        values
    }

    #[test]
    fn a_cortex_a72_has_two_levels_and_every_line_has_one_name() {
        // CLIDR_EL1 and CCSIDR_EL1 as its Technical Reference Manual has them: 32 KiB in two ways,
        // then 1 MiB in sixteen.
        let clidr = 0x0a20_0023;
        let levels: Vec<u32> = (0..LEVELS).filter(|l| holds_data(clidr, *l)).collect();
        assert_eq!(levels, [0, 1]);
        let first = Geometry::of_register(0, 0x701f_e00a, false);
        assert_eq!((first.lines(), first.line_shift), (512, 6));
        let second = Geometry::of_register(1, 0x707f_e07a, false);
        assert_eq!((second.lines(), second.ways), (16_384, 16));
        for geometry in [first, second] {
            let mut all = values(geometry);
            assert_eq!(all.len() as u64, geometry.lines());
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len() as u64, geometry.lines());
            assert!(all.iter().all(|value| *value < 1 << 32));
        }
        // Way 1 of set 255 of the first level; way 15 of set 1023 of the second.
        assert_eq!(values(first).last(), Some(&(1 << 31 | 255 << 6)));
        assert_eq!(
            values(second).last(),
            Some(&(15 << 28 | 1023 << 6 | 1 << 1))
        );
    }

    #[test]
    fn wide_registers_are_read_as_such() {
        // 11 ways, 2048 sets, lines of 64 bytes.
        let ccsidr = 2047 << 32 | 10 << 3 | 2;
        let geometry = Geometry::of_register(2, ccsidr, true);
        assert_eq!((geometry.ways, geometry.sets), (11, 2048));
        // Eleven ways need four bits.
        let last = *values(geometry).last().unwrap();
        assert_eq!(last, 10 << 28 | 2047 << 6 | 2 << 1);
    }

    #[test]
    fn one_way_needs_no_bits() {
        let geometry = Geometry::of_register(0, 3 << 13 | 2, false);
        assert_eq!(values(geometry), [0, 1 << 6, 2 << 6, 3 << 6]);
    }

    #[test]
    fn instruction_caches_hold_no_data() {
        assert!(!holds_data(0b001, 0));
        assert!(!holds_data(0, 0));
        assert!(holds_data(0b100 << 6, 2));
    }
}
