//! `cargo host list`: what can be measured, and where.

use std::collections::BTreeMap;

use catalogue::{Catalogue, Instance};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use regex::Regex;
use serde::Serialize;

use super::output;
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::system;

/// Lists what can be measured, and on which systems.
///
/// One line for each instance: its name (`<candidate>/<label>`), the kind of scheme, the sizes of
/// its keys and messages in bytes, and for each system "ok" or why it cannot be measured there.
/// With --json an array of {id, label, instance, variant, category, abi, sizes, systems}.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only names that this regular expression matches
    #[arg(long, value_name = "RE")]
    only: Option<Regex>,
}

/// An instance as `list --json` shows it.
#[derive(Debug, Serialize)]
struct Entry {
    id: String,
    label: String,
    instance: String,
    variant: String,
    category: &'static str,
    abi: &'static str,
    sizes: Sizes,
    systems: BTreeMap<String, String>,
}

/// Sizes in bytes; 0 where the category has no such thing.
#[derive(Debug, Serialize)]
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
/// When the catalogue cannot be read.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let catalogue = Catalogue::load(&Project::find()?.root)?;
    let entries = catalogue
        .instances()
        .iter()
        .filter(|instance| {
            arguments
                .only
                .as_ref()
                .is_none_or(|only| only.is_match(&instance.name()))
        })
        .map(entry)
        .collect::<Result<Vec<_>, _>>()?;
    if let (true, Some(only)) = (entries.is_empty(), &arguments.only) {
        return Err(miette::miette!(
            help = "leave --only out to see all names, which are <id>/<label>",
            "no instance matches `{only}`"
        ));
    }
    if context.common.json {
        output::json(&entries)?;
    } else {
        output::text(&table(&entries))?;
    }
    Ok(Outcome::Clean)
}

fn entry(instance: &Instance) -> miette::Result<Entry> {
    let mut systems = BTreeMap::new();
    for name in system::default_names() {
        let board = catalogue::board(system::board_of(&name)?)?;
        let state = match instance.availability(board) {
            Ok(()) => "ok".to_owned(),
            Err(unavailable) => unavailable.reason,
        };
        systems.insert(name, state);
    }
    let sizes = instance.sizes;
    Ok(Entry {
        id: instance.candidate.clone(),
        label: instance.label.clone(),
        instance: instance.instance.clone(),
        variant: instance.variant.clone(),
        category: match instance.category {
            wire::Category::Kem => "kem",
            wire::Category::Sig => "sig",
        },
        abi: instance.interface.name(),
        sizes: Sizes {
            pk_bytes: sizes.public_key,
            sk_bytes: sizes.secret_key,
            ct_bytes: sizes.ciphertext,
            ss_bytes: sizes.shared_secret,
            signature_bytes: sizes.signature,
        },
        systems,
    })
}

fn table(entries: &[Entry]) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    let mut heading = vec!["instance".to_owned(), "kind".to_owned()];
    heading.extend(["pk", "sk", "ct", "ss", "signature"].map(str::to_owned));
    heading.extend(system::default_names());
    table.set_header(heading);
    for entry in entries {
        let Sizes {
            pk_bytes,
            sk_bytes,
            ct_bytes,
            ss_bytes,
            signature_bytes,
        } = entry.sizes;
        let sizes = [pk_bytes, sk_bytes, ct_bytes, ss_bytes, signature_bytes];
        let mut row = vec![
            format!("{}/{}", entry.id, entry.label),
            entry.category.to_owned(),
        ];
        row.extend(sizes.map(|size| match size {
            0 => "-".to_owned(),
            size => size.to_string(),
        }));
        row.extend(entry.systems.values().cloned());
        table.add_row(row);
    }
    table.trim_fmt()
}
