//! Why there is no serial line.

use std::io;
use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// Why there is no serial line.
#[derive(Debug, Error, Diagnostic)]
pub enum PortError {
    /// The ports cannot be listed.
    #[error("cannot list the serial ports: {reason}")]
    #[diagnostic(help("name the port with --port"))]
    List {
        /// Why not.
        reason: String,
    },
    /// No adapter that is known leads to a board.
    #[error("no known USB serial adapter is plugged in{}", but(others))]
    #[diagnostic(help("plug one in, or name a port with --port; `cargo host ports` lists them"))]
    NoAdapter {
        /// Ports that are there and not taken unasked.
        others: Vec<String>,
    },
    /// Several could lead to the board.
    #[error("several USB serial adapters are plugged in: {}", candidates.join(", "))]
    #[diagnostic(help("name the board's with --port"))]
    Several {
        /// All of them.
        candidates: Vec<String>,
    },
    /// The port is not there.
    #[error("{} is not there", port.display())]
    #[diagnostic(help("is it plugged in? `cargo host ports` lists what is"))]
    Missing {
        /// The port.
        port: PathBuf,
    },
    /// Another program has the port.
    #[error("{} is in use{}", port.display(), by(holders))]
    #[diagnostic(help(
        "end that program; two readers of one line take each other's bytes. Where nobody is \
         named, it is another user's: `sudo fuser -v {}` tells", port.display()
    ))]
    Busy {
        /// The port.
        port: PathBuf,
        /// Programs that have it open, as far as they may be seen.
        holders: Vec<String>,
    },
    /// The user may not use the port.
    #[error("no permission to use {}", port.display())]
    #[diagnostic(help(
        "it belongs to the group {group}: `sudo usermod -aG {group} $USER`, then log in again"
    ))]
    Permission {
        /// The port.
        port: PathBuf,
        /// Its group.
        group: String,
    },
    /// It is no serial port, or a broken one.
    #[error("cannot use {} as a serial port: {source}", port.display())]
    #[diagnostic(help("is it a terminal device? `cargo host ports` lists them"))]
    Unusable {
        /// The port.
        port: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The port does not work at this rate.
    #[error("{} does not take {baud} baud: {reason}", port.display())]
    #[diagnostic(help("give another rate with --baud"))]
    Rate {
        /// The port.
        port: PathBuf,
        /// The rate.
        baud: u32,
        /// Why not.
        reason: String,
    },
    /// The user does not want to wait any longer.
    #[error("interrupted")]
    Interrupted,
}

fn but(others: &[String]) -> String {
    match others {
        [] => String::new(),
        others => format!("; not taken unasked: {}", others.join(", ")),
    }
}

fn by(holders: &[String]) -> String {
    match holders {
        [] => String::new(),
        holders => format!(" by {}", holders.join(", ")),
    }
}
