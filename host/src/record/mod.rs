//! What is kept: one JSON file for one operation of one label on one system.
//!
//! [`schema`] says what a record holds, and everything that reads or writes one uses that type.
//! [`plan`] decides how often an operation is called, [`assemble`] makes a record of what a session
//! measured, [`profile`] stands beside it, [`statistics`] computes every number that is not measured, [`store`] keeps records in
//! a run directory, [`migrate`] reads those of earlier formats, and [`validate`] recomputes all of it from the raw trials.

pub mod assemble;
pub mod digest;
pub mod environment;
pub mod identity;
pub mod migrate;
pub mod plan;
pub mod profile;
pub mod read;
pub mod run_files;
pub mod schema;
pub mod spread;
pub mod statistics;
pub mod store;
pub mod validate;

#[cfg(test)]
pub(crate) mod example;
