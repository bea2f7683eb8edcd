//! What a program says of its version, asked with a limit of time and of output.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::child::{POLL, Process};
use super::{Life, StartError};

/// How long a program may take to name its version: under load, a large one starts slowly.
pub const LIMIT: Duration = Duration::from_secs(20);

/// Bytes that a program may say of its version.
const LIMIT_BYTES: u64 = 16 * 1024;

/// What `program --version` writes to its standard output. All that it started ends with it.
///
/// # Errors
///
/// [`StartError::MissingProgram`] when it cannot be run, [`StartError::NoVersion`] when it does not
/// end within `limit`, writes without end, or fails.
pub fn ask(program: &str, limit: Duration) -> Result<String, StartError> {
    let no_version = |reason| StartError::NoVersion {
        program: program.to_owned(),
        reason,
    };
    let mut process = match Process::start(program, Command::new(program).arg("--version")) {
        Err(StartError::Spawn { source, .. }) => {
            return Err(StartError::MissingProgram {
                program: program.to_owned(),
                source,
            });
        }
        started => started?,
    };
    let until = Instant::now() + limit;
    loop {
        let code = process.exit_code();
        let output = process.output();
        if output.stdout.length + output.stderr.length > LIMIT_BYTES {
            return Err(no_version(format!(
                "it wrote more than {LIMIT_BYTES} bytes"
            )));
        }
        match code {
            Some(0) => return Ok(String::from_utf8_lossy(&output.stdout.first).into_owned()),
            Some(_) => return Err(no_version(process.ended().unwrap_or_default())),
            None if Instant::now() >= until => {
                return Err(no_version(format!("it did not end within {limit:?}")));
            }
            None => thread::sleep(POLL),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;

    /// A program that the shell runs.
    fn program(folder: &Path, script: &str) -> String {
        let path = folder.join("program");
        let text = format!("#!/bin/sh\n{script}\n");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn complaint(script: &str, limit: Duration) -> String {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), script);
        let error = ask(&program, limit).unwrap_err().to_string();
        error.replace(&program, "program")
    }

    #[test]
    fn a_version_is_what_the_program_says() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), "echo program 7.2; echo warning >&2");
        assert_eq!(ask(&program, LIMIT).unwrap(), "program 7.2\n");
    }

    #[test]
    fn a_program_that_never_ends_is_ended() {
        insta::assert_snapshot!(
            complaint("while :; do sleep 1000; done", Duration::from_millis(100)),
            @"`program --version` gives no version: it did not end within 100ms"
        );
    }

    #[test]
    fn a_program_that_writes_without_end_is_ended() {
        insta::assert_snapshot!(
            complaint("yes", Duration::from_secs(3600)),
            @"`program --version` gives no version: it wrote more than 16384 bytes"
        );
    }

    #[test]
    fn a_program_that_fails_or_is_missing_has_no_version() {
        insta::assert_snapshot!(
            complaint("echo broken >&2; exit 3", LIMIT),
            @"`program --version` gives no version: program ended with status 3: broken"
        );
        let error = ask("/nowhere/program", LIMIT).unwrap_err();
        assert!(
            matches!(error, StartError::MissingProgram { .. }),
            "{error}"
        );
    }
}
