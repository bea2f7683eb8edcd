//! What counts are counts of, as headings of pages.

use wire::Unit;

use crate::record::schema::Record;

/// What the counts of some records have in common.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Units {
    /// All have this unit.
    All(Unit),
    /// They differ, so that each count carries its own.
    Mixed,
    /// Nothing was counted.
    None,
}

impl Units {
    /// Of these records.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut units = records.into_iter().filter_map(Record::mean_count);
        match units.next() {
            None => Self::None,
            Some((_, first)) if units.all(|(_, unit)| unit == first) => Self::All(first),
            Some(_) => Self::Mixed,
        }
    }

    /// The unit as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::All(unit) => words(unit),
            Self::Mixed => "count",
            // The column has nothing in it, whatever it is called.
            Self::None => words(Unit::Cycles),
        }
    }

    /// The unit that a cell carries itself.
    pub fn in_cell(self, unit: Unit) -> Option<&'static str> {
        (self == Self::Mixed).then(|| words(unit))
    }
}

/// A unit in words that cannot be taken for another.
pub fn words(unit: Unit) -> &'static str {
    match unit {
        Unit::Instructions => "instructions (emulated)",
        Unit::Cycles | Unit::Ticks | Unit::TimerTicks => unit.heading(),
    }
}

#[cfg(test)]
mod tests {
    use wire::CounterSource;

    use super::*;
    use crate::record::example;

    #[test]
    fn the_heading_names_the_unit_that_all_have() {
        let record = |source| example::record_of("a", source);
        let cycles = record(CounterSource::Pmccntr);
        let ticks = record(CounterSource::Tsc);
        assert_eq!(Units::of([&cycles]).heading(), "cycles");
        assert_eq!(Units::of([&ticks, &ticks]).heading(), "TSC ticks");
        let mixed = Units::of([&ticks, &cycles]);
        assert_eq!(mixed.heading(), "count");
        assert_eq!(mixed.in_cell(Unit::Ticks), Some("TSC ticks"));
        let emulated = record(CounterSource::Icount);
        assert_eq!(Units::of([&emulated]).heading(), "instructions (emulated)");
        assert_eq!(Units::of([]), Units::None);
    }
}
