//! Every table of five published pages, and every number in them, read and written again.
//!
//! The tables are those of the pages of five candidates on the system `x86_1` of ngcc.dev.

use super::*;

/// What a published page says of one candidate.
pub(crate) struct PublishedPage {
    /// The candidate's id.
    pub id: &'static str,
    text: &'static str,
}

/// The pages.
pub(crate) const PAGES: [PublishedPage; 5] = [
    PublishedPage {
        id: "kem-36",
        text: include_str!("published/kem-36.txt"),
    },
    PublishedPage {
        id: "kex-04",
        text: include_str!("published/kex-04.txt"),
    },
    PublishedPage {
        id: "kex-05",
        text: include_str!("published/kex-05.txt"),
    },
    PublishedPage {
        id: "kex-08",
        text: include_str!("published/kex-08.txt"),
    },
    PublishedPage {
        id: "kex-09",
        text: include_str!("published/kex-09.txt"),
    },
];

/// A table: its headings, then its rows.
pub(crate) type PublishedTable = Vec<Vec<&'static str>>;

impl PublishedPage {
    /// Its tables: environment, known answers, performance, resources, overhead, symmetric
    /// primitives and evidence.
    pub(crate) fn tables(&self) -> [PublishedTable; 7] {
        let tables = self.text.split("\n\n");
        let tables = tables.map(|table| table.lines().map(|row| row.split(" | ").collect()));
        let tables: Vec<PublishedTable> = tables.map(Iterator::collect).collect();
        tables.try_into().expect("seven tables")
    }
}

/// The cells of one table of all pages, without names and headings.
fn cells(table: usize, names: usize) -> Vec<Vec<&'static str>> {
    let rows = PAGES.iter().flat_map(|page| {
        let table = page.tables()[table].clone();
        table.into_iter().skip(1)
    });
    rows.map(|row| row[names..].to_vec()).collect()
}

fn performance_cells() -> Vec<Vec<&'static str>> {
    cells(2, 2)
}

/// The count that a cell shows.
pub(crate) fn parsed_count(cell: &str) -> f64 {
    let (number, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let scale = match unit {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => panic!("{cell}"),
    };
    number.parse::<f64>().expect("a number") * scale
}

/// The time that a cell shows, in seconds.
pub(crate) fn parsed_seconds(cell: &str) -> f64 {
    let (number, unit) = cell.split_once(' ').expect("a unit");
    let scale = match unit {
        "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => panic!("{cell}"),
    };
    number.parse::<f64>().expect("a number") * scale
}

/// The whole numbers in a cell.
pub(crate) fn parsed_numbers(cell: &str) -> Vec<u64> {
    cell.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

/// The fraction that a cell shows in percent.
pub(crate) fn parsed_share(cell: &str) -> f64 {
    let percent: f64 = cell.trim_end_matches('%').parse().expect("a number");
    percent / 100.0
}

/// The least and the greatest number that has this text in three significant digits.
pub(crate) fn interval(value: f64) -> (f64, f64) {
    let half = 0.5 * 10f64.powf(value.log10().floor() - 2.0);
    (value - half, value + half)
}

#[test]
fn performance() {
    let rows = performance_cells();
    assert_eq!(rows.len(), 101);
    for row in rows {
        let [cycles, mean, rate, median, calls] = row[..] else {
            panic!("{row:?}");
        };
        assert_eq!(count(parsed_count(cycles)), cycles);
        assert_eq!(seconds(parsed_seconds(mean)), mean);
        assert_eq!(seconds(parsed_seconds(median)), median);
        assert_eq!(general(rate.parse().expect("a number")), rate);
        let numbers = parsed_numbers(calls);
        assert_eq!(numbers[0], numbers[1] * numbers[2]);
        assert_eq!(repetitions(numbers[0], numbers[1], numbers[2]), calls);
    }
}

/// The rate is the reciprocal of the mean time, so both cells must round the same number.
#[test]
fn rates_and_times_are_of_the_same_number() {
    for row in performance_cells() {
        let (least_time, most_time) = interval(parsed_seconds(row[1]));
        let rate: f64 = row[2].parse().expect("a number");
        let bound = |time: f64| general(1.0 / time).parse::<f64>().expect("a number");
        assert!(
            bound(most_time) <= rate && rate <= bound(least_time),
            "{row:?}"
        );
    }
}

#[test]
fn memory() {
    let rows = cells(3, 3);
    assert_eq!(rows.len(), 101);
    for cell in rows.iter().flatten() {
        let kibi = parsed_numbers(cell)[0];
        assert_eq!(kibibytes(kibi * 1024), *cell);
    }
}

#[test]
fn shares() {
    let rows = cells(5, 2);
    assert_eq!(rows.len(), 24);
    let mut calls = 0;
    for row in rows {
        for cell in &row[..2] {
            assert_eq!(share(parsed_share(cell)), *cell);
        }
        for call in row[2].split(", ") {
            let (_, number) = call.split_once(' ').expect("name and number");
            assert_eq!(general(number.parse().expect("a number")), number);
            calls += 1;
        }
    }
    assert_eq!(calls, 48);
}
