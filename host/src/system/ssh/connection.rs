//! Connections to another machine through the user's own `ssh`, with its keys and configuration.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use super::super::StartError;
use super::super::child::bound_to_us;

/// The program.
const PROGRAM: &str = "ssh";

/// No terminal, no questions, and no connection that is shared with others: the end of ours ends
/// what we started. Silence of half a minute is a lost connection.
const OPTIONS: [&str; 13] = [
    "-T",
    "-oBatchMode=yes",
    "-oConnectTimeout=10",
    "-oServerAliveInterval=10",
    "-oServerAliveCountMax=3",
    "-oControlMaster=no",
    "-oControlPath=none",
    "-oForwardAgent=no",
    "-oForwardX11=no",
    "-oClearAllForwardings=yes",
    "-oPermitLocalCommand=no",
    "-oLogLevel=ERROR",
    "--",
];

/// Keeps a folder as long as the connection lasts, whose end is the end of the standard input. A
/// shell that is told to end runs what it has for its exit only if it traps the signal.
const KEEP: &str = "umask 077; d=$(mktemp -d \"${TMPDIR:-/tmp}/ngcc-meter.XXXXXXXXXX\") || exit 1; \
    trap 'rm -rf \"$d\"' EXIT; trap 'exit 1' INT TERM; trap '' HUP; \
    echo \"$d\"; cat > /dev/null";

/// Where to connect to, in ssh's words: `user@host`, or a name of its configuration.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Destination {
    words: String,
    /// The published name that the user bound to it.
    bound: Option<String>,
}

impl Destination {
    /// A destination; `None` for what ssh would take for something else.
    pub fn new(words: &str) -> Option<Self> {
        let is_sound = !words.is_empty()
            && !words.starts_with('-')
            && !words.contains(|c: char| c.is_whitespace() || c.is_control());
        is_sound.then(|| Self {
            words: words.to_owned(),
            bound: None,
        })
    }

    /// The same, as the machine of a published name.
    pub fn bound_to(self, name: &str) -> Self {
        Self {
            bound: Some(name.to_owned()),
            ..self
        }
    }

    /// Whether it is the machine of this published name.
    pub(super) fn is_bound_to(&self, name: &str) -> bool {
        self.bound.as_deref() == Some(name)
    }
}

impl std::fmt::Display for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

/// The command that runs a script of the shell there.
pub fn command(destination: &Destination, script: &str) -> Command {
    let mut command = bound_to_us(PROGRAM);
    command.args(OPTIONS).args([&destination.words, script]);
    command
}

/// Runs a script to its end; what it printed.
///
/// # Errors
///
/// When ssh does not start, or it or the script fails.
pub fn run(destination: &Destination, script: &str, input: Stdio) -> Result<String, StartError> {
    let mut command = command(destination, script);
    let output = command.stdin(input).output().map_err(missing)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(unreachable(destination, &said));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn missing(source: std::io::Error) -> StartError {
    StartError::MissingSsh {
        program: PROGRAM,
        source,
    }
}

/// Why ssh failed, with what to do about it.
fn unreachable(destination: &Destination, said: &str) -> StartError {
    let said = said.lines().rfind(|line| !line.trim().is_empty());
    let said = said.unwrap_or("it said nothing").trim();
    let remedy = if said.contains("Host key verification failed") {
        format!(
            "its host key is not known: connect once by hand, `ssh {destination}`, and check it"
        )
    } else if said.contains("Permission denied") {
        format!(
            "it asks for a password or knows no key of yours: `ssh-copy-id {destination}`, and load \
             your key with `ssh-add`"
        )
    } else {
        format!("`ssh {destination} true` must work without a question")
    };
    StartError::Unreachable {
        destination: destination.to_string(),
        said: said.to_owned(),
        remedy,
    }
}

/// A folder on the machine, which goes with this value or with the connection.
#[derive(Debug)]
pub struct Folder {
    path: String,
    keeper: Child,
}

impl Folder {
    /// Makes it.
    ///
    /// # Errors
    ///
    /// When the machine cannot be reached.
    pub fn make(destination: &Destination) -> Result<Self, StartError> {
        let mut keeper = command(destination, KEEP)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(missing)?;
        let mut path = String::new();
        if let Some(output) = keeper.stdout.take() {
            // A connection that fails ends the output.
            let _ = BufReader::new(output).read_line(&mut path);
        }
        let path = path.trim().to_owned();
        if !path.starts_with('/') || path.contains('\'') {
            let mut said = String::new();
            let _ = keeper.kill();
            if let Some(mut errors) = keeper.stderr.take() {
                let _ = errors.read_to_string(&mut said);
            }
            let _ = keeper.wait();
            return Err(unreachable(destination, &said));
        }
        Ok(Self { path, keeper })
    }

    /// Its path there.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether the connection that keeps it is still there.
    pub fn is_there(&mut self) -> bool {
        matches!(self.keeper.try_wait(), Ok(None))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The end of its input lets the keeper remove the folder. ssh ends by itself then, or when
        // the connection turns out to be lost.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

#[cfg(test)]
mod tests {
    use miette::Diagnostic;

    use super::*;

    #[test]
    fn options_are_no_destinations() {
        for bad in ["", "-oProxyCommand=x", "a b", "a\nb"] {
            assert_eq!(Destination::new(bad), None, "{bad:?}");
        }
        assert!(Destination::new("me@board").is_some());
    }

    #[test]
    fn a_failure_has_its_own_remedy() {
        let destination = Destination::new("me@board").unwrap();
        let remedy = |said| {
            let error = unreachable(&destination, said);
            error.help().unwrap().to_string()
        };
        assert!(remedy("x\nHost key verification failed.\n").contains("connect once by hand"));
        assert!(
            remedy("me@board: Permission denied (publickey).").contains("ssh-copy-id me@board")
        );
        assert!(remedy("").contains("`ssh me@board true`"));
    }
}
