//! `cargo host monitor`: what a board says, as it says it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;

use super::output;
use super::ports::PortChoice;
use crate::capture::{Header, Kind, Recorder};
use crate::cli::Context;
use crate::image::Elf;
use crate::interrupt::Urgency;
use crate::line::serial::{PortError, SerialLine};
use crate::line::{self, Reading};
use crate::monitor::{Entry, Listener, dump};
use crate::outcome::Outcome;

/// Silence after which the beginning of a line is shown, such as a prompt.
const QUIET: Duration = Duration::from_millis(200);

/// How long an unplugged port is waited for: until the user gives up.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// Shows what comes over a serial line: frames with their messages, the log, faults, and text that
/// is in no frame.
///
/// It only reads: nothing is sent, and the board is not reset. An unplugged port is waited for.
/// Ctrl-C ends it, with 130.
///
/// Each line has the seconds since the beginning, the direction (< from the meter), what it is, the
/// numbers of request and block, and the message. With --json one object for each:
/// {seconds, from, kind, number: [request, block], bytes, words}.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    port: PortChoice,
    #[command(flatten)]
    view: View,
    /// Also write what comes into this file, which `cargo host replay` shows
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
}

/// How a line is shown.
#[derive(Debug, Args)]
pub struct View {
    /// Show the bytes as they are
    #[arg(long)]
    raw: bool,
    /// The image that runs: it has the strings of the log, and the functions of a fault
    #[arg(long, value_name = "IMAGE")]
    elf: Option<PathBuf>,
}

/// Shows what goes over a line.
pub struct Show {
    raw: bool,
    json: bool,
    listener: Listener,
}

impl View {
    /// What shows it.
    ///
    /// # Errors
    ///
    /// When the image cannot be read.
    pub fn show(&self, context: &Context) -> miette::Result<Show> {
        let elf = self.elf.as_deref().map(Elf::read).transpose()?;
        Ok(Show {
            raw: self.raw,
            json: context.common.json,
            listener: Listener::new(elf),
        })
    }
}

impl Show {
    /// Shows bytes that came at this time.
    ///
    /// # Errors
    ///
    /// When standard output cannot be written.
    pub fn take(&mut self, at: Duration, kind: Kind, bytes: &[u8]) -> miette::Result<()> {
        if self.raw {
            return output::text(&dump(at, kind, bytes));
        }
        let entries = self.listener.take(at, kind, bytes);
        self.print(&entries)
    }

    /// Shows what waits for more that does not come.
    ///
    /// # Errors
    ///
    /// When standard output cannot be written.
    pub fn quiet(&mut self, at: Duration) -> miette::Result<()> {
        let entries = self.listener.quiet(at);
        self.print(&entries)
    }

    fn print(&self, entries: &[Entry]) -> miette::Result<()> {
        for entry in entries {
            match self.json {
                true => output::json_line(entry)?,
                false => output::text(&entry.to_string())?,
            }
        }
        Ok(())
    }
}

/// Shows it.
///
/// # Errors
///
/// When the port cannot be taken, or the capture not be written.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let mut show = arguments.view.show(context)?;
    let mut line = arguments.port.open(context)?;
    context.say(format!(
        "listening to {} at {} baud; Ctrl-C ends it",
        line.name().display(),
        arguments.port.baud
    ));
    let recorder = arguments
        .capture
        .as_ref()
        .map(|file| Recorder::new(file.clone(), Header::of_line(line.name())));
    let started = Instant::now();
    let mut last = started;
    let result = loop {
        if context.interrupt.urgency() > Urgency::None {
            break Ok(Outcome::Interrupted);
        }
        let mut buffer = [0; 4096];
        match line::read(&mut line, &mut buffer) {
            Reading::Bytes(length) => {
                last = Instant::now();
                let bytes = &buffer[..length];
                if let Some(recorder) = &recorder {
                    recorder.take(Kind::FromMeter, bytes);
                }
                show.take(last - started, Kind::FromMeter, bytes)?;
            }
            Reading::Nothing if last.elapsed() > QUIET => show.quiet(last - started)?,
            Reading::Nothing => {}
            Reading::Closed(reason) => {
                let name = line.name().to_owned();
                context.say(format!("{reason}; waiting for {}", name.display()));
                drop(line);
                let (baud, interrupt) = (arguments.port.baud, &context.interrupt);
                line = match SerialLine::open_when_there(&name, baud, PATIENCE, interrupt) {
                    Err(PortError::Interrupted) => break Ok(Outcome::Interrupted),
                    Err(error) => break Err(error.into()),
                    Ok(line) => line,
                };
                context.say(format!("{} is back", name.display()));
            }
        }
    };
    if let Some(recorder) = &recorder {
        recorder.finish(true)?;
    }
    result
}
