//! Compiles the C code of one instance, puts it into an archive and says how to link it.
//!
//! The environment chooses: see `catalogue::environment`. The work is done in the rooms below
//! `build/`; here is only the conversation with cargo.

#[path = "build/mod.rs"]
mod build;

use build::{Settings, directives};

fn main() {
    // First of all, so that a corrected environment leads to a new attempt.
    for variable in catalogue::environment::ALL {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    build::limits::set();
    let lines = match Settings::from_environment().and_then(|settings| build::run(&settings)) {
        Ok(built) => built.directives,
        // cargo fails the build for these lines. An exit code would make it say them twice, in
        // the midst of everything else that went to stdout.
        Err(error) => directives::error(&error),
    };
    for line in lines {
        println!("{line}");
    }
}
