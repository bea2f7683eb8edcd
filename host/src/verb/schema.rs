//! `cargo host schema`: what a record holds, for programs of others.

use clap::Args;

use super::output;
use crate::outcome::Outcome;
use crate::record::schema::document;

/// Prints the JSON Schema (2020-12) of a record.
///
/// Every key with its type and its meaning. A record that this program writes is valid under it,
/// and so is a published one, which has no `meter`; keys that are not named in it are allowed.
#[derive(Debug, Args)]
pub struct Arguments {}

/// Prints.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn run() -> miette::Result<Outcome> {
    output::json(&document())?;
    Ok(Outcome::Clean)
}
