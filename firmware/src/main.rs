//! An image: the meter, and the one instance that it measures.
//!
//! The build script compiles the instance's C and writes down what it is; everything else is the
//! package `meter`, whose start-up code finds the instance by name.

#![cfg_attr(target_os = "none", no_std, no_main)]

// What the build script found out about the instance. It holds data only.
include!(concat!(env!("OUT_DIR"), "/instance.rs"));

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    meter::main()
}
