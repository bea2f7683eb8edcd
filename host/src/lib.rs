//! The collector: starts a meter on a board, in QEMU or as a process of this machine, talks to it,
//! and keeps, checks and compares what it measured.
//!
//! Data flows one way: [`image`] builds an instance into a meter, [`system`] starts it, [`line`]
//! carries bytes, [`session`] asks and waits, [`measure`] says what is asked of one operation and
//! [`campaign`] of all of them, [`record`] is what is kept, [`table`] is what people read.
//! [`machine`] reads what the kernel says of this machine, [`fitness`] whether it may be measured on,
//! and [`bench`] measures the instrument; [`merge`] joins what several campaigns kept.
//! [`capture`] keeps what came over a line and plays it again, and [`monitor`] shows it.
//! [`published`] takes in records of others, [`export`] hands ours on, [`ratio`] compares two records,
//! and [`regression`] says what became worse. One module of [`verb`] stands behind each command.

pub mod bench;
pub mod campaign;
pub mod capture;
pub mod cli;
pub mod explain;
pub mod export;
pub mod fault;
pub mod fitness;
pub mod image;
pub mod interrupt;
pub mod line;
pub mod machine;
pub mod measure;
pub mod measurement;
pub mod merge;
pub mod monitor;
pub mod notice;
pub mod outcome;
pub mod project;
pub mod published;
pub mod ratio;
pub mod record;
pub mod regression;
pub mod report;
pub mod session;
pub mod setup;
pub mod system;
pub mod table;
pub mod verb;
