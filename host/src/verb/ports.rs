//! `cargo host ports`: the serial ports of this machine.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::output;
use crate::cli::Context;
use crate::line::serial::{self, Port, PortError, SerialLine};
use crate::outcome::Outcome;

/// Lists the serial ports of this machine, and says which one leads to the board and why.
///
/// That is the port that --port names, or else the only known USB serial adapter. With --json:
/// {ports: [{device, by_id, usb: {vendor, product, adapter, words}, taken}], choice, reason}.
///
/// No port is opened.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The port that would be named
    #[arg(long, value_name = "PORT")]
    port: Option<PathBuf>,
}

#[derive(Serialize)]
struct Summary<'a> {
    ports: Vec<Row<'a>>,
    /// The port that is taken; null when that cannot be said.
    choice: Option<PathBuf>,
    /// Why that one, or why none.
    reason: String,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    port: &'a Port,
    taken: bool,
}

/// Lists them.
///
/// # Errors
///
/// When the kernel's list cannot be read.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let ports = serial::list()?;
    let (choice, reason) = match &arguments.port {
        Some(named) => (Some(named.clone()), "it is named".to_owned()),
        None => match serial::only_adapter(&ports) {
            Ok(port) => {
                let reason = "it is the only known USB serial adapter".to_owned();
                (Some(port.name().to_owned()), reason)
            }
            Err(error) => (None, error.to_string()),
        },
    };
    let taken = |port: &Port| {
        let same = |name: &PathBuf| name == port.name() || *name == port.device;
        choice.as_ref().is_some_and(same)
    };
    if context.common.json {
        let rows = ports.iter().map(|port| Row {
            port,
            taken: taken(port),
        });
        output::json(&Summary {
            ports: rows.collect(),
            choice: choice.clone(),
            reason,
        })?;
        return Ok(Outcome::Clean);
    }
    if ports.is_empty() {
        output::text("no serial ports")?;
    }
    for port in &ports {
        let mark = if taken(port) { "*" } else { " " };
        let words = port.usb.as_ref().map_or("", |usb| usb.words.as_str());
        let line = format!("{mark} {}  {words}", serial::words(port));
        output::text(line.trim_end())?;
    }
    output::text(&match &choice {
        Some(port) => format!("taken is {}: {reason}", port.display()),
        None => format!("none is taken: {reason}"),
    })?;
    Ok(Outcome::Clean)
}

/// The port that leads to the board: the named one, the only known adapter, or what the user says.
///
/// # Errors
///
/// When there is none, or several and nobody to ask.
pub fn choose(named: Option<&PathBuf>, context: &Context) -> miette::Result<PathBuf> {
    if let Some(named) = named {
        return Ok(named.clone());
    }
    let ports = serial::list()?;
    match serial::only_adapter(&ports) {
        Ok(port) => Ok(port.name().to_owned()),
        Err(PortError::Several { .. }) if context.interactive() => {
            let known: Vec<&Port> = ports.iter().filter(|it| it.adapter().is_some()).collect();
            ask(&known, context)
        }
        Err(error) => Err(error.into()),
    }
}

/// Asks which of these it is.
fn ask(ports: &[&Port], context: &Context) -> miette::Result<PathBuf> {
    context.say("which port leads to the board?");
    for (number, port) in (1..).zip(ports) {
        context.say(format!("  {number}: {}", serial::words(port)));
    }
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| miette::miette!("cannot read the answer: {error}"))?;
    let number = answer.trim().parse::<usize>().unwrap_or(0);
    match number.checked_sub(1).and_then(|place| ports.get(place)) {
        Some(port) => Ok(port.name().to_owned()),
        None => Err(miette::miette!(
            help = "answer with one of the numbers, or name the port with --port",
            "`{}` is none of the ports",
            answer.trim()
        )),
    }
}

/// A port and its rate: arguments that several commands share.
#[derive(Debug, Args)]
pub struct PortChoice {
    /// The serial port; without it, the only known USB serial adapter
    #[arg(long, value_name = "PORT")]
    pub port: Option<PathBuf>,
    /// Its rate in bits per second
    #[arg(long, value_name = "RATE", default_value_t = serial::BAUD, value_parser = clap::value_parser!(u32).range(50..=20_000_000))]
    pub baud: u32,
}

impl PortChoice {
    /// Takes the port.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be taken.
    pub fn open(&self, context: &Context) -> miette::Result<SerialLine> {
        let name = choose(self.port.as_ref(), context)?;
        Ok(SerialLine::open(&name, self.baud)?)
    }
}
