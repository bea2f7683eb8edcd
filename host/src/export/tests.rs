//! Exports of an emulated system, one of one's own and one of others.

use wire::CounterSource;

use super::*;
use crate::record::example;

fn columns() -> Vec<Column> {
    let column = |name: &str, records| Column {
        name: name.to_owned(),
        system: name.to_owned(),
        records,
    };
    let mut failed = example::failures().into_iter();
    let mut failed = failed.next().expect("some");
    failed.label = "=cmd|' /C calc'!A0".to_owned();
    failed.instance = "a,\"b\"\r\nc".to_owned();
    let published = [
        ("dec", [1_724_003_154, 1_724_101_332]),
        ("keygen", [2_204_003_154, 2_204_101_332]),
    ];
    let published = published.map(|(name, cycles)| example::published::record_of(name, cycles));
    vec![
        column(
            "qemu-virt",
            vec![example::record_of("qemu-virt", CounterSource::Icount)],
        ),
        column("rpi4", vec![example::record(), failed]),
        column(
            "x86_local",
            vec![example::record_of("x86_local", CounterSource::Missing)],
        ),
        column("arm_1", published.into()),
    ]
}

#[test]
fn comma_separated_values() {
    let text = table::text(&rows(&columns())).unwrap();
    // Line ends of RFC 4180, which a snapshot does not show.
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    insta::assert_snapshot!(text.replace("\r\n", "\n"));
    // What was written is read back, cell by cell, by the rules of RFC 4180.
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let width = reader.headers().unwrap().len();
    let read: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(read.len(), 6);
    assert!(read.iter().all(|row| row.len() == width));
    let hostile = read
        .iter()
        .find(|row| &row[7] == "failed_or_partial")
        .unwrap();
    assert_eq!(&hostile[2], "'=cmd|' /C calc'!A0");
    assert_eq!(&hostile[3], "a,\"b\"\\r\\nc");
}

#[test]
fn json() {
    let rows = rows(&columns()[1..2]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&rows[..1]).unwrap());
}

#[test]
fn github_action_benchmark() {
    let entries = benchmark::entries(&rows(&columns()));
    insta::assert_snapshot!(serde_json::to_string_pretty(&entries).unwrap());
}
