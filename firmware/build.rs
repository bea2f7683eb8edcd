//! Compiles the C code of one instance, puts it into an archive and says how to link it.
//!
//! The environment chooses: see `catalogue::environment`. The work is done in the rooms below
//! `build/`; here is only the conversation with cargo.

#[path = "build/mod.rs"]
mod build;

use std::process::ExitCode;

use build::{Settings, directives};

fn main() -> ExitCode {
    // First of all, so that a corrected environment leads to a new attempt.
    for variable in catalogue::environment::ALL {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match Settings::from_environment().and_then(|settings| build::run(&settings)) {
        Ok(built) => {
            for directive in built.directives {
                println!("{directive}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            for line in directives::error(&error) {
                println!("{line}");
            }
            ExitCode::FAILURE
        }
    }
}
