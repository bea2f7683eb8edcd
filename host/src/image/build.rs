//! One run of cargo that builds an image.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use cargo_metadata::{Message, TargetKind};
use catalogue::{Board, Toolchain, environment};
use rustix::process::{Pid, Signal, kill_process_group};

use super::blame::{Blame, blame};
use super::{BuildError, Recipe};
use crate::interrupt::{Interrupt, Urgency};
use crate::setup::child;

/// The package and the program.
const FIRMWARE: &str = "firmware";

/// How often a running build is looked at.
const POLL: Duration = Duration::from_millis(50);

/// Characters of a build's output that an error carries.
const LOG_CHARACTERS: usize = 4000;

/// What a build left behind, in cargo's own folders.
pub struct Built {
    /// The ELF file.
    pub executable: PathBuf,
    /// The output folder of the build script.
    pub out_folder: PathBuf,
}

/// Runs cargo in a target folder of its own, so that it never waits for the cargo around us.
///
/// # Errors
///
/// [`BuildError::Failed`] when the instance is at fault, and others when it is not.
pub fn cargo(
    recipe: &Recipe,
    root: &Path,
    target_folder: &Path,
    interrupt: &Interrupt,
) -> Result<Built, BuildError> {
    let temporary =
        || tempfile::tempfile().map_err(|e| BuildError::file("create", &std::env::temp_dir(), e));
    let (mut messages, mut words) = (temporary()?, temporary()?);
    let clone = |file: &File| {
        file.try_clone()
            .map_err(|e| BuildError::file("share", &std::env::temp_dir(), e))
    };
    let mut command = command(recipe, root, target_folder);
    link_for_another_machine(&mut command, recipe.board)?;
    command.stdout(clone(&messages)?).stderr(clone(&words)?);
    let status = run(&mut command, interrupt)?;
    let words = read_back(&mut words)?;
    if !status.success() {
        let log = end_of(&words).to_owned();
        return Err(match blame(&words) {
            Blame::Machine(reason) => BuildError::Machine { reason, log },
            Blame::Instance(reason) => BuildError::Failed {
                name: recipe.instance.name(),
                board: recipe.board.name.to_owned(),
                flags: recipe.flags.name().to_owned(),
                reason,
                log,
            },
        });
    }
    messages
        .rewind()
        .map_err(|e| BuildError::file("read", &std::env::temp_dir(), e))?;
    results(messages)
}

fn command(recipe: &Recipe, root: &Path, target_folder: &Path) -> Command {
    // Ctrl-C is for us, who end cargo in good order; and no compiler outlives us.
    let mut command = child::bound_group(child::cargo());
    command
        .args(["build", "--package", FIRMWARE])
        .args(["--target", recipe.board.cargo_target])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", target_folder)
        .env(environment::INSTANCE, recipe.instance.name())
        .env(environment::BOARD, recipe.board.name)
        .env(environment::FLAGS, recipe.flags.name())
        .env(environment::KIND, recipe.kind.name())
        .env(environment::DRILL, recipe.drills.join(","))
        .env(environment::LAYOUT, recipe.layout.to_string())
        // They would change the image without being among its ingredients.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
}

/// rustc links with the compiler driver of this machine unless it is told otherwise. A linker that the
/// environment names for the target stays.
fn link_for_another_machine(command: &mut Command, board: &Board) -> Result<(), BuildError> {
    let target = board.cargo_target.to_uppercase().replace('-', "_");
    let variable = format!("CARGO_TARGET_{target}_LINKER");
    let is_process = !board.bare_metal && !board.is_this_machine();
    if is_process && std::env::var_os(&variable).is_none() {
        command.env(variable, Toolchain::find(board)?.compiler);
    }
    Ok(())
}

fn run(command: &mut Command, interrupt: &Interrupt) -> Result<ExitStatus, BuildError> {
    let failed = |source| BuildError::Tool {
        program: "cargo".to_owned(),
        source,
    };
    let mut child = command.spawn().map_err(failed)?;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        // No record is being measured that could be finished first.
        if interrupt.urgency() > Urgency::None {
            // With the compilers that it started. An error means that all have just ended.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            child.wait().map_err(failed)?;
            return Err(BuildError::Interrupted);
        }
        thread::sleep(POLL);
    }
}

fn read_back(file: &mut File) -> Result<String, BuildError> {
    let mut bytes = Vec::new();
    let mut read = || -> io::Result<()> {
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(())
    };
    read().map_err(|e| BuildError::file("read", &std::env::temp_dir(), e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The executable and the build script's output folder among cargo's messages.
fn results(messages: File) -> Result<Built, BuildError> {
    let (mut executable, mut out_folder, mut package) = (None, None, None);
    let mut scripts = Vec::new();
    for message in Message::parse_stream(BufReader::new(messages)).flatten() {
        match message {
            Message::CompilerArtifact(artifact)
                if artifact.target.name == FIRMWARE
                    && artifact.target.kind.contains(&TargetKind::Bin) =>
            {
                executable = artifact.executable;
                package = Some(artifact.package_id);
            }
            Message::BuildScriptExecuted(script) => scripts.push(script),
            _ => {}
        }
    }
    for script in scripts {
        if Some(&script.package_id) == package.as_ref() {
            out_folder = Some(script.out_dir);
        }
    }
    Ok(Built {
        executable: executable
            .ok_or(BuildError::NoResult { what: "executable" })?
            .into(),
        out_folder: out_folder
            .ok_or(BuildError::NoResult {
                what: "output of the build script",
            })?
            .into(),
    })
}

/// The end of a long text, from the start of a line.
fn end_of(text: &str) -> &str {
    let surplus = text.len().saturating_sub(LOG_CHARACTERS);
    match (surplus..text.len()).find(|at| text.as_bytes()[at.saturating_sub(1)] == b'\n') {
        Some(start) if surplus > 0 => &text[start..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_logs_are_cut_at_the_start_of_a_line() {
        let text: String = (0..2000).map(|n| format!("line {n} µ\n")).collect();
        let end = end_of(&text);
        assert!(end.len() <= LOG_CHARACTERS && end.len() > LOG_CHARACTERS - 20);
        assert!(end.starts_with("line ") && end.ends_with("line 1999 µ\n"));
        assert_eq!(end_of("short"), "short");
    }
}
