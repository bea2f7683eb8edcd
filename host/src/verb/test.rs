//! `cargo host test`: every test, whatever it takes to run it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use catalogue::Board;
use catalogue::environment::BOARD;
use clap::Args;
use miette::{IntoDiagnostic, WrapErr};
use serde::Serialize;

use super::output;
use crate::cli::Context;
use crate::outcome::Outcome;
use crate::project::Project;
use crate::setup::child::{self, Attended};
use crate::setup::compiler::{self, LocalConfig};
use crate::setup::{self, Options, Scope};

/// Tests that iterate over instances take all of them where this is set.
const TEST_ALL: &str = "NGCC_TEST_ALL";

/// How long a step may take: far longer than any does, and shorter than for ever.
const LIMIT: Duration = Duration::from_secs(2 * 60 * 60);

/// The same with all instances.
const LIMIT_ALL: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs every test: format, lints, unit and integration tests, measurements in QEMU and here.
///
/// Sets the machine up first, if need be. A failed step does not keep the others from running; the
/// summary at the end names it, and the exit code is 1, or 124 when a step had no end.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Test all instances, not only representative ones: takes hours
    #[arg(long)]
    all: bool,
    /// Set the machine up without asking
    #[arg(long)]
    yes: bool,
}

/// One step: a command that succeeds or does not.
#[derive(Debug)]
struct Step {
    name: String,
    command: Command,
}

/// How a step ended.
#[derive(Debug, Serialize)]
struct Ending {
    step: String,
    end: End,
    seconds: f64,
}

/// How a step's command ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum End {
    /// It succeeded.
    Passed,
    /// It did not.
    Failed,
    /// It had no end, and was ended.
    Deadline,
}

/// Runs the tests.
///
/// # Errors
///
/// When the machine cannot be set up, or a step's program does not start.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let root = Project::find()?.root;
    setup::ensure(
        &root,
        Options {
            yes: arguments.yes,
            interactive: context.interactive(),
            scope: Scope::ArmLinux,
        },
        &context.interrupt,
    )?;
    let limit = if arguments.all { LIMIT_ALL } else { LIMIT };
    let mut endings = Vec::new();
    for mut step in steps(&root, arguments.all) {
        context.say(format_args!("==> {}", step.name));
        if context.common.json {
            step.command.stdout(io::stderr());
        }
        let started = Instant::now();
        let attended = child::attend(&mut step.command, limit, &context.interrupt)
            .into_diagnostic()
            .wrap_err_with(|| format!("{} does not run", step.name))?;
        let end = match attended {
            Attended::Exited(status) if status.success() => End::Passed,
            Attended::Exited(_) => End::Failed,
            Attended::Deadline => End::Deadline,
            Attended::Interrupted => return Ok(Outcome::Interrupted),
        };
        let ending = Ending {
            step: step.name,
            end,
            seconds: rounded(started.elapsed()),
        };
        context.say(line(&ending));
        endings.push(ending);
    }
    if context.common.json {
        output::json(&endings)?;
    } else {
        output::text(&summary(&endings))?;
    }
    Ok(outcome(&endings))
}

fn outcome(endings: &[Ending]) -> Outcome {
    let any = |end| endings.iter().any(|ending| ending.end == end);
    if any(End::Deadline) {
        Outcome::Deadline
    } else if any(End::Failed) {
        Outcome::NotClean
    } else {
        Outcome::Clean
    }
}

/// The steps, quick ones first.
fn steps(root: &Path, all: bool) -> Vec<Step> {
    let mut steps = vec![step(
        root,
        "format",
        child::cargo().into(),
        &["fmt", "--all", "--check"],
    )];
    let clippy = clippy(root);
    let mut lint = |of: &str, selection: &[&str], board: Option<&Board>| {
        let arguments = [
            &["clippy"],
            selection,
            &["--quiet", "--keep-going", "--", "--deny", "warnings"],
        ]
        .concat();
        let mut step = step(root, &format!("lints for {of}"), clippy.clone(), &arguments);
        if let Some(board) = board {
            step.command.env(BOARD, board.name);
        }
        steps.push(step);
    };
    lint(
        "this machine",
        &["--workspace", "--all-targets", "--target", "host-tuple"],
        None,
    );
    let boards = catalogue::boards()
        .iter()
        .filter(|board| !board.is_this_machine());
    for board in boards {
        let packages = ["--package", "firmware", "--package", "meter"];
        let selection = [&packages[..], &["--target", board.cargo_target]].concat();
        lint(board.name, &selection, Some(board));
    }
    let mut tests = step(
        root,
        if all { "all tests" } else { "tests" },
        child::cargo().into(),
        // Quiet: one line for each test program, and the closing lines that say how many passed.
        &[
            "test",
            "--quiet",
            "--workspace",
            "--no-fail-fast",
            "--target",
            "host-tuple",
        ],
    );
    if all {
        tests.command.env(TEST_ALL, "1");
    }
    steps.push(tests);
    steps
}

/// The Clippy that belongs to the compiler in use: cargo's own search would find that of another
/// compiler where the local configuration names one.
fn clippy(root: &Path) -> PathBuf {
    let rustc = compiler::rustc(LocalConfig::load(root).as_ref());
    let installation: Vec<_> = compiler::installation(&rustc).into_iter().collect();
    compiler::subcommand(&installation, "cargo-clippy").unwrap_or_else(|| child::cargo().into())
}

fn step(root: &Path, name: &str, program: PathBuf, arguments: &[&str]) -> Step {
    let mut command = child::command(program);
    command.current_dir(root).args(arguments);
    Step {
        name: name.to_owned(),
        command,
    }
}

fn rounded(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10.0).round() / 10.0
}

fn line(ending: &Ending) -> String {
    let word = match ending.end {
        End::Passed => "passed",
        End::Failed => "FAILED",
        End::Deadline => "NO END",
    };
    format!("{word}  {:>7.1} s  {}", ending.seconds, ending.step)
}

/// All endings, and the verdict.
fn summary(endings: &[Ending]) -> String {
    let failed: Vec<_> = endings
        .iter()
        .filter(|ending| ending.end != End::Passed)
        .map(|ending| ending.step.as_str())
        .collect();
    let verdict = if failed.is_empty() {
        "Everything passed.".to_owned()
    } else {
        format!("Failed: {}. The output above says why.", failed.join(", "))
    };
    let mut lines: Vec<_> = endings.iter().map(line).collect();
    lines.push(verdict);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(step: &str, end: End) -> Ending {
        Ending {
            step: step.to_owned(),
            end,
            seconds: rounded(Duration::from_millis(1250)),
        }
    }

    #[test]
    fn the_summary_names_what_failed() {
        let endings = [ending("format", End::Passed), ending("tests", End::Failed)];
        assert_eq!(
            summary(&endings),
            "passed      1.3 s  format\n\
             FAILED      1.3 s  tests\n\
             Failed: tests. The output above says why."
        );
        assert_eq!(outcome(&endings), Outcome::NotClean);
        assert!(summary(&endings[..1]).ends_with("Everything passed."));
        assert_eq!(outcome(&endings[..1]), Outcome::Clean);
        assert_eq!(
            outcome(&[ending("tests", End::Deadline)]),
            Outcome::Deadline
        );
    }

    #[test]
    fn steps_run_in_the_workspace_and_only_tests_widen() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for all in [false, true] {
            let steps = steps(root, all);
            let widened: Vec<_> = steps
                .iter()
                .filter(|step| step.command.get_envs().any(|(name, _)| name == TEST_ALL))
                .map(|step| step.name.as_str())
                .collect();
            assert_eq!(widened, if all { vec!["all tests"] } else { vec![] });
            assert!(
                steps
                    .iter()
                    .all(|step| step.command.get_current_dir() == Some(root))
            );
        }
    }
}
