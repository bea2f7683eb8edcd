//! Section 6: sizes of what is sent and kept.

use wire::Category;

use super::super::cell::Cell;
use super::super::evidence::{Candidate, Label};
use super::super::model::{Block, Column, Section, Table};
use super::or_nothing;
use crate::record::schema::Sizes;

/// Section 6.
pub fn section(candidate: &Candidate) -> Section {
    let mut section = Section::new("6. Transmission and storage overhead");
    for category in candidate.categories() {
        let labels: Vec<&Label> = candidate.labels_of(category).collect();
        let table = Table {
            caption: caption(category).to_owned(),
            columns: columns(category),
            rows: labels.iter().map(|label| row(category, label)).collect(),
        };
        section = section
            .paragraph(note(category))
            .with([Block::Table(table)]);
    }
    or_nothing(section, "No sizes are known.")
}

/// The columns of a category's sizes and their cells for one label, without the instance.
pub fn sizes_table(category: Category, label: &Label) -> Vec<(Column, Cell)> {
    let columns = columns(category).into_iter();
    columns.zip(row(category, label)).skip(1).collect()
}

fn caption(category: Category) -> &'static str {
    match category {
        Category::Kem => "Sizes in bytes",
        Category::Sig => "Sizes of keys and signatures in bytes",
        Category::Kex => "Messages and keys of the exchange",
        Category::Hash => "Digests in bytes",
    }
}

fn note(category: Category) -> &'static str {
    match category {
        Category::Kem | Category::Hash => "Sizes are those that the interface of the code reports.",
        Category::Sig => {
            "Sizes are those that the interface of the code reports; that of a signature is the \
             longest."
        }
        Category::Kex => {
            "Bandwidth is all messages of the protocol and each side's public key once. \
             Certificates and the framing of a transport are not in it."
        }
    }
}

fn columns(category: Category) -> Vec<Column> {
    let figures: &[&str] = match category {
        Category::Kem => &["public key", "secret key", "ciphertext", "shared secret"],
        Category::Sig => &["public key", "secret key", "signature"],
        Category::Kex => &[
            "passes",
            "messages (bytes; raw API)",
            "protocol-message bytes",
            "public key A / B",
            "bandwidth (bytes)",
            "long-term sk (API cap)",
            "shared secret",
        ],
        Category::Hash => &["digest"],
    };
    let figures = figures.iter().map(|title| Column::figures(*title));
    [Column::name("instance")]
        .into_iter()
        .chain(figures)
        .collect()
}

fn row(category: Category, label: &Label) -> Vec<Cell> {
    let size = |of: fn(&Sizes) -> Option<u64>| {
        let mut records = label.records.iter();
        // 0 stands for what the code did not tell.
        let known = records.find_map(|record| of(&record.sizes).filter(|bytes| *bytes > 0));
        Cell::of(known, Cell::Bytes)
    };
    let mut row = vec![Cell::code(&label.name)];
    match category {
        Category::Kem => row.extend([
            size(|sizes| sizes.pk_bytes),
            size(|sizes| sizes.sk_bytes),
            size(|sizes| sizes.ct_bytes),
            size(|sizes| sizes.ss_bytes),
        ]),
        Category::Sig => row.extend([
            size(|sizes| sizes.pk_bytes),
            size(|sizes| sizes.sk_bytes),
            size(|sizes| sizes.signature_bytes),
        ]),
        Category::Kex => row.extend(exchange(label)),
        Category::Hash => row.push(size(|sizes| sizes.digest_bytes)),
    }
    row
}

fn exchange(label: &Label) -> [Cell; 7] {
    let exchange = Exchange::of(label).unwrap_or_default();
    let bytes = |value: Option<u64>| Cell::of(value, Cell::Bytes);
    let key = exchange.public_key;
    [
        bytes(exchange.passes),
        Cell::of(exchange.message_list(), Cell::from),
        bytes(exchange.all_messages),
        Cell::of(key, |bytes| format!("{bytes} / {bytes}").into()),
        bytes(exchange.bandwidth()),
        bytes(exchange.secret_key),
        bytes(exchange.shared_secret),
    ]
}

/// Sizes and passes of a key exchange.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Exchange {
    /// Passes that the code claims.
    pub passes: Option<u64>,
    /// Passes that were run.
    pub passes_run: Option<u64>,
    /// Bytes of each message.
    pub messages: Vec<u64>,
    /// Bytes of all messages.
    pub all_messages: Option<u64>,
    /// Bytes of each side's public key.
    pub public_key: Option<u64>,
    /// Bytes of the long-term secret key.
    pub secret_key: Option<u64>,
    /// Bytes of the shared secret.
    pub shared_secret: Option<u64>,
}

impl Exchange {
    /// That of a label; `None` where no exchange was run.
    pub fn of(label: &Label) -> Option<Self> {
        let mut maps = label
            .records
            .iter()
            .filter_map(|record| record.kex.as_ref());
        let keys = maps.find(|keys| !keys.is_empty())?;
        let value = |key: &str| keys.get(key).and_then(|value| u64::try_from(*value).ok());
        let messages = (1..).map_while(|number| value(&format!("kex_msg{number}_bytes")));
        Some(Self {
            passes: value("kex_passes"),
            passes_run: value("kex_passes_run"),
            messages: messages.collect(),
            all_messages: value("kex_total_msg_bytes"),
            public_key: value("kex_pk_bytes"),
            secret_key: value("kex_sk_bytes"),
            shared_secret: value("kex_ss_bytes"),
        })
    }

    /// All messages and each side's public key once.
    pub fn bandwidth(&self) -> Option<u64> {
        let keys = self.public_key?.checked_mul(2)?;
        self.all_messages?.checked_add(keys)
    }

    /// The messages in words; `None` where no exchange was run.
    fn message_list(&self) -> Option<String> {
        self.all_messages?;
        let messages: Vec<String> = self.messages.iter().map(u64::to_string).collect();
        Some(match messages.is_empty() {
            true => "none".to_owned(),
            false => messages.join(" / "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::example;

    fn label(keys: &[(&str, i64)]) -> Label {
        let mut record = example::record();
        let keys = keys.iter().map(|(key, value)| ((*key).to_owned(), *value));
        record.kex = Some(keys.collect());
        Label {
            records: vec![record],
            ..Label::default()
        }
    }

    #[test]
    fn bandwidth_is_all_messages_and_both_public_keys() {
        let exchange = Exchange::of(&label(&[
            ("kex_passes", 2),
            ("kex_msg1_bytes", 800),
            ("kex_msg2_bytes", 100),
            ("kex_total_msg_bytes", 900),
            ("kex_pk_bytes", 50),
        ]))
        .expect("an exchange");
        assert_eq!(exchange.messages, [800, 100]);
        assert_eq!(exchange.bandwidth(), Some(1000));
        assert_eq!(exchange.message_list().as_deref(), Some("800 / 100"));
    }

    #[test]
    fn what_was_not_run_or_cannot_be_is_no_number() {
        assert_eq!(Exchange::of(&label(&[])), None);
        let wrong = label(&[("kex_total_msg_bytes", -1), ("kex_pk_bytes", i64::MAX)]);
        let exchange = Exchange::of(&wrong).expect("keys");
        assert_eq!((exchange.all_messages, exchange.bandwidth()), (None, None));
        let silent = label(&[("kex_passes", 0), ("kex_total_msg_bytes", 0)]);
        let exchange = Exchange::of(&silent).expect("keys");
        assert_eq!(exchange.message_list().as_deref(), Some("none"));
    }
}
