//! What cargo is told: how to link, when to build again, and what went wrong.

use std::path::Path;

use catalogue::environment::GNU_LD;
use catalogue::{Instance, Toolchain};
use miette::Diagnostic;

use super::archive::LIBRARY;
use super::{BuildError, Settings};

/// The section layout that all boards share, relative to the workspace's folder.
const LAYOUT: &str = "linker/image.ld";

/// Headers that fill gaps of C libraries, relative to the workspace's folder.
const HEADERS: &str = "firmware/build/include";

/// Everything that cargo is told after a build.
pub fn all(settings: &Settings, instance: &Instance, toolchain: &Toolchain) -> Vec<String> {
    let mut lines = libraries(settings, instance, toolchain);
    lines.extend(linker_arguments(settings));
    lines.extend(inputs(settings, instance, toolchain));
    lines
}

/// The libraries, in order: the first archive that defines memcpy serves C and Rust alike.
fn libraries(settings: &Settings, instance: &Instance, toolchain: &Toolchain) -> Vec<String> {
    let mut lines = vec![
        format!("cargo::rustc-link-search=native={}", settings.out.display()),
        // Not bundled into an rlib, where linker scripts would not find it by its name.
        format!("cargo::rustc-link-lib=static:-bundle={LIBRARY}"),
    ];
    match &toolchain.library.archive {
        Some(archive) => {
            let folder = archive.parent().unwrap_or(Path::new("/"));
            lines.push(format!(
                "cargo::rustc-link-search=native={}",
                folder.display()
            ));
            lines.push("cargo::rustc-link-lib=static:-bundle=c".to_owned());
        }
        None => lines.push("cargo::rustc-link-lib=dylib=m".to_owned()),
    }
    let more = instance.libraries.iter();
    lines
        .extend(more.map(|library| format!("cargo::rustc-link-lib=dylib={}", library.link_name())));
    lines
}

fn linker_arguments(settings: &Settings) -> Vec<String> {
    let map = format!("-Map={}", settings.out.join("firmware.map").display());
    let build_id = "--build-id=sha1".to_owned();
    let mut arguments = match settings.board.linker_script {
        // rust-lld itself. The memory map first: the layout refers to it.
        Some(script) => vec![
            format!("-T{}", settings.root.join(script).display()),
            format!("-T{}", settings.root.join(LAYOUT).display()),
            "-Tdefmt.x".to_owned(),
            format!("--defsym=layout_shift={}", settings.layout),
            build_id,
            map,
        ],
        // The compiler driver, which passes it on.
        None => vec![format!("-Wl,{build_id}"), format!("-Wl,{map}")],
    };
    let gnu_ld = settings.board.linker_script.is_none() && settings.drills.contains(&GNU_LD);
    if gnu_ld {
        // The last of several counts.
        arguments.push("-fuse-ld=bfd".to_owned());
    }
    arguments
        .into_iter()
        .map(|argument| format!("cargo::rustc-link-arg-bins={argument}"))
        .collect()
}

/// What, when it changes, makes this build an old one.
fn inputs(settings: &Settings, instance: &Instance, toolchain: &Toolchain) -> Vec<String> {
    let mut files = vec![settings.root.join(HEADERS)];
    if let Some(script) = settings.board.linker_script {
        files.push(settings.root.join(script));
        files.push(settings.root.join(LAYOUT));
    }
    files.extend(toolchain.library.archive.clone());
    files.extend(instance.include_folders.iter().cloned());
    files.extend(instance.sources.iter().cloned());
    files.push(settings.root.join(catalogue::submission::FOLDER));
    files
        .iter()
        .map(|file| format!("cargo::rerun-if-changed={}", file.display()))
        .collect()
}

/// An error, as lines that cargo shows.
pub fn error(error: &BuildError) -> Vec<String> {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text += &format!("\ncaused by: {inner}");
        cause = inner.source();
    }
    if let Some(help) = error.help() {
        text += &format!("\nhelp: {help}");
    }
    text.lines()
        .map(|line| format!("cargo::error={line}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_an_error_reaches_cargo() {
        let lines = error(&BuildError::Missing {
            instance: "pqclean/A".into(),
            missing: "f,\ng".into(),
        });
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.starts_with("cargo::error=")));
        assert!(lines[2].starts_with("cargo::error=help: "));
    }

    #[test]
    fn causes_are_told() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        let file = super::super::error::file("read", Path::new("/none"))(missing);
        let lines = error(&file);
        assert!(lines[0].contains("cannot read /none"), "{lines:?}");
        assert!(lines[1].contains("caused by: "), "{lines:?}");
    }
}
