//! `cargo host completions`: what a shell needs to complete commands.

use clap::Args;
use clap_complete::Shell;
use serde_json::json;

use super::output;
use crate::cli::{self, Context};
use crate::outcome::Outcome;

/// Prints completions for a shell.
///
/// Shells complete programs, and `cargo host` is a word of cargo's. Give it a name of its own,
/// `alias ngcc='cargo host'`, and load the completions for that name: `source <(cargo host
/// completions bash)`. With --json {shell, script}.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    /// The name that the shell knows the command by
    #[arg(long, value_name = "NAME", default_value = "ngcc", value_parser = word)]
    name: String,
}

/// Prints them.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn run(arguments: &Arguments, context: &Context) -> miette::Result<Outcome> {
    let script = script(arguments);
    if context.common.json {
        output::json(&json!({ "shell": arguments.shell.to_string(), "script": script }))?;
    } else {
        output::text(script.trim_end())?;
    }
    Ok(Outcome::Clean)
}

fn script(Arguments { shell, name }: &Arguments) -> String {
    let mut script = Vec::new();
    let mut command = cli::command().bin_name(name.clone());
    clap_complete::generate(*shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// A name that means the same to every shell.
fn word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("letters, digits, `-` and `_` make a name".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_learns_every_verb_under_the_name_that_it_knows() {
        for shell in Shell::value_variants() {
            let script = script(&Arguments {
                shell: *shell,
                name: word("measure").unwrap(),
            });
            assert!(script.contains("measure"), "{shell}");
            for verb in cli::command().get_subcommands() {
                assert!(script.contains(verb.get_name()), "{shell}: {verb}");
            }
        }
        let bash = script(&Arguments {
            shell: Shell::Bash,
            name: word("measure").unwrap(),
        });
        let systems = crate::system::known().join(" ");
        assert!(bash.contains(&format!("-W \"{systems}\"")), "{systems}");
        assert!(word("a b").is_err() && word("").is_err());
    }
}
