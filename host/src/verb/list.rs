//! `cargo host list`: what can be measured, and where.

use std::collections::BTreeMap;
use std::fmt::Write;

use catalogue::{Catalogue, Instance};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use regex::Regex;
use serde::Serialize;

use super::system_name::SystemName;
use super::{only, output};
use crate::campaign::{CampaignError, Selection};
use crate::cli::Context;
use crate::notice::{self, printable};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::system;

/// Lists what can be measured, and on which systems.
///
/// One line for each instance: its name (`<candidate>/<label>`), the kind of scheme, the sizes of
/// its keys and messages in bytes, and for each system "ok" or why it cannot be measured there. What
/// is incomplete may build all the same: not all that is included is compiled. Packages with `test =
/// true`, which test the instrument, are listed and measured with NGCC_TEST_PACKAGES=1 in the
/// environment only; `kat` takes them by their full name without it.
/// With --json an array of {id, label, instance, variant, category, abi, sizes, systems}.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only names that this regular expression matches
    #[arg(long, value_name = "RE", value_parser = only::expression)]
    only: Option<Regex>,
    /// A system to list them for; may be given several times. The emulated board and this machine
    /// by default
    #[arg(long = "system", value_name = "S", hide_possible_values = true, value_parser = SystemName)]
    systems: Vec<String>,
}

/// What stands for a system that can run an instance.
const OK: &str = "ok";

/// An instance as `list --json` shows it.
#[derive(Debug, Serialize)]
struct Entry {
    id: String,
    label: String,
    instance: String,
    variant: String,
    category: &'static str,
    abi: &'static str,
    /// `None` where only its code knows them.
    sizes: Option<Sizes>,
    systems: BTreeMap<String, String>,
}

impl Entry {
    /// The name, fit for a terminal.
    fn name(&self) -> String {
        format!("{}/{}", printable(&self.id), printable(&self.label))
    }
}

/// Sizes in bytes; 0 where the category has no such thing.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Sizes {
    pk_bytes: u32,
    sk_bytes: u32,
    ct_bytes: u32,
    ss_bytes: u32,
    signature_bytes: u32,
}

/// Lists the instances.
///
/// # Errors
///
/// When the catalogue cannot be read, or nothing is chosen.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let catalogue = Catalogue::load(&Project::find()?.root)?;
    let systems = match arguments.systems.is_empty() {
        true => system::default_names().to_vec(),
        false => arguments.systems.clone(),
    };
    let entries = catalogue
        .instances()
        .iter()
        .filter(|instance| {
            arguments
                .only
                .as_ref()
                .is_none_or(|only| only.is_match(&instance.name()))
        })
        .map(|instance| entry(instance, &systems))
        .collect::<Result<Vec<_>, _>>()?;
    if let (true, Some(only)) = (entries.is_empty(), &arguments.only) {
        if let Some(error) = catalogue.broken_among(|name| only.is_match(name)) {
            return Err(error.into());
        }
        let tests = catalogue.unlisted(|name| only.is_match(name));
        if !tests.is_empty() {
            return Err(CampaignError::OnlyTests {
                only: only.to_string(),
                names: tests,
            }
            .into());
        }
        return Err(miette::miette!(
            help = "leave --only out to see all names, which are <id>/<label>",
            "no instance matches `{only}`"
        ));
    }
    notice::broken_packages(&catalogue);
    let chosen = arguments.only.clone().map(Selection::Matching);
    if let Some(words) = chosen.and_then(|it| it.unlisted_in_words(&catalogue)) {
        context.say(words);
    }
    if context.common.json {
        output::json(&entries)?;
    } else {
        output::text(&table(&entries, output::width()))?;
    }
    Ok(Outcome::Clean)
}

fn entry(instance: &Instance, names: &[String]) -> miette::Result<Entry> {
    let mut systems = BTreeMap::new();
    for name in names {
        let board = catalogue::board(system::board_of(name)?)?;
        let state = match instance.availability(board) {
            Ok(()) => match &instance.incomplete {
                None => OK.to_owned(),
                Some(what) => format!("incomplete: {what}"),
            },
            Err(unavailable) => unavailable.reason,
        };
        systems.insert(name.clone(), state);
    }
    Ok(Entry {
        id: instance.candidate.clone(),
        label: instance.label.clone(),
        instance: instance.instance.clone(),
        variant: instance.variant.clone(),
        category: instance.category.name(),
        abi: instance.interface.name(),
        sizes: instance.sizes.map(|sizes| Sizes {
            pk_bytes: sizes.public_key,
            sk_bytes: sizes.secret_key,
            ct_bytes: sizes.ciphertext,
            ss_bytes: sizes.shared_secret,
            signature_bytes: sizes.signature,
        }),
        systems,
    })
}

/// The table: everything in one line each, or what `width` characters have room for.
fn table(entries: &[Entry], width: Option<usize>) -> String {
    let whole = whole(entries);
    match width {
        Some(width) if longest_line(&whole) > width => compact(entries, width),
        _ => whole,
    }
}

/// A table of these entries, which are for the same systems.
fn empty_table(heading: &[&str], entries: &[Entry]) -> Table {
    let systems = entries
        .first()
        .into_iter()
        .flat_map(|entry| entry.systems.keys());
    let systems = systems.map(String::as_str);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(heading.iter().copied().chain(systems));
    table
}

fn whole(entries: &[Entry]) -> String {
    let heading = ["instance", "kind", "pk", "sk", "ct", "ss", "signature"];
    let mut table = empty_table(&heading, entries);
    for entry in entries {
        let Sizes {
            pk_bytes,
            sk_bytes,
            ct_bytes,
            ss_bytes,
            signature_bytes,
        } = entry.sizes.unwrap_or_default();
        let sizes = [pk_bytes, sk_bytes, ct_bytes, ss_bytes, signature_bytes];
        let mut row = vec![entry.name(), entry.category.to_owned()];
        row.extend(sizes.map(size));
        row.extend(
            entry
                .systems
                .values()
                .map(|state| printable(state).into_owned()),
        );
        table.add_row(row);
    }
    table.trim_fmt()
}

/// Names are broken where they are too long, reasons stand under the table, and ciphertext and
/// signature, of which a scheme has one, share a column.
fn compact(entries: &[Entry], width: usize) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| compact_row(entry, &mut reasons))
        .collect();
    let draw = |name: &dyn Fn(&Entry) -> String| {
        let heading = ["instance", "kind", "pk", "sk", "ct/sig", "ss"];
        let mut table = empty_table(&heading, entries);
        for (entry, row) in entries.iter().zip(&rows) {
            table.add_row([name(entry)].iter().chain(row));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, 1));
        }
        table.trim_fmt()
    };
    let heading_only = "instance".len();
    let others = longest_line(&draw(&|_| String::new())).saturating_sub(heading_only);
    let room = width.saturating_sub(others).max(heading_only);
    let mut text = draw(&|entry| broken(&entry.name(), room));
    for (index, reason) in reasons.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n({}) {}", index + 1, printable(reason));
    }
    text
}

/// Everything but the name; a reason why a system cannot run it is given by its number.
fn compact_row<'a>(entry: &'a Entry, reasons: &mut Vec<&'a str>) -> Vec<String> {
    let Sizes {
        pk_bytes,
        sk_bytes,
        ct_bytes,
        ss_bytes,
        signature_bytes,
    } = entry.sizes.unwrap_or_default();
    let sizes = [pk_bytes, sk_bytes, ct_bytes.max(signature_bytes), ss_bytes];
    let mut row = vec![entry.category.to_owned()];
    row.extend(sizes.map(size));
    for state in entry.systems.values() {
        if state == OK {
            row.push(OK.to_owned());
            continue;
        }
        let known = reasons.iter().position(|reason| reason == state);
        let number = known.unwrap_or_else(|| {
            reasons.push(state);
            reasons.len() - 1
        });
        row.push(format!("no ({})", number + 1));
    }
    row
}

/// A name on lines of so many characters, broken after its own dashes and slashes where it can be.
fn broken(name: &str, room: usize) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for part in name.split_inclusive(['-', '/']) {
        if !line.is_empty() && line.chars().count() + part.chars().count() > room {
            lines.push_str(&line);
            lines.push('\n');
            line.clear();
        }
        line.push_str(part);
    }
    lines + &line
}

fn longest_line(text: &str) -> usize {
    let lengths = text.lines().map(|line| line.chars().count());
    lengths.max().unwrap_or(0)
}

fn size(bytes: u32) -> String {
    match bytes {
        0 => "-".to_owned(),
        bytes => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(label: &str, pk_bytes: u32, states: [&str; 2]) -> Entry {
        Entry {
            id: "pqclean".to_owned(),
            label: label.to_owned(),
            instance: label.to_owned(),
            variant: "reference".to_owned(),
            category: "kem",
            abi: "nist",
            sizes: Some(Sizes {
                pk_bytes,
                sk_bytes: 14_120,
                ct_bytes: 208,
                ss_bytes: 32,
                signature_bytes: 0,
            }),
            systems: system::default_names()
                .into_iter()
                .zip(states.map(str::to_owned))
                .collect(),
        }
    }

    fn entries() -> Vec<Entry> {
        let long = "needs FEAT_SHA3, which cortex-a72 lacks (and its assembly has Apple syntax that \
            GNU as rejects)";
        vec![
            entry("ML-KEM-768", 1184, [OK, OK]),
            entry("mceliece6688128-avx2", 1_044_992, ["needs x86_64", OK]),
            entry(
                "SPHINCS+-shake-256s-simple-aarch64",
                64,
                [long, "needs aarch64"],
            ),
            entry(
                "SPHINCS+-shake-256f-simple-aarch64",
                64,
                [long, "needs aarch64"],
            ),
        ]
    }

    #[test]
    fn eighty_columns_are_enough_on_a_terminal() {
        let entries = entries();
        let text = table(&entries, Some(80));
        let rows = text.lines().filter(|line| !line.starts_with('('));
        assert!(
            rows.clone().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        let systems = system::default_names();
        let text = text.replace(&systems[1], "this_host");
        insta::assert_snapshot!(text, @r"
        instance                     kind pk      sk    ct/sig ss qemu-virt this_host
        pqclean/ML-KEM-768           kem  1184    14120 208    32 ok        ok
        pqclean/mceliece6688128-avx2 kem  1044992 14120 208    32 no (1)    ok
        pqclean/SPHINCS+-shake-256s- kem  64      14120 208    32 no (2)    no (3)
        simple-aarch64
        pqclean/SPHINCS+-shake-256f- kem  64      14120 208    32 no (2)    no (3)
        simple-aarch64
        (1) needs x86_64
        (2) needs FEAT_SHA3, which cortex-a72 lacks (and its assembly has Apple syntax that GNU as rejects)
        (3) needs aarch64
        ");
    }

    #[test]
    fn without_a_terminal_or_with_room_a_line_has_everything() {
        let entries = entries();
        let text = table(&entries, None);
        assert_eq!(text.lines().count(), entries.len() + 1);
        assert!(text.contains("Apple syntax that GNU as rejects"), "{text}");
        assert_eq!(table(&entries, Some(400)), text);
    }
}
