//! `cargo host replay`: what came over a line, once more.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::monitor::View;
use crate::capture::Capture;
use crate::cli::Context;
use crate::outcome::Outcome;

/// Shows a capture as `cargo host monitor` shows a line, in both directions.
///
/// A campaign keeps the capture of each label of which a record was spoiled, and with --capture of
/// all: <run>/<system>/captures/<id>/<label>.capture. `cargo host monitor --capture` writes one too.
///
/// A capture can also take the place of a system: with `--system capture:<file>`, `kat`, `run` and
/// `campaign` get from it what the recorded meter answered, and bring home what was measured then.
/// Their records say that the line was a capture.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The capture
    capture: PathBuf,
    #[command(flatten)]
    view: View,
}

/// Shows it.
///
/// # Errors
///
/// When the file is no capture.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let capture = Capture::read(&arguments.capture)?;
    let header = &capture.header;
    context.say(format!(
        "{} over {}, protocol {}, schema {:08x}",
        header.system, header.transport, header.protocol, header.schema
    ));
    let mut show = arguments.view.show(context)?;
    let mut at = Duration::ZERO;
    for chunk in &capture.chunks {
        at = chunk.at;
        show.take(at, chunk.kind, &chunk.bytes)?;
    }
    show.quiet(at)?;
    if capture.is_cut {
        context.say("the capture was not written to its end");
    }
    Ok(Outcome::Clean)
}
