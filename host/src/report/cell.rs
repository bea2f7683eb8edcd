//! What a table's cell holds, and the published way to write it.

use serde::Serialize;

use super::model::Text;
use crate::table::format;

/// What stands where nothing was measured.
pub const NOT_AVAILABLE: &str = "not available";

/// One cell of a table: a value, not its text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Cell {
    /// Words.
    Words(Text),
    /// Cycles, instructions or ticks, with the unit where the column's heading cannot name it.
    Count(f64, Option<&'static str>),
    /// A time.
    Seconds(f64),
    /// Operations or 10^6 bytes a second.
    PerSecond(f64),
    /// A size in bytes, or a number of things.
    Bytes(u64),
    /// A size in bytes that may be more.
    AtLeastBytes(u64),
    /// Bytes that are shown in KiB.
    Kibibytes(u64),
    /// A fraction of the whole.
    Share(f64),
    /// How often something happened in one call, on average.
    PerCall(f64),
    /// One figure divided by another of the same unit.
    Ratio(f64),
    /// Calls in all trials, the trials, and the calls of each.
    Calls {
        /// Calls in all trials.
        measurements: u64,
        /// Trials.
        trials: u64,
        /// Calls of each trial, where all have the same number.
        iterations: Option<u64>,
    },
    /// A figure with a mark in front, which a note explains.
    Marked(&'static str, Box<Self>),
    /// Not measured, or not known.
    NotAvailable,
}

impl Cell {
    /// A name as a computer knows it.
    pub fn code(name: &str) -> Self {
        Self::Words(Text::code(name))
    }

    /// A cell of what may be missing.
    pub fn of<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::NotAvailable, cell)
    }

    /// The same with a mark if it needs one, and there is a figure.
    #[must_use]
    pub fn marked_if(self, needed: bool, mark: &'static str) -> Self {
        match needed && self.value().is_some() {
            true => Self::Marked(mark, Box::new(self)),
            false => self,
        }
    }

    /// The number by which it stands among others; `None` for words and for nothing.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Words(_) | Self::NotAvailable => None,
            Self::Count(value, _)
            | Self::Seconds(value)
            | Self::PerSecond(value)
            | Self::Share(value)
            | Self::Ratio(value)
            | Self::PerCall(value) => Some(*value),
            Self::Bytes(value) | Self::AtLeastBytes(value) | Self::Kibibytes(value) => {
                Some(*value as f64)
            }
            Self::Calls { measurements, .. } => Some(*measurements as f64),
            Self::Marked(_, figure) => figure.value(),
        }
    }

    /// What is written.
    pub fn text(&self) -> Text {
        match self {
            Self::Words(text) => text.clone(),
            Self::Count(value, None) => format::count(*value).into(),
            Self::Count(value, Some(unit)) => format!("{} {unit}", format::count(*value)).into(),
            Self::Seconds(value) => format::seconds(*value).into(),
            Self::PerSecond(value) | Self::PerCall(value) | Self::Ratio(value) => {
                format::general(*value).into()
            }
            Self::Bytes(value) => value.to_string().into(),
            Self::AtLeastBytes(value) => format!("≥ {value}").into(),
            Self::Kibibytes(bytes) => format::kibibytes(*bytes).into(),
            Self::Share(fraction) => format::share(*fraction).into(),
            Self::Calls {
                measurements,
                trials,
                iterations: Some(iterations),
            } => format::repetitions(*measurements, *trials, *iterations).into(),
            Self::Calls {
                measurements,
                trials,
                iterations: None,
            } => format!("{measurements} ({trials} trials)").into(),
            Self::Marked(mark, figure) => Text::from(format!("{mark} ")).and(figure.text()),
            Self::NotAvailable => NOT_AVAILABLE.into(),
        }
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Words(words.into())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::Words(words.into())
    }
}

impl From<Text> for Cell {
    fn from(text: Text) -> Self {
        Self::Words(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_published() {
        let calls = |iterations| Cell::Calls {
            measurements: 100,
            trials: 5,
            iterations,
        };
        for (cell, text) in [
            (Cell::Count(35_183_737.8, None), "35.18 M"),
            (Cell::Count(9999.6, Some("TSC ticks")), "10.0 k TSC ticks"),
            (Cell::Seconds(0.0005771), "577 µs"),
            (Cell::PerSecond(7580.1), "7.58e+03"),
            (Cell::PerCall(74.8), "74.8"),
            (Cell::Ratio(1.2345), "1.23"),
            (Cell::Bytes(47_069), "47069"),
            (Cell::AtLeastBytes(13_384), "≥ 13384"),
            (Cell::Kibibytes(2188 << 10), "2188 KiB"),
            (Cell::Share(0.0699), "7.0%"),
            (calls(Some(20)), "100 (5 × 20)"),
            (calls(None), "100 (5 trials)"),
            (Cell::of(None, Cell::Bytes), "not available"),
            (Cell::Share(0.8).marked_if(true, "~"), "~ 80%"),
            (Cell::Share(0.8).marked_if(false, "~"), "80%"),
            (Cell::NotAvailable.marked_if(true, "~"), "not available"),
            (Cell::from("failed").marked_if(true, "~"), "failed"),
        ] {
            assert_eq!(cell.text().plain(), text);
        }
    }
}
